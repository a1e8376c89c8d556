//! Sets against each other at random strains.

use super::distance::{ByRegion, RegionDistances};
use super::set::Set;
use crate::report::table::Region;
use rayon::prelude::*;
use yarnwise_shared::random::Random;
use yarnwise_shared::table::Table;
use yarnwise_shared::table::strain::{Strain, Sym2};

/// `count` strains (sx, sa, sy), evenly spread over `range`.
pub fn random(range: [[f64; 2]; 3], count: usize, seed: u64) -> Vec<[f64; 3]> {
    let mut random = Random::new(seed);
    (0..count).map(|_| range.map(|r| random.between(r))).collect()
}

/// The stretch S of a homogeneous deformation with this strain.
pub fn stretch([sx, sa, sy]: [f64; 3]) -> Sym2<f64> {
    Strain::new(sx, sa, sy).first_form().sqrt()
}

/// The strain that the run time looks up: eigenvalues of I below `min` raised to it; 0 for no clamp.
pub fn clamped([sx, sa, sy]: [f64; 3], min: f64) -> [f64; 3] {
    let first = Strain::new(sx, sa, sy).first_form().clamp_eigenvalues(min);
    let strain = Strain::from_first_form(first);
    [strain.sx, strain.sa, strain.sy]
}

/// How far apart two displacements of a vertex are in the world, meters.
pub fn world_distance(stretch: Sym2<f64>, a: &[f64; 4], b: &[f64; 4]) -> f64 {
    let [x, y] = stretch.apply([a[0] - b[0], a[1] - b[1]]);
    x.hypot(y).hypot(a[2] - b[2])
}

/// Displacements of all vertices at a strain.
pub fn read(table: &Table<3>, strain: [f64; 3]) -> Vec<[f64; 4]> {
    let mut out = vec![[0.0; 4]; table.vertices()];
    table.interpolate_all(strain, &mut out);
    out
}

/// Distances of the yarn vertices of `set` from those of `reference` at `points`.
pub fn distances(set: &Set, reference: &Set, points: &[[f64; 3]]) -> ByRegion {
    let (ours, theirs) = (set.database.table(), reference.database.table());
    let radius = reference.radius();
    between(points, radius, |point| (read(ours, point), read(theirs, point)))
}

/// Distances of what `both` reads at each of `points`, in radii.
pub(super) fn between(
    points: &[[f64; 3]],
    radius: f64,
    both: impl Fn([f64; 3]) -> (Vec<[f64; 4]>, Vec<[f64; 4]>) + Sync,
) -> ByRegion {
    let add = |mut sum: RegionDistances, point: &[f64; 3]| {
        let (stretch, region) = (stretch(*point), Region::of(*point));
        let (a, b) = both(*point);
        a.iter().zip(&b).for_each(|(a, b)| sum.add(region, world_distance(stretch, a, b) / radius));
        sum
    };
    // In pieces of one size, so that sums come out the same for any number of threads.
    let pieces: Vec<RegionDistances> =
        points.par_chunks(64).map(|piece| piece.iter().fold(RegionDistances::default(), add)).collect();
    pieces.iter().fold(RegionDistances::default(), RegionDistances::merge).summary()
}
