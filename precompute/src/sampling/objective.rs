//! What is minimized: the energy of the interpolant.
//!
//! The run time shows the interpolant of the table, not its nodes. So that table is best whose interpolant has the least energy:
//!
//!   J = sum_nodes ln(E_s(k_s) + f)  +  sum_edges ln(E_st(k_s, k_t) + f)
//!
//! E_s(k) is the energy of state k of sample s. E_st(k, l), s and t neighbors along an axis, is the energy of the mean of both
//! states' displacements at the strain half way between, evaluated, not relaxed. Two states on different branches have a mean in which
//! yarns run through each other, and its energy says so. Logarithms make energies that differ by orders of magnitude count
//! alike; the floor f keeps those near rest, which may be nearly zero, from ruling all others.

use super::candidate::Candidate;
use super::problems::{Problems, energy_of};
use rayon::prelude::*;
use yarnwise_shared::elementary::{exp, ln};
use yarnwise_shared::table::Displacements;
use yarnwise_shared::table::grid::Grid;

/// The floor f is the energy that this fraction of the samples does not exceed: about that of the samples around rest.
const FLOOR: f64 = 0.05;

/// Two samples beside each other along an axis.
#[derive(Clone, Debug)]
pub(super) struct GridEdge {
    /// The samples; the second lies further along the axis.
    pub(super) ends: [usize; 2],
    /// The axis.
    pub(super) axis: usize,
    /// ln(E_st(k, l) + f) by state k of the first and l of the second.
    midpoints: Vec<Vec<f64>>,
}

/// The objective over the states found so far.
#[derive(Clone, Debug)]
pub(super) struct InterpolantEnergy<const N: usize> {
    /// f, J.
    floor: f64,
    /// ln(E_s(k) + f) by sample and state.
    nodes: Vec<Vec<f64>>,
    /// Of each sample the states that count: the sound ones, or none.
    sound: Vec<Vec<usize>>,
    pub(super) edges: Vec<GridEdge>,
    /// The edge behind each sample along each axis.
    after: Vec<[Option<usize>; N]>,
    /// The edge before each sample along each axis.
    before: Vec<[Option<usize>; N]>,
}

impl<const N: usize> InterpolantEnergy<N> {
    /// Without states yet; its floor is that of the first of these, and stays when states are added.
    pub(super) fn new(grid: &Grid<N>, candidates: &[Vec<Candidate>]) -> Self {
        InterpolantEnergy::of_grid(grid, floor(candidates))
    }

    /// Without states.
    fn of_grid(grid: &Grid<N>, floor: f64) -> Self {
        let count = grid.sample_count();
        let mut edges = Vec::new();
        let (mut before, mut after) = (vec![[None; N]; count], vec![[None; N]; count]);
        for sample in 0..count {
            for axis in 0..N {
                let Some(next) = grid.beside(sample, axis, 1) else { continue };
                after[sample][axis] = Some(edges.len());
                before[next][axis] = Some(edges.len());
                edges.push(GridEdge { ends: [sample, next], axis, midpoints: Vec::new() });
            }
        }
        let (nodes, sound) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        InterpolantEnergy { floor, nodes, sound, edges, after, before }
    }

    /// With these costs of each sample's states, and of the edge between state k of one sample and l of the next.
    #[cfg(test)]
    pub(super) fn of_costs(
        grid: &Grid<N>,
        nodes: Vec<Vec<f64>>,
        mut midpoint: impl FnMut([usize; 2], [usize; 2]) -> f64,
    ) -> Self {
        let mut out = InterpolantEnergy::of_grid(grid, 0.0);
        out.sound = nodes.iter().map(|states| (0..states.len()).collect()).collect();
        for edge in &mut out.edges {
            let [a, b] = edge.ends.map(|s| nodes[s].len());
            edge.midpoints = (0..a).map(|k| (0..b).map(|l| midpoint(edge.ends, [k, l])).collect()).collect();
        }
        out.nodes = nodes;
        out
    }

    /// Forgets the midpoints of a sample, one of whose states is another now.
    pub(super) fn forget(&mut self, sample: usize) {
        for edge in self.edges_of(sample).collect::<Vec<_>>() {
            self.edges[edge].midpoints.clear();
        }
    }

