//! Curves in panels side by side, in rows.

use super::svg::{Anchor, FAINT, INK, Svg};
use super::ticks::{short, ticks};

/// Points joined by straight lines.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// (x, y), in order of x.
    pub points: Vec<[f64; 2]>,
    /// Points to be marked as doubtful.
    pub doubtful: Vec<[f64; 2]>,
}

/// One panel.
#[derive(Clone, Debug, Default)]
pub struct CurvePanel {
    /// What is along x, with its unit.
    pub x_label: String,
    /// What is along y, with its unit.
    pub y_label: String,
    /// The ends of the axis along x.
    pub x_range: [f64; 2],
    /// The curve.
    pub curve: Curve,
}

const PANEL: [f64; 2] = [330.0, 250.0];
/// Left, right, top, bottom of the panel's frame.
const MARGIN: [f64; 4] = [62.0, 16.0, 34.0, 42.0];
const HEAD: f64 = 40.0;
const CURVE: &str = "#1f6fb4";
const DOUBT: &str = "#d62728";

/// The panels in rows of `columns` under a title, as an SVG file. Panels of a row share the scale of y.
pub fn curves(title: &str, panels: &[CurvePanel], columns: usize) -> String {
    let rows = panels.len().div_ceil(columns);
    let mut svg = Svg::new(PANEL[0] * columns as f64, HEAD + PANEL[1] * rows as f64);
    svg.text([16.0, 26.0], Anchor::Start, 16.0, title);
    for (row, panels) in panels.chunks(columns).enumerate() {
        let range = range(panels.iter().flat_map(|p| &p.curve.points).map(|p| p[1]));
        for (column, panel) in panels.iter().enumerate() {
            let corner = [PANEL[0] * column as f64, HEAD + PANEL[1] * row as f64];
            draw(&mut svg, corner, panel, range);
        }
    }
    svg.finish()
}

fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], v| [a.min(v), b.max(v)]);
    if low < high {
        [low, high]
    } else if low.is_finite() {
        [low - 0.5, low + 0.5]
    } else {
        [0.0, 1.0]
    }
}

fn draw(svg: &mut Svg, [x0, y0]: [f64; 2], panel: &CurvePanel, [low, high]: [f64; 2]) {
    let [left, right, top, bottom] = MARGIN;
    let (width, height) = (PANEL[0] - left - right, PANEL[1] - top - bottom);
    let [first, last] = panel.x_range;
    let place = |p: [f64; 2]| {
        let (u, v) = ((p[0] - first) / (last - first), (p[1] - low) / (high - low));
        [x0 + left + width * u, y0 + top + height * (1.0 - v)]
    };
    for y in ticks(low, high, 5) {
        svg.line(&[place([first, y]), place([last, y])], FAINT, if y == 0.0 { 1.5 } else { 0.7 });
        let [x, at] = place([first, y]);
        svg.text([x - 6.0, at + 4.0], Anchor::End, 11.0, &short(y));
    }
    for x in ticks(first, last, 5) {
        svg.line(&[place([x, low]), place([x, high])], FAINT, if x == 0.0 { 1.5 } else { 0.7 });
        let [at, y] = place([x, low]);
        svg.text([at, y + 15.0], Anchor::Middle, 11.0, &short(x));
    }
    svg.text([x0 + left + width / 2.0, y0 + PANEL[1] - 8.0], Anchor::Middle, 12.0, &panel.x_label);
    svg.text([x0 + left, y0 + top - 10.0], Anchor::Start, 12.0, &panel.y_label);
    let points: Vec<[f64; 2]> = panel.curve.points.iter().map(|p| place(*p)).collect();
    svg.line(&points, CURVE, 1.8);
    points.iter().for_each(|p| svg.dot(*p, 2.2, CURVE));
    panel.curve.doubtful.iter().for_each(|p| svg.dot(place(*p), 3.5, DOUBT));
    svg.line(&[place([first, high]), place([first, low]), place([last, low])], INK, 1.0);
}
