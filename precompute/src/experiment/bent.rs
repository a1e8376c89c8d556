//! A cell is bent along x or y, its surface under a given strain: moment over curvature.

use super::data::{Axis, Bent};
use super::respond::Tick;
use crate::spline::{Bend, SplineCell};
use rayon::prelude::*;
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{Database, SampleRecord, SampleStatus};
use yarnwise_shared::table::strain::Strain;
use yarnwise_shared::{Error, Result};

/// Curvatures of the experiment, times the radius of the yarn.
pub const CURVATURES: [f64; 6] = [0.0, 0.005, 0.01, 0.02, 0.03, 0.04];

/// The smallest and the largest curvature that is possible, times the radius: of a smaller one nothing tells the height of the fabric from
/// its place, with a larger one a turn of the cylinder is shorter than two crossings.
pub const POSSIBLE: [f64; 2] = [1e-4, 0.2];

/// The cell under all `bends`, in their order, whatever the number of threads.
pub fn bend_all(cell: &SplineCell, bends: &[Bend], progress: Tick) -> Vec<Bent> {
    let solve = |bend: &Bend| {
        let state = cell.solve_bent(bend);
        progress();
        Bent {
            strain: bend.strain.into(),
            axis: if bend.axis == 0 { Axis::X } else { Axis::Y },
            curvature: bend.curvature,
            energy_density: state.energy.total() / cell.area(),
            moment: Some(state.moment),
            converged: state.converged,
            stable: state.stable,
        }
    };
    bends.par_iter().map(solve).collect()
}

/// What the bending tables of a database know, without shear. Moments are slopes of its energies along curvature, by the parabola through
/// neighboring samples: as exact as these are near. `origin` names the database.
pub fn baked(database: &Database, origin: &str) -> Result<Vec<Bent>> {
    let Some(tables) = database.bending() else {
        let problem = "this database has no bending tables: bake its pattern with --bending";
        return Err(Error::invalid(origin, problem));
    };
    let mut out = table(&tables.x, &tables.x_samples, Axis::X);
    out.extend(table(&tables.y, &tables.y_samples, Axis::Y));
    if out.is_empty() {
        return Err(Error::invalid(origin, "no sample of its bending tables without shear has an energy"));
    }
    Ok(out)
}

fn table(table: &Table<4>, samples: &[SampleRecord], axis: Axis) -> Vec<Bent> {
    let grid = table.grid();
    let curvatures = grid.0[3].values();
    let mut out = Vec::new();
    for sample in 0..samples.len() {
        let [sx, sa, sy, curvature] = grid.coordinates(sample);
        let Some(energy_density) = samples[sample].energy_density.filter(|_| sa == 0.0) else { continue };
        let at = curvatures.iter().position(|c| *c == curvature).unwrap_or(0);
        let place: [usize; 3] = [(0, sx), (1, sa), (2, sy)]
            .map(|(k, s): (usize, f64)| grid.0[k].values().iter().position(|v| *v == s).unwrap_or(0));
        let energy = |k: usize| {
            let record = &samples[grid.sample([place[0], place[1], place[2], k])];
            record.energy_density.filter(|_| record.status == SampleStatus::Converged)
        };
        out.push(Bent {
            strain: Strain::new(sx, sa, sy).into(),
            axis,
            curvature,
            energy_density,
            moment: slope(curvatures, at, energy),
            converged: samples[sample].status == SampleStatus::Converged,
            stable: samples[sample].status == SampleStatus::Converged,
        });
    }
    out
}

/// The slope at `x[at]` of the parabola through the values there and at the two neighbors; at an end, through the three outermost.
fn slope(x: &[f64], at: usize, value: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    let first = at.saturating_sub(1).min(x.len().checked_sub(3)?);
    let [a, b, c] = [first, first + 1, first + 2];
    let [ya, yb, yc] = [value(a)?, value(b)?, value(c)?];
    let ab = (yb - ya) / (x[b] - x[a]);
    let abc = ((yc - yb) / (x[c] - x[b]) - ab) / (x[c] - x[a]);
    Some(ab + abc * (2.0 * x[at] - x[a] - x[b]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_of_parabolas_are_exact_inside_and_at_the_ends() {
        let x = [-3.0, -1.0, 0.0, 2.5];
        let y = |k: usize| Some(1.0 + 2.0 * x[k] + 3.0 * x[k] * x[k]);
        for (at, x) in x.iter().enumerate() {
            assert!((slope(&[-3.0, -1.0, 0.0, 2.5], at, y).unwrap() - (2.0 + 6.0 * x)).abs() < 1e-12);
        }
        assert_eq!(slope(&x, 1, |k| (k != 2).then_some(1.0)), None);
        assert_eq!(slope(&[0.0, 1.0], 0, y), None);
    }
}
