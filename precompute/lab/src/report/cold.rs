//! Cold starts against a published table.

use super::published::Published;
use rayon::prelude::*;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::equilibrium::settings::SolverSettings;
use yarnwise_precompute::equilibrium::{Solved, Start};
use yarnwise_precompute::job::core_seconds;
use yarnwise_precompute::sampling::solve_sample;
use yarnwise_shared::table::region::Region;
use yarnwise_shared::table::strain::Strain;

/// A published sample beside our solution of it.
#[derive(Clone, Debug)]
pub struct ColdSample {
    /// Index in the published grid.
    pub sample: usize,
    /// Its strain.
    pub strain: Strain<f64>,
    /// Largest distance of a vertex, yarn radii.
    pub error: f64,
    /// Root of the mean squared distance of the vertices, yarn radii.
    pub rms_error: f64,
    /// Root of the mean squared difference of the twists, radians.
    pub twist_error: f64,
    /// Our solution.
    pub solved: Solved,
    /// Processor time of the solve, s.
    pub seconds: f64,
}

/// Errors of many samples in one region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// How many samples there are.
    pub samples: usize,
    /// Median of the largest vertex errors, yarn radii.
    pub median: f64,
    /// Their 95th percentile.
    pub percentile_95: f64,
    /// The share with less than 0.01 radii.
    pub matched: f64,
}

/// Every `stride`-th sample, begun at a place that mixes the strains. The choice does not depend on any result.
pub fn scattered(count: usize, stride: usize) -> Vec<usize> {
    // A prime step visits all samples in a scattered order.
    (0..count).filter(|s| (s * 7919 + 13) % stride.max(1) == 0).collect()
}

/// Solves `samples` of the published table from the affine state and compares.
pub fn compare(cell: &Cell, published: &Published, samples: &[usize], settings: &SolverSettings) -> Vec<ColdSample> {
    let one = |sample: &usize| {
        let strain = published.grid.strain(*sample);
        let (solved, seconds) = core_seconds(|| solve_sample(cell, strain, Start::Cold, settings));
        let reference = published.sample(*sample);
        let pairs = || solved.displacements.iter().zip(&reference);
        let distance = |(a, b): (&[f64; 4], &[f64; 4])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        let error = solved.displacements.jump(&reference) / cell.radius();
        let squares = pairs().map(|p| distance(p).powi(2)).sum::<f64>();
        let rms_error = (squares / reference.len() as f64).sqrt() / cell.radius();
        let square = pairs().map(|(a, b)| (a[3] - b[3]).powi(2)).sum::<f64>();
        let twist_error = (square / reference.len() as f64).sqrt();
        ColdSample { sample: *sample, strain, error, rms_error, twist_error, solved, seconds }
    };
    samples.par_iter().map(one).collect()
}

/// The errors of the samples for which `keep` holds; none when there are none.
pub fn errors(samples: &[ColdSample], keep: impl Fn(Region) -> bool) -> Option<Errors> {
    let mut all: Vec<f64> = samples.iter().filter(|c| keep(Region::of(c.strain))).map(|c| c.error).collect();
    all.sort_unstable_by(f64::total_cmp);
    let last = all.len().checked_sub(1)?;
    Some(Errors {
        samples: all.len(),
        median: all[last / 2],
        percentile_95: all[last * 95 / 100],
        matched: all.iter().filter(|e| **e < 0.01).count() as f64 / all.len() as f64,
    })
}
