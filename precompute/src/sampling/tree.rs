//! The tree of first solves.

use yarnwise_shared::table::grid::Grid;

/// Waves of (sample, parent), from the samples at 0 of all `axes` outward: first along the first of the axes, last along the last.
///
/// A parent is one place nearer on the last axis on which its child is not at 0, and in the wave before it. Those of the first
/// wave have none. On axes without a 0 the first value takes its place.
pub(super) fn tree<const N: usize>(grid: &Grid<N>, axes: &[usize]) -> Vec<Vec<(usize, Option<usize>)>> {
    let zero: [usize; N] = std::array::from_fn(|k| grid.0[k].zero().unwrap_or(0));
    let mut waves: Vec<Vec<(usize, Option<usize>)>> = Vec::new();
    for sample in 0..grid.sample_count() {
        let at = grid.indices(sample);
        let depth: usize = axes.iter().map(|k| at[*k].abs_diff(zero[*k])).sum();
        let axis = axes.iter().rev().find(|k| at[**k] != zero[**k]);
        let parent = axis.and_then(|k| grid.beside(sample, *k, if at[*k] > zero[*k] { -1 } else { 1 }));
        if waves.len() <= depth {
            waves.resize(depth + 1, Vec::new());
        }
        waves[depth].push((sample, parent));
    }
    waves
}

/// The number of each sample's branch off the trunk, which is where the last of `axes` is 0; none on the trunk.
///
/// Branches whose samples are about as far from rest follow each other, so that every nth of them is a fair share.
pub(super) fn branches<const N: usize>(grid: &Grid<N>, axes: &[usize]) -> Vec<Option<u32>> {
    let Some(last) = axes.last().copied() else { return vec![None; grid.sample_count()] };
    let zero: [usize; N] = std::array::from_fn(|k| grid.0[k].zero().unwrap_or(0));
    let at = |sample: usize| grid.indices(sample);
    let far = |sample: usize| (0..N).map(|k| at(sample)[k].abs_diff(zero[k])).sum::<usize>();
    let mut roots: Vec<usize> = (0..grid.sample_count()).filter(|s| at(*s)[last] == zero[last]).collect();
    roots.sort_by_key(|root| far(*root));
    let mut out = vec![None; grid.sample_count()];
    for (rank, root) in roots.into_iter().enumerate() {
        for side in [-1, 1] {
            // Neither side is always in the same share when there are two.
            let number = 2 * rank + (usize::from(side > 0) ^ (rank & 1));
            let line = std::iter::successors(grid.beside(root, last, side), |s| grid.beside(*s, last, side));
            line.for_each(|sample| out[sample] = Some(number as u32));
        }
    }
    out
}

/// The samples one step away along an axis.
pub(super) fn neighbors<const N: usize>(grid: &Grid<N>, sample: usize) -> impl Iterator<Item = usize> + '_ {
    (0..N).flat_map(move |axis| [-1, 1].into_iter().filter_map(move |offset| grid.beside(sample, axis, offset)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::table::grid::Axis;

    #[test]
    fn every_sample_is_solved_once_after_its_parent_next_to_it() {
        let axis = |v: &[f64]| Axis::new("test", v.to_vec()).unwrap();
        let grid = Grid([axis(&[-0.1, 0.0, 0.5]), axis(&[-0.3, 0.0, 0.3, 0.6]), axis(&[0.0, 0.2])]);
        let mut done = vec![false; grid.sample_count()];
        for wave in tree(&grid, &[0, 2, 1]) {
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

    #[test]
    fn branches_are_lines_along_the_last_axis_to_either_side_of_the_trunk() {
        let axis = |v: &[f64]| Axis::new("test", v.to_vec()).unwrap();
        let grid = Grid([axis(&[-0.1, 0.0, 0.5]), axis(&[-0.6, -0.3, 0.0, 0.3, 0.6]), axis(&[0.0, 0.2])]);
        let branches = branches(&grid, &[0, 2, 1]);
        let parents = tree(&grid, &[0, 2, 1]).concat();
        let mut members = vec![Vec::new(); 12];
        for (sample, parent) in parents {
            let at = grid.indices(sample);
            match branches[sample] {
                None => assert_eq!(at[1], 2),
                Some(branch) => {
                    let parent = parent.unwrap();
                    assert!(branches[parent].is_none_or(|b| b == branch), "a branch needs itself and the trunk");
                    members[branch as usize].push([at[0], at[2], usize::from(at[1] > 2)]);
                }
            }
        }
        assert!(members.iter().all(|m| m.len() == 2 && m[0] == m[1]), "{members:?}");
        let sides = members.iter().step_by(2).map(|m| m[0][2]).sum::<usize>();
        assert_eq!(sides, 3, "of two shares, each has as many to either side");
    }

    #[test]
    fn the_last_steps_are_along_the_last_axis() {
        let axis = |v: &[f64]| Axis::new("test", v.to_vec()).unwrap();
        let grid = Grid([axis(&[0.0, 0.5]), axis(&[0.0, 0.3]), axis(&[0.0, 0.2])]);
        let parent = |at: [usize; 3]| {
            let sample = grid.sample(at);
            tree(&grid, &[0, 2, 1]).concat().iter().find(|t| t.0 == sample).unwrap().1.map(|p| grid.indices(p))
        };
        assert_eq!(parent([1, 1, 1]), Some([1, 0, 1]));
        assert_eq!(parent([1, 0, 1]), Some([1, 0, 0]));
        assert_eq!(parent([1, 0, 0]), Some([0, 0, 0]));
        assert_eq!(parent([0, 0, 0]), None);
    }
}
