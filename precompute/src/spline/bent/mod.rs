//! A cell of B-spline yarns on a cylinder.
//!
//! As in the bake ([`crate::midsurface::SingleCurvature`]) the surface at the mean height of the yarns is a cylinder, so that the copies of the cell
//! are the cell moved by rigid motions of the cylinder. What is prescribed is II = lambda v v^T with v along x or y, beside the
//! strain of that surface. Turning about the axis, moving along it and sliding of yarns cost nothing and are held. The mean height is
//! kept by an even load along the normals, whose size is sought.
//!
//! - `copies`: the copies of control points and contact points that the cell's own ones meet.
//! - `balance`: the energy as a function of the control points.

mod balance;
mod copies;

use super::cell::{SplineCell, TOLERANCE_ON_THE_WAY};
use super::gauge;
use super::yarns::SplineEnergy;
use crate::cell::kinematics::LargeScale;
use crate::newton::{Holds, Newton, NewtonOptions, NewtonWork};
use balance::BentObjective;
use nalgebra::Vector3;
use yarnwise_shared::table::strain::Strain;

/// The angle by which a cell is bent more from one equilibrium to the next, radians a radius of the yarn.
const INCREMENT: f64 = 0.05;

/// The mean height is found to this fraction of a radius, or as well as the forces that are left allow.
const HEIGHT_TOLERANCE: f64 = 1e-6;

/// The most loads that are tried for it.
const MAX_LOADS: usize = 30;

/// Steps of the derivative by the curvature, relative to one over the radius.
const DIFFERENCE: f64 = 1e-5;

/// The strain and the curvature of a bent cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// Strain of the surface at the mean height of the yarns.
    pub strain: Strain<f64>,
    /// The axis along which it is bent: 0 for x, 1 for y.
    pub axis: usize,
    /// lambda, 1/m: II = lambda v v^T. Positive toward the front.
    pub curvature: f64,
}

impl Bend {
    fn deformation(&self, period: [f64; 2], curvature: f64) -> LargeScale {
        let direction = if self.axis == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
        LargeScale::bent(self.strain, direction, curvature, period)
    }
}

/// An equilibrium of a bent cell, or where the search for it was given up.
#[derive(Clone, Debug)]
pub struct BentState {
    /// What was prescribed.
    pub bend: Bend,
    /// Control points, m.
    pub q: Vec<Vector3<f64>>,
    /// Energy of the cell by kind, J.
    pub energy: SplineEnergy,
    /// d psi / d lambda, N: moment over width at rest.
    pub moment: f64,
    /// Whether forces balance at the prescribed height and no yarn passed through another on the way.
    pub converged: bool,
    /// Whether it is a minimum.
    pub stable: bool,
    /// Work done on the way.
    pub work: NewtonWork,
}

impl SplineCell {
    /// The equilibrium of the cell under `bend`: stretched first, then bent by even increments.
    pub fn solve_bent(&self, bend: &Bend) -> BentState {
        let flat = self.solve(bend.strain);
        let mut found =
            BentEnd { energy: flat.energy, load: 0.0, sound: flat.converged, stable: true, work: flat.work, q: flat.q };
        let steps = (bend.curvature.abs() * self.yarns.radius / INCREMENT).ceil() as usize;
        // The surface lies at the mean height.
        let middle = Vector3::z() * self.mean_height();
        let mut before = bend.deformation(self.period, 0.0);
        let mut material: Vec<Vector3<f64>> = self.rest.clone();
        found.q.iter_mut().for_each(|q| *q -= middle);
        for k in 1..=steps {
            let deformation = bend.deformation(self.period, bend.curvature * k as f64 / steps as f64);
            material = found.q.iter().zip(&material).map(|(q, near)| before.pull_back(q, near)).collect();
            let start = material.iter().map(|x| deformation.map(x)).collect();
            let tolerance = if k == steps { 0.0 } else { TOLERANCE_ON_THE_WAY };
            let options =
                NewtonOptions { tolerance: self.settings.newton.tolerance.max(tolerance), ..self.settings.newton };
            let next = self.balance(deformation.clone(), start, &options);
            found = BentEnd { sound: next.sound && found.sound, work: found.work + next.work, ..next };
            before = deformation;
        }
        let moment = self.moment(bend, &found);
        BentState {
            bend: *bend,
            energy: found.energy,
            moment,
            converged: found.sound && found.energy.total().is_finite() && moment.is_finite(),
            stable: found.stable,
            work: found.work,
            q: found.q,
        }
    }

