//! The energy of a weave under a uniform deformation, as a membrane.
//!
//!   ψ = ½ (k_s/L) ε_u² + ½ (k_s/L) ε_v² + (1/L²) ⟨Σ_corners V_x⟩,  ε = |F_u| − 1 or |F_v| − 1
//!
//! k_s is reduced in compression as it is in [`crate::yarn::force::Stretch`]; V_x is the energy of a corner
//! ([`crate::yarn::force::Shear`]) at φ or π − φ with φ the angle of F_u and F_v, jamming included; ⟨⟩ is the mean over the
//! crossings of the draft. In a flat sheet under uniform F that is what the elements of [`crate::yarn`] store, to rounding, for
//! every F: at the border of yarns and triangles no energy jumps [Casafranca20, §4.1, whose membrane is fitted instead].
//!
//! Bends of a flat sheet store nothing, and parallel contact does not depend on F while yarns do not slide.
//!
//! **Compression.** V_x grows with F_n, and yarns take F_n for a constant of a step [Cirio14, §4.3]. So does this membrane:
//! energy, stress and tangent are those at the F_n that it holds. [`Matched::new`] has that of the flat sheet at rest;
//! [`Matched::in_state`] that of a uniform state, to be asked for at the start of a step.

use super::Gradient;
use super::directions::{Directions, SecondOrder, Stresses};
use crate::yarn::crossing::Around;
use crate::yarn::force::{Shear, ShearStress, Stretch};
use crate::yarn::kinematics::Segment;
use crate::yarn::material::{Stiffness, YarnMaterial};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;
use std::sync::Arc;
use yarnwise_shared::pattern::weave::Draft;

/// The energy of a weave.
#[derive(Clone, Debug)]
pub struct Matched {
    cell: Arc<Cell>,
    growth: Growth,
    compression: f64,
}

/// What does not change.
#[derive(Debug)]
struct Cell {
    material: YarnMaterial,
    stiffness: Stiffness,
    shear: Shear,
    crossings: Vec<Crossing>,
}

/// A crossing of the draft with two neighbors each way.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    /// 1 where the yarn is over, −1 where it is under; the crossing is in the middle.
    warp: [f64; 5],
    weft: [f64; 5],
}

/// Corners of a crossing, each times 1 + c_n F_n/F_0, as a mean over the draft: those at φ and those at π − φ; of each those
/// that do not jam and those that do.
type Growth = [[f64; 2]; 2];

impl Matched {
    /// Of a material and a draft, with the compression of the flat sheet at rest. Wefts run along u, warps along v.
    pub fn new(material: &YarnMaterial, draft: &Draft) -> Self {
        let stiffness = material.stiffness();
        let shear = Shear::new(material, &stiffness);
        let places = (0..draft.wefts()).flat_map(|weft| (0..draft.warps()).map(move |warp| (weft, warp)));
        let crossings = places.map(|(weft, warp)| Crossing::new(draft, weft, warp)).collect();
        let cell = Arc::new(Cell { material: *material, stiffness, shear, crossings });
        Matched { cell, growth: Growth::default(), compression: 0.0 }
            .compressed_by(|cell, c| cell.compression(c, [1.0; 2]))
    }

    /// The same with every crossing compressed by F_n, N.
    pub fn with_compression(&self, compression: f64) -> Self {
        self.clone().compressed_by(|_, _| compression)
    }

    /// The same with the compression that crossings have in a flat sheet under uniform F.
    pub fn in_state(&self, f: &Gradient) -> Self {
        let [u, v] = [0, 1].map(|k| f.column(k).norm());
        self.clone().compressed_by(|cell, c| cell.compression(c, [u, v]))
    }

    /// The mean of F_n over the draft, N.
    pub fn compression(&self) -> f64 {
        self.compression
    }

