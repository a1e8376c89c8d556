//! The database: what a bake hands to the run time.
//!
//! A [`Database`] joins a pattern with the displacements of its vertices over a grid of strains, and with what is known
//! about each sample. It is always consistent: the only way to one is [`Database::new`], which checks everything.
//! [`read`] and [`write()`] are its file.

mod checked;
mod codec;
mod file;
mod frames;
mod head;
mod header;
mod info;
mod prelude;
mod record;
mod repair;

pub use codec::{Encoding, Tolerance};
pub use file::{EXTENSION, MAX_BYTES, inspect, parse, read, read_bytes, read_head, to_bytes, write};
pub use head::DatabaseHead;
pub use info::{FileInfo, TableInfo};
pub use prelude::{MAX_DISPLACEMENTS, OLDEST_VERSION, VERSION};
pub use record::{Kinds, SampleRecord, SampleStatus};
#[doc(hidden)]
pub use repair::repair;

use crate::pattern::Pattern;
use crate::pattern::material::YarnMaterial;
use crate::table::Table;
use crate::table::grid::StrainGrid;
use crate::{Error, Result, words};
use std::collections::BTreeMap;

/// The two tables with a curvature as fourth axis (1/m): bent along x and along y [Sperl21, App. C].
#[derive(Clone, Debug, PartialEq)]
pub struct BendingTables {
    /// Bent along x, axes sx, sa, sy, curvature.
    pub x: Table<4>,
    /// Bent along y.
    pub y: Table<4>,
    /// What is known about each sample of `x`.
    pub x_samples: Vec<SampleRecord>,
    /// What is known about each sample of `y`.
    pub y_samples: Vec<SampleRecord>,
}

/// A database before it is checked.
#[derive(Clone, Debug, PartialEq)]
pub struct DatabaseData {
    /// A short name for people, such as "stockinette 9x9x9".
    pub name: String,
    /// Where it comes from: the pattern's file, the folder it was imported from, who made it.
    pub origin: String,
    /// Name and version of the program that made it.
    pub tool: String,
    /// The pattern that is displaced.
    pub pattern: Pattern,
    /// Its yarn's material; unknown for imported tables.
    pub material: Option<YarnMaterial>,
    /// Settings of the solver and the bake, by name.
    pub settings: BTreeMap<String, String>,
    /// Displacements over in-plane strains.
    pub table: Table<3>,
    /// What is known about each sample of `table`.
    pub samples: Vec<SampleRecord>,
    /// Displacements over strains and one curvature, if they were made.
    pub bending: Option<BendingTables>,
}

impl DatabaseData {
    /// A table of which nothing else is known: no material, no settings, no bending, no records of a solver.
    pub fn imported(name: &str, origin: &str, tool: &str, pattern: Pattern, table: Table<3>) -> Self {
        DatabaseData {
            name: name.to_owned(),
            origin: origin.to_owned(),
            tool: tool.to_owned(),
            pattern,
            material: None,
            settings: BTreeMap::new(),
            samples: SampleRecord::imported(table.grid()),
            table,
            bending: None,
        }
    }
}

/// A consistent database.
#[derive(Clone, Debug, PartialEq)]
pub struct Database {
    data: DatabaseData,
}

impl Database {
    /// A pattern that was not baked: no strain displaces it.
    pub fn undisplaced(pattern: Pattern, origin: &str, tool: &str) -> Result<Self> {
        let (grid, vertices) = (StrainGrid::preset(5)?, pattern.vertices().len());
        let values = vec![[0.0; 4]; vertices * grid.sample_count()];
        let table = Table::new(grid, vertices, values)?;
        Database::new(DatabaseData::imported("not baked", origin, tool, pattern, table))
    }

    /// Checks that pattern, tables and records fit together and that their numbers are finite.
    pub fn new(data: DatabaseData) -> Result<Self> {
        check_fit(&data, "table", &data.table, &data.samples)?;
        if let Some(bending) = &data.bending {
            check_fit(&data, "bending table x", &bending.x, &bending.x_samples)?;
            check_fit(&data, "bending table y", &bending.y, &bending.y_samples)?;
        }
        if let Some(m) = &data.material {
            for (name, value) in [("young", m.young), ("shear", m.shear), ("gamma", m.gamma), ("contact", m.contact)] {
                if !value.is_finite() || value < 0.0 {
                    let problem = format!("the material's {name} is {value}, it must be a number of at least 0");
                    return Err(Error::invalid(describe(&data), problem));
                }
            }
        }
        Ok(Database { data })
    }

    /// A short name for people.
    pub fn name(&self) -> &str {
        &self.data.name
    }

    /// Where it comes from.
    pub fn origin(&self) -> &str {
        &self.data.origin
    }

    /// Name and version of the program that made it.
    pub fn tool(&self) -> &str {
        &self.data.tool
    }

