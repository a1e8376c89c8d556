//! The text format `.pyp` of the reference data published with \[Sperl21\].
//!
//! Blocks begin with a line `*name` and hold one row per vertex; `#` begins a comment.
//!
//! | block | row | required |
//! |---|---|---|
//! | `*pattern` | px py radius count | yes, first |
//! | `*Q` | x y z twist | yes |
//! | `*E` | v0 v1 dx dy; rows in any order, one for each v0 | yes |
//! | `*RL` | rest length of the edge that leaves the vertex | yes |
//! | `*RK` | rest curvatures, two numbers | no: 0 |
//! | `*RT` | rest twist | no: 0 |
//! | `*RefD1` | reference director of the edge that leaves the vertex | yes |
//! | `*RefT` | reference twist | no: 0 |

use super::{Edge, MAX_BYTES, MAX_VERTICES, Pattern, PatternData, PatternFault, PatternPlace, Vertex};
use crate::text::{self, Line};
use crate::words::{count, vertices};
use crate::{Error, Result, file};
use std::fmt::Write as _;
use std::path::Path;

const NAMES: [&str; 8] = ["pattern", "Q", "E", "RL", "RK", "RT", "RefD1", "RefT"];

/// Reads a `.pyp` file.
pub fn read(path: &Path) -> Result<Pattern> {
    parse(&file::read(path, MAX_BYTES, file::text)?, &file::origin(path))
}

/// Reads the text of a `.pyp` file; `origin` names it in messages.
pub fn parse(bytes: &[u8], origin: &str) -> Result<Pattern> {
    let blocks = Blocks::split(text::decode(bytes, origin)?, origin)?;
    let header = blocks.required("pattern")?;
    let [row] = header.rows[..] else {
        return Err(Error::text(origin, header.line, "*pattern needs exactly one row: px py radius count"));
    };
    let [px, py, radius, count] = row.numbers::<4>(origin, || "*pattern".into())?;
    let n = count as usize;
    if count != n as f64 || n == 0 || n > MAX_VERTICES {
        return Err(row.error(
            origin,
            format!("*pattern: the vertex count {count} is not a whole number from 1 to {MAX_VERTICES}"),
        ));
    }
    let positions = blocks.table::<4>("Q", n, true)?;
    let edges = blocks.edges(n)?;
    let rest_lengths = blocks.table::<1>("RL", n, true)?;
    let rest_curvatures = blocks.table::<2>("RK", n, false)?;
    let rest_twists = blocks.table::<1>("RT", n, false)?;
    let directors = blocks.table::<3>("RefD1", n, true)?;
    let reference_twists = blocks.table::<1>("RefT", n, false)?;
    let vertex = |i: usize| {
        let [x, y, z, twist] = positions[i];
        Vertex {
            position: [x, y, z],
            twist,
            edge: edges[i].0,
            rest_length: rest_lengths[i][0],
            rest_curvature: rest_curvatures[i],
            rest_twist: rest_twists[i][0],
            reference_director: directors[i],
            reference_twist: reference_twists[i][0],
        }
    };
    let data = PatternData { period: [px, py], radius, vertices: (0..n).map(vertex).collect() };
    Pattern::new(data).map_err(|fault| {
        let line = blocks.line_of(&fault, &edges);
        Error::text(origin, line, fault.problem)
    })
}

/// Writes a `.pyp` file. Numbers are written so that they read back exactly; edges in order of their first vertex.
pub fn write(pattern: &Pattern, path: &Path) -> Result<()> {
    file::write_atomically(path, |w| w.write_all(to_text(pattern).as_bytes()))
}

/// The text of a `.pyp` file.
pub fn to_text(pattern: &Pattern) -> String {
    let [px, py] = pattern.period();
    let vertices = pattern.vertices();
    let mut out = format!("*pattern # px py radius num_vertedges\n{px} {py} {} {}\n", pattern.radius(), vertices.len());
    let mut block = |title: &str, row: &dyn Fn(usize, &Vertex) -> String| {
        let _ = write!(out, "\n*{title}\n");
        for (i, v) in vertices.iter().enumerate() {
            let _ = writeln!(out, "{}", row(i, v));
        }
    };
    block("Q # dofs: x y z t", &|_, v| format!("{} {} {} {}", v.position[0], v.position[1], v.position[2], v.twist));
    block("E # edges: v0 v1 dx dy", &|i, v| format!("{i} {} {} {}", v.edge.to, v.edge.shift[0], v.edge.shift[1]));
    block("RL # rest lengths", &|_, v| v.rest_length.to_string());
    block("RK # rest kappas", &|_, v| format!("{} {}", v.rest_curvature[0], v.rest_curvature[1]));
    block("RT # rest twists", &|_, v| v.rest_twist.to_string());
    block("RefD1 # reference directors", &|_, v| {
        let d = v.reference_director;
        format!("{} {} {}", d[0], d[1], d[2])
    });
    block("RefT # reference twists", &|_, v| v.reference_twist.to_string());
    out
}

