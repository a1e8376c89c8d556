//! The state of each sample that makes the objective least: labels on the nodes of a grid with costs of nodes and edges.
//!
//! The best labels of a whole line of samples, its neighbors held, are found exactly by dynamic programming. Lines along all
//! axes in turn until nothing changes, from several starts; the best end is taken.

use super::objective::InterpolantEnergy;
use yarnwise_shared::table::grid::Grid;

/// Changes that save less are rounding.
const ROUNDING: f64 = 1e-9;

/// The labels with the least J that is found from any of `starts`.
pub(super) fn best_labels<const N: usize>(
    grid: &Grid<N>,
    objective: &InterpolantEnergy<N>,
    starts: impl IntoIterator<Item = Vec<usize>>,
) -> Vec<usize> {
    let descend = |start: Vec<usize>| {
        let allowed = |(s, k): (usize, usize)| match objective.options(s) {
            options if options.contains(&k) => k,
            options => options[0],
        };
        let labels = start.into_iter().enumerate().map(allowed).collect();
        let mut lines = Lines { grid, objective, labels };
        while lines.pass() {}
        (objective.total(&lines.labels), lines.labels)
    };
    let ends = starts.into_iter().map(descend);
    // The first of equal ones.
    ends.reduce(|best, end| if end.0 < best.0 - ROUNDING { end } else { best }).map(|end| end.1).unwrap_or_default()
}

/// The samples' first states that may be chosen, and those of least energy.
pub(super) fn simple_labels<const N: usize>(grid: &Grid<N>, objective: &InterpolantEnergy<N>) -> [Vec<usize>; 2] {
    let samples = 0..grid.sample_count();
    let lowest = |s: usize| {
        let by_cost = |a: &&usize, b: &&usize| objective.node(s, **a).total_cmp(&objective.node(s, **b));
        objective.options(s).iter().min_by(by_cost).copied().unwrap_or(0)
    };
    [samples.clone().map(|s| objective.options(s)[0]).collect(), samples.map(lowest).collect()]
}

struct Lines<'a, const N: usize> {
    grid: &'a Grid<N>,
    objective: &'a InterpolantEnergy<N>,
    labels: Vec<usize>,
}