    /// The mean height of the yarns at rest, m.
    fn mean_height(&self) -> f64 {
        let speeds = || self.yarns.curves.iter().flat_map(|c| std::iter::repeat_n(c.rest_speed, c.count));
        let sum: f64 = self.rest.iter().zip(speeds()).map(|(q, speed)| q.z * speed).sum();
        sum / speeds().sum::<f64>()
    }

    /// The equilibrium from `start` with the mean height prescribed.
    fn balance(&self, deformation: LargeScale, start: Vec<Vector3<f64>>, options: &NewtonOptions) -> BentEnd {
        let holds = self.bent_holds(&deformation, &start);
        let mut objective = BentObjective::new(self, deformation);
        let mut q = start;
        let mut work = NewtonWork::default();
        let mut stable = false;
        for _ in 0..MAX_LOADS {
            let mut newton = Newton::new(&mut objective, q, holds.clone(), options);
            let minimum = newton.run();
            stable = newton.factorize();
            let weights = newton.objective().weights().to_vec();
            let response = newton.solve(&weights);
            work += minimum.work;
            q = newton.into_x();
            let height = objective.height(&q);
            let sound = minimum.converged && !objective.passed_through;
            let give: f64 = weights.iter().zip(&response).map(|(w, x)| w.dot(x)).sum();
            let left = options.tolerance * self.yarns.stiffness.stretch;
            let found = height.abs() <= HEIGHT_TOLERANCE * self.yarns.radius + left * give;
            if found || !sound || !stable || !height.is_finite() || give <= 0.0 {
                let energy = objective.energy(&q);
                return BentEnd { energy, load: objective.load, sound: sound && found, stable, work, q };
            }
            let load = -height / give;
            objective.load += load;
            q.iter_mut().zip(&response).for_each(|(q, x)| *q += x * load);
        }
        let energy = objective.energy(&q);
        BentEnd { energy, load: objective.load, sound: false, stable, work, q }
    }

    /// d psi / d lambda at fixed control points: at an equilibrium those need not follow. A difference of energies, without another
    /// search.
    fn moment(&self, bend: &Bend, found: &BentEnd) -> f64 {
        let step = DIFFERENCE / self.yarns.radius;
        let at = |sign: f64| {
            let mut objective = BentObjective::new(self, bend.deformation(self.period, bend.curvature + sign * step));
            objective.load = found.load;
            crate::newton::Objective::refresh(&mut objective, &found.q);
            crate::newton::Objective::value(&objective, &found.q)
        };
        (at(1.0) - at(-1.0)) / (2.0 * step * self.area())
    }

    /// What is held: turning about the cylinder's axis, moving along it, and yarns that slide along themselves.
    fn bent_holds(&self, deformation: &LargeScale, q: &[Vector3<f64>]) -> Holds {
        let frame = |x: &Vector3<f64>| deformation.rotation(x).unwrap_or_else(nalgebra::Matrix3::identity);
        let motion = |axis: usize| self.rest.iter().map(|x| frame(x).column(axis).into_owned()).collect();
        let mut motions: Vec<Vec<Vector3<f64>>> = vec![motion(0), motion(1)];
        for curve in self.yarns.curves.iter().filter(|c| c.closed) {
            let mut slide = vec![Vector3::zeros(); q.len()];
            for i in 0..curve.count {
                let around = |k: isize| {
                    let turns = k.div_euclid(curve.count as isize) as i32;
                    let point = q[curve.first + k.rem_euclid(curve.count as isize) as usize];
                    deformation.image(curve.shift.map(|s| s * turns)).point(&point)
                };
                slide[curve.first + i] = (around(i as isize + 1) - around(i as isize - 1)) / (2.0 * curve.rest_speed);
            }
            motions.push(slide);
        }
        gauge::against(&motions)
    }
}

/// Where the search for a bent equilibrium ended.
struct BentEnd {
    q: Vec<Vector3<f64>>,
    energy: SplineEnergy,
    /// Load that keeps the height, N.
    load: f64,
    sound: bool,
    stable: bool,
    work: NewtonWork,
}

#[cfg(test)]
mod tests;
