//! Yarns as splines as a model of fabric.

use super::cell::{SplineCell, SplineState};
use super::yarns::Yarns;
use crate::Result;
use crate::cell::Stiffness;
use crate::fabric::{Fabric, Kinds, Parameter, Response, Sensitivity};
use nalgebra::Vector3;
use yarnwise_shared::Error;
use yarnwise_shared::table::strain::Strain;

/// The highest and the lowest contact point of each yarn of a family.
struct Extremes {
    points: [Vec<[usize; 2]>; 2],
}

impl Extremes {
    /// Of yarns along x, then of yarns along y.
    fn of(yarns: &Yarns, y: &[Vector3<f64>]) -> Self {
        let mut points = [Vec::new(), Vec::new()];
        for (c, curve) in yarns.curves.iter().enumerate() {
            let family = match curve.shift {
                [0, 0] => continue,
                [_, 0] => 0,
                [0, _] => 1,
                _ => continue,
            };
            let own = || (0..y.len()).filter(|i| yarns.contact[*i].curve == c);
            let by_height = |a: &usize, b: &usize| y[*a].z.total_cmp(&y[*b].z);
            if let (Some(top), Some(bottom)) = (own().max_by(by_height), own().min_by(by_height)) {
                points[family].push([top, bottom]);
            }
        }
        Extremes { points }
    }

    /// Half of how far yarns rise and fall, the mean over a family, of heights `z` of the contact points; none unless there are
    /// both families.
    fn heights(&self, z: impl Fn(usize) -> f64) -> Option<[f64; 2]> {
        let mean = |family: &Vec<[usize; 2]>| {
            let sum: f64 = family.iter().map(|[top, bottom]| 0.5 * (z(*top) - z(*bottom))).sum();
            sum / family.len() as f64
        };
        let both = self.points.iter().all(|family| !family.is_empty());
        both.then(|| [mean(&self.points[0]), mean(&self.points[1])])
    }
}

impl SplineCell {
    /// Half of how far the center lines rise and fall, m: of yarns along x and along y, where there are both.
    pub fn heights(&self, state: &SplineState) -> Option<[f64; 2]> {
        let y = self.yarns.contact_places(&self.place(state.strain), &state.q);
        Extremes::of(&self.yarns, &y).heights(|i| y[i].z)
    }

    /// How hard two yarns press on each other at a crossing, across the fabric, the mean of all crossings, N.
    pub fn normal_force(&self, state: &SplineState) -> Option<f64> {
        let place = self.place(state.strain);
        let y = self.yarns.contact_places(&place, &state.q);
        let mut sum = 0.0;
        state.contacts.for_each(&self.yarns, &place, &y, |_, _, _, force| sum += force.z.abs());
        (self.crossings > 0).then(|| sum / self.crossings as f64)
    }

    fn response(&self, state: &SplineState, stable: bool) -> Response {
        let area = self.area();
        let energy = &state.energy;
        let kinds = Kinds {
            stretch: energy.stretch / area,
            bend: energy.bend / area,
            twist: 0.0,
            contact: energy.contact / area,
        };
        Response {
            strain: [state.strain.sx, state.strain.sa, state.strain.sy],
            energy_density: kinds.total(),
            kinds: Some(kinds),
            stress: Some(self.stress(state)),
            heights: self.heights(state),
            normal_force: self.normal_force(state),
            converged: state.converged,
            stable,
        }
    }
}

/// The stiffness with all kinds but one left out.
fn one_kind(k: &Stiffness) -> [Stiffness; 3] {
    let none = Stiffness { stretch: 0.0, bend: 0.0, twist: 0.0, contact: 0.0 };
    [
        Stiffness { stretch: k.stretch, ..none },
        Stiffness { bend: k.bend, ..none },
        Stiffness { contact: k.contact, ..none },
    ]
}

impl Fabric for SplineCell {
    fn model(&self) -> &'static str {
        "spline"
    }

    fn parameters(&self) -> Vec<Parameter> {
        let k = &self.yarns.stiffness;
        vec![
            Parameter::new("stretch", "N", k.stretch),
            Parameter::new("bend", "N m^2", k.bend),
            Parameter::new("contact", "N/m", k.contact),
        ]
    }

    fn with_values(&self, values: &[f64]) -> Result<Box<dyn Fabric>> {
        let [stretch, bend, contact] = values else {
            let problem = format!("{} values for its 3 parameters stretch, bend and contact", values.len());
            return Err(Error::invalid("yarns as splines", problem).into());
        };
        if let Some(bad) = values.iter().find(|v| !(v.is_finite() && **v > 0.0)) {
            return Err(Error::invalid("yarns as splines", format!("a stiffness is {bad}, it must be positive")).into());
        }
        let mut other = self.clone();
        other.yarns.stiffness = Stiffness { stretch: *stretch, bend: *bend, contact: *contact, ..self.yarns.stiffness };
        Ok(Box::new(other))
    }

    fn respond(&self, strain: Strain<f64>) -> Result<Response> {
        let (state, stable) = self.solve_stable(strain);
        Ok(self.response(&state, stable))
    }

    fn respond_with_sensitivity(&self, strain: Strain<f64>) -> Result<(Response, Sensitivity)> {
        let (state, _) = self.solve_stable(strain);
        let place = self.place(strain);
        let mut objective = self.objective(&self.yarns, strain);
        let (newton, linear) = self.linearized(&mut objective, &state);
        let response = self.response(&state, linear.stable);
        let kinds = [state.energy.stretch, state.energy.bend, state.energy.contact];
        let stresses = self.stresses(&self.yarns, &state);
        let extremes = Extremes::of(&self.yarns, &self.yarns.contact_places(&place, &state.q));
        let mut out = Sensitivity::default();
        for (kind, stiffness) in one_kind(&self.yarns.stiffness).into_iter().enumerate() {
            // H dq/dz = -dU_kind/dq.
            let mut force = vec![Vector3::zeros(); state.q.len()];
            self.yarns.add_gradient(&place, &state.q, &state.contacts, &stiffness, &mut force);
            let change: Vec<Vector3<f64>> = newton.solve(&force).into_iter().map(|v| -v).collect();
            out.energy_density.push(kinds[kind] / self.area());
            out.stress.push([0, 1, 2].map(|k| {
                let carried: f64 = linear.by_strain[k].iter().zip(&change).map(|(a, b)| a.dot(b)).sum();
                stresses[kind][k] + carried / self.area()
            }));
            let none = Vector3::zeros();
            out.heights.extend(extremes.heights(|i| self.yarns.contact[i].station.value(&none, &change).z));
        }
        Ok((response, out))
    }
}
