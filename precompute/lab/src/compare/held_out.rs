//! A set against freshly solved equilibria between its samples: how far the table is from the physics.
//!
//! Each solve starts at what the table says, so that it ends in the stable state that the table means: with many stable
//! states, the distance to another one would measure the choice of branch and not the interpolation.

use super::CompareOptions;
use super::distance::{ByRegion, RegionDistances};
use super::set::Set;
use super::strains::{read, stretch, world_distance};
use crate::Result;
use rayon::prelude::*;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::equilibrium::Start;
use yarnwise_precompute::equilibrium::settings::SolverSettings;
use yarnwise_precompute::sampling::solve_sample;
use yarnwise_shared::random::Random;
use yarnwise_shared::table::region::Region;
use yarnwise_shared::table::strain::Strain;

/// How many of the worst strains are reported.
const WORST: usize = 5;

/// Random strains are drawn at most this many times for each that is wanted: a region may not be in the range at all.
const TRIES: usize = 200;

/// Distances from fresh equilibria.
#[derive(Clone, Debug, serde::Serialize)]
pub struct HeldOut {
    /// Distances of the table's yarn vertices from those in equilibrium.
    pub distances: ByRegion,
    /// Strains that were solved.
    pub solved: usize,
    /// Strains at which no equilibrium of this fabric was found; they are left out.
    pub failed: usize,
    /// The strains with the largest distances, the worst first.
    pub worst: Vec<WorstStrain>,
}

/// A strain at which a table is far from equilibrium.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct WorstStrain {
    /// The strain.
    pub strain: Strain<f64>,
    /// The largest distance of a yarn vertex, radii.
    pub largest: f64,
}

/// The distances of `set`, or why they cannot be measured.
pub(super) fn figures(
    set: &Set,
    range: [[f64; 2]; 3],
    options: &CompareOptions,
    report: &mut dyn FnMut(&str),
) -> Result<std::result::Result<HeldOut, String>> {
    if options.held_out == 0 {
        return Ok(Err("not asked for".to_owned()));
    }
    let Some(material) = set.database.material().copied().or(options.material) else {
        return Ok(Err("the material is unknown: name it with --material".to_owned()));
    };
    let cell = Cell::new(set.database.pattern(), &material)?;
    let points = stratified(range, options.held_out, options.seed);
    report(&format!("{}: solving {} equilibria between samples", set.name, points.len()));
    let settings = SolverSettings::default();
    let radius = set.radius();
    let solve = |point: &Strain<f64>| {
        let table = read(set.database.table(), *point);
        let solved = solve_sample(&cell, *point, Start::From(&table), &settings);
        let stretch = stretch(*point);
        let distance = |(a, b): (&[f64; 4], &[f64; 4])| world_distance(stretch, a, b) / radius;
        solved.is_sound().then(|| table.iter().zip(&solved.displacements).map(distance).collect::<Vec<f64>>())
    };
    let found: Vec<Option<Vec<f64>>> = points.par_iter().map(solve).collect();
    let mut distances = RegionDistances::default();
    let mut worst = Vec::new();
    for (point, found) in points.iter().zip(&found) {
        let Some(found) = found else { continue };
        found.iter().for_each(|d| distances.add(Region::of(*point), *d));
        worst.push(WorstStrain { strain: *point, largest: found.iter().copied().fold(0.0, f64::max) });
    }
    let solved = worst.len();
    worst.sort_by(|a, b| b.largest.total_cmp(&a.largest));
    worst.truncate(WORST);
    Ok(Ok(HeldOut { distances: distances.summary(), solved, failed: points.len() - solved, worst }))
}

/// As many random strains in each region.
fn stratified(range: [[f64; 2]; 3], each: usize, seed: u64) -> Vec<Strain<f64>> {
    let mut random = Random::new(seed ^ 0x4844);
    let mut left = [each; 4];
    let mut points = Vec::new();
    for _ in 0..each.saturating_mul(TRIES) {
        let point = Strain::from(range.map(|r| random.between(r)));
        let left = &mut left[Region::of(point) as usize];
        if *left > 0 {
            *left -= 1;
            points.push(point);
        }
    }
    points
}
