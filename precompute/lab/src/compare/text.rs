//! The report as text tables.

use super::distance::{ByRegion, DistanceSummary};
use super::{Comparison, SetFigures};
use std::fmt::Write;
use yarnwise_shared::table::grid::AXIS_NAMES;
use yarnwise_shared::table::region::Region;

/// A row of [Sperl21, Table 2]: the rib, 356 vertices, on a sweater of 1.8 million yarn vertices on a graphics card.
struct PublishedRow {
    samples: usize,
    megabytes: f64,
    /// On 8 cores.
    minutes: f64,
    /// For displacing all yarn vertices.
    milliseconds: f64,
}

const PUBLISHED: [PublishedRow; 4] = [
    PublishedRow { samples: 125, megabytes: 0.7, minutes: 2.2, milliseconds: 1.58 },
    PublishedRow { samples: 729, megabytes: 4.2, minutes: 12.7, milliseconds: 1.82 },
    PublishedRow { samples: 3375, megabytes: 19.2, minutes: 59.8, milliseconds: 2.30 },
    PublishedRow { samples: 29791, megabytes: 169.7, minutes: 533.6, milliseconds: 4.35 },
];

/// Rows of cells; the first row is the head.
pub(super) type Rows = Vec<Vec<String>>;

/// One table of the report.
#[derive(Clone, Debug)]
pub(super) struct Section {
    /// Its heading.
    pub(super) title: String,
    /// What its numbers mean.
    pub(super) note: String,
    /// Its cells.
    pub(super) rows: Rows,
}

/// All tables of a comparison.
pub(super) fn sections(c: &Comparison) -> Vec<Section> {
    let mut out = vec![cost(c)];
    let note = |what: &str| format!("distance of yarn vertices from those of '{}' {what}, in yarn radii", c.reference);
    if c.sets.len() > 1 {
        let what = format!("at {} random strains (seed {})", c.measured.strains, c.measured.seed);
        out.push(distances("Sets at random strains", note(&what), c, |s| s.strains.as_ref()));
    }
    if let Some(clip) = c.measured.clip.as_ref().filter(|_| c.sets.len() > 1) {
        let of = |s: &'_ SetFigures| s.cloth.as_ref().and_then(|c| c.distances.clone());
        let owned: Vec<Option<ByRegion>> = c.sets.iter().map(of).collect();
        let rows =
            distance_rows(c.sets.iter().zip(&owned).filter_map(|(s, d)| Some((s.cost.name.as_str(), d.as_ref()?))));
        out.push(Section { title: "Sets on the cloth".to_owned(), note: note(&format!("on {clip}")), rows });
    }
    out.extend(held_out(c));
    out.extend([smoothness(c), popping(c), suggestions(c)]);
    out.extend(c.sets.iter().flat_map(bending));
    out
}

/// The report.
pub fn text(c: &Comparison) -> String {
    let mut out = String::new();
    for section in sections(c) {
        let _ = writeln!(out, "{}\n  {}", section.title, section.note);
        out += &aligned(&section.rows);
        out += "\n";
    }
    out
}

/// Rows with columns of equal width: the first to the left, the others to the right.
fn aligned(rows: &Rows) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |k: usize| rows.iter().filter_map(|r| r.get(k)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::from("  ");
        for (k, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[k] - cell.chars().count());
            line += &if k == 0 { format!("{cell}{pad}") } else { format!("  {pad}{cell}") };
        }
        out += line.trim_end();
        out += "\n";
    }
    out
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|c| (*c).to_owned()).collect()
}

/// A number with about three digits.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        v if v < 0.001 => format!("{value:.1e}"),
        v if v < 10.0 => format!("{value:.3}"),
        v if v < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}