struct Block<'a> {
    name: &'a str,
    line: usize,
    rows: Vec<Line<'a>>,
}

struct Blocks<'a> {
    origin: &'a str,
    blocks: Vec<Block<'a>>,
}

impl<'a> Blocks<'a> {
    fn split(text: &'a str, origin: &'a str) -> Result<Self> {
        let mut blocks: Vec<Block<'a>> = Vec::new();
        for line in text::lines(text) {
            if let Some(name) = line.text.strip_prefix('*') {
                let name = name.trim();
                if !NAMES.contains(&name) {
                    let known = NAMES.map(|n| format!("*{n}")).join(" ");
                    return Err(
                        line.error(origin, format!("unknown block '*{}', known are {known}", text::shorten(name)))
                    );
                }
                if blocks.iter().any(|b| b.name == name) {
                    return Err(line.error(origin, format!("block *{name} appears twice")));
                }
                blocks.push(Block { name, line: line.number, rows: Vec::new() });
            } else if let Some(block) = blocks.last_mut() {
                // No more rows are kept than any pattern may have vertices.
                if block.rows.len() == MAX_VERTICES {
                    return Err(line.error(origin, format!("block *{} has more than {MAX_VERTICES} rows", block.name)));
                }
                block.rows.push(line);
            } else {
                return Err(line.error(origin, "a .pyp file begins with a line '*pattern'"));
            }
        }
        Ok(Blocks { origin, blocks })
    }

    fn find(&self, name: &str) -> Option<&Block<'a>> {
        self.blocks.iter().find(|b| b.name == name)
    }

    fn required(&self, name: &str) -> Result<&Block<'a>> {
        self.find(name).ok_or_else(|| Error::invalid(self.origin, format!("the block *{name} is missing")))
    }

    /// The block with a row for each of `n` vertices.
    fn rows(&self, name: &str, n: usize) -> Result<&[Line<'a>]> {
        let block = self.required(name)?;
        if block.rows.len() != n {
            let (rows, vertices) = (count(block.rows.len(), "row", None), vertices(n));
            let problem = format!("block *{name} has {rows}, *pattern says {vertices}");
            return Err(Error::text(self.origin, block.line, problem));
        }
        Ok(&block.rows)
    }

    fn table<const N: usize>(&self, name: &str, n: usize, required: bool) -> Result<Vec<[f64; N]>> {
        if !required && self.find(name).is_none() {
            return Ok(vec![[0.0; N]; n]);
        }
        let rows = self.rows(name, n)?.iter().enumerate();
        rows.map(|(i, row)| row.numbers(self.origin, || format!("*{name}, vertex {i}"))).collect()
    }

    /// The outgoing edge of each vertex and the line it stands in.
    fn edges(&self, n: usize) -> Result<Vec<(Edge, usize)>> {
        let mut out: Vec<Option<(Edge, usize)>> = vec![None; n];
        for (i, row) in self.rows("E", n)?.iter().enumerate() {
            let what = || format!("*E, edge {i}");
            let [v0, v1, dx, dy] = row.numbers::<4>(self.origin, what)?;
            let whole = |v: f64| (v.fract() == 0.0 && v.abs() < 2e9).then_some(v as i64);
            let index = |v: f64| whole(v).filter(|v| (0..n as i64).contains(v));
            let (Some(from), Some(to)) = (index(v0), index(v1)) else {
                return Err(
                    row.error(self.origin, format!("edge {i} from {v0} to {v1}: vertices are numbered 0 to {}", n - 1))
                );
            };
            let (Some(dx), Some(dy)) = (whole(dx), whole(dy)) else {
                return Err(row.error(self.origin, format!("edge {i}: the shift ({dx}, {dy}) must be whole periods")));
            };
            let slot = &mut out[from as usize];
            if let Some((_, line)) = slot {
                let problem = format!(
                    "vertex {from} has two outgoing edges, the other is in line {line}: each vertex has exactly one, yarns do not branch"
                );
                return Err(row.error(self.origin, problem));
            }
            *slot = Some((Edge { to: to as u32, shift: [dx as i32, dy as i32] }, row.number));
        }
        // n rows with n different first vertices: every slot is filled.
        Ok(out.into_iter().flatten().collect())
    }

    /// The line of the element at fault.
    fn line_of(&self, fault: &PatternFault, edges: &[(Edge, usize)]) -> usize {
        let row = |name: &str, i: usize| self.find(name).and_then(|b| b.rows.get(i)).map_or(1, |r| r.number);
        match fault.place {
            PatternPlace::Header => row("pattern", 0),
            PatternPlace::Vertex(i) => row("Q", i),
            PatternPlace::Edge(i) => edges[i].1,
            PatternPlace::RestLength(i) => row("RL", i),
            PatternPlace::RestCurvature(i) => row("RK", i),
            PatternPlace::RestTwist(i) => row("RT", i),
            PatternPlace::ReferenceDirector(i) => row("RefD1", i),
            PatternPlace::ReferenceTwist(i) => row("RefT", i),
        }
    }
}

#[cfg(test)]
mod tests;
