//! A database at a glance, as plots.

use super::energies::midpoint_excess;
use crate::plot::{MapPanel, Maps, Plot, Range, maps, panels};
use yarnwise_precompute::cell::Cell;
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{Database, SampleRecord};
use yarnwise_shared::table::difference::jump;
use yarnwise_shared::table::grid::{AXIS_NAMES, Axis, StrainGrid};

/// The file names of all plots that [`plots`] may give.
pub const FILE_NAMES: [&str; 5] = ["jumps.svg", "midpoints.svg", "energy.svg", "bending.svg", "residuals.svg"];

/// A plot and the name of its file.
#[derive(Clone, Debug)]
pub struct NamedPlot {
    /// Such as `energy.svg`.
    pub name: &'static str,
    /// The file's text.
    pub svg: String,
}

/// Energies along an axis.
struct Curve {
    points: Vec<[f64; 2]>,
    /// At samples that are no equilibria.
    doubtful: Vec<[f64; 2]>,
}

/// Jumps at least this large, in radii, have the brightest color.
const LARGEST_JUMP: f64 = 2.0;

/// Midpoints with at least this logarithm of energy over that of their samples have the brightest color: a factor of 7.
const LARGEST_EXCESS: f64 = 2.0;

/// The plots of a database; what was not recorded (as in imported tables) is left out.
///
/// - `energy.svg`: energy density along each axis from rest, and its derivative, the stress: as it is stored, else the energy's slope.
/// - `jumps.svg`: how far each sample is from its neighbors.
/// - `midpoints.svg`: how much more energy the interpolant has half way to a neighbor than at both, where the material is known.
/// - `bending.svg`: energy density and bending moment along the curvature at no strain, where there are bending tables.
/// - `residuals.svg`: residual and status of each sample.
pub fn plots(database: &Database) -> Vec<NamedPlot> {
    let mut out = vec![NamedPlot { name: "jumps.svg", svg: maps(&jump_maps(database)) }];
    if let Some(midpoints) = midpoint_maps(database) {
        out.push(NamedPlot { name: "midpoints.svg", svg: maps(&midpoints) });
    }
    if let Some(svg) = energy_plot(database) {
        out.push(NamedPlot { name: "energy.svg", svg });
    }
    if let Some(plots) = bending_panels(database) {
        let title = format!("{}: energy density and moment over the curvature", database.name());
        out.push(NamedPlot { name: "bending.svg", svg: panels(&title, &plots, 2) });
    }
    if database.samples().iter().any(|s| s.residual.is_some()) {
        out.push(NamedPlot { name: "residuals.svg", svg: maps(&residual_maps(database)) });
    }
    out
}

/// Energy density and stress along each axis from rest; `None` without a rest sample or without energies.
pub fn energy_plot(database: &Database) -> Option<String> {
    let title = format!("{}: energy density and stress from rest along each axis", database.name());
    Some(panels(&title, &energy_panels(database)?, 3))
}

fn failed(record: &SampleRecord) -> bool {
    record.status.failed()
}

/// Two rows: energy, stress; a column for each axis. `None` without a rest sample or without energies.
fn energy_panels(database: &Database) -> Option<Vec<Plot>> {
    let grid = database.table().grid();
    let rest = grid.indices(database.table().rest_sample()?);
    let mut energy = Vec::new();
    let mut stress = Vec::new();
    for k in 0..3 {
        let curve = energy_curve(database.table(), database.samples(), rest, k)?;
        let label = AXIS_NAMES[k];
        let line = stored_stress(database, rest, k).unwrap_or_else(|| slopes(&curve.points));
        let line = Curve { points: line, doubtful: Vec::new() };
        stress.push(plot(&grid.0[k], label, "stress dE/ds, N/m", &line));
        energy.push(plot(&grid.0[k], label, "energy density, J/m²", &curve));
    }
    energy.extend(stress);
    Some(energy)
}

/// Two rows: energy, moment; a column for each direction.
fn bending_panels(database: &Database) -> Option<Vec<Plot>> {
    let bending = database.bending()?;
    let mut energy = Vec::new();
    let mut moment = Vec::new();
    for (table, records, label) in [
        (&bending.x, &bending.x_samples, "curvature along x, 1/m"),
        (&bending.y, &bending.y_samples, "curvature along y, 1/m"),
    ] {
        let rest = table.grid().indices(table.rest_sample()?);
        let curve = energy_curve(table, records, rest, 3)?;
        let slopes = Curve { points: slopes(&curve.points), doubtful: Vec::new() };
        let axis = &table.grid().0[3];
        moment.push(plot(axis, label, "moment dE/dλ, N", &slopes));
        energy.push(plot(axis, label, "energy density, J/m²", &curve));
    }
    energy.extend(moment);
    Some(energy)
}

