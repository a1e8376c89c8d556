//! The folders in which \[Sperl21\]'s tables were published.
//!
//! ```text
//! pyp                 the pattern
//! sxsasy/axes.txt     three lines of ascending numbers: sx, sa, sy
//! sxsasy/data.npy     f32, one row (dX1, dX2, dX3, dtheta) per displacement
//! bend4Dx/, bend4Dy/  optional: the same with a fourth line, the curvature in 1/m
//! ```
//!
//! Rows are vertex-major: row = isx + nsx (isa + nsa (isy + nsy vertex)). Ours are sample-major; [`read`] and [`write()`]
//! turn them. Bakes of ours have an axis value of exactly 0 on every axis; an imported table need not, but is noted.

use crate::npy::{self, Array, Data};
use crate::pattern::{Pattern, pyp};
use crate::table::database::{BendingTables, Database, DatabaseData, SampleRecord};
use crate::table::grid::{AXIS_NAMES, Axis, Grid, StrainGrid};
use crate::table::{Displacement, Table};
use crate::text;
use crate::words::{self, count};
use crate::{Error, Result, file};
use std::path::Path;

/// Largest file of axes that is read.
const MAX_AXES_BYTES: u64 = 1 << 20;

const IN_PLANE: &str = "sxsasy";
const BENDING: [&str; 2] = ["bend4Dx", "bend4Dy"];

/// An imported database, and what its user should know.
#[derive(Clone, Debug)]
pub struct Import {
    /// The database; its samples are all marked as imported.
    pub database: Database,
    /// Peculiarities that were accepted, one sentence each.
    pub notes: Vec<String>,
}

/// Reads a model folder. `tool` names the program that imports it.
pub fn read(folder: &Path, tool: &str) -> Result<Import> {
    let has = |name: &str| folder.join(name).is_dir();
    if !has(IN_PLANE) {
        let problem =
            format!("holds no folder '{IN_PLANE}': a model folder has a file 'pyp' and a folder '{IN_PLANE}'");
        return Err(Error::invalid(file::origin(folder), problem));
    }
    let pattern = pyp::read(&folder.join("pyp"))?;
    let mut notes = Vec::new();
    let table = read_table::<3>(&folder.join(IN_PLANE), &pattern, &mut notes)?;
    let bending = match BENDING.map(has) {
        [true, true] => {
            let x = read_table::<4>(&folder.join(BENDING[0]), &pattern, &mut notes)?;
            let y = read_table::<4>(&folder.join(BENDING[1]), &pattern, &mut notes)?;
            let (x_samples, y_samples) = (SampleRecord::imported(x.grid()), SampleRecord::imported(y.grid()));
            Some(BendingTables { x, y, x_samples, y_samples })
        }
        [false, false] => None,
        [x, _] => {
            let (there, missing) = if x { (BENDING[0], BENDING[1]) } else { (BENDING[1], BENDING[0]) };
            let problem = format!("has '{there}' but no '{missing}': bending needs both");
            return Err(Error::invalid(file::origin(folder), problem));
        }
    };
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
    let origin = format!("imported from the model folder '{name}'");
    let data = DatabaseData { bending, ..DatabaseData::imported(&name, &origin, tool, pattern, table) };
    Ok(Import { database: Database::new(data)?, notes })
}

fn read_table<const N: usize>(folder: &Path, pattern: &Pattern, notes: &mut Vec<String>) -> Result<Table<N>> {
    let axes = folder.join("axes.txt");
    let grid = parse_axes::<N>(&file::read(&axes, MAX_AXES_BYTES, file::text)?, &file::origin(&axes))?;
    for (axis, name) in grid.0.iter().zip(AXIS_NAMES).filter(|(axis, _)| axis.zero().is_none()) {
        let (low, high) = (axis.values()[0], axis.values()[axis.len() - 1]);
        notes.push(format!(
            "{}: the axis {name} ({low} to {high}) has no sample at 0, so no sample shows the fabric at rest",
            axes.display()
        ));
    }
    let path = folder.join("data.npy");
    let array = npy::read(&path)?;
    if matches!(array.data, Data::F64(_)) {
        notes.push(format!("{}: its 64-bit numbers are rounded to 32 bits", path.display()));
    }
    table_from_array(grid, pattern.vertices().len(), array, &file::origin(&path))
}

