//! Writing `.yarn` files: only the columns that the defaults do not give back exactly.

use super::MAGIC;
use super::column::{Column, NumberKind};
use crate::pattern::frame::{self, Given};
use crate::pattern::{Pattern, PatternData, Vertex, decimal};
use crate::{Result, file};
use std::fmt::Write as _;
use std::path::Path;

/// The unit files are written in: patterns are a few millimeters large.
const UNIT: (&str, i32) = ("mm", -3);

/// Writes a `.yarn` file, which reads back as exactly the same pattern.
pub fn write(pattern: &Pattern, path: &Path) -> Result<()> {
    file::write_atomically(path, |w| w.write_all(to_text(pattern).as_bytes()))
}

/// The text of a `.yarn` file.
pub fn to_text(pattern: &Pattern) -> String {
    let [px, py] = pattern.period().map(|p| decimal::format(p, UNIT.1));
    let mut out = format!(
        "{MAGIC} 2\nunit {}\nperiod {px} {py}\nradius {}\nyarns {}\nvertices {}\n",
        UNIT.0,
        decimal::format(pattern.radius(), UNIT.1),
        pattern.yarns().len(),
        pattern.vertices().len()
    );
    let columns = columns(pattern);
    let names: Vec<&str> = columns.iter().map(|c| c.name()).collect();
    let _ = writeln!(out, "columns {}", names.join(" "));
    for yarn in pattern.yarns() {
        let cells: Vec<Vec<String>> = yarn
            .vertices
            .iter()
            .map(|i| columns.iter().map(|c| cell(*c, *i, pattern.vertices()[*i as usize])).collect())
            .collect();
        let width = |k: usize| cells.iter().map(|row| row[k].len()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns.len()).map(width).collect();
        let _ = writeln!(out, "\nyarn {} {}", yarn.shift[0], yarn.shift[1]);
        for row in &cells {
            for (k, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let _ = write!(out, "{}{cell:>width$}", if k > 0 { "  " } else { "" });
            }
            out.push('\n');
        }
    }
    out
}

fn cell(column: Column, id: u32, mut vertex: Vertex) -> String {
    match (column, column.kind()) {
        (Column::Id, _) => id.to_string(),
        (Column::ShiftX, _) => vertex.edge.shift[0].to_string(),
        (Column::ShiftY, _) => vertex.edge.shift[1].to_string(),
        (_, NumberKind::Length) => decimal::format(*column.slot(&mut vertex), UNIT.1),
        _ => decimal::format(*column.slot(&mut vertex), 0),
    }
}

/// The columns without which the pattern would not come back.
fn columns(pattern: &Pattern) -> Vec<Column> {
    let mut needed = Column::DEFAULT.to_vec();
    let along: Vec<u32> = pattern.yarns().iter().flat_map(|y| y.vertices.iter().copied()).collect();
    if along.iter().enumerate().any(|(k, i)| k != *i as usize) {
        needed.push(Column::Id);
    }
    let inner = pattern.yarns().iter().flat_map(|y| &y.vertices[..y.vertices.len() - 1]);
    if inner.into_iter().any(|i| pattern.vertices()[*i as usize].edge.shift != [0, 0]) {
        needed.extend(Column::ShiftX.group());
    }
    // Directors first: the default of the reference twist depends on whether they are stated.
    let mut given = Given::default();
    for column in Column::ALL.into_iter().filter(|c| c.kind() != NumberKind::Whole && *c != Column::ReferenceTwist) {
        if !needed.contains(&column) && differs(pattern, column, given) {
            needed.extend(column.group());
        }
    }
    given.director = needed.contains(&Column::DirectorX);
    if differs(pattern, Column::ReferenceTwist, given) {
        needed.push(Column::ReferenceTwist);
    }
    Column::ALL.into_iter().filter(|c| needed.contains(c)).collect()
}

/// Whether some vertex holds another number than a file without this column would give it, to the last bit.
fn differs(pattern: &Pattern, column: Column, given: Given) -> bool {
    let mut default: PatternData = pattern.data().clone();
    for v in &mut default.vertices {
        let plain = Vertex::at(v.position);
        (v.twist, v.rest_curvature, v.rest_twist) = (plain.twist, plain.rest_curvature, plain.rest_twist);
    }
    frame::fill(&mut default, given);
    let stated = pattern.vertices().iter().zip(&default.vertices);
    stated.into_iter().any(|(a, b)| column.slot(&mut a.clone()).to_bits() != column.slot(&mut b.clone()).to_bits())
}
