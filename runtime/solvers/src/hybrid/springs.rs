//! The springs of [`crate::cloth`], each with a weight: triangles without membrane and hinges.
//!
//! Where all weights are 1, each spring's force is that of the cloth solver, bit by bit, and forces are summed in its order; its
//! own sums are of impulses, which differ by rounding.
//! [Casafranca20, §4.1] has no springs; with them the limit without yarns is our cloth solver.

use crate::cloth::model::{Axial, ClothModel, Spring};
use crate::{Error, Result};
use nalgebra::{Matrix3, Vector3};

/// Springs with weights.
#[derive(Clone, Debug)]
pub struct WeightedSprings {
    model: ClothModel,
    weights: Vec<f64>,
}

/// −∂f/∂x and −∂f/∂v of weighted springs at one state; both are positive semi-definite.
#[derive(Clone, Debug)]
pub struct SpringProduct {
    /// By spring, where it acts; weights are in.
    axial: Vec<Option<Axial>>,
}

impl WeightedSprings {
    /// The springs of a model, with the weight of each (1 − ω), 0 to 1.
    pub fn new(model: ClothModel, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != model.springs.len() {
            let problem = format!("{} weights for {} springs: give one each", weights.len(), model.springs.len());
            return Err(Error::invalid("springs", problem));
        }
        if let Some(i) = weights.iter().position(|w| !(0.0..=1.0).contains(w)) {
            let problem = format!("the weight of spring {} is {}: it must be between 0 and 1", i + 1, weights[i]);
            return Err(Error::invalid("springs", problem));
        }
        Ok(WeightedSprings { model, weights })
    }

    /// With 1 − ω at the middle of each spring, `omega` in the material plane and `uvs` of the vertices in meters.
    pub fn by_uv(model: ClothModel, uvs: &[[f64; 2]], omega: impl Fn([f64; 2]) -> f64) -> Result<Self> {
        if uvs.len() != model.particle_count() {
            let problem = format!("{} UVs for {} vertices: give one each", uvs.len(), model.particle_count());
            return Err(Error::invalid("springs", problem));
        }
        let weight = |s: &Spring| {
            let (a, b) = (uvs[s.i as usize], uvs[s.j as usize]);
            1.0 - omega([0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])])
        };
        let weights = model.springs.iter().map(weight).collect();
        WeightedSprings::new(model, weights)
    }

    /// The model.
    pub fn model(&self) -> &ClothModel {
        &self.model
    }

    /// The weight of each spring.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Stored energy at these positions (meters), J.
    pub fn energy(&self, positions: &[Vector3<f64>]) -> f64 {
        let of = |(s, w): (&Spring, &f64)| w * s.energy((positions[s.j as usize] - positions[s.i as usize]).norm());
        self.model.springs.iter().zip(&self.weights).map(of).sum()
    }

    /// Adds the forces of springs and dampers (N) to those of the vertices, and returns the product of this state.
    pub fn add_forces(
        &self,
        positions: &[Vector3<f64>],
        velocities: &[Vector3<f64>],
        forces: &mut [Vector3<f64>],
    ) -> SpringProduct {
        let evaluate = |(s, w): (&Spring, &f64)| {
            let (i, j) = (s.i as usize, s.j as usize);
            if *w == 0.0 {
                return None;
            }
            let v = velocities[j] - velocities[i];
            let axial = s.evaluate(&(positions[j] - positions[i]), &v, self.model.damping)?;
            Some(weighted(&axial, *w))
        };
        let product = SpringProduct { axial: self.model.springs.iter().zip(&self.weights).map(evaluate).collect() };
        for (p, force) in forces.iter_mut().enumerate() {
            for (s, first) in self.model.springs_at(p) {
                let Some(axial) = &product.axial[s] else { continue };
                *force += if first { axial.force } else { -axial.force };
            }
        }
        product
    }

    /// Calls `put` with the ends of each spring that acts and its block of a K + b C: positive on the diagonal of both, negative between.
    pub fn each_block(
        &self,
        product: &SpringProduct,
        [a, b]: [f64; 2],
        mut put: impl FnMut(usize, usize, &Matrix3<f64>),
    ) {
        for (s, axial) in self.model.springs.iter().zip(&product.axial) {
            let Some(axial) = axial else { continue };
            let along = a * axial.k_axial + b * axial.c_axial;
            let across = a * axial.k_transverse + b * axial.c_transverse;
            let d = axial.direction;
            let block = d * d.transpose() * (along - across) + Matrix3::identity() * across;
            put(s.i as usize, s.j as usize, &block);
        }
    }

    /// Adds (a K + b C) d to `out`, with K = −∂f/∂x (N/m), C = −∂f/∂v (N s/m) and d by vertex.
    pub fn add_product(&self, product: &SpringProduct, [a, b]: [f64; 2], d: &[Vector3<f64>], out: &mut [Vector3<f64>]) {
        for (s, axial) in self.model.springs.iter().zip(&product.axial) {
            let Some(axial) = axial else { continue };
            let (i, j) = (s.i as usize, s.j as usize);
            let change = d[i] - d[j];
            let damper = Axial { k_axial: axial.c_axial, k_transverse: axial.c_transverse, ..*axial };
            let force = axial.stiffness_times(&change) * a + damper.stiffness_times(&change) * b;
            out[i] += force;
            out[j] -= force;
        }
    }
}

