//! From solved samples to the database.

use super::Bake;
use crate::Result;
use crate::equilibrium::Solved;
use crate::sampling::Candidate;
use yarnwise_shared::Error;
use yarnwise_shared::table::database::{BendingTables, Database, DatabaseData, SampleRecord, SampleStatus};
use yarnwise_shared::table::grid::{BendingGrid, Grid};
use yarnwise_shared::table::{Displacement, Table};

/// The chosen state of every sample, in the order of the grids.
pub(super) struct BakedSamples {
    pub(super) flat: Vec<Candidate>,
    pub(super) bent: Option<(BendingGrid, [Vec<Candidate>; 2])>,
}

/// The database of all samples.
pub(super) fn database(bake: &Bake, baked: BakedSamples) -> Result<Database> {
    let (table, samples) = table(bake, bake.grid.clone(), baked.flat)?;
    let bending = match baked.bent {
        None => None,
        Some((grid, [x, y])) => {
            let (x, x_samples) = self::table(bake, grid.clone(), x)?;
            let (y, y_samples) = self::table(bake, grid, y)?;
            Some(BendingTables { x, y, x_samples, y_samples })
        }
    };
    Ok(Database::new(DatabaseData {
        name: bake.name.clone(),
        origin: bake.origin.clone(),
        tool: bake.tool.clone(),
        pattern: bake.pattern.clone(),
        material: Some(bake.material),
        settings: bake.named_settings().into_iter().collect(),
        table,
        samples,
        bending,
    })?)
}

/// A table and its records.
fn table<const N: usize>(bake: &Bake, grid: Grid<N>, solved: Vec<Candidate>) -> Result<(Table<N>, Vec<SampleRecord>)> {
    let vertices = bake.pattern.vertices().len();
    let mut values: Vec<Displacement> = Vec::new();
    let mut samples = Vec::with_capacity(solved.len());
    if values.try_reserve_exact(solved.len() * vertices).is_err() {
        let problem = format!(
            "a table of {} samples does not fit into memory. What is solved is safe: make memory free, then run the same \
             command again to resume",
            solved.len()
        );
        return Err(Error::invalid(&bake.name, problem).into());
    }
    let [px, py] = bake.pattern.period();
    let area = px * py;
    for sample in solved {
        let solved = &sample.solved;
        values.extend(solved.displacements.rounded());
        samples.push(SampleRecord {
            status: status(solved),
            energy_density: Some(solved.energy_density),
            kinds: Some(solved.energy.per_area(area)),
            // Of what is no equilibrium it would not be the derivative of anything.
            stress: solved.stress.filter(|_| solved.is_sound()),
            residual: Some(solved.residual),
            iterations: solved.work.factorizations as u32,
            started_from: sample.started_from.map(|s| s as u32),
        });
    }
    Ok((Table::new(grid, vertices, values)?, samples))
}

/// How a sample came about, for the database and the log.
pub(super) fn status(solved: &Solved) -> SampleStatus {
    match (solved.passed_through, solved.converged) {
        (true, _) => SampleStatus::PassedThrough,
        (false, true) => SampleStatus::Converged,
        (false, false) => SampleStatus::NotConverged,
    }
}
