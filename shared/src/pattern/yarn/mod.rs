//! The text format `.yarn`, made to be read and edited by people. `docs/reference/pattern-format.md` describes it in full.
//!
//! ```text
//! yarn-pattern 2
//! unit mm                 # lengths are in millimeters; meters without this line
//! period 9 7
//! radius 1
//! yarns 2                 # how many yarns and vertices follow: a file that is cut off is refused
//! vertices 48
//! columns x y z           # the default; more columns state more, in any order
//!
//! yarn 1 0                # its vertices in order; from the last one on to the first, one period further along x
//! 0 -5.2 -1
//! 1.1 -5 -0.9
//! ...
//! ```
//!
//! What a file leaves out follows from the positions, so that a vertex can be moved without touching anything else.
//! Numbers are read and written without loss, in any unit.

mod column;
mod version;
mod write;

pub use write::{to_text, write};

use super::frame::{self, Given};
use super::{Edge, MAX_BYTES, MAX_VERTICES, Pattern, PatternData, PatternFault, PatternPlace, Vertex, decimal};
use crate::text::{self, Line};
use crate::words::vertices;
use crate::{Error, Result, file};
use column::{Column, NumberKind};
use std::path::Path;
use version::Counts;

/// The word that begins every file of this format.
pub(super) const MAGIC: &str = "yarn-pattern";

/// Names of units and the power of ten they stand for, in meters.
const UNITS: [(&str, i32); 4] = [("m", 0), ("cm", -2), ("mm", -3), ("um", -6)];

/// Reads a `.yarn` file.
pub fn read(path: &Path) -> Result<Pattern> {
    parse(&file::read(path, MAX_BYTES, file::text)?, &file::origin(path))
}

/// Reads the text of a `.yarn` file; `origin` names it in messages.
pub fn parse(bytes: &[u8], origin: &str) -> Result<Pattern> {
    parse_with_notes(bytes, origin, &mut Vec::new())
}

/// The same; what its user should know is added to `notes`, one sentence each.
pub fn parse_with_notes(bytes: &[u8], origin: &str, notes: &mut Vec<String>) -> Result<Pattern> {
    let text = text::decode(bytes, origin)?;
    let mut lines = text::lines(text);
    let version = version::parse(lines.next(), origin)?;
    let mut parser = Parser::new(origin);
    for line in lines {
        parser.line(&line)?;
    }
    parser.check_whole()?;
    let found = [parser.yarns.len(), parser.rows.len()];
    parser.counts.check(version, found, text, origin, notes)?;
    parser.finish()
}

/// A vertex as it stands in the file. Where its edge leads is known when the yarn is complete.
struct VertexRow {
    line: usize,
    id: usize,
    vertex: Vertex,
}

struct Parser<'a> {
    origin: &'a str,
    exponent: Option<i32>,
    period: Option<([f64; 2], usize)>,
    radius: Option<f64>,
    columns: Option<Vec<Column>>,
    counts: Counts,
    rows: Vec<VertexRow>,
    yarns: Vec<Head>,
}

/// The line that begins a yarn.
struct Head {
    line: usize,
    first_row: usize,
    /// By how many periods the yarn is shifted once around, if the line says so.
    shift: Option<[i32; 2]>,
}

impl<'a> Parser<'a> {
    fn new(origin: &'a str) -> Self {
        let (exponent, period, radius, columns) = (None, None, None, None);
        Parser {
            origin,
            exponent,
            period,
            radius,
            columns,
            counts: Counts::default(),
            rows: Vec::new(),
            yarns: Vec::new(),
        }
    }

    fn line(&mut self, line: &Line<'_>) -> Result<()> {
        let mut words = line.words();
        let key = words.next().unwrap_or_default();
        let values: Vec<&str> = words.by_ref().take(Column::COUNT + 1).collect();
        match key {
            "unit" => self.unit(line, &values),
            "period" => self.period(line, &values),
            "radius" => self.radius(line, &values),
            "columns" => self.columns(line, &values),
            "yarns" => {
                self.once(line, key, self.counts.yarns.is_some())?;
                self.counts.yarns = Some(Counts::parse(line, key, &values, self.origin)?);
                Ok(())
            }
            "vertices" => {
                self.once(line, key, self.counts.vertices.is_some())?;
                self.counts.vertices = Some(Counts::parse(line, key, &values, self.origin)?);
                Ok(())
            }
            "yarn" => self.yarn(line, &values),
            _ if key.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => self.row(line),
            _ => {
                let problem = format!(
                    "'{}' is not known here: unit, period, radius, yarns, vertices, columns, yarn or the numbers of a vertex are expected",
                    text::shorten(key)
                );
                Err(line.error(self.origin, problem))
            }
        }
    }

    fn once(&self, line: &Line<'_>, key: &str, again: bool) -> Result<()> {
        if again {
            return Err(line.error(self.origin, format!("'{key}' is stated twice")));
        }
        if !self.yarns.is_empty() {
            return Err(line.error(self.origin, format!("'{key}' must stand before the first yarn")));
        }
        Ok(())
    }

