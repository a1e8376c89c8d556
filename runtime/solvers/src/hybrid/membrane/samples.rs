//! Energies of all samples of a database, those that failed filled in.

use crate::{Error, Result};
use yarnwise_shared::table::database::Database;
use yarnwise_shared::table::grid::StrainGrid;

/// The largest part of samples that may be filled in: beyond it whole lines of the usual grids (9 to 15 values an axis) may
/// be guesses.
const MOST_FILLED: f64 = 0.1;

/// ψ of each sample, J/m².
pub(super) fn energies(database: &Database) -> Result<Vec<f64>> {
    let fault = |problem: String| Error::invalid(database.name(), problem);
    let grid = database.table().grid();
    let samples = database.samples();
    if samples.iter().all(|s| s.energy_density.is_none()) {
        return Err(fault("the database has no energies: bake it with this program".into()));
    }
    let mut known: Vec<Option<f64>> = samples.iter().map(|s| s.energy_density.filter(|_| !s.status.failed())).collect();
    let missing = known.iter().filter(|k| k.is_none()).count();
    if missing as f64 > MOST_FILLED * known.len() as f64 {
        let first = known.iter().position(Option::is_none).unwrap_or_default();
        let [sx, sa, sy] = grid.coordinates(first);
        return Err(fault(format!(
            "{missing} of {} energies are unknown, the first at sample {} (sx {sx}, sa {sa}, sy {sy}, {}): bake it again with more \
             iterations, or on a smaller range of strains",
            known.len(),
            first + 1,
            samples[first].status.name()
        )));
    }
    while known.iter().any(Option::is_none) {
        let next: Vec<_> = (0..known.len()).map(|i| known[i].or_else(|| fill(grid, &known, i))).collect();
        if next == known {
            return Err(fault("too few energies are known to fill in the others: bake it again".into()));
        }
        known = next;
    }
    Ok(known.into_iter().flatten().collect())
}

/// The mean of what the axes say: a parabola through the three nearest known samples of each line, or a line through two.
fn fill(grid: &StrainGrid, known: &[Option<f64>], sample: usize) -> Option<f64> {
    let at = grid.indices(sample);
    let (mut sum, mut count) = (0.0, 0.0);
    for axis in 0..3 {
        let values = grid.0[axis].values();
        let here = values[at[axis]];
        let mut line: Vec<(f64, f64)> = (0..values.len())
            .filter_map(|k| {
                let mut indices = at;
                indices[axis] = k;
                known[grid.sample(indices)].map(|energy| (values[k] - here, energy))
            })
            .collect();
        line.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
        line.truncate(3);
        if line.len() >= 2 {
            sum += at_zero(&line);
            count += 1.0;
        }
    }
    (count > 0.0).then(|| sum / count)
}

/// The polynomial through points, at zero.
fn at_zero(points: &[(f64, f64)]) -> f64 {
    let weight = |i: usize| -> f64 {
        let others = points.iter().enumerate().filter(|(j, _)| *j != i);
        others.map(|(_, (x, _))| x / (x - points[i].0)).product()
    };
    points.iter().enumerate().map(|(i, (_, y))| y * weight(i)).sum()
}