impl<const N: usize> Lines<'_, N> {
    /// Improves each line once; whether one changed.
    fn pass(&mut self) -> bool {
        let mut changed = false;
        for axis in 0..N {
            for first in (0..self.labels.len()).filter(|s| self.grid.indices(*s)[axis] == 0) {
                let line: Vec<usize> =
                    (0..self.grid.0[axis].len()).filter_map(|i| self.grid.beside(first, axis, i as isize)).collect();
                if line.iter().any(|s| self.objective.options(*s).len() > 1) {
                    changed |= self.improve(&line, axis);
                }
            }
        }
        changed
    }

    /// Gives a line along `axis` its best labels; whether they are better than those that it had.
    fn improve(&mut self, line: &[usize], axis: usize) -> bool {
        let objective = self.objective;
        let own: Vec<Vec<f64>> = line
            .iter()
            .map(|s| objective.options(*s).iter().map(|k| self.seen_from_beside(*s, *k, axis)).collect())
            .collect();
        let between = |i: usize, a: usize, b: usize| match objective.after(line[i], axis) {
            Some(edge) => objective.midpoint(edge, [a, b]),
            None => 0.0,
        };
        // Costs of the cheapest beginnings that end with each option, and from which option before it they come.
        let mut costs = own[0].clone();
        let mut origins: Vec<Vec<usize>> = Vec::new();
        for i in 1..line.len() {
            let arrive = |(b, own): (&usize, &f64)| {
                let cost = |(n, a): (usize, &usize)| (costs[n] + between(i - 1, *a, *b), n);
                let from = objective.options(line[i - 1]).iter().enumerate().map(cost);
                let (cost, n) = from.min_by(|x, y| x.0.total_cmp(&y.0)).unwrap_or((0.0, 0));
                (cost + own, n)
            };
            let (next, from) = objective.options(line[i]).iter().zip(&own[i]).map(arrive).unzip();
            costs = next;
            origins.push(from);
        }
        let now = self.cost(line, axis);
        let end = costs.iter().enumerate().min_by(|x, y| x.1.total_cmp(y.1));
        let Some((mut n, best)) = end.filter(|end| *end.1 < now - ROUNDING) else { return false };
        debug_assert!(*best < now);
        for i in (0..line.len()).rev() {
            self.labels[line[i]] = objective.options(line[i])[n];
            n = if i > 0 { origins[i - 1][n] } else { n };
        }
        true
    }

    /// What the labels of a line along `axis` cost now.
    fn cost(&self, line: &[usize], axis: usize) -> f64 {
        let nodes: f64 = line.iter().map(|s| self.seen_from_beside(*s, self.labels[*s], axis)).sum();
        let edges = line.windows(2).filter_map(|pair| {
            let edge = self.objective.after(pair[0], axis)?;
            Some(self.objective.midpoint(edge, [self.labels[pair[0]], self.labels[pair[1]]]))
        });
        nodes + edges.sum::<f64>()
    }

    /// What a sample costs in this state, with its edges along all axes but `axis`.
    fn seen_from_beside(&self, sample: usize, state: usize, axis: usize) -> f64 {
        let objective = self.objective;
        let mut sum = objective.node(sample, state);
        for k in (0..N).filter(|k| *k != axis) {
            if let Some(edge) = objective.before(sample, k) {
                sum += objective.midpoint(edge, [self.labels[objective.edges[edge].ends[0]], state]);
            }
            if let Some(edge) = objective.after(sample, k) {
                sum += objective.midpoint(edge, [state, self.labels[objective.edges[edge].ends[1]]]);
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::random::Random;
    use yarnwise_shared::table::grid::Axis;

    fn axis(count: usize) -> Axis {
        Axis::new("test", (0..count).map(|i| i as f64).collect()).unwrap()
    }

    /// Random costs for up to three states of each sample.
    fn random_objective<const N: usize>(grid: &Grid<N>, seed: u64) -> InterpolantEnergy<N> {
        let mut random = Random::new(seed);
        let states = |random: &mut Random| 1 + random.between([0.0, 2.99]) as usize;
        let nodes: Vec<Vec<f64>> = (0..grid.sample_count())
            .map(|_| (0..states(&mut random)).map(|_| random.between([-1.0, 1.0])).collect())
            .collect();
        InterpolantEnergy::of_costs(grid, nodes, |_, _| random.between([-2.0, 2.0]))
    }

    /// The least J of all labels there are.
    fn least<const N: usize>(objective: &InterpolantEnergy<N>, count: usize, labels: &mut Vec<usize>) -> f64 {
        if labels.len() == count {
            return objective.total(labels);
        }
        let mut best = f64::INFINITY;
        for k in objective.options(labels.len()).to_vec() {
            labels.push(k);
            best = best.min(least(objective, count, labels));
            labels.pop();
        }
        best
    }

    #[test]
    fn a_single_line_gets_the_best_of_all_labels() {
        for seed in 0..60 {
            let grid = Grid([axis(2 + seed as usize % 5)]);
            let objective = random_objective(&grid, seed);
            let found = best_labels(&grid, &objective, simple_labels(&grid, &objective));
            let best = least(&objective, grid.sample_count(), &mut Vec::new());
            assert!((objective.total(&found) - best).abs() < 1e-9, "seed {seed}");
        }
    }

    #[test]
    fn no_other_state_of_one_sample_is_better() {
        for seed in 0..60 {
            let grid = Grid([axis(3), axis(2), axis(4)]);
            let objective = random_objective(&grid, seed);
            let starts = simple_labels(&grid, &objective);
            let begin = starts.each_ref().map(|s| objective.total(s)).into_iter().fold(f64::INFINITY, f64::min);
            let found = best_labels(&grid, &objective, starts);
            let total = objective.total(&found);
            assert!(total <= begin + 1e-9, "seed {seed}");
            for sample in 0..grid.sample_count() {
                for k in objective.options(sample) {
                    let mut other = found.clone();
                    other[sample] = *k;
                    assert!(objective.total(&other) >= total - 1e-6, "seed {seed}, sample {sample}");
                }
            }
        }
    }

    #[test]
    fn a_group_on_another_branch_changes_as_a_whole() {
        // Two branches with equal energies and a high cost between them: three of seven samples begin on the other.
        let grid = Grid([axis(7)]);
        let objective =
            InterpolantEnergy::of_costs(&grid, vec![vec![0.0, 0.0]; 7], |_, [k, l]| if k == l { 0.0 } else { 5.0 });
        let found = best_labels(&grid, &objective, [vec![0, 0, 1, 1, 1, 0, 0]]);
        assert!(found.iter().all(|k| *k == found[0]), "{found:?}");
    }
}