    /// Takes the states that are new.
    pub(super) fn update(&mut self, problems: &Problems, grid: &Grid<N>, candidates: &[Vec<Candidate>]) {
        let floor = self.floor;
        for (sample, states) in candidates.iter().enumerate() {
            self.nodes[sample] = states.iter().map(|c| logarithm(c.solved.energy.total(), floor)).collect();
            self.sound[sample] = (0..states.len()).filter(|k| states[*k].solved.is_sound()).collect();
        }
        self.edges.par_iter_mut().for_each(|edge| {
            let [s, t] = edge.ends;
            let complete = edge.midpoints.len() == candidates[s].len()
                && edge.midpoints.iter().all(|row| row.len() == candidates[t].len());
            if complete {
                return;
            }
            let problem = problems.at(midpoint(grid, [s, t]));
            edge.midpoints.resize(candidates[s].len(), Vec::new());
            for (row, a) in edge.midpoints.iter_mut().zip(&candidates[s]) {
                for b in &candidates[t][row.len()..] {
                    let mean = Displacements::mean([&a.solved.displacements, &b.solved.displacements]);
                    row.push(logarithm(energy_of(&problem, &mean), floor));
                }
            }
        });
    }

    /// The states of a sample that may be chosen: the sound ones, or the first where none is.
    pub(super) fn options(&self, sample: usize) -> &[usize] {
        if self.sound[sample].is_empty() { &[0] } else { &self.sound[sample] }
    }

    /// Whether a sample has an equilibrium.
    pub(super) fn is_sound(&self, sample: usize) -> bool {
        !self.sound[sample].is_empty()
    }

    /// What a sample costs in this state.
    pub(super) fn node(&self, sample: usize, state: usize) -> f64 {
        self.nodes[sample][state]
    }

    /// What an edge costs between these states. Nothing, where one of the samples has no equilibrium.
    pub(super) fn midpoint(&self, edge: usize, states: [usize; 2]) -> f64 {
        let edge = &self.edges[edge];
        let counts = edge.ends.iter().all(|s| !self.sound[*s].is_empty());
        if counts { edge.midpoints[states[0]][states[1]] } else { 0.0 }
    }

    /// The logarithm by which the energy half way exceeds the mean of both ends.
    pub(super) fn excess(&self, edge: usize, labels: &[usize]) -> f64 {
        let ends = self.edges[edge].ends;
        let [a, b] = ends.map(|s| exp(self.node(s, labels[s])));
        self.midpoint(edge, ends.map(|s| labels[s])) - ln(0.5 * (a + b))
    }

    /// J.
    pub(super) fn total(&self, labels: &[usize]) -> f64 {
        let nodes: f64 = labels.iter().enumerate().map(|(s, k)| self.node(s, *k)).sum();
        let at = |e: usize| self.midpoint(e, self.edges[e].ends.map(|s| labels[s]));
        nodes + (0..self.edges.len()).map(at).sum::<f64>()
    }

    /// The edges that end at a sample.
    pub(super) fn edges_of(&self, sample: usize) -> impl Iterator<Item = usize> + '_ {
        self.before[sample].iter().chain(&self.after[sample]).flatten().copied()
    }

    /// The edge from a sample to the next along an axis.
    pub(super) fn after(&self, sample: usize, axis: usize) -> Option<usize> {
        self.after[sample][axis]
    }

    /// The edge to a sample from the one before it along an axis.
    pub(super) fn before(&self, sample: usize, axis: usize) -> Option<usize> {
        self.before[sample][axis]
    }
}

/// The coordinates half way between two samples.
pub fn midpoint<const N: usize>(grid: &Grid<N>, ends: [usize; 2]) -> [f64; N] {
    let [a, b] = ends.map(|s| grid.coordinates(s));
    std::array::from_fn(|k| 0.5 * (a[k] + b[k]))
}

/// ln(E + f); what is infinite costs as much as the largest number.
fn logarithm(energy: f64, floor: f64) -> f64 {
    let sum = energy + floor;
    if sum.is_finite() { ln(sum.max(f64::MIN_POSITIVE)) } else { ln(f64::MAX) }
}

/// f, J: the energy that one in twenty of these does not exceed.
pub fn energy_floor(mut energies: Vec<f64>) -> f64 {
    energies.sort_unstable_by(f64::total_cmp);
    energies.get((FLOOR * energies.len() as f64) as usize).copied().unwrap_or(0.0)
}

/// f, J, of the samples' first states.
fn floor(candidates: &[Vec<Candidate>]) -> f64 {
    let sound = candidates.iter().filter_map(|c| c.first()).filter(|c| c.solved.is_sound());
    energy_floor(sound.map(|c| c.solved.energy.total()).collect())
}