fn weighted(axial: &Axial, weight: f64) -> Axial {
    Axial {
        force: axial.force * weight,
        direction: axial.direction,
        k_axial: axial.k_axial * weight,
        k_transverse: axial.k_transverse * weight,
        c_axial: axial.c_axial * weight,
        c_transverse: axial.c_transverse * weight,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::model::{ClothMaterial, Grid};
    use yarnwise_shared::random::Random;

    const SEED: u64 = 22;

    fn model() -> (Grid, ClothModel) {
        let grid = Grid::horizontal(6, 0.01);
        let material = ClothMaterial { bend_stiffness: 5.0, ..ClothMaterial::default() };
        let model = ClothModel::from_grid(&grid, &material);
        (grid, model)
    }

    fn springs() -> WeightedSprings {
        let (grid, model) = model();
        let uvs: Vec<[f64; 2]> = grid.uvs().iter().map(|uv| uv.map(f64::from)).collect();
        WeightedSprings::by_uv(model, &uvs, |[u, _]| (u / 0.05).clamp(0.0, 1.0)).unwrap()
    }

    fn shaken(model: &ClothModel, random: &mut Random, size: f64) -> Vec<Vector3<f64>> {
        let shift = |p: &Vector3<f64>| p + Vector3::from_fn(|_, _| random.between([-size, size]));
        model.rest_positions.iter().map(shift).collect()
    }

    #[test]
    fn forces_are_slopes_of_energy() {
        let springs = springs();
        let mut random = Random::new(SEED);
        let mut positions = shaken(springs.model(), &mut random, 2e-3);
        let n = positions.len();
        let mut forces = vec![Vector3::zeros(); n];
        springs.add_forces(&positions, &vec![Vector3::zeros(); n], &mut forces);
        let largest = forces.iter().map(Vector3::norm).fold(0.0, f64::max);
        assert!(largest > 0.1);
        for (p, i) in (0..n).flat_map(|p| (0..3).map(move |i| (p, i))) {
            let h = 1e-8;
            let x = positions[p][i];
            let mut at = |x| {
                positions[p][i] = x;
                springs.energy(&positions)
            };
            let numeric = (at(x - h) - at(x + h)) / (2.0 * h);
            at(x);
            assert!((forces[p][i] - numeric).abs() < 1e-6 * largest, "seed {SEED}: {} {numeric}", forces[p][i]);
        }
        // Negative control: weights count.
        let whole = WeightedSprings::new(model().1, vec![1.0; springs.weights().len()]).unwrap();
        assert!(whole.energy(&positions) > 1.2 * springs.energy(&positions));
    }

    #[test]
    fn products_are_not_negative_and_follow_forces_under_tension() {
        let springs = springs();
        let mut random = Random::new(SEED);
        let n = springs.model().particle_count();
        let still = vec![Vector3::zeros(); n];
        for round in 0..1000 {
            let positions = shaken(springs.model(), &mut random, if round % 2 == 0 { 5e-3 } else { 5e-4 });
            let product = springs.add_forces(&positions, &still, &mut vec![Vector3::zeros(); n]);
            let d: Vec<Vector3<f64>> = (0..n).map(|_| Vector3::from_fn(|_, _| random.between([-1.0, 1.0]))).collect();
            let mut out = vec![Vector3::zeros(); n];
            springs.add_product(&product, [1.0, 0.3], &d, &mut out);
            let work: f64 = out.iter().zip(&d).map(|(o, d)| o.dot(d)).sum();
            let scale: f64 = out.iter().map(Vector3::norm).sum();
            assert!(work >= -1e-12 * scale, "seed {SEED}, round {round}: {work}");
        }
        // Stretched in plane no bend spring acts, and the product is exact.
        let positions: Vec<_> = springs.model().rest_positions.iter().map(|p| p * 1.1).collect();
        let at = |positions: &[Vector3<f64>]| {
            let mut forces = vec![Vector3::zeros(); n];
            let product = springs.add_forces(positions, &still, &mut forces);
            (forces, product)
        };
        let d: Vec<Vector3<f64>> = (0..n).map(|_| Vector3::from_fn(|_, _| random.between([-1.0, 1.0]))).collect();
        let mut out = vec![Vector3::zeros(); n];
        springs.add_product(&at(&positions).1, [1.0, 0.0], &d, &mut out);
        let moved = |h: f64| at(&positions.iter().zip(&d).map(|(p, d)| p + d * h).collect::<Vec<_>>()).0;
        let (more, less) = (moved(1e-7), moved(-1e-7));
        let largest = out.iter().map(Vector3::norm).fold(0.0, f64::max);
        for p in 0..n {
            assert!(((less[p] - more[p]) / 2e-7 - out[p]).norm() < 1e-5 * largest, "{p}");
        }
        let shift = vec![Vector3::new(1.0, 2.0, 3.0); n];
        let mut none = vec![Vector3::zeros(); n];
        springs.add_product(&at(&positions).1, [1.0, 0.0], &shift, &mut none);
        assert!(none.iter().all(|f| f.norm() < 1e-9 * largest));
    }

    #[test]
    fn wrong_weights_are_refused() {
        let count = model().1.springs.len();
        let refusal = |weights| WeightedSprings::new(model().1, weights).unwrap_err().to_string();
        assert!(refusal(vec![1.0; 3]).contains("3 weights for"));
        let mut weights = vec![1.0; count];
        weights[4] = f64::NAN;
        assert!(refusal(weights).contains("the weight of spring 5 is NaN"));
    }
}
