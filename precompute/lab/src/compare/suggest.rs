//! Which axis to refine, and the smallest grid under a given error.
//!
//! Both are answered by leaving samples out and looking how much worse the table gets, as the run time would read it
//! (strains clamped). An error of piecewise linear interpolation falls with the square of the spacing, so a table whose error is
//! e with every second sample is about e / 3 from the truth with all of them, where the fabric deforms smoothly.

use super::CompareOptions;
use super::distance::DistanceSummary;
use super::set::Set;
use super::strains::{between, clamped, read};
use rayon::prelude::*;
use yarnwise_shared::table::grid::{AXIS_NAMES, Axis, Grid, StrainGrid};
use yarnwise_shared::table::strain::Strain;

/// At most this many random strains are read for each grid that is tried.
const MOST_STRAINS: usize = 400;

/// What to change about a set.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Suggestion {
    /// For sx, sa and sy: 95 % of yarn vertices move by at most this many radii when every second sample of the axis is
    /// left out. Nothing where an axis is too short for that.
    pub thinned: [Option<f64>; 3],
    /// The axis whose refinement promises most.
    pub refine: Option<&'static str>,
    /// About how far 95 % of the table is from the truth, radii, by the rule above from the axis that is worst.
    pub expected_error: Option<f64>,
    /// The smallest grid whose yarns are within the wanted error of this set for 95 % of the vertices: its axes.
    pub smallest: [Vec<f64>; 3],
    /// The error of that grid against this set, radii.
    pub smallest_error: f64,
}

/// What to change about `set`, judged at `points`.
pub(super) fn suggest(set: &Set, points: &[Strain<f64>], options: &CompareOptions) -> Suggestion {
    let points = &points[..points.len().min(MOST_STRAINS)];
    let table = set.database.table();
    let full = table.grid();
    let error = |grid: &StrainGrid| -> f64 {
        let Ok(thin) = table.subset(grid) else { return f64::INFINITY };
        let seen = |point| clamped(point, options.min_eigenvalue);
        let both = |point| (read(&thin, seen(point)), read(table, seen(point)));
        between(points, set.radius(), both).all.map_or(0.0, |s: DistanceSummary| s.percentile_95)
    };
    let levels = full.0.each_ref().map(thinnings);
    let thinned: [Option<f64>; 3] = std::array::from_fn(|k| {
        let axis = levels[k].get(1)?;
        let mut grid = full.clone();
        grid.0[k] = axis.clone();
        Some(error(&grid))
    });
    let worst = (0..3).filter_map(|k| Some((k, thinned[k]?))).max_by(|a, b| a.1.total_cmp(&b.1));
    let mut grids: Vec<StrainGrid> = Vec::new();
    for x in &levels[0] {
        for a in &levels[1] {
            grids.extend(levels[2].iter().map(|y| Grid([x.clone(), a.clone(), y.clone()])));
        }
    }
    grids.sort_by_key(StrainGrid::sample_count);
    let errors: Vec<f64> = grids.par_iter().map(error).collect();
    // The last grid is the whole one, whose error is zero.
    let smallest = errors.iter().position(|e| *e <= options.error).unwrap_or(grids.len() - 1);
    Suggestion {
        thinned,
        refine: worst.filter(|(_, error)| *error > 0.0).map(|(k, _)| AXIS_NAMES[k]),
        expected_error: worst.map(|(_, error)| error / 3.0),
        smallest: grids[smallest].0.each_ref().map(|axis| axis.values().to_vec()),
        smallest_error: errors[smallest],
    }
}

/// The axis, then with every second sample, every fourth and so on. Its ends and its 0 stay.
fn thinnings(axis: &Axis) -> Vec<Axis> {
    let values = axis.values();
    let zero = axis.zero().unwrap_or(0);
    let last = values.len() - 1;
    let mut out = vec![axis.clone()];
    for step in (1..).map(|level| 1 << level).take_while(|step| *step < values.len()) {
        let kept = |i: &usize| i.abs_diff(zero).is_multiple_of(step) || *i == 0 || *i == last;
        let thin: Vec<f64> = (0..values.len()).filter(kept).map(|i| values[i]).collect();
        // Nothing is left to leave out.
        if thin.len() == out[out.len() - 1].len() {
            continue;
        }
        out.extend(Axis::new("thinned", thin));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_axes_keep_their_ends_and_rest() {
        let axis = Axis::new("sx", vec![-0.2, -0.1, 0.0, 0.25, 0.5, 0.75, 1.0]).unwrap();
        let all: Vec<Vec<f64>> = thinnings(&axis).iter().map(|a| a.values().to_vec()).collect();
        assert_eq!(all[1], [-0.2, 0.0, 0.5, 1.0]);
        assert_eq!(all[2], [-0.2, 0.0, 1.0]);
        assert_eq!(all.len(), 3);
    }
}
