//! A patch of fabric is pulled along one family of yarns: these flatten, those across crimp [MartinGarrido18, Fig. 2, bottom].

use super::FRICTION;
use super::data::Load;
use crate::explicit::patch::{Family, Patch, cut};
use crate::explicit::{Friction, QuasiStatics};
use crate::newton::Hold;
use crate::spline::SplineCell;
use serde::Serialize;
use yarnwise_shared::{Error, Result, range};

/// By how much a patch may be stretched.
pub const STRETCH: [f64; 2] = [-0.3, 1.0];
/// In how many increments.
pub const INCREMENTS: [usize; 2] = [1, 10_000];
/// How many periods it may have along x and along y.
pub const PERIODS: [usize; 2] = [1, 32];

/// How a patch is pulled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct InPlaneOptions {
    /// Periods along x and y.
    pub periods: [usize; 2],
    /// Which yarns are pulled.
    pub family: Family,
    /// By how much they are stretched.
    pub stretch: f64,
    /// In how many increments.
    pub increments: usize,
    /// mu.
    pub friction: f64,
}

impl Default for InPlaneOptions {
    fn default() -> Self {
        InPlaneOptions { periods: [4, 4], family: Family::Weft, stretch: 0.1, increments: 5, friction: 0.0 }
    }
}

/// A patch that was pulled.
#[derive(Clone, Debug)]
pub struct InPlane {
    /// What was measured, the patch at rest first.
    pub loads: Vec<Load>,
    /// The patch at the end.
    pub patch: Patch,
}

/// Pulls a patch of the relaxed `cell`; `each` hears of every increment.
pub fn in_plane(cell: &SplineCell, options: &InPlaneOptions, each: &mut dyn FnMut(&Load)) -> Result<InPlane> {
    let name = "in-plane load";
    range::check(name, "the stretch", options.stretch, STRETCH, "")?;
    range::check(name, "the coefficient of friction", options.friction, FRICTION, "")?;
    let within = |count: usize, [least, most]: [usize; 2]| (least..=most).contains(&count);
    if !within(options.increments, INCREMENTS) || !options.periods.iter().all(|p| within(*p, PERIODS)) {
        let [[_, increments], [_, periods]] = [INCREMENTS, PERIODS];
        let problem = format!("1 to {increments} increments and 1 to {periods} periods along x and y are needed");
        return Err(Error::invalid(name, problem));
    }
    let patch = cut(cell, options.periods)?;
    let axis = usize::from(options.family == Family::Warp);
    let edge = cell.period[1 - axis] * options.periods[1 - axis] as f64;
    let mut statics = held(&patch);
    statics.body.friction = Friction::coulomb(options.friction, cell.yarns.radius);
    let rest = patch.q.clone();
    let middle = 0.5 * cell.period[axis] * options.periods[axis] as f64;
    let ends = pulled_ends(&patch, options.family);
    let mut loads = Vec::new();
    for k in 0..=options.increments {
        let before = statics.q.clone();
        let stretch = options.stretch * k as f64 / options.increments as f64;
        for end in &ends {
            statics.q[*end][axis] = middle + (rest[*end][axis] - middle) * (1.0 + stretch);
        }
        let balanced = statics.balance(&before);
        let pull: f64 = ends.iter().filter(|i| rest[**i][axis] > middle).map(|i| balanced.reaction[*i][axis]).sum();
        let load = Load {
            stretch,
            edge_force: pull / edge,
            heights: heights(&statics, &patch, options),
            converged: balanced.converged,
        };
        each(&load);
        loads.push(load);
    }
    Ok(InPlane { loads, patch: Patch { body: statics.body, q: statics.q, yarns: patch.yarns } })
}

/// Both ends of each yarn are held: they lie half way between crossings, in the middle of the fabric.
fn held(patch: &Patch) -> QuasiStatics {
    let mut body = patch.body.clone();
    let ends: Vec<usize> = body.yarns.curves.iter().flat_map(|c| [c.first, c.first + c.count - 1]).collect();
    ends.into_iter().for_each(|end| body.holds.set(end, Hold::fixed()));
    QuasiStatics::new(body, patch.q.clone())
}

fn pulled_ends(patch: &Patch, family: Family) -> Vec<usize> {
    let curves = patch.body.yarns.curves.iter().zip(&patch.yarns);
    curves.filter(|(_, y)| y.family == family).flat_map(|(c, _)| [c.first, c.first + c.count - 1]).collect()
}

/// Half of how far pulled yarns and those across rise and fall from crossing to crossing in the middle half of the patch, m: waves of
/// the patch as a whole do not count.
fn heights(statics: &QuasiStatics, patch: &Patch, options: &InPlaneOptions) -> [f64; 2] {
    let y = statics.contact_places();
    let other = if options.family == Family::Weft { Family::Warp } else { Family::Weft };
    [options.family, other].map(|family| {
        let rows = patch.yarns.iter().filter(|p| p.family == family).count();
        let mut falls = Vec::new();
        for (c, yarn) in patch.yarns.iter().enumerate() {
            if yarn.family != family || 4 * yarn.row < rows || 4 * yarn.row >= 3 * rows {
                continue;
            }
            let length = patch.body.yarns.curves[c].rest_length();
            let inner = 0.25 * length..0.75 * length;
            let points = statics.body.yarns.contact.iter().zip(&y);
            let own = points.filter(|(p, _)| p.curve == c && inner.contains(&p.arc)).map(|(_, y)| y.z);
            let extremes = extremes(&own.collect::<Vec<f64>>());
            falls.extend(extremes.windows(2).map(|w| 0.5 * (w[1] - w[0]).abs()));
        }
        falls.iter().sum::<f64>() / falls.len().max(1) as f64
    })
}

/// Where values turn from rising to falling or back, one after the other.
fn extremes(z: &[f64]) -> Vec<f64> {
    z.windows(3).filter(|w| (w[1] - w[0]) * (w[2] - w[1]) <= 0.0).map(|w| w[1]).collect()
}
