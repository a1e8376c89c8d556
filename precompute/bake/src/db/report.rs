//! What `db inspect` reports.

use std::fmt;
use std::path::Path;
use std::time::Instant;
use yarnwise_program::number::count;
use yarnwise_shared::file;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::table::database::{self, Database, FileInfo, SampleRecord, SampleStatus};
use yarnwise_shared::table::grid::{AXIS_NAMES, Grid};
use yarnwise_shared::table::region::Region;
use yarnwise_shared::table::smoothness::Smoothness;
use yarnwise_shared::table::{Displacement, Table};

/// At most this many samples that did not converge are listed.
const LISTED: usize = 10;

#[derive(serde::Serialize)]
pub(super) struct Report {
    file: String,
    name: String,
    origin: String,
    tool: String,
    /// Time to read, check and unpack the file, seconds.
    opening_seconds: f64,
    size: FileInfo,
    pattern: PatternReport,
    material: Option<YarnMaterial>,
    settings: std::collections::BTreeMap<String, String>,
    tables: Vec<TableReport>,
    smoothness: Smoothness,
}

#[derive(serde::Serialize)]
struct PatternReport {
    vertices: usize,
    yarns: usize,
    /// Meters.
    period: [f64; 2],
    /// Meters.
    radius: f64,
}

#[derive(serde::Serialize)]
struct TableReport {
    name: &'static str,
    axes: Vec<Vec<f64>>,
    samples: usize,
    converged: usize,
    not_converged: usize,
    passed_through: usize,
    imported: usize,
    /// Which samples are no equilibria and why, the first few.
    failed_at: Vec<String>,
    /// Smallest and largest energy density, J/m^2.
    energy_density: Option<[f64; 2]>,
    /// The same for each kind of energy, J/m^2.
    energy_by_kind: Option<KindRanges>,
    /// Smallest and largest derivative of the energy density by sx, sa, sy, N/m.
    stress: Option<[[f64; 2]; 3]>,
    /// How many samples have energies by kind, and how many a stress.
    with_kinds: usize,
    with_stress: usize,
    largest_residual: Option<f64>,
    iterations: u64,
    largest: Extreme,
    /// The largest displacement where every axis is 0; `None` where there is no such sample.
    at_rest: Option<Extreme>,
}

/// Smallest and largest energy density of each kind, J/m^2.
#[derive(serde::Serialize)]
struct KindRanges {
    stretch: [f64; 2],
    bend: [f64; 2],
    twist: [f64; 2],
    contact: [f64; 2],
}

/// Smallest and largest of each of the numbers that samples have; none without samples.
fn ranges<const K: usize>(mut values: impl Iterator<Item = [f64; K]>) -> Option<[[f64; 2]; K]> {
    let first = values.next()?.map(|v| [v, v]);
    let widen = |r: [[f64; 2]; K], v: [f64; K]| std::array::from_fn(|k| [r[k][0].min(v[k]), r[k][1].max(v[k])]);
    Some(values.fold(first, widen))
}

/// The largest displacement of some samples.
#[derive(serde::Serialize)]
struct Extreme {
    /// |dX| in yarn radii.
    radii: f64,
    /// |dtheta| in radians.
    twist: f64,
}

impl Extreme {
    fn of<'a>(values: impl Iterator<Item = &'a Displacement>, radius: f64) -> Self {
        let mut out = Extreme { radii: 0.0, twist: 0.0 };
        for value in values {
            let [x, y, z, t] = value.map(f64::from);
            out.radii = out.radii.max((x * x + y * y + z * z).sqrt() / radius);
            out.twist = out.twist.max(t.abs());
        }
        out
    }
}

impl TableReport {
    fn new<const N: usize>(name: &'static str, table: &Table<N>, samples: &[SampleRecord], radius: f64) -> Self {
        let with = |status| samples.iter().filter(|s| s.status == status).count();
        let grid: &Grid<N> = table.grid();
        let failed = samples.iter().enumerate().filter(|(_, s)| s.status.failed());
        let range = ranges(samples.iter().filter_map(|s| s.energy_density).map(|e| [e]));
        let kinds = ranges(samples.iter().filter_map(|s| s.kinds).map(|k| k.values()));
        TableReport {
            name,
            axes: grid.0.iter().map(|axis| axis.values().to_vec()).collect(),
            samples: samples.len(),
            converged: with(SampleStatus::Converged),
            not_converged: with(SampleStatus::NotConverged),
            passed_through: with(SampleStatus::PassedThrough),
            imported: with(SampleStatus::Imported),
            failed_at: failed
                .take(LISTED)
                .map(|(i, s)| format!("{} ({})", grid.describe(i), s.status.name()))
                .collect(),
            energy_density: range.map(|[range]| range),
            energy_by_kind: kinds.map(|[stretch, bend, twist, contact]| KindRanges { stretch, bend, twist, contact }),
            stress: ranges(samples.iter().filter_map(|s| s.stress)),
            with_kinds: samples.iter().filter(|s| s.kinds.is_some()).count(),
            with_stress: samples.iter().filter(|s| s.stress.is_some()).count(),
            largest_residual: samples.iter().filter_map(|s| s.residual).reduce(f64::max),
            iterations: samples.iter().map(|s| u64::from(s.iterations)).sum(),
            largest: Extreme::of(table.values().iter(), radius),
            at_rest: table.rest_sample().map(|s| Extreme::of(table.sample(s).iter(), radius)),
        }
    }
}