/// The axes of a table from the text of its `axes.txt`: one line for each axis.
pub fn parse_axes<const N: usize>(bytes: &[u8], origin: &str) -> Result<Grid<N>> {
    let mut axes = Vec::new();
    for line in text::lines(text::decode(bytes, origin)?) {
        let Some(name) = AXIS_NAMES[..N].get(axes.len()) else {
            return Err(line.error(origin, format!("a line too many: {N} axes are expected, one on each line")));
        };
        axes.push(parse_axis(&line, name, origin)?);
    }
    let found = axes.len();
    let axes: Result<[Axis; N], _> = axes.try_into();
    axes.map(Grid).map_err(|_| {
        let names = AXIS_NAMES[..N].join(", ");
        Error::invalid(
            origin,
            format!("has {}, {N} are expected, one on each line: {names}", count(found, "axis", Some("axes"))),
        )
    })
}

fn parse_axis(line: &text::Line, name: &str, origin: &str) -> Result<Axis> {
    let number = |(i, word)| line.number(origin, word, || format!("axis {name}, value {}", i + 1));
    let values: Vec<f64> = line.words().enumerate().map(number).collect::<Result<_>>()?;
    Axis::new(name, values).map_err(|e| line.error(origin, e.to_string()))
}

/// A grid of strains from a file with three lines of ascending numbers.
pub fn read_axes(path: &Path) -> Result<StrainGrid> {
    parse_axes(&file::read(path, MAX_AXES_BYTES, file::text)?, &file::origin(path))
}

/// An axis of curvatures (1/m) from a file with one line of ascending numbers.
pub fn read_curvatures(path: &Path) -> Result<Axis> {
    parse_curvatures(&file::read(path, MAX_AXES_BYTES, file::text)?, &file::origin(path))
}

/// An axis of curvatures (1/m) from text with one line of ascending numbers.
pub fn parse_curvatures(bytes: &[u8], origin: &str) -> Result<Axis> {
    let mut lines = text::lines(text::decode(bytes, origin)?);
    match (lines.next(), lines.next()) {
        (Some(line), None) => parse_axis(&line, AXIS_NAMES[3], origin),
        (None, _) => Err(Error::invalid(origin, "is empty: one line of curvatures is expected")),
        (_, Some(line)) => Err(line.error(origin, "a line too many: one line of curvatures is expected")),
    }
}

/// The text of an `axes.txt`.
pub fn axes_to_text<const N: usize>(grid: &Grid<N>) -> String {
    let line = |axis: &Axis| axis.values().iter().map(f64::to_string).collect::<Vec<_>>().join(" ") + "\n";
    grid.0.iter().map(line).collect()
}

/// A table from the rows of a `data.npy`, vertex-major.
pub fn table_from_array<const N: usize>(
    grid: Grid<N>,
    vertices: usize,
    array: Array,
    origin: &str,
) -> Result<Table<N>> {
    let samples = grid.sample_count();
    let expected = samples.checked_mul(vertices);
    if array.shape.len() != 2 || Some(array.shape[0]) != expected || array.shape[1] != 4 {
        let problem = format!(
            "has the shape {}, {} x 4 is expected for {samples} samples of the axes and {} of \
             the pattern: do axes.txt and pyp belong to it?",
            text::join(&array.shape, " x "),
            samples.saturating_mul(vertices),
            words::vertices(vertices)
        );
        return Err(Error::invalid(origin, problem));
    }
    let numbers = match array.data {
        Data::F32(v) => v,
        // A number beyond f32 becomes infinite, which the table refuses.
        Data::F64(v) => v.into_iter().map(|n| n as f32).collect(),
        _ => return Err(Error::invalid(origin, "holds whole numbers, displacements are <f4 or <f8")),
    };
    let row = |sample: usize, vertex: usize| {
        let at = 4 * (vertex * samples + sample);
        [numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]]
    };
    let values = (0..samples).flat_map(|s| (0..vertices).map(move |v| row(s, v))).collect();
    Table::new(grid, vertices, values).map_err(|e| Error::invalid(origin, e.to_string()))
}

/// The rows of a `data.npy`, vertex-major.
pub fn table_to_array<const N: usize>(table: &Table<N>) -> Array {
    let (samples, vertices) = (table.grid().sample_count(), table.vertices());
    let rows = (0..vertices).flat_map(|v| (0..samples).map(move |s| table.values()[s * vertices + v]));
    let data: Vec<f32> = rows.flat_map(|row: Displacement| row).collect();
    Array { shape: vec![samples * vertices, 4], data: Data::F32(data) }
}

/// Writes a database as a model folder, which is made where there is none. What the layout has no place for (records,
/// material, settings) is left out.
pub fn write(database: &Database, folder: &Path) -> Result<()> {
    pyp::write(database.pattern(), &folder.join("pyp"))?;
    write_table(database.table(), &folder.join(IN_PLANE))?;
    if let Some(bending) = database.bending() {
        write_table(&bending.x, &folder.join(BENDING[0]))?;
        write_table(&bending.y, &folder.join(BENDING[1]))?;
    }
    Ok(())
}

