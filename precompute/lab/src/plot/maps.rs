//! Maps: colored cells over two axes, one panel for each value of a third.

use super::range::Range;
use super::svg::{Anchor, INK, Svg};
use super::ticks::short;

/// The cells of one panel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MapPanel {
    /// Above the panel.
    pub(crate) title: String,
    /// Rows from the bottom, cells from the left; `None` is left gray.
    pub(crate) cells: Vec<Vec<Option<f64>>>,
    /// (column, row) of cells that get a cross.
    pub(crate) crossed: Vec<[usize; 2]>,
}

/// Panels that share axes and colors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Maps {
    /// Above everything.
    pub(crate) title: String,
    /// What the colors mean.
    pub(crate) legend: String,
    /// What a cross means; empty where there is none.
    pub(crate) cross_legend: String,
    /// Name and values of the axis along x.
    pub(crate) x: (String, Vec<f64>),
    /// Name and values of the axis along y.
    pub(crate) y: (String, Vec<f64>),
    /// The values of the darkest and the brightest color; beyond them colors stay the same.
    pub(crate) colors: Range,
    /// The panels.
    pub(crate) panels: Vec<MapPanel>,
}

const SIDE: f64 = 168.0;
/// Left, top, bottom of a panel's frame.
const MARGIN: [f64; 3] = [46.0, 24.0, 34.0];
const HEAD: f64 = 74.0;
const UNKNOWN: &str = "#e4e4e4";
const CROSS: &str = "#e6194b";
const MOST_COLUMNS: usize = 6;

/// Dark blue over green to yellow: even steps of brightness, also for the color-blind and in print.
const COLORS: [[f64; 3]; 6] = [
    [43.0, 22.0, 84.0],
    [48.0, 78.0, 136.0],
    [36.0, 130.0, 141.0],
    [58.0, 178.0, 118.0],
    [152.0, 215.0, 62.0],
    [250.0, 231.0, 55.0],
];

/// Where the color of a value lies between the darkest and the brightest, 0 to 1.
fn share(colors: Range, value: f64) -> f64 {
    let share = colors.share(value);
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}

fn color(share: f64) -> String {
    let at = share * (COLORS.len() - 1) as f64;
    let i = (at as usize).min(COLORS.len() - 2);
    let mix = |k: usize| (COLORS[i][k] + (at - i as f64) * (COLORS[i + 1][k] - COLORS[i][k])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// The maps as an SVG file.
pub(crate) fn maps(maps: &Maps) -> String {
    let columns = maps.panels.len().clamp(1, MOST_COLUMNS).min(even_columns(maps.panels.len()));
    let rows = maps.panels.len().div_ceil(columns);
    let [left, top, bottom] = MARGIN;
    let panel = [left + SIDE + 8.0, top + SIDE + bottom];
    let mut svg = Svg::new((panel[0] * columns as f64).max(620.0), HEAD + panel[1] * rows as f64);
    svg.text([16.0, 26.0], Anchor::Start, 16.0, &maps.title);
    legend(&mut svg, maps);
    for (i, cells) in maps.panels.iter().enumerate() {
        let corner = [panel[0] * (i % columns) as f64 + left, HEAD + panel[1] * (i / columns) as f64 + top];
        draw(&mut svg, corner, maps, cells);
    }
    svg.finish()
}

/// Full rows where possible: nine panels are three rows of three.
fn even_columns(panels: usize) -> usize {
    (3..=MOST_COLUMNS).find(|c| panels.is_multiple_of(*c)).unwrap_or(MOST_COLUMNS)
}

fn legend(svg: &mut Svg, maps: &Maps) {
    let (x0, y0, width) = (16.0, 40.0, 180.0);
    for i in 0..60 {
        let share = f64::from(i) / 59.0;
        svg.rect([x0 + width * f64::from(i) / 60.0, y0], [width / 60.0 + 0.5, 12.0], &color(share));
    }
    for share in [0.0, 0.5, 1.0] {
        let label = short_value(maps.colors.value(share));
        svg.text([x0 + width * share, y0 + 25.0], Anchor::Middle, 10.0, &label);
    }
    let mut text = maps.legend.clone();
    if !maps.cross_legend.is_empty() {
        text += &format!("; cross: {}", maps.cross_legend);
    }
    svg.text([x0 + width + 20.0, y0 + 11.0], Anchor::Start, 12.0, &text);
}

fn short_value(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-3 { format!("{value:.0e}") } else { short((value * 100.0).round() / 100.0) }
}

fn draw(svg: &mut Svg, [x0, y0]: [f64; 2], maps: &Maps, panel: &MapPanel) {
    let (columns, rows) = (maps.x.1.len(), maps.y.1.len());
    let (w, h) = (SIDE / columns as f64, SIDE / rows as f64);
    let corner = |column: usize, row: usize| [x0 + w * column as f64, y0 + SIDE - h * (row + 1) as f64];
    for (row, cells) in panel.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let fill = cell.map_or(UNKNOWN.to_owned(), |v| color(share(maps.colors, v)));
            // A hair wider, so that no background shines through between cells.
            svg.rect(corner(column, row), [w + 0.3, h + 0.3], &fill);
        }
    }
    for [column, row] in &panel.crossed {
        let [x, y] = corner(*column, *row);
        svg.line(&[[x + 0.2 * w, y + 0.2 * h], [x + 0.8 * w, y + 0.8 * h]], CROSS, 1.6);
        svg.line(&[[x + 0.8 * w, y + 0.2 * h], [x + 0.2 * w, y + 0.8 * h]], CROSS, 1.6);
    }
    let frame = [[x0, y0], [x0 + SIDE, y0], [x0 + SIDE, y0 + SIDE], [x0, y0 + SIDE], [x0, y0]];
    svg.line(&frame, INK, 0.8);
    svg.text([x0 + SIDE / 2.0, y0 - 6.0], Anchor::Middle, 12.0, &panel.title);
    for i in labeled(&maps.x.1) {
        svg.text([x0 + w * (i as f64 + 0.5), y0 + SIDE + 13.0], Anchor::Middle, 10.0, &short_value(maps.x.1[i]));
    }
    for i in labeled(&maps.y.1) {
        let y = y0 + SIDE - h * (i as f64 + 0.5) + 3.5;
        svg.text([x0 - 5.0, y], Anchor::End, 10.0, &short_value(maps.y.1[i]));
    }
    svg.text([x0 + SIDE / 2.0, y0 + SIDE + 27.0], Anchor::Middle, 11.0, &maps.x.0);
    svg.text([x0 - 30.0, y0 - 6.0], Anchor::Start, 11.0, &maps.y.0);
}

/// The ends of an axis and its 0.
fn labeled(values: &[f64]) -> impl Iterator<Item = usize> + '_ {
    (0..values.len()).filter(|i| *i == 0 || *i + 1 == values.len() || values[*i] == 0.0)
}