    fn unit(&mut self, line: &Line<'_>, values: &[&str]) -> Result<()> {
        self.once(line, "unit", self.exponent.is_some())?;
        if self.period.is_some() || self.radius.is_some() {
            return Err(line.error(self.origin, "'unit' must stand before the first length"));
        }
        let unit = UNITS.iter().find(|(name, _)| values == [*name]);
        let known = UNITS.map(|(name, _)| name).join(", ");
        let (_, exponent) = unit.ok_or_else(|| line.error(self.origin, format!("unit: one of {known} is expected")))?;
        self.exponent = Some(*exponent);
        Ok(())
    }

    fn period(&mut self, line: &Line<'_>, values: &[&str]) -> Result<()> {
        self.once(line, "period", self.period.is_some())?;
        let [x, y] = values[..] else {
            return Err(line.error(self.origin, "period: two lengths are expected, along x and along y"));
        };
        self.period = Some(([self.length(line, x, "period px")?, self.length(line, y, "period py")?], line.number));
        Ok(())
    }

    fn radius(&mut self, line: &Line<'_>, values: &[&str]) -> Result<()> {
        self.once(line, "radius", self.radius.is_some())?;
        let [value] = values[..] else { return Err(line.error(self.origin, "radius: one length is expected")) };
        self.radius = Some(self.length(line, value, "radius")?);
        Ok(())
    }

    fn columns(&mut self, line: &Line<'_>, values: &[&str]) -> Result<()> {
        self.once(line, "columns", self.columns.is_some())?;
        let columns = column::list(values).map_err(|problem| line.error(self.origin, problem))?;
        self.columns = Some(columns);
        Ok(())
    }

    fn yarn(&mut self, line: &Line<'_>, values: &[&str]) -> Result<()> {
        let wrong = || {
            let problem = "after 'yarn' come no numbers, or two whole ones: the periods along x and y that it is shifted by once around";
            line.error(self.origin, problem)
        };
        let whole = |word: &str| word.parse::<i32>().map_err(|_| wrong());
        let shift = match values[..] {
            [] => None,
            [x, y] => Some([whole(x)?, whole(y)?]),
            _ => return Err(wrong()),
        };
        self.check_last_yarn()?;
        self.yarns.push(Head { line: line.number, first_row: self.rows.len(), shift });
        Ok(())
    }

    fn check_last_yarn(&self) -> Result<()> {
        match self.yarns.last() {
            Some(head) if head.first_row == self.rows.len() => {
                Err(Error::text(self.origin, head.line, format!("yarn {} has no vertices", self.yarns.len() - 1)))
            }
            _ => Ok(()),
        }
    }

    fn row(&mut self, line: &Line<'_>) -> Result<()> {
        if self.yarns.is_empty() {
            return Err(line.error(self.origin, "a line 'yarn' must stand before its first vertex"));
        }
        if self.rows.len() == MAX_VERTICES {
            return Err(line.error(self.origin, format!("the pattern has more than {MAX_VERTICES} vertices")));
        }
        let columns = self.columns.as_deref().unwrap_or(&Column::DEFAULT);
        let mut row = VertexRow { line: line.number, id: self.rows.len(), vertex: Vertex::at([0.0; 3]) };
        let mut words = line.words();
        for column in columns {
            let word = words.next().ok_or_else(|| self.count_error(line, columns))?;
            self.cell(line, &mut row, *column, word)?;
        }
        if words.next().is_some() {
            return Err(self.count_error(line, columns));
        }
        self.rows.push(row);
        Ok(())
    }

    fn cell(&self, line: &Line<'_>, row: &mut VertexRow, column: Column, word: &str) -> Result<()> {
        let what = || format!("{} of vertex {}", column.name(), self.rows.len());
        match column.kind() {
            NumberKind::Length => *column.slot(&mut row.vertex) = self.length(line, word, &what())?,
            NumberKind::Number => *column.slot(&mut row.vertex) = line.number(self.origin, word, what)?,
            NumberKind::Whole => {
                let whole: i32 = word.parse().map_err(|_| {
                    line.error(self.origin, format!("{}: '{}' is not a whole number", what(), text::shorten(word)))
                })?;
                match column {
                    Column::ShiftX => row.vertex.edge.shift[0] = whole,
                    Column::ShiftY => row.vertex.edge.shift[1] = whole,
                    _ => {
                        row.id = usize::try_from(whole)
                            .map_err(|_| line.error(self.origin, format!("{}: vertices are numbered from 0", what())))?
                    }
                }
            }
        }
        Ok(())
    }