    /// The crossings of the draft: 1 where warp or weft is over and −1 where it is under, at the crossing and two places before and after it;
    /// and how many corners a crossing has at φ and at π − φ, without and with jamming, as a mean over the draft.
    #[cfg(feature = "gpu")]
    pub(crate) fn crossings(&self) -> impl Iterator<Item = ([f64; 5], [f64; 5], [[f64; 2]; 2])> + '_ {
        let share = (self.cell.crossings.len() as f64).recip();
        self.cell.crossings.iter().map(move |crossing| {
            let mut corners = [[0.0; 2]; 2];
            crossing.corners().for_each(|(class, jams)| corners[class][usize::from(jams)] += share);
            (crossing.warp, crossing.weft, corners)
        })
    }

    fn compressed_by(mut self, compression: impl Fn(&Cell, &Crossing) -> f64) -> Self {
        let share = (self.cell.crossings.len() as f64).recip();
        (self.growth, self.compression) = (Growth::default(), 0.0);
        for crossing in &self.cell.crossings {
            let force = compression(&self.cell, crossing);
            self.compression += share * force;
            for (class, jams) in crossing.corners() {
                self.growth[class][usize::from(jams)] += share * (1.0 + self.cell.shear.compression * force);
            }
        }
        self
    }

    /// ψ, J/m².
    pub fn energy(&self, f: &Gradient) -> f64 {
        let directions = Directions::new(f);
        let [u, v] = directions.sides.map(|side| self.stretch(&side).energy);
        u + v + self.shear(directions.angle.value).energy
    }

    /// P, N/m.
    pub fn stress(&self, f: &Gradient) -> Gradient {
        let directions = Directions::new(f);
        let [u, v] = directions.sides.map(|side| self.stretch(&side).tension);
        directions.stress(&Stresses::new(u, self.shear(directions.angle.value).moment, v))
    }

    /// ψ up to second order.
    pub(super) fn second_order(&self, f: &Gradient) -> SecondOrder {
        let directions = Directions::new(f);
        let [u, v] = directions.sides.map(|side| self.stretch(&side));
        let shear = self.shear(directions.angle.value);
        let stiffness = Matrix3::from_diagonal(&Vector3::new(u.along, shear.stiffness.max(0.0), v.along));
        SecondOrder { directions, stiffness, stresses: Stresses::new(u.tension, shear.moment, v.tension) }
    }

    /// Of one family of yarns, per area.
    fn stretch(&self, side: &Segment) -> Stretch {
        let Cell { material, stiffness, .. } = &*self.cell;
        Stretch::new(stiffness.stretch / material.spacing, material.compression_ratio, side)
    }

    /// Of all corners, per area.
    fn shear(&self, phi: f64) -> ShearStress {
        let per_area = self.cell.material.spacing.powi(-2);
        let mut sum = ShearStress { energy: 0.0, moment: 0.0, stiffness: 0.0 };
        for (class, (angle, sign)) in [(phi, 1.0), (PI - phi, -1.0)].into_iter().enumerate() {
            for jams in [false, true] {
                // Linear in 1 + c_n F_n/F_0, which is in the growth.
                let one = self.cell.shear.at(angle, 0.0, jams);
                let factor = per_area * self.growth[class][usize::from(jams)];
                sum.energy += factor * one.energy;
                sum.moment += factor * sign * one.moment;
                sum.stiffness += factor * one.stiffness;
            }
        }
        sum
    }
}

impl Crossing {
    fn new(draft: &Draft, weft: usize, warp: usize) -> Self {
        let side = |over: bool| if over { 1.0 } else { -1.0 };
        // Two repeats on, so that no place is negative.
        let (weft, warp) = (weft + 2 * draft.wefts(), warp + 2 * draft.warps());
        Crossing {
            warp: std::array::from_fn(|k| side(draft.warp_over(weft + k - 2, warp))),
            weft: std::array::from_fn(|k| side(!draft.warp_over(weft, warp + k - 2))),
        }
    }

    /// The four corners: whether it has π − φ (1) instead of φ (0), and whether a segment of it is interlaced.
    fn corners(&self) -> impl Iterator<Item = (usize, bool)> {
        let changes = |sides: [f64; 5]| [sides[1] != sides[2], sides[3] != sides[2]];
        let (warp, weft) = (changes(self.warp), changes(self.weft));
        (0..4).map(move |corner| {
            let (a, b) = (corner / 2, corner % 2);
            (usize::from(a != b), warp[a] || weft[b])
        })
    }
}

impl Cell {
    /// F_n of a crossing in a flat sheet with uniform stretches along wefts and warps, N: as
    /// [`crate::yarn::crossing::update_compression`] has it, seen in the plane of each yarn and the normal.
    fn compression(&self, crossing: &Crossing, [along_weft, along_warp]: [f64; 2]) -> f64 {
        let warp = self.yarn_force(&crossing.warp, along_warp);
        let weft = self.yarn_force(&crossing.weft, along_weft);
        // From warp to weft: down where the warp is over.
        (-0.5 * crossing.warp[2] * (warp - weft)).max(0.0)
    }