impl Report {
    pub(super) fn new(path: &Path) -> anyhow::Result<Self> {
        let started = Instant::now();
        let bytes = database::read_bytes(path)?;
        let database = database::parse(&bytes, &file::origin(path))?;
        let opening_seconds = started.elapsed().as_secs_f64();
        let size = database::inspect(&bytes, &file::origin(path))?;
        Ok(Report::of(&database, file::origin(path), opening_seconds, size))
    }

    fn of(database: &Database, file: String, opening_seconds: f64, size: FileInfo) -> Self {
        let pattern = database.pattern();
        let radius = pattern.radius();
        let mut tables = vec![TableReport::new("in-plane", database.table(), database.samples(), radius)];
        if let Some(bending) = database.bending() {
            tables.push(TableReport::new("bending x", &bending.x, &bending.x_samples, radius));
            tables.push(TableReport::new("bending y", &bending.y, &bending.y_samples, radius));
        }
        Report {
            file,
            name: database.name().to_owned(),
            origin: database.origin().to_owned(),
            tool: database.tool().to_owned(),
            opening_seconds,
            size,
            pattern: PatternReport {
                vertices: pattern.vertices().len(),
                yarns: pattern.yarns().len(),
                period: pattern.period(),
                radius,
            },
            material: database.material().copied(),
            settings: database.settings().clone(),
            tables,
            smoothness: Smoothness::new(database.table(), radius),
        }
    }
}

/// A line with its label in a column of its own.
fn line(f: &mut fmt::Formatter, label: &str, text: impl fmt::Display) -> fmt::Result {
    writeln!(f, "{label:<18} {text}")
}

fn megabytes(bytes: u64) -> String {
    if bytes < 10_000 { format!("{bytes} bytes") } else { format!("{:.3} MB", bytes as f64 * 1e-6) }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        line(f, "database", format_args!("{} ({})", self.name, self.file))?;
        line(f, "origin", format_args!("{}; written by {}", self.origin, self.tool))?;
        let PatternReport { vertices, yarns, period, radius } = &self.pattern;
        let [px, py] = period.map(|p| p * 1e3);
        let r = radius * 1e3;
        let (vertices, yarns) = (count(*vertices, "vertex", Some("vertices")), count(*yarns, "yarn", None));
        let pattern = format!("{vertices} on {yarns}, period {px:.4} x {py:.4} mm, radius {r:.4} mm");
        line(f, "pattern", pattern)?;
        match &self.material {
            Some(m) => line(
                f,
                "material",
                format_args!(
                    "Young {:e} Pa, shear {:e} Pa, gamma {}, contact {} N/m",
                    m.young, m.shear, m.gamma, m.contact
                ),
            )?,
            None => line(f, "material", "unknown")?,
        }
        for (name, value) in &self.settings {
            line(f, "setting", format_args!("{name} = {value}"))?;
        }
        self.fmt_size(f)?;
        for (i, table) in self.tables.iter().enumerate() {
            self.fmt_table(f, i, table)?;
        }
        self.fmt_smoothness(f)
    }
}

impl Report {
    fn fmt_size(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let raw: u64 = self.size.tables.iter().map(|t| t.raw_bytes).sum();
        let ratio = raw as f64 / self.size.file_bytes as f64;
        let (size, raw) = (megabytes(self.size.file_bytes), megabytes(raw));
        line(f, "size", format_args!("{size}; displacements as plain numbers {raw}, ratio {ratio:.2}"))?;
        let (header, pattern) = (megabytes(self.size.header_bytes), megabytes(self.size.pattern_bytes));
        let records = megabytes(self.size.record_bytes);
        line(f, "", format_args!("of which header {header}, pattern {pattern}, records {records}"))?;
        line(f, "opening", format_args!("{:.1} ms to read, check and unpack", self.opening_seconds * 1e3))
    }