/// Energy along axis `k` through the sample `at`; `None` without energies.
fn energy_curve<const N: usize>(table: &Table<N>, records: &[SampleRecord], at: [usize; N], k: usize) -> Option<Curve> {
    let grid = table.grid();
    let values = grid.0[k].values();
    let record = |i: usize| {
        let mut to = at;
        to[k] = i;
        records[grid.sample(to)]
    };
    let point = |i: usize| record(i).energy_density.map(|e| [values[i], e]);
    let points: Vec<[f64; 2]> = (0..values.len()).map(point).collect::<Option<_>>()?;
    let doubtful = (0..values.len()).filter(|i| failed(&record(*i))).map(|i| points[i]).collect();
    Some(Curve { points, doubtful })
}

/// The stress by axis `k` along this axis through the sample `at`; `None` unless it is known at all samples.
fn stored_stress(database: &Database, at: [usize; 3], k: usize) -> Option<Vec<[f64; 2]>> {
    let grid = database.table().grid();
    let point = |(i, value): (usize, &f64)| {
        let mut to = at;
        to[k] = i;
        Some([*value, database.samples()[grid.sample(to)].stress?[k]])
    };
    grid.0[k].values().iter().enumerate().map(point).collect()
}

fn plot(axis: &Axis, x_label: &str, y_label: &str, curve: &Curve) -> Plot {
    let range = Range::linear(axis.values()[0], axis.values()[axis.len() - 1]);
    Plot::new("", x_label, y_label).x_range(range).line_with_points("", &curve.points).doubtful(&curve.doubtful)
}

/// The slope of each piece, at its middle.
fn slopes(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let slope = |w: &[[f64; 2]]| [0.5 * (w[0][0] + w[1][0]), (w[1][1] - w[0][1]) / (w[1][0] - w[0][0])];
    points.windows(2).map(slope).collect()
}

/// A panel for each sy, sx to the right, sa up.
fn map_panels(
    grid: &StrainGrid,
    value: impl Fn(usize) -> Option<f64>,
    crossed: impl Fn(usize) -> bool,
) -> Vec<MapPanel> {
    let [nx, na, ny] = grid.0.each_ref().map(|axis| axis.len());
    let panel = |y: usize| MapPanel {
        title: format!("sy = {:.3}", grid.0[2].values()[y]),
        cells: (0..na).map(|a| (0..nx).map(|x| value(grid.sample([x, a, y]))).collect()).collect(),
        crossed: (0..na)
            .flat_map(|a| (0..nx).map(move |x| [x, a]))
            .filter(|[x, a]| crossed(grid.sample([*x, *a, y])))
            .collect(),
    };
    (0..ny).map(panel).collect()
}

fn frame(grid: &StrainGrid, title: String, legend: &str, colors: Range, panels: Vec<MapPanel>) -> Maps {
    let axis = |k: usize| (AXIS_NAMES[k].to_owned(), grid.0[k].values().to_vec());
    let cross_legend = if panels.iter().all(|p| p.crossed.is_empty()) { "" } else { "not an equilibrium" };
    Maps {
        title,
        legend: legend.to_owned(),
        cross_legend: cross_legend.to_owned(),
        x: axis(0),
        y: axis(1),
        colors,
        panels,
    }
}

fn jump_maps(database: &Database) -> Maps {
    let (table, radius) = (database.table(), database.pattern().radius());
    let grid = table.grid();

    let largest = |sample: usize| {
        let neighbors = (0..3).flat_map(|axis| [-1, 1].map(|offset| grid.beside(sample, axis, offset))).flatten();
        let jumps = neighbors.map(|other| jump(table.sample(sample), table.sample(other)) / radius);
        Some(jumps.fold(0.0, f64::max))
    };
    let panels = map_panels(grid, largest, |s| failed(&database.samples()[s]));
    let title = format!("{}: largest way of a vertex to a neighboring sample", database.name());
    let legend = format!("yarn radii, {LARGEST_JUMP} and more in yellow");
    frame(grid, title, &legend, Range::linear(0.0, LARGEST_JUMP), panels)
}

fn midpoint_maps(database: &Database) -> Option<Maps> {
    let table = database.table();
    let cell = Cell::new(database.pattern(), database.material()?).ok()?;
    let excess = midpoint_excess(table, &cell);
    let finite = |s: usize| Some(excess[s]).filter(|e| e.is_finite());
    let panels = map_panels(table.grid(), finite, |s| failed(&database.samples()[s]));
    let title = format!("{}: energy half way to a neighboring sample over the mean of both", database.name());
    let legend = format!("the largest at each sample, as a logarithm; {LARGEST_EXCESS} and more in yellow");
    Some(frame(table.grid(), title, &legend, Range::linear(0.0, LARGEST_EXCESS), panels))
}

fn residual_maps(database: &Database) -> Maps {
    let grid = database.table().grid();
    let residuals = || database.samples().iter().filter_map(|s| s.residual).filter(|r| *r > 0.0);
    let low = residuals().fold(f64::INFINITY, f64::min).min(1e-7);
    let high = residuals().fold(0.0, f64::max).max(10.0 * low);
    let panels = map_panels(grid, |s| database.samples()[s].residual, |s| failed(&database.samples()[s]));
    let title = format!("{}: residuals", database.name());
    let legend = "unbalanced force over the forces that balance";
    frame(grid, title, legend, Range::logarithmic(low, high), panels)
}