    /// Force along the normal on the middle of a yarn that runs over and under as `sides` say, N.
    fn yarn_force(&self, sides: &[f64; 5], stretch: f64) -> f64 {
        let YarnMaterial { spacing, radius, .. } = self.material;
        let point = |k: usize| Vector3::new((k as f64 - 2.0) * spacing * stretch, 0.0, radius * sides[k]);
        let flat = Segment::new(Vector3::x() * (spacing * stretch), spacing);
        let tension = Stretch::new(self.stiffness.stretch, 1.0, &flat).tension.max(0.0);
        let points = std::array::from_fn(|k| Some(point(k)));
        Around { points, rest: [spacing; 4], tension: [tension; 2] }.force(&self.stiffness).z
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::state;
    use super::*;
    use crate::yarn::model::Sheet;
    use crate::yarn::{YarnOptions, YarnSimulation};

    /// Energy of a flat sheet under uniform F, J: of stretch and of all.
    fn sheet_energy(material: &YarnMaterial, draft: &Draft, [warps, wefts]: [usize; 2], f: &Gradient) -> f64 {
        let weave = Sheet::new(warps, wefts, draft.clone(), *material).weave().unwrap();
        let mut simulation = YarnSimulation::new(weave, YarnOptions::default());
        let mut state = simulation.state().clone();
        // Sheets lie in the plane of x (wefts) and y (warps).
        state.positions.iter_mut().for_each(|p| *p = f * p.xy());
        simulation.set_state(state);
        let energies = simulation.energies();
        assert!(energies.bend < 1e-12 * energies.stretch.max(1e-9), "a flat sheet does not bend");
        energies.stretch + energies.shear
    }

    /// Energy of the inside of sheets per area, J/m²: the mixed difference of four sizes, in which borders cancel.
    fn yarn_density(material: &YarnMaterial, draft: &Draft, f: &Gradient) -> f64 {
        let (a, b) = (draft.warps(), draft.wefts());
        let (w, h) = (8 + a, 8 + b);
        let energy = |warps, wefts| sheet_energy(material, draft, [warps, wefts], f);
        let inside = energy(w + a, h + b) - energy(w + a, h) - energy(w, h + b) + energy(w, h);
        inside / ((a * b) as f64 * material.spacing.powi(2))
    }

    #[test]
    fn it_is_the_energy_of_the_yarns_in_every_uniform_state() {
        let states = [
            (1.1, 1.1, 0.0),
            (1.0, 1.0, 0.3),
            (0.9, 0.95, 0.0),
            (1.1, 0.92, -0.3),
            (1.02, 1.2, 0.7),
            (0.97, 1.01, 1.3),
            (1.3, 1.25, -1.25),
        ];
        let stiff = YarnMaterial { compression_ratio: 0.3, shear_compression: 2.5, ..YarnMaterial::default() };
        for material in [YarnMaterial::default(), stiff, YarnMaterial::fine_sheet()] {
            for name in ["plain", "twill", "satin", "basket"] {
                let draft = Draft::preset(name).unwrap();
                let rest = Matched::new(&material, &draft);
                for (u, v, shear) in states {
                    let f = state(u, v, shear);
                    let matched = rest.in_state(&f);
                    let expected = yarn_density(&material, &draft, &f);
                    let error = (matched.energy(&f) / expected - 1.0).abs();
                    assert!(expected > 0.0 && error < 1e-11, "{name} at {u} {v} {shear}: {error}");
                    // Negative control: without the compression of the state it is not, where corners turn.
                    let other = (matched.with_compression(2.0 * matched.compression() + 1e-3).energy(&f) / expected
                        - 1.0)
                        .abs();
                    assert!(shear == 0.0 || other > 1e-6, "{name} at {u} {v} {shear}: {other}");
                }
            }
        }
    }

    #[test]
    fn compression_at_rest_is_that_of_plain_weave() {
        let material = YarnMaterial::default();
        let rest = material.stiffness().rest_compression;
        let matched = |name| Matched::new(&material, &Draft::preset(name).unwrap());
        assert!((matched("plain").compression() / rest - 1.0).abs() < 1e-12);
        // Tension presses crossings together; floats do less.
        assert!(matched("plain").in_state(&state(1.05, 1.0, 0.0)).compression() > 2.0 * rest);
        assert!(matched("satin").compression() < 0.9 * rest);
    }
}