fn write_table<const N: usize>(table: &Table<N>, folder: &Path) -> Result<()> {
    let axes = axes_to_text(table.grid());
    file::write_atomically(&folder.join("axes.txt"), |w| w.write_all(axes.as_bytes()))?;
    npy::write(&table_to_array(table), &folder.join("data.npy"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::database::tests::full_database;
    use std::fs;

    #[test]
    fn folders_round_trip_with_bending() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        let database = full_database();
        write(&database, &path).unwrap();
        let import = read(&path, "test").unwrap();
        assert!(import.notes.is_empty(), "{:?}", import.notes);
        assert_eq!(import.database.table(), database.table());
        assert_eq!(import.database.pattern(), database.pattern());
        let (a, b) = (import.database.bending().unwrap(), database.bending().unwrap());
        assert_eq!((&a.x, &a.y), (&b.x, &b.y));
        assert!(import.database.samples().iter().all(|s| *s == SampleRecord::IMPORTED));
        assert_eq!(import.database.name(), "model");
    }

    #[test]
    fn rows_are_vertex_major_with_the_first_axis_fastest() {
        let table = full_database().table().clone();
        let Data::F32(rows) = table_to_array(&table).data else { unreachable!() };
        let [nx, na, ny] = [4, 3, 3];
        let (isx, isa, isy, vertex) = (2, 1, 2, 3);
        let row = isx + nx * (isa + na * (isy + ny * vertex));
        assert_eq!(rows[4 * row..4 * row + 4], table.sample(table.grid().sample([isx, isa, isy]))[vertex]);
    }

    #[test]
    fn axes_are_read_with_the_line_of_a_mistake() {
        let parse = |text: &str| parse_axes::<3>(text.as_bytes(), "axes.txt");
        assert_eq!(parse("0 0.01\n\n-1 0 1 # dummy\n0 0.01\n").unwrap().sample_count(), 12);
        let refuse = |text: &str| parse(text).unwrap_err().to_string();
        assert!(refuse("0 1\n0 x\n0 1").contains("line 2: axis sa, value 2: 'x' is not a number"));
        assert!(refuse("0 1\n1 0\n0 1").contains("axes.txt, line 2: axis sa"));
        assert!(refuse("0 1\n0\n0 1").contains("has 1 value,"));
        assert!(refuse("0 1\n0 1\n").contains("has 2 axes, 3 are expected"));
        assert!(refuse("0 1\n0 1\n0 1\n0 1").contains("line 4: a line too many"));
        let curvatures = |text: &str| parse_curvatures(text.as_bytes(), "bent.txt");
        assert_eq!(curvatures("# 1/m\n-50 0 50\n").unwrap().values(), [-50.0, 0.0, 50.0]);
        assert!(curvatures("-5 0\n5").unwrap_err().to_string().contains("line 2: a line too many"));
        assert!(curvatures("0 -5").unwrap_err().to_string().contains("axis curvature: value 2 (-5) is not above"));
        assert!(curvatures("# nothing").unwrap_err().to_string().contains("is empty"));
    }

    #[test]
    fn folders_that_do_not_fit_together_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        assert!(read(&path, "t").unwrap_err().to_string().contains("holds no folder 'sxsasy'"));
        write(&full_database(), &path).unwrap();
        fs::write(path.join("sxsasy/axes.txt"), "0 1\n0 1\n0 1\n").unwrap();
        let shape = read(&path, "t").unwrap_err().to_string();
        assert!(shape.contains("data.npy: has the shape 180 x 4, 40 x 4 is expected"), "{shape}");
        write(&full_database(), &path).unwrap();
        fs::remove_dir_all(path.join("bend4Dy")).unwrap();
        assert!(read(&path, "t").unwrap_err().to_string().contains("has 'bend4Dx' but no 'bend4Dy'"));
    }

    #[test]
    fn axes_without_zero_are_told_of() {
        let folder = tempfile::tempdir().unwrap();
        write(&full_database(), folder.path()).unwrap();
        fs::write(folder.path().join("sxsasy/axes.txt"), "-0.1 0.1 0.5 1\n-0.5 0 0.5\n-0.1 0 1\n").unwrap();
        let notes = read(folder.path(), "t").unwrap().notes;
        assert!(notes.len() == 1 && notes[0].contains("the axis sx (-0.1 to 1) has no sample at 0"), "{notes:?}");
    }
}
