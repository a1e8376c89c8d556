//! `yarnwise-bake pattern check`: what is in a pattern file.

use std::fmt;
use std::path::{Path, PathBuf};
use yarnwise_precompute::bake::check_pattern;
use yarnwise_program::number::count;
use yarnwise_program::{note, print_json, say};
use yarnwise_shared::pattern::{self, Pattern, clearance, crossings};

/// More yarns than this are not listed one by one.
const LISTED: usize = 12;

/// Center lines that are further apart than this, in radii, are not measured.
const FAR: f64 = 4.0;

/// What is in a pattern file; lengths in meters.
#[derive(serde::Serialize)]
struct Report {
    file: String,
    period: [f64; 2],
    radius: f64,
    vertices: usize,
    yarns: Vec<Yarn>,
    /// The shortest and the longest segment.
    segments: [f64; 2],
    tightest_bend: f64,
    tightest_bend_at_vertex: usize,
    /// `None` where center lines stay more than 4 radii apart.
    clearance: Option<Clearance>,
    crossings: usize,
}

#[derive(serde::Serialize)]
struct Yarn {
    vertices: usize,
    length: f64,
    /// Periods along x and y after which it repeats.
    shift: [i32; 2],
}

#[derive(serde::Serialize)]
struct Clearance {
    /// Between center lines.
    distance: f64,
    edges: [usize; 2],
}

/// A report on each file; an error when one is bad.
pub(crate) fn run(files: &[PathBuf], json: bool) -> anyhow::Result<()> {
    let (mut reports, mut bad) = (Vec::new(), Vec::new());
    for file in files {
        match Report::new(file) {
            Ok(report) if json => reports.push(report),
            Ok(report) => say!("{report}")?,
            Err(error) => bad.push(error),
        }
    }
    if json {
        print_json(&reports)?;
    }
    match bad.len() {
        0 => Ok(()),
        1 => Err(bad.remove(0)),
        n => {
            bad.iter().for_each(|error| note!("error: {error:#}"));
            anyhow::bail!("{n} of {} patterns are bad", files.len())
        }
    }
}

impl Report {
    fn new(path: &Path) -> anyhow::Result<Self> {
        let pattern = crate::options::read_pattern(path)?;
        check_pattern(&pattern, &path.display().to_string())?;
        let lengths = (0..pattern.vertices().len()).map(|i| length(&pattern, i));
        let segments = lengths.fold([f64::MAX, 0.0f64], |[a, b], l| [a.min(l), b.max(l)]);
        let (tightest_bend, tightest_bend_at_vertex) = clearance::tightest_bend(&pattern);
        let approach = clearance::closest_approach(&pattern, FAR * pattern.radius())?;
        let yarn = |yarn: &pattern::Yarn| Yarn {
            vertices: yarn.vertices.len(),
            length: yarn.vertices.iter().map(|v| length(&pattern, *v as usize)).sum(),
            shift: yarn.shift,
        };
        Ok(Report {
            file: path.display().to_string(),
            period: pattern.period(),
            radius: pattern.radius(),
            vertices: pattern.vertices().len(),
            yarns: pattern.yarns().iter().map(yarn).collect(),
            segments,
            tightest_bend,
            tightest_bend_at_vertex,
            clearance: approach.map(|a| Clearance { distance: a.distance, edges: a.edges.map(|e| e) }),
            crossings: crossings::crossings(&pattern)?.len(),
        })
    }

    fn fmt_yarns(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "  yarns          {}", self.yarns.len())?;
        for (i, yarn) in self.yarns.iter().take(LISTED).enumerate() {
            let ([x, y], vertices) = (yarn.shift, count(yarn.vertices, "vertex", Some("vertices")));
            let length = 1e3 * yarn.length;
            writeln!(f, "    yarn {i:<3}     {vertices}, {length:.3} mm long, shifted by ({x}, {y}) periods")?;
        }
        match self.yarns.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => writeln!(f, "    ... and {more} more"),
        }
    }

    fn fmt_clearance(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(Clearance { distance, edges: [a, b] }) = &self.clearance else {
            return writeln!(f, "  clearance      more than {FAR} radii between center lines");
        };
        let distance = distance / self.radius;
        write!(f, "  clearance      {distance:.3} radii between center lines, edges {a} and {b}")?;
        let overlap = 100.0 * (1.0 - distance / 2.0);
        if overlap > 1.0 { writeln!(f, " (they overlap by {overlap:.0} %)") } else { writeln!(f) }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let r = self.radius;
        let [px, py] = self.period.map(|p| 1e3 * p);
        let [shortest, longest] = self.segments.map(|l| l / r);
        writeln!(f, "{}: a valid pattern", self.file)?;
        writeln!(f, "  period         {px:.4} x {py:.4} mm")?;
        writeln!(f, "  radius         {:.4} mm", 1e3 * r)?;
        writeln!(f, "  vertices       {}", self.vertices)?;
        self.fmt_yarns(f)?;
        writeln!(f, "  segments       {shortest:.3} to {longest:.3} radii")?;
        let at = self.tightest_bend_at_vertex;
        writeln!(f, "  tightest bend  {:.3} radii, at vertex {at}", self.tightest_bend / r)?;
        self.fmt_clearance(f)?;
        write!(f, "  crossings      {} seen from the front", self.crossings)
    }
}

fn length(pattern: &Pattern, edge: usize) -> f64 {
    pattern.edge_vector(edge).iter().map(|c| c * c).sum::<f64>().sqrt()
}
