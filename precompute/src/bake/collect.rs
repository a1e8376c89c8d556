//! From solved samples to the database.

use super::Bake;
use crate::Result;
use crate::equilibrium::Solved;
use crate::sampling::Candidate;
use yarnwise_shared::database::{Database, DatabaseData, SampleRecord, SampleStatus};
use yarnwise_shared::table::{Displacement, Table};

/// The database of all samples, in the order of the grid.
pub(super) fn database(bake: &Bake, solved: Vec<Candidate>) -> Result<Database> {
    let mut values: Vec<Displacement> = Vec::new();
    let mut samples = Vec::new();
    for sample in solved {
        let solved = &sample.solved;
        values.extend(solved.displacements.iter().map(|d| d.map(|c| c as f32)));
        samples.push(SampleRecord {
            status: status(solved),
            energy_density: Some(solved.energy_density),
            residual: Some(solved.residual),
            iterations: solved.work.factorizations as u32,
            started_from: sample.started_from.map(|s| s as u32),
        });
    }
    Ok(Database::new(DatabaseData {
        name: bake.name.clone(),
        origin: bake.origin.clone(),
        tool: bake.tool.clone(),
        pattern: bake.pattern.clone(),
        material: Some(bake.material),
        settings: bake.named_settings().into_iter().collect(),
        table: Table::new(bake.grid.clone(), bake.pattern.vertices().len(), values)?,
        samples,
        bending: None,
    })?)
}

/// How a sample came about, for the database and the log.
pub(super) fn status(solved: &Solved) -> SampleStatus {
    match (solved.passed_through, solved.converged) {
        (true, _) => SampleStatus::PassedThrough,
        (false, true) => SampleStatus::Converged,
        (false, false) => SampleStatus::NotConverged,
    }
}
