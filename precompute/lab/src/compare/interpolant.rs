//! How good the interpolant of a table is, which is what the run time shows, by measures that no bake minimizes: its energy and
//! its distance from equilibria half way between samples and anywhere else, jumps between samples, and accelerations.

use super::popping;
use super::set::Set;
use super::strains::read;
use crate::Result;
use crate::report::energies::energies;
use crate::report::jumps::jumps;
use rayon::prelude::*;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::equilibrium::Start;
use yarnwise_precompute::equilibrium::settings::SolverSettings;
use yarnwise_precompute::sampling::{Problems, energy_floor, energy_of, solve_sample};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::random::Random;
use yarnwise_shared::table::Displacements;
use yarnwise_shared::table::grid::StrainGrid;
use yarnwise_shared::table::region::Region;
use yarnwise_shared::table::strain::Strain;

/// How thoroughly an interpolant is studied.
#[derive(Clone, Copy, Debug)]
pub struct InterpolantOptions {
    /// The yarn's material, for sets that do not know it.
    pub material: YarnMaterial,
    /// The solver's settings.
    pub solver: SolverSettings,
    /// At most about this many cells of the grid are looked at, scattered; all where there is no bound.
    pub centers: Option<usize>,
    /// Random strains in the range of the grid.
    pub random: usize,
    /// Their seed.
    pub seed: u64,
}

/// The interpolant of a set in figures.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Interpolant {
    /// What the set is called.
    pub name: String,
    /// Samples along sx, sa and sy.
    pub axes: [usize; 3],
    /// Figures by region.
    pub regions: [InterpolantRegion; 4],
    /// The largest acceleration on a slow ramp of strains, radii per frame squared.
    pub acceleration: f64,
    /// The mean over the ramps of each one's largest.
    pub mean_acceleration: f64,
}

/// Figures of a region.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct InterpolantRegion {
    /// The region.
    pub region: &'static str,
    /// At the centers of the grid's cells.
    pub centers: Between,
    /// At random strains.
    pub random: Between,
    /// The jump between neighboring samples that 95 % do not exceed, and the largest, radii.
    pub jumps: [f64; 2],
}

/// The interpolant against equilibria at some strains.
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Between {
    /// Strains.
    pub points: usize,
    /// Strains at which no equilibrium of this fabric was found; they are left out.
    pub failed: usize,
    /// Mean of ln(energy of the interpolated state / energy of the equilibrium found from there).
    pub energy: f64,
    /// Root of the mean square distance of yarn vertices from that equilibrium, radii of material space.
    pub distance: f64,
}

/// Measures the interpolant of `set`.
pub fn interpolant(set: &Set, options: &InterpolantOptions) -> Result<Interpolant> {
    let table = set.database.table();
    let grid = table.grid();
    let material = set.database.material().copied().unwrap_or(options.material);
    let cell = Cell::new(set.database.pattern(), &material)?;
    let study = Study { set, cell: &cell, solver: &options.solver, floor: energy_floor(energies(table, &cell)) };
    let range = grid.0.each_ref().map(|axis| [axis.values()[0], axis.values()[axis.len() - 1]]);
    let mut random = Random::new(options.seed);
    let strains = (0..options.random).map(|_| Strain::from(range.map(|r| random.between(r)))).collect::<Vec<_>>();
    let (centers, random) = (study.figures(&centers(grid, options.centers)), study.figures(&strains));
    let samples: Vec<Displacements> = (0..grid.sample_count()).map(|s| read(table, grid.strain(s))).collect();
    let jumps = jumps(grid, &samples, cell.radius());
    let ramps = popping::figures(set, range, 0.0).ramps;
    let of = |region: Region| {
        let k = region as usize;
        let at = |share: usize| jumps[k].get((jumps[k].len().saturating_sub(1)) * share / 100).copied();
        let jumps = [95, 100].map(|share| at(share).unwrap_or(0.0));
        InterpolantRegion { region: region.name(), centers: centers[k], random: random[k], jumps }
    };
    Ok(Interpolant {
        name: set.name.clone(),
        axes: grid.0.each_ref().map(|axis| axis.len()),
        regions: Region::ALL.map(of),
        acceleration: ramps.iter().map(|r| r.unclamped).fold(0.0, f64::max),
        mean_acceleration: ramps.iter().map(|r| r.unclamped).sum::<f64>() / ramps.len().max(1) as f64,
    })
}

/// The centers of at most about `wanted` cells of the grid.
fn centers(grid: &StrainGrid, wanted: Option<usize>) -> Vec<Strain<f64>> {
    let cells = |sample: &usize| (0..3).all(|axis| grid.beside(*sample, axis, 1).is_some());
    let cells: Vec<usize> = (0..grid.sample_count()).filter(cells).collect();
    let center = |sample: usize| {
        let at = grid.indices(sample);
        Strain::from(std::array::from_fn::<f64, 3, _>(|k| {
            let values = grid.0[k].values();
            0.5 * (values[at[k]] + values[at[k] + 1])
        }))
    };
    let stride = wanted.map_or(1, |wanted| cells.len().div_ceil(wanted.max(1)));
    crate::report::cold::scattered(cells.len(), stride).into_iter().map(|i| center(cells[i])).collect()
}

struct Study<'a> {
    set: &'a Set,
    cell: &'a Cell,
    solver: &'a SolverSettings,
    /// What is added to energies before they are compared, J per cell.
    floor: f64,
}

impl Study<'_> {
    /// The interpolant at `strains` by region.
    fn figures(&self, strains: &[Strain<f64>]) -> [Between; 4] {
        let found: Vec<Option<[f64; 2]>> = strains.par_iter().map(|strain| self.at(*strain)).collect();
        Region::ALL.map(|region| {
            let here = strains.iter().zip(&found).filter(|(strain, _)| Region::of(**strain) == region);
            let here: Vec<Option<[f64; 2]>> = here.map(|(_, found)| *found).collect();
            let solved: Vec<[f64; 2]> = here.iter().flatten().copied().collect();
            let mean = |k: usize| solved.iter().map(|f| f[k]).sum::<f64>() / solved.len().max(1) as f64;
            Between { points: here.len(), failed: here.len() - solved.len(), energy: mean(0), distance: mean(1).sqrt() }
        })
    }

    /// By which logarithm the interpolated state exceeds the energy of the equilibrium found from there, and the mean square
    /// distance of their vertices in radii; none where there is no equilibrium.
    fn at(&self, strain: Strain<f64>) -> Option<[f64; 2]> {
        let between = read(self.set.database.table(), strain);
        let [sx, sa, sy] = [strain.sx, strain.sa, strain.sy];
        let energy = energy_of(&Problems::planar(self.cell).at([sx, sa, sy]), &between);
        let solved = solve_sample(self.cell, strain, Start::From(&between), self.solver);
        let square = |(a, b): (&[f64; 4], &[f64; 4])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>();
        let squares: f64 = between.iter().zip(&solved.displacements).map(square).sum();
        let mean = squares / between.len() as f64 / self.cell.radius().powi(2);
        let found = [((energy + self.floor) / (solved.energy.total() + self.floor)).ln(), mean];
        (solved.is_sound() && found.iter().all(|f| f.is_finite())).then_some(found)
    }
}
