//! The order in which samples are solved, and from where.

use super::Sample;
use crate::equilibrium::Solved;
use yarnwise_shared::grid::StrainGrid;

/// One solve: a sample and the sample whose equilibrium it starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// Index of the sample in the grid.
    pub sample: usize,
    /// Where it starts; none for a cold start.
    pub parent: Option<usize>,
}

/// Energies this close, as a fraction, are the same.
const SAME_ENERGY: f64 = 1e-6;

/// In tension, a state lower by this fraction wins over a smoother one.
const TENSION_GAIN: f64 = 1e-3;

/// In compression, a state lower by this fraction wins over a smoother one.
const COMPRESSION_GAIN: f64 = 1.0;

/// A vertex that differs by more than this from one sample to the next, in yarn radii, may be on another branch.
const JUMP: f64 = 0.5;

/// Waves of tasks, from rest outward: along sx where sa = sy = 0, then along sy where sa = 0, then along sa.
///
/// A task's parent is in the wave before it.
pub fn tree(grid: &StrainGrid) -> Vec<Vec<Task>> {
    let zero: [usize; 3] = std::array::from_fn(|k| grid.0[k].zero().unwrap_or(0));
    let mut waves: Vec<Vec<Task>> = Vec::new();
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
        waves[depth].push(Task { sample, parent });
    }
    waves
}

/// The up to six samples one step away along an axis.
fn neighbours(grid: &StrainGrid, sample: usize) -> impl Iterator<Item = usize> + '_ {
    let at = grid.indices(sample);
    (0..3).flat_map(move |k| {
        let step = move |up: bool| {
            let mut to = at;
            to[k] = if up { at[k] + 1 } else { at[k].checked_sub(1)? };
            (to[k] < grid.0[k].len()).then(|| grid.sample(to))
        };
        [step(false), step(true)].into_iter().flatten()
    })
}

/// Retries worth a solve: from neighbours that jump, and from which this state was not tried before.
///
/// `tried` remembers (sample, parent, energy of the parent) from sweep to sweep.
pub fn retries(grid: &StrainGrid, samples: &[Option<Sample>], radius: f64, tried: &mut Vec<(Task, u64)>) -> Vec<Task> {
    let mut tasks = Vec::new();
    for sample in 0..samples.len() {
        let Some(own) = &samples[sample] else { continue };
        for parent in neighbours(grid, sample) {
            let Some(other) = &samples[parent] else { continue };
            let task = Task { sample, parent: Some(parent) };
            let key = (task, other.solved.energy_density.to_bits());
            let usable = other.solved.converged && !other.solved.passed_through && own.started_from != Some(parent);
            let suspicious = jump(&own.solved, &other.solved) > JUMP * radius || !own.solved.converged;
            if usable && suspicious && !tried.contains(&key) {
                tried.push(key);
                tasks.push(task);
            }
        }
    }
    tasks
}

/// Largest distance of a vertex between two samples, m.
fn jump(a: &Solved, b: &Solved) -> f64 {
    let distance = |(p, q): (&[f64; 4], &[f64; 4])| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
    a.displacements.iter().zip(&b.displacements).map(distance).fold(0.0, f64::max)
}

/// Whether `new` takes the place of the sample that stands: sound before broken, converged before not, then energy and
/// smoothness.
///
/// In tension a state that is lower by more than [`TENSION_GAIN`] always wins. Compressed fabric has many states of
/// nearly the same energy; there, and for smaller gains, the lower state must not make the table rougher, unless it is
/// lower by [`COMPRESSION_GAIN`].
pub fn improves(grid: &StrainGrid, samples: &[Option<Sample>], sample: usize, new: &Solved) -> bool {
    let Some(old) = samples[sample].as_ref().map(|s| &s.solved) else { return true };
    let rank = |s: &Solved| (!s.passed_through, s.converged);
    if rank(new) != rank(old) {
        return rank(new) > rank(old);
    }
    let gain = 1.0 - new.energy.total() / old.energy.total();
    let [sx, _, sy] = grid.coordinates(sample);
    let sure = if sx.min(sy) < 0.0 { COMPRESSION_GAIN } else { TENSION_GAIN };
    gain > sure || gain > SAME_ENERGY && roughness(grid, samples, sample, new) <= roughness(grid, samples, sample, old)
}

/// Sum of the second differences in which a sample takes part, if it were `solved`, m.
fn roughness(grid: &StrainGrid, samples: &[Option<Sample>], sample: usize, solved: &Solved) -> f64 {
    let at = grid.indices(sample);
    let mut sum = 0.0;
    for k in 0..3 {
        let line = |offset: i64| -> Option<&Solved> {
            if offset == 0 {
                return Some(solved);
            }
            let mut to = at;
            to[k] = usize::try_from(at[k] as i64 + offset).ok().filter(|i| *i < grid.0[k].len())?;
            samples[grid.sample(to)].as_ref().map(|s| &s.solved)
        };
        for centre in -1..=1 {
            if let (Some(a), Some(b), Some(c)) = (line(centre - 1), line(centre), line(centre + 1)) {
                sum += second_difference(&a.displacements, &b.displacements, &c.displacements);
            }
        }
    }
    sum
}

fn second_difference(a: &[[f64; 4]], b: &[[f64; 4]], c: &[[f64; 4]]) -> f64 {
    let at = |v: usize| (0..3).map(|k| (a[v][k] - 2.0 * b[v][k] + c[v][k]).powi(2)).sum::<f64>();
    (0..a.len()).map(at).fold(0.0, f64::max).sqrt()
}