fn cost(c: &Comparison) -> Section {
    let mut rows = vec![row(&[
        "set",
        "samples",
        "failed",
        "vertices",
        "memory",
        "on disk",
        "bake",
        "frame",
        "per vertex",
        "paper: memory",
        "bake",
        "frame",
    ])];
    for s in &c.sets {
        let [x, a, y] = s.cost.axes;
        let paper = PUBLISHED.iter().find(|p| p.samples == s.cost.samples);
        let cell = |f: &dyn Fn(&PublishedRow) -> String| paper.map_or("-".to_owned(), f);
        let cloth = s.cloth.as_ref();
        rows.push(vec![
            s.cost.name.clone(),
            format!("{x}x{a}x{y}"),
            s.cost.failed.to_string(),
            s.cost.vertices.to_string(),
            megabytes(s.cost.memory_bytes),
            megabytes(s.cost.disk_bytes),
            s.cost.bake_seconds.map_or("unknown".to_owned(), |t| format!("{t:.1} s")),
            cloth.map_or("-".to_owned(), |f| format!("{:.2} ms", 1e3 * f.seconds)),
            cloth.map_or("-".to_owned(), |f| format!("{:.1} ns", 1e9 * f.seconds / f.yarn_vertices as f64)),
            cell(&|p| format!("{} MB", p.megabytes)),
            cell(&|p| format!("{:.0} s", p.minutes * 60.0 * 8.0)),
            cell(&|p| format!("{} ms", p.milliseconds)),
        ]);
    }
    let vertices = c.sets.iter().filter_map(|s| s.cloth.as_ref()).map(|f| f.yarn_vertices).max();
    let ours = vertices.map_or(String::new(), |n| {
        format!("; a frame looks up, displaces and maps {n} yarn vertices on this machine's processor")
    });
    Section {
        title: "What the sets cost".to_owned(),
        note: format!(
            "bake is core-seconds of all solves{ours}. Paper: rib, 356 vertices, 8 cores (given as core-seconds), 1.8 million yarn vertices \
             on a graphics card [Sperl21, Table 2]"
        ),
        rows,
    }
}

fn distances<'a>(
    title: &str,
    note: String,
    c: &'a Comparison,
    of: impl Fn(&'a SetFigures) -> Option<&'a ByRegion>,
) -> Section {
    let rows = distance_rows(c.sets.iter().filter_map(|s| Some((s.cost.name.as_str(), of(s)?))));
    Section { title: title.to_owned(), note, rows }
}

fn distance_rows<'a>(sets: impl Iterator<Item = (&'a str, &'a ByRegion)>) -> Rows {
    let mut rows = vec![row(&["set, region", "mean", "L2 (rms)", "median", "95 %", "largest"])];
    for (name, by_region) in sets {
        let mut push = |label: String, s: &Option<DistanceSummary>| {
            let Some(s) = s else { return };
            let numbers = [s.mean, s.rms, s.median, s.percentile_95, s.largest];
            rows.push([label].into_iter().chain(numbers.map(short)).collect());
        };
        push(name.to_owned(), &by_region.all);
        for (region, summary) in Region::ALL.iter().zip(&by_region.regions) {
            push(format!("  {}", region.name()), summary);
        }
    }
    rows
}

fn held_out(c: &Comparison) -> Option<Section> {
    if c.measured.held_out == 0 {
        return None;
    }
    let mut rows =
        distance_rows(c.sets.iter().filter_map(|s| Some((s.cost.name.as_str(), &s.held_out.as_ref().ok()?.distances))));
    rows[0].push("worst at (sx, sa, sy)".to_owned());
    for s in &c.sets {
        match &s.held_out {
            Ok(found) => {
                let Some(row) = rows.iter_mut().find(|r| r[0] == s.cost.name) else { continue };
                if let Some(w) = found.worst.first() {
                    row.push(format!("({:.2}, {:.2}, {:.2})", w.strain.sx, w.strain.sa, w.strain.sy));
                }
                if found.failed > 0 {
                    row.push(format!("{} without equilibrium left out", found.failed));
                }
            }
            Err(reason) => rows.push(vec![s.cost.name.clone(), reason.clone()]),
        }
    }
    Some(Section {
        title: "Sets against the physics".to_owned(),
        note: format!(
            "distance of the interpolated yarn vertices from the equilibrium solved afresh from there, at {} random strains in each region, in \
             yarn radii",
            c.measured.held_out
        ),
        rows,
    })
}