    /// The pattern that is displaced.
    pub fn pattern(&self) -> &Pattern {
        &self.data.pattern
    }

    /// The yarn's material, where it is known.
    pub fn material(&self) -> Option<&YarnMaterial> {
        self.data.material.as_ref()
    }

    /// Settings of the solver and the bake, by name.
    pub fn settings(&self) -> &BTreeMap<String, String> {
        &self.data.settings
    }

    /// Displacements over in-plane strains.
    pub fn table(&self) -> &Table<3> {
        &self.data.table
    }

    /// What is known about each sample of [`Database::table`], in the same order.
    pub fn samples(&self) -> &[SampleRecord] {
        &self.data.samples
    }

    /// Displacements over strains and one curvature, if they were made.
    pub fn bending(&self) -> Option<&BendingTables> {
        self.data.bending.as_ref()
    }

    /// The parts, to change and check again with [`Database::new`].
    pub fn into_data(self) -> DatabaseData {
        self.data
    }

    /// The database on fewer in-plane samples: every value of `grid` must be one of this grid's, exactly.
    ///
    /// Bending tables are kept as they are.
    pub fn subset(&self, grid: &StrainGrid) -> Result<Self> {
        let kept = self.data.table.grid().subset(grid)?;
        let mut position = vec![None; self.data.samples.len()];
        for (new, old) in kept.iter().enumerate() {
            position[*old] = Some(new as u32);
        }
        let record = |old: &usize| {
            let record = self.data.samples[*old];
            let started_from = record.started_from.and_then(|from| position[from as usize]);
            SampleRecord { started_from, ..record }
        };
        let samples = kept.iter().map(record).collect();
        // Field by field: the large table is not copied only to be dropped.
        Database::new(DatabaseData {
            name: self.data.name.clone(),
            origin: self.data.origin.clone(),
            tool: self.data.tool.clone(),
            pattern: self.data.pattern.clone(),
            material: self.data.material,
            settings: self.data.settings.clone(),
            table: self.data.table.subset(grid)?,
            samples,
            bending: self.data.bending.clone(),
        })
    }
}

fn describe(data: &DatabaseData) -> String {
    format!("database '{}'", data.name)
}

