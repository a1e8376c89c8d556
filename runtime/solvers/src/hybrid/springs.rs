//! The springs of [`crate::cloth`], each with a weight: triangles without membrane and hinges.
//!
//! Where all weights are 1, energy and forces are those of the cloth solver, bit by bit: sums run in its order.
//! [Casafranca20, §4.1] has no springs; with them the limit without yarns is our cloth solver.

use crate::cloth::model::{Axial, ClothModel, Spring};
use crate::{Error, Result};
use nalgebra::Vector3;

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