fn smoothness(c: &Comparison) -> Section {
    let mut head = row(&["set"]);
    head.extend(Region::ALL.iter().map(|r| format!("rough: {}", r.name())));
    head.extend(AXIS_NAMES[..3].iter().map(|a| format!("jump along {a}")));
    let mut rows = vec![head];
    for s in &c.sets {
        let mut row = vec![s.cost.name.clone()];
        row.extend(s.smoothness.roughness.iter().map(|share| share.map_or("-".to_owned(), |v| format!("{v:.2}"))));
        row.extend(s.smoothness.jumps.iter().map(|j| format!("{:.2} ({:.2})", j.median, j.largest)));
        rows.push(row);
    }
    Section {
        title: "Smoothness".to_owned(),
        note: "share of samples that bend by over 0.5 radii along sa, and jumps between neighboring samples in radii: median (largest)"
            .to_owned(),
        rows,
    }
}

fn popping(c: &Comparison) -> Section {
    let mut head = row(&["ramp"]);
    head.extend(c.sets.iter().flat_map(|s| [s.cost.name.clone(), "clamped".to_owned()]));
    let mut rows = vec![head];
    let names = c.sets.first().map_or(Vec::new(), |s| s.popping.ramps.iter().map(|r| r.name).collect());
    for (i, name) in names.into_iter().enumerate() {
        let mut row = vec![name.to_owned()];
        for s in &c.sets {
            let ramp = &s.popping.ramps[i];
            row.extend([short(1e3 * ramp.unclamped), short(1e3 * ramp.clamped)]);
        }
        rows.push(row);
    }
    Section {
        title: "Popping".to_owned(),
        note: format!(
            "largest acceleration of a yarn vertex in 1/1000 radii per frame squared on a ramp of {} frames, without and with the compression \
             clamp at {}",
            super::popping::FRAMES,
            c.measured.min_eigenvalue
        ),
        rows,
    }
}

fn suggestions(c: &Comparison) -> Section {
    let mut rows =
        vec![row(&["set", "sx", "sa", "sy", "refine", "expected error", "smallest grid", "samples", "error"])];
    for s in &c.sets {
        let g = &s.suggestion;
        let mut row = vec![s.cost.name.clone()];
        row.extend(g.thinned.iter().map(|e| e.map_or("-".to_owned(), short)));
        let lengths: Vec<usize> = g.smallest.iter().map(Vec::len).collect();
        row.extend([
            g.refine.unwrap_or("-").to_owned(),
            g.expected_error.map_or("-".to_owned(), short),
            lengths.iter().map(usize::to_string).collect::<Vec<_>>().join("x"),
            lengths.iter().product::<usize>().to_string(),
            short(g.smallest_error),
        ]);
        rows.push(row);
    }
    Section {
        title: "Suggestions".to_owned(),
        note: format!(
            "sx, sa, sy: error of 95 % of the vertices when every second sample of that axis is left out, radii; the axis with the largest is \
             the one to refine, a third of it the error to expect of the set itself. Smallest grid: the fewest of the set's own samples that stay \
             within {} radii of it",
            c.measured.error
        ),
        rows,
    }
}

fn bending(s: &SetFigures) -> Vec<Section> {
    let Some(figures) = &s.bending else { return Vec::new() };
    let section = |shape: &super::bending::ShapeFigures| {
        let mut rows = vec![row(&["model", "mean", "L2 (rms)", "95 %", "largest", "plain", "4D / this", "vectorized"])];
        let slowest = shape.models.last().map_or(0.0, |m| m.plain_nanoseconds);
        for m in &shape.models {
            let d = m
                .distances
                .map_or(["-"; 4].map(str::to_owned), |d| [d.mean, d.rms, d.percentile_95, d.largest].map(short));
            let mut row = vec![m.model.to_owned()];
            row.extend(d);
            row.push(format!("{:.1} ns", m.plain_nanoseconds));
            row.push(format!("{:.1}", slowest / m.plain_nanoseconds.max(1e-9)));
            row.push(m.fast_nanoseconds.map_or("-".to_owned(), |t| format!("{t:.1} ns")));
            rows.push(row);
        }
        Section {
            title: format!("Bending models: {}, {}", s.cost.name, shape.name),
            note: format!(
                "distance from the yarns of the 4D tables in radii, and time for a yarn vertex; {} yarn vertices, curvature up to {:.0} 1/m",
                shape.yarn_vertices, shape.curvature
            ),
            rows,
        }
    };
    figures.shapes.iter().map(section).collect()
}