    /// A length in the file's unit, in meters.
    fn length(&self, line: &Line<'_>, word: &str, what: &str) -> Result<f64> {
        match decimal::parse(word, self.exponent.unwrap_or(0)) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(line.error(self.origin, format!("{what}: {} is not a finite number", text::shorten(word)))),
            None => Err(line.error(self.origin, format!("{what}: '{}' is not a number", text::shorten(word)))),
        }
    }

    fn count_error(&self, line: &Line<'_>, columns: &[Column]) -> Error {
        let names: Vec<&str> = columns.iter().map(|c| c.name()).collect();
        let problem = format!(
            "vertex {}: {} numbers are expected ({}), the line has {}",
            self.rows.len(),
            names.len(),
            names.join(" "),
            line.words().count()
        );
        line.error(self.origin, problem)
    }

    /// Whether something is missing altogether.
    fn check_whole(&self) -> Result<()> {
        self.header()?;
        if self.yarns.is_empty() {
            return Err(Error::invalid(self.origin, "there is no yarn in it: a line 'yarn' begins one"));
        }
        self.check_last_yarn()
    }

    /// The period, the line where it stands, and the radius.
    fn header(&self) -> Result<([f64; 2], usize, f64)> {
        let missing = |what: &str| Error::invalid(self.origin, format!("the line '{what} ...' is missing"));
        let (period, line) = self.period.ok_or_else(|| missing("period"))?;
        Ok((period, line, self.radius.ok_or_else(|| missing("radius"))?))
    }

    fn finish(self) -> Result<Pattern> {
        let (period, header, radius) = self.header()?;
        let order = self.order()?;
        let edges = self.edges(period)?;
        let columns = self.columns.as_deref().unwrap_or(&Column::DEFAULT);
        let vertices = order.iter().map(|row| Vertex { edge: edges[*row], ..self.rows[*row].vertex }).collect();
        let mut data = PatternData { period, radius, vertices };
        let given = Given {
            rest_length: columns.contains(&Column::RestLength),
            director: columns.contains(&Column::DirectorX),
            reference_twist: columns.contains(&Column::ReferenceTwist),
        };
        frame::fill(&mut data, given);
        Pattern::new(data).map_err(|fault| {
            let line = self.line_of(&fault, header, &order);
            Error::text(self.origin, line, fault.problem)
        })
    }

    /// The row of each vertex; an error unless the vertices are numbered 0 to n-1.
    fn order(&self) -> Result<Vec<usize>> {
        let n = self.rows.len();
        let mut order = vec![usize::MAX; n];
        for (i, row) in self.rows.iter().enumerate() {
            let Some(slot) = order.get_mut(row.id) else {
                let problem = format!("vertex {}: the file has {}, numbered 0 to {}", row.id, vertices(n), n - 1);
                return Err(Error::text(self.origin, row.line, problem));
            };
            if *slot != usize::MAX {
                let problem = format!("vertex {} stands in line {} too", row.id, self.rows[*slot].line);
                return Err(Error::text(self.origin, row.line, problem));
            }
            *slot = i;
        }
        Ok(order)
    }

    /// The edge that leaves the vertex of each row.
    fn edges(&self, period: [f64; 2]) -> Result<Vec<Edge>> {
        let stated = self.columns.as_ref().is_some_and(|c| c.contains(&Column::ShiftX));
        let mut edges = Vec::with_capacity(self.rows.len());
        let ends = self.yarns.iter().skip(1).map(|head| head.first_row).chain([self.rows.len()]);
        for (head, end) in self.yarns.iter().zip(ends) {
            let rows = &self.rows[head.first_row..end];
            let closing =
                || frame::nearest_shift(rows[rows.len() - 1].vertex.position, rows[0].vertex.position, period);
            for (k, row) in rows.iter().enumerate() {
                let last = k + 1 == rows.len();
                let shift = match (stated, last) {
                    (true, _) => row.vertex.edge.shift,
                    (false, true) => head.shift.unwrap_or_else(closing),
                    (false, false) => [0, 0],
                };
                edges.push(Edge { to: rows[(k + 1) % rows.len()].id as u32, shift });
            }
            let sum =
                edges[head.first_row..].iter().fold([0i64; 2], |s, e| [0, 1].map(|k| s[k] + i64::from(e.shift[k])));
            if let Some(shift) = head.shift.filter(|shift| shift.map(i64::from) != sum) {
                let problem = format!(
                    "the yarn is said to be shifted by {} and {} periods, its columns shift_x and shift_y add up to {} and {}",
                    shift[0], shift[1], sum[0], sum[1]
                );
                return Err(Error::text(self.origin, head.line, problem));
            }
        }
        Ok(edges)
    }

    fn line_of(&self, fault: &PatternFault, header: usize, order: &[usize]) -> usize {
        match fault.place {
            PatternPlace::Header => header,
            PatternPlace::Vertex(i)
            | PatternPlace::Edge(i)
            | PatternPlace::RestLength(i)
            | PatternPlace::RestCurvature(i)
            | PatternPlace::RestTwist(i)
            | PatternPlace::ReferenceDirector(i)
            | PatternPlace::ReferenceTwist(i) => order.get(i).map_or(header, |row| self.rows[*row].line),
        }
    }
}

#[cfg(test)]
mod tests;