fn check_fit<const N: usize>(
    data: &DatabaseData,
    what: &str,
    table: &Table<N>,
    samples: &[SampleRecord],
) -> Result<()> {
    let fail = |problem: String| Err(Error::invalid(describe(data), problem));
    let (vertices, count) = (data.pattern.vertices().len(), table.grid().sample_count());
    if table.vertices() != vertices {
        return fail(format!("the {what} is for {}, the pattern has {vertices}", words::vertices(table.vertices())));
    }
    if samples.len() != count {
        return fail(format!("the {what} has {count} samples, there are records for {}", samples.len()));
    }
    for (i, record) in samples.iter().enumerate() {
        if let Some((name, v)) = record.numbers().find(|(_, v)| !v.is_finite()) {
            return fail(format!("the {name} of sample {i} of the {what} is {v}, which is not a finite number"));
        }
        if !record.kinds_add_up() {
            return fail(format!(
                "the energies by kind of sample {i} of the {what} do not add up to its energy density"
            ));
        }
        if let Some(from) = record.started_from.filter(|from| *from as usize >= count) {
            return fail(format!("sample {i} of the {what} started from sample {from}, but there are only {count}"));
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::pattern::{Edge, PatternData, Vertex};
    use crate::table::grid::{Axis, Grid};

    /// A valid pattern of `n` vertices on one straight yarn along x.
    pub(crate) fn straight_pattern(n: usize) -> Pattern {
        let vertex = |i: usize| Vertex {
            position: [i as f64 * 1e-3, 0.25e-3, 0.0],
            twist: 0.125,
            edge: Edge { to: ((i + 1) % n) as u32, shift: [(i + 1 == n) as i32, 0] },
            rest_length: 1e-3,
            rest_curvature: [0.0, 0.5],
            rest_twist: 0.0,
            reference_director: [0.0, 0.0, 1.0],
            reference_twist: 0.0,
        };
        let vertices = (0..n).map(vertex).collect();
        Pattern::new(PatternData { period: [n as f64 * 1e-3, 2e-3], radius: 0.5e-3, vertices }).unwrap()
    }

    pub(crate) fn axis(values: &[f64]) -> Axis {
        Axis::new("test", values.to_vec()).unwrap()
    }

    /// A smooth table, so that prediction has something to find.
    pub(crate) fn smooth_table<const N: usize>(grid: Grid<N>, vertices: usize) -> Table<N> {
        let value = |i: usize| {
            let (sample, vertex) = (i / vertices, (i % vertices) as f64);
            let s: f64 = grid.coordinates(sample).iter().zip([1.0, 0.7, -0.4, 0.002]).map(|(c, w)| c * w).sum();
            [s * 1e-3, (s * vertex).sin() * 5e-4, s * s * 1e-3 + vertex * 1e-5, (s + vertex).cos()].map(|v| v as f32)
        };
        let count = grid.sample_count() * vertices;
        let values = (0..count).map(value).collect();
        Table::new(grid, vertices, values).unwrap()
    }

    /// An energy density, divided among the kinds.
    fn kinds(energy_density: f64) -> Kinds {
        let [stretch, bend, twist] = [0.25, 0.5, 0.03125].map(|share| share * energy_density);
        Kinds { stretch, bend, twist, contact: energy_density - stretch - bend - twist }
    }

    /// A database with everything in it.
    pub(crate) fn full_database() -> Database {
        let grid = Grid([axis(&[-0.1, 0.0, 0.5, 1.0]), axis(&[-0.5, 0.0, 0.5]), axis(&[-0.1, 0.0, 1.0])]);
        let bend = Grid([axis(&[0.0, 1.0]), axis(&[0.0, 0.01]), axis(&[-0.1, 0.0, 1.0]), axis(&[-80.0, 0.0, 90.0])]);
        let records = |n: usize| {
            let record = |i: usize| SampleRecord {
                status: SampleStatus::ALL[i % 4],
                energy_density: (i % 3 != 2).then_some(i as f64 * 0.37),
                kinds: i.is_multiple_of(3).then(|| kinds(i as f64 * 0.37)),
                stress: (i % 5 != 1).then(|| [i as f64, -0.1 * i as f64, 1e-9]),
                residual: (i % 3 != 2).then_some(1e-9 / (i + 1) as f64),
                iterations: i as u32 * 7,
                started_from: (i > 0).then_some(i as u32 / 2),
            };
            (0..n).map(record).collect()
        };
        Database::new(DatabaseData {
            name: "test".into(),
            origin: "made for tests".into(),
            tool: "yarnwise test".into(),
            pattern: straight_pattern(5),
            material: Some(YarnMaterial { young: 5e5, shear: 2e5, gamma: 0.1, contact: 3.0 }),
            settings: [("tolerance".to_owned(), "1e-6".to_owned())].into(),
            table: smooth_table(grid, 5),
            samples: records(36),
            bending: Some(BendingTables {
                x: smooth_table(bend.clone(), 5),
                y: smooth_table(bend, 5),
                x_samples: records(36),
                y_samples: records(36),
            }),
        })
        .unwrap()
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let refuse = |change: fn(&mut DatabaseData)| {
            let mut data = full_database().into_data();
            change(&mut data);
            Database::new(data).unwrap_err().to_string()
        };
        let vertices = refuse(|d| d.pattern = straight_pattern(4));
        assert!(vertices.contains("the table is for 5 vertices, the pattern has 4"), "{vertices}");
        assert!(refuse(|d| d.samples.truncate(3)).contains("has 36 samples, there are records for 3"));
        assert!(refuse(|d| d.samples[3].residual = Some(f64::NAN)).contains("residual of sample 3"));
        let stress = refuse(|d| d.samples[3].stress = Some([0.0, f64::INFINITY, 0.0]));
        assert!(stress.contains("stress by sa of sample 3 of the table is inf"), "{stress}");
        assert!(
            refuse(|d| d.samples[3].kinds.as_mut().unwrap().bend = f64::NAN).contains("energy of bend of sample 3")
        );
        assert!(refuse(|d| d.samples[3].kinds.as_mut().unwrap().bend += 1e-6).contains("do not add up"));
        assert!(refuse(|d| d.samples[3].energy_density = None).contains("do not add up"));
        assert!(refuse(|d| d.samples[3].started_from = Some(36)).contains("started from sample 36"));
        assert!(refuse(|d| d.material.as_mut().unwrap().shear = -1.0).contains("shear is -1"));
        let bending = refuse(|d| d.bending.as_mut().unwrap().y_samples.clear());
        assert!(bending.contains("bending table y"), "{bending}");
    }

    #[test]
    fn a_subset_renumbers_where_samples_started() {
        let database = full_database();
        let grid = Grid([axis(&[0.0, 1.0]), axis(&[-0.5, 0.5]), axis(&[0.0, 1.0])]);
        let subset = database.subset(&grid).unwrap();
        assert_eq!(subset.samples().len(), 8);
        for (new, record) in subset.samples().iter().enumerate() {
            let kept = database.table().grid().subset(&grid).unwrap();
            let old = database.samples()[kept[new]];
            assert_eq!(record.iterations, old.iterations);
            assert_eq!(
                record.started_from.map(|s| kept[s as usize] as u32),
                old.started_from.filter(|s| kept.contains(&(*s as usize)))
            );
        }
        let missing = Grid([axis(&[0.0, 0.9]), axis(&[-0.5, 0.5]), axis(&[0.0, 1.0])]);
        assert!(database.subset(&missing).unwrap_err().to_string().contains("no sample at 0.9"));
    }
}
