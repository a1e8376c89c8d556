//! The tree of first solves.

use yarnwise_shared::table::grid::StrainGrid;

/// Waves of (sample, parent), from rest outward: along sx where sa = sy = 0, then along sy where sa = 0, then along sa.
///
/// A parent is in the wave before its children; rest itself has none. On axes without a 0 the first value takes its place.
pub(super) fn tree(grid: &StrainGrid) -> Vec<Vec<(usize, Option<usize>)>> {
    let zero: [usize; 3] = std::array::from_fn(|k| grid.0[k].zero().unwrap_or(0));
    let mut waves: Vec<Vec<(usize, Option<usize>)>> = Vec::new();
    for sample in 0..grid.sample_count() {
        let at = grid.indices(sample);
        let depth: usize = (0..3).map(|k| at[k].abs_diff(zero[k])).sum();
        // The last step on the way out is along sa (axis 1), before it sy (axis 2), before that sx (axis 0).
        let axis = [1, 2, 0].into_iter().find(|k| at[*k] != zero[*k]);
        let parent = axis.map(|k| {
            let mut from = at;
            from[k] = if at[k] > zero[k] { at[k] - 1 } else { at[k] + 1 };
            grid.sample(from)
        });
        if waves.len() <= depth {
            waves.resize(depth + 1, Vec::new());
        }
        waves[depth].push((sample, parent));
    }
    waves
}

/// The up to six samples one step away along an axis.
pub(super) fn neighbors(grid: &StrainGrid, sample: usize) -> impl Iterator<Item = usize> + '_ {
    (0..3).flat_map(move |axis| [-1, 1].into_iter().filter_map(move |offset| grid.beside(sample, axis, offset)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::table::grid::{Axis, Grid};

    #[test]
    fn every_sample_is_solved_once_after_its_parent_next_to_it() {
        let axis = |v: &[f64]| Axis::new("test", v.to_vec()).unwrap();
        let grid = Grid([axis(&[-0.1, 0.0, 0.5]), axis(&[-0.3, 0.0, 0.3, 0.6]), axis(&[0.0, 0.2])]);
        let mut done = vec![false; grid.sample_count()];
        for wave in tree(&grid) {
            for (_, parent) in &wave {
                assert!(parent.is_none_or(|p| done[p]));
            }
            for (sample, parent) in wave {
                assert!(!std::mem::replace(&mut done[sample], true));
                assert!(parent.is_none_or(|p| neighbors(&grid, sample).any(|n| n == p)));
            }
        }
        assert!(done.iter().all(|d| *d));
    }
}
