//! How smooth a table is, and how its energies compare.

use yarnwise_precompute::sampling::compressed;
use yarnwise_shared::table::grid::StrainGrid;

/// Parts of the strain grid that behave differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Neither sx nor sy below 0, |sa| < 0.4.
    Tension,
    /// Neither sx nor sy below 0, |sa| >= 0.4.
    TensionShear,
    /// sx or sy below 0, |sa| < 0.4.
    Compression,
    /// sx or sy below 0, |sa| >= 0.4.
    CompressionShear,
}

impl Region {
    /// All of them.
    pub const ALL: [Region; 4] = [Region::Tension, Region::TensionShear, Region::Compression, Region::CompressionShear];

    /// The region of a strain (sx, sa, sy).
    pub fn of(strain: [f64; 3]) -> Self {
        match (compressed(strain), strain[1].abs() < 0.4) {
            (false, true) => Region::Tension,
            (false, false) => Region::TensionShear,
            (true, true) => Region::Compression,
            (true, false) => Region::CompressionShear,
        }
    }

    /// The region in words.
    pub fn name(self) -> &'static str {
        match self {
            Region::Tension => "tension",
            Region::TensionShear => "tension+shear",
            Region::Compression => "compression",
            Region::CompressionShear => "compression+shear",
        }
    }
}

/// Displacements of all vertices at one sample.
pub type Displacements = Vec<[f64; 4]>;

/// For each region the share of grid points whose second difference along sa exceeds half a radius.
pub fn roughness(grid: &StrainGrid, samples: &[Displacements], radius: f64) -> [f64; 4] {
    let mut counts = [(0, 0); 4];
    for sample in 0..grid.sample_count() {
        let at = grid.indices(sample);
        if at[1] == 0 || at[1] + 1 == grid.0[1].len() {
            continue;
        }
        let (before, after) = (grid.sample([at[0], at[1] - 1, at[2]]), grid.sample([at[0], at[1] + 1, at[2]]));
        let second = |v: usize| {
            let part = |k: usize| samples[before][v][k] - 2.0 * samples[sample][v][k] + samples[after][v][k];
            (0..3).map(|k| part(k).powi(2)).sum::<f64>().sqrt()
        };
        let largest = (0..samples[sample].len()).map(second).fold(0.0, f64::max);
        let count = &mut counts[Region::of(grid.coordinates(sample)) as usize];
        count.0 += i32::from(largest > 0.5 * radius);
        count.1 += 1;
    }
    counts.map(|(rough, all)| f64::from(rough) / f64::from(all.max(1)))
}

/// For each region the jumps between neighboring samples along every axis, in yarn radii, ascending.
pub fn jumps(grid: &StrainGrid, samples: &[Displacements], radius: f64) -> [Vec<f64>; 4] {
    let mut out: [Vec<f64>; 4] = Default::default();
    for sample in 0..grid.sample_count() {
        let at = grid.indices(sample);
        for k in 0..3 {
            let mut to = at;
            to[k] += 1;
            if to[k] == grid.0[k].len() {
                continue;
            }
            let other = grid.sample(to);
            let region = Region::of(grid.coordinates(sample)).max(Region::of(grid.coordinates(other)));
            let distance = |v: usize| {
                let part = |k: usize| samples[sample][v][k] - samples[other][v][k];
                (0..3).map(|k| part(k).powi(2)).sum::<f64>().sqrt() / radius
            };
            out[region as usize].push((0..samples[sample].len()).map(distance).fold(0.0, f64::max));
        }
    }
    out.iter_mut().for_each(|v| v.sort_unstable_by(f64::total_cmp));
    out
}

impl PartialOrd for Region {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Region {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (*self as usize).cmp(&(*other as usize))
    }
}
