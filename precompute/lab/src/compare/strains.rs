//! Sets against each other at random strains.

use super::distance::{ByRegion, RegionDistances};
use super::set::Set;
use rayon::prelude::*;
use yarnwise_shared::random::Random;
use yarnwise_shared::table::region::Region;
use yarnwise_shared::table::strain::{Strain, Sym2};
use yarnwise_shared::table::{Displacements, Table};

/// `count` strains, evenly spread over `range` (sx, sa, sy from and to).
pub(super) fn random(range: [[f64; 2]; 3], count: usize, seed: u64) -> Vec<Strain<f64>> {
    let mut random = Random::new(seed);
    (0..count).map(|_| range.map(|r| random.between(r)).into()).collect()
}

/// The stretch S of a homogeneous deformation with this strain.
pub(super) fn stretch(strain: Strain<f64>) -> Sym2<f64> {
    strain.first_form().sqrt()
}

/// The strain that the run time looks up: eigenvalues of I below `min` raised to it; 0 for no clamp.
pub(super) fn clamped(strain: Strain<f64>, min: f64) -> Strain<f64> {
    if min > 0.0 { Strain::from_first_form(strain.first_form().clamp_eigenvalues(min)) } else { strain }
}

/// How far apart two displacements of a vertex are in the world, meters.
pub(super) fn world_distance(stretch: Sym2<f64>, a: &[f64; 4], b: &[f64; 4]) -> f64 {
    let [x, y] = stretch.apply([a[0] - b[0], a[1] - b[1]]);
    x.hypot(y).hypot(a[2] - b[2])
}

/// Displacements of all vertices at a strain.
pub(super) fn read(table: &Table<3>, strain: Strain<f64>) -> Displacements {
    table.interpolate_all(strain.into())
}

/// Distances of the yarn vertices of `set` from those of `reference` at `points`.
pub(super) fn distances(set: &Set, reference: &Set, points: &[Strain<f64>]) -> ByRegion {
    let (ours, theirs) = (set.database.table(), reference.database.table());
    let radius = reference.radius();
    between(points, radius, |point| (read(ours, point), read(theirs, point)))
}

/// Distances of what `both` reads at each of `points`, in radii.
pub(super) fn between(
    points: &[Strain<f64>],
    radius: f64,
    both: impl Fn(Strain<f64>) -> (Displacements, Displacements) + Sync,
) -> ByRegion {
    let add = |mut sum: RegionDistances, point: &Strain<f64>| {
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
