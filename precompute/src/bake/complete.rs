//! Energies by kind and stress for databases of programs that did not store them, without a new bake.
//!
//! A table holds equilibria to its tolerance. Each is solved again from where it is stored, in the plane or bent as it is; what comes
//! out is taken when it is the same state, by its energy and by where its vertices are. Displacements stay as they are.

use crate::cell::Cell;
use crate::cell::energy::Problem;
use crate::equilibrium::settings::SolverSettings;
use crate::equilibrium::{Start, solve};
use crate::sampling::BentAlong;
use crate::{Error, Result};
use rayon::prelude::*;
use std::collections::BTreeMap;
use yarnwise_shared::table::database::{Database, SampleRecord, SampleStatus};
use yarnwise_shared::table::{Displacement, Displacements, Table};

/// The energy of the same state differs by less than this fraction: energies of equilibria are exact to the square of the residual.
const SAME_ENERGY: f64 = 1e-6;

/// No vertex of the same state is further than this from where it is stored, yarn radii: soft yarns give way to small forces.
const SAME_PLACE: f64 = 0.1;

/// How many samples have what they need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Completed {
    /// Of all tables.
    pub samples: usize,
    /// With energies by kind before.
    pub known: usize,
    /// That got them now.
    pub completed: usize,
    /// Equilibria that were not found again: they stay without.
    pub lost: usize,
}

/// The database with energies by kind at every equilibrium that is found again, and with the stress where it is flat. `origin`
/// names it in messages. The result does not depend on the number of threads.
pub fn complete(database: Database, origin: &str) -> Result<(Database, Completed)> {
    let material = *database.material().ok_or_else(|| without_material(origin))?;
    let cell = Cell::new(database.pattern(), &material)?;
    let settings = solver_settings(database.settings(), origin)?;
    let mut data = database.into_data();
    let mut counts = Completed::default();
    counts.fill(&data.table, &mut data.samples, &settings, |i| Problem::planar(&cell, data.table.grid().strain(i)));
    if let Some(bending) = &mut data.bending {
        let tables = [(&bending.x, &mut bending.x_samples), (&bending.y, &mut bending.y_samples)];
        for (along, (table, records)) in BentAlong::BOTH.into_iter().zip(tables) {
            counts.fill(table, records, &settings, |i| {
                let (strain, curvature) = table.grid().bent_strain(i);
                Problem::bent(&cell, strain, along.vector(), curvature)
            });
        }
    }
    Ok((Database::new(data)?, counts))
}

fn without_material(origin: &str) -> Error {
    let problem =
        "has no material: its equilibria cannot be solved. Bake its pattern with the material that it is made of";
    yarnwise_shared::Error::invalid(origin, problem).into()
}

impl Completed {
    /// Fills in the records of one table, whose samples are the `problem`s of their numbers.
    fn fill<'a, const N: usize>(
        &mut self,
        table: &Table<N>,
        records: &mut [SampleRecord],
        settings: &SolverSettings,
        problem: impl Fn(usize) -> Problem<'a> + Sync,
    ) {
        self.samples += records.len();
        self.known += records.iter().filter(|r| r.kinds.is_some()).count();
        let is_missing = |r: &SampleRecord| r.status == SampleStatus::Converged && r.kinds.is_none();
        let missing: Vec<usize> = (0..records.len()).filter(|i| is_missing(&records[*i])).collect();
        let find = |i: &usize| completed(&problem(*i), table.sample(*i), &records[*i], settings);
        let found: Vec<Option<SampleRecord>> = missing.par_iter().map(find).collect();
        self.lost += found.iter().filter(|f| f.is_none()).count();
        for (i, record) in missing.into_iter().zip(found) {
            if let Some(record) = record {
                records[i] = record;
                self.completed += 1;
            }
        }
    }
}

/// The record with what was not known of it; none when the same state is not found again.
fn completed(
    problem: &Problem,
    stored: &[Displacement],
    record: &SampleRecord,
    settings: &SolverSettings,
) -> Option<SampleRecord> {
    let stored: Displacements = stored.iter().map(|d| d.map(f64::from)).collect();
    let solved = solve(problem, Start::From(&stored), settings);
    let energy = record.energy_density?;
    let same_energy = (solved.energy_density - energy).abs() <= SAME_ENERGY * energy.abs();
    let same_place = solved.displacements.jump(&stored) <= SAME_PLACE * problem.cell.radius();
    (solved.is_sound() && same_energy && same_place).then(|| SampleRecord {
        energy_density: Some(solved.energy_density),
        kinds: Some(solved.energy.per_area(problem.cell.area())),
        stress: solved.stress,
        residual: Some(solved.residual),
        ..*record
    })
}

/// The solver's settings as the database names them; what it does not name is the default.
fn solver_settings(named: &BTreeMap<String, String>, origin: &str) -> Result<SolverSettings> {
    let fail = |problem: String| yarnwise_shared::Error::invalid(origin, problem);
    let mut values = serde_json::to_value(SolverSettings::default()).map_err(|e| fail(e.to_string()))?;
    for (name, value) in named.iter().filter_map(|(name, value)| Some((name.strip_prefix("solver.")?, value))) {
        let value = serde_json::from_str(value).map_err(|_| fail(format!("its setting solver.{name} is {value}")))?;
        values[name] = value;
    }
    let settings: SolverSettings =
        serde_json::from_value(values).map_err(|e| fail(format!("has settings of the solver that cannot be: {e}")))?;
    settings.check()?;
    Ok(settings)
}