    fn fmt_table(&self, f: &mut fmt::Formatter, i: usize, table: &TableReport) -> fmt::Result {
        writeln!(f)?;
        line(f, "table", format_args!("{}, {} samples", table.name, table.samples))?;
        for (axis, name) in table.axes.iter().zip(AXIS_NAMES) {
            let values: Vec<String> =
                axis.iter().map(|v| format!("{v:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()).collect();
            line(f, &format!("  axis {name}"), format_args!("{}: {}", axis.len(), values.join(" ")))?;
        }
        let info = &self.size.tables[i];
        let stored = megabytes(info.stored_bytes);
        if info.lossless {
            line(f, "  precision", format_args!("lossless, {stored}"))?;
        } else {
            let radii = |values: [f64; 4]| values[..3].iter().copied().fold(0.0, f64::max) / self.pattern.radius;
            let guaranteed = format!("{:.2e} radii and {:.2e} rad", radii(info.tolerance), info.tolerance[3]);
            let reached = format!("{:.2e} and {:.2e}", radii(info.largest_error), info.largest_error[3]);
            line(f, "  precision", format_args!("within {guaranteed} (largest error {reached}), {stored}"))?;
        }
        let counts = [
            (table.converged, "converged"),
            (table.not_converged, "not converged"),
            (table.passed_through, "where yarns passed through each other"),
            (table.imported, "imported"),
        ];
        let counts: Vec<String> =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, name)| format!("{n} {name}")).collect();
        line(f, "  samples", counts.join(", "))?;
        for place in &table.failed_at {
            line(f, "  failed", place)?;
        }
        let unlisted = table.not_converged + table.passed_through - table.failed_at.len();
        if unlisted > 0 {
            line(f, "", format_args!("and {unlisted} more"))?;
        }
        match table.energy_density {
            Some([low, high]) => line(f, "  energy density", format_args!("{low:.4e} to {high:.4e} J/m^2"))?,
            None => line(f, "  energy density", "unknown")?,
        }
        self.fmt_kinds_and_stress(f, table)?;
        if let Some(residual) = table.largest_residual {
            line(
                f,
                "  solver",
                format_args!("largest residual {residual:.2e}, {} iterations in all", table.iterations),
            )?;
        }
        let Extreme { radii, twist } = &table.largest;
        line(f, "  largest", format_args!("|dX| {radii:.3} radii, |dtheta| {twist:.3} rad"))?;
        match &table.at_rest {
            Some(Extreme { radii, twist }) => {
                line(f, "  at rest", format_args!("|dX| {radii:.2e} radii, |dtheta| {twist:.2e} rad"))
            }
            None => line(f, "  at rest", "no sample has all axes at 0"),
        }
    }

    fn fmt_kinds_and_stress(&self, f: &mut fmt::Formatter, table: &TableReport) -> fmt::Result {
        let of =
            |n: usize| if n < table.samples { format!(", of {}", count(n, "sample", None)) } else { String::new() };
        let [kinds, stress] = [table.with_kinds, table.with_stress].map(of);
        match &table.energy_by_kind {
            Some(KindRanges { stretch, bend, twist, contact }) => {
                for (name, [low, high]) in
                    [("stretch", stretch), ("bend", bend), ("twist", twist), ("contact", contact)]
                {
                    line(f, &format!("    of {name}"), format_args!("{low:.4e} to {high:.4e} J/m^2{kinds}"))?;
                }
            }
            None if table.energy_density.is_some() && self.material.is_some() => {
                line(f, "    by kind", "unknown; 'yarnwise-bake db complete' adds it, and the stress")?;
            }
            None => line(f, "    by kind", "unknown")?,
        }
        let Some(ranges) = &table.stress else { return line(f, "  stress", "unknown") };
        for ([low, high], name) in ranges.iter().zip(AXIS_NAMES) {
            line(f, &format!("  stress by {name}"), format_args!("{low:.4e} to {high:.4e} N/m{stress}"))?;
        }
        Ok(())
    }

    fn fmt_smoothness(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f)?;
        for (jumps, name) in self.smoothness.jumps.iter().zip(AXIS_NAMES) {
            let text = format!(
                "median {:.3}, 95 % {:.3}, largest {:.3} radii between neighbors",
                jumps.median, jumps.percentile_95, jumps.largest
            );
            line(f, &format!("jumps along {name}"), text)?;
        }
        let shares: Vec<String> = self
            .smoothness
            .roughness
            .iter()
            .zip(Region::ALL)
            .filter_map(|(share, region)| share.map(|s| format!("{} {:.1} %", region.name(), 100.0 * s)))
            .collect();
        let shares = if shares.is_empty() { "the sa axis is too short".to_owned() } else { shares.join(", ") };
        line(f, "rough samples", shares)
    }
}
