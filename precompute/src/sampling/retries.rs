//! Which samples are retried, and from where.
//!
//! Where the midpoint of an edge has more energy than the mean of its ends by a factor, that factor's logarithm is what a better state
//! of either end could gain there at most. But much of it is the grid's: states that change a lot from sample to sample have means of
//! high energy however well they are chosen, and so have their neighbors on the same line. What stands out from those is what another
//! state can gain. Of the two ends, that one is retried, from the other's state, whose edges have more excess in all: of retries of the
//! other kind, one in ten to twenty is chosen, of these every third (docs/results/sampling.md).

use super::objective::InterpolantEnergy;
use super::tree::neighbors;
use yarnwise_shared::table::grid::Grid;

/// A sample, and the state of another sample that it is started from; none for the affine state.
pub(super) type Retry = (usize, Option<(usize, usize)>);

/// The retries that may gain at least `least`, that of the largest gain first; and those of samples without an equilibrium, from all
/// neighbors that have one and from the affine state.
pub(super) fn retries<const N: usize>(
    grid: &Grid<N>,
    objective: &InterpolantEnergy<N>,
    labels: &[usize],
    least: f64,
) -> Vec<Retry> {
    let excess: Vec<f64> = (0..objective.edges.len()).map(|e| objective.excess(e, labels)).collect();
    let misfit = |sample: usize| -> f64 { objective.edges_of(sample).map(|e| excess[e].max(0.0)).sum() };
    let from = |sample: usize| objective.is_sound(sample).then_some((sample, labels[sample]));
    let mut wanted: Vec<(f64, Retry)> = Vec::new();
    for (e, edge) in objective.edges.iter().enumerate() {
        let [s, t] = edge.ends;
        let beside = [objective.before(s, edge.axis), objective.after(t, edge.axis)];
        let usual = beside.into_iter().flatten().map(|e| excess[e]).fold(0.0, f64::max);
        let gain = excess[e] - usual;
        if gain < least || from(s).is_none() || from(t).is_none() {
            continue;
        }
        let (sample, other) = if misfit(s) > misfit(t) { (s, t) } else { (t, s) };
        wanted.push((gain, (sample, from(other))));
    }
    for sample in (0..grid.sample_count()).filter(|s| !objective.is_sound(*s)) {
        let starts = neighbors(grid, sample).filter_map(from).map(Some).chain([None]);
        wanted.extend(starts.map(|start| (f64::INFINITY, (sample, start))));
    }
    wanted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    wanted.into_iter().map(|w| w.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::table::grid::Axis;

    fn line(midpoints: &[f64]) -> (Grid<1>, InterpolantEnergy<1>) {
        let count = midpoints.len() + 1;
        let grid = Grid([Axis::new("test", (0..count).map(|i| i as f64).collect()).unwrap()]);
        let objective = InterpolantEnergy::of_costs(&grid, vec![vec![0.0]; count], |[s, _], _| midpoints[s]);
        (grid, objective)
    }

    #[test]
    fn where_an_edge_stands_out_the_end_that_fits_less_is_retried_the_largest_gain_first() {
        let (grid, objective) = line(&[0.0, 0.3, 0.1, 0.2, 1.0, 0.0]);
        let from = |s| Some((s, 0));
        let found = retries(&grid, &objective, &[0; 7], 0.1);
        assert_eq!(found, [(4, from(5)), (2, from(1))]);
        assert_eq!(retries(&grid, &objective, &[0; 7], 0.5), found[..1]);
    }

    #[test]
    fn what_every_edge_of_a_line_has_is_the_grid_s_and_not_retried() {
        let (grid, objective) = line(&[2.0; 5]);
        assert_eq!(retries(&grid, &objective, &[0; 6], 0.1), []);
    }
}
