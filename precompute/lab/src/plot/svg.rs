//! The elements of an SVG file that the plots are made of. Sizes are in pixels, y points down.

use std::fmt::Write;

/// Colors of text and lines.
pub(super) const INK: &str = "#222";
pub(super) const FAINT: &str = "#ccc";

/// Where a text is held.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// An SVG document under construction.
pub(super) struct Svg {
    body: String,
    size: [f64; 2],
}

impl Svg {
    pub(super) fn new(width: f64, height: f64) -> Self {
        let mut svg = Svg { body: String::new(), size: [width, height] };
        svg.rect([0.0, 0.0], [width, height], "#fff");
        svg
    }

    pub(super) fn rect(&mut self, at: [f64; 2], size: [f64; 2], fill: &str) {
        let ([x, y], [w, h]) = (at, size);
        let _ = writeln!(self.body, r#"<rect x="{x:.2}" y="{y:.2}" width="{w:.2}" height="{h:.2}" fill="{fill}"/>"#);
    }

    /// A line through `points`.
    pub(super) fn line(&mut self, points: &[[f64; 2]], color: &str, width: f64) {
        let points: String = points.iter().map(|[x, y]| format!("{x:.2},{y:.2} ")).collect();
        let points = points.trim_end();
        let _ = writeln!(
            self.body,
            r#"<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{width}" stroke-linejoin="round"/>"#
        );
    }

    pub(super) fn dot(&mut self, [x, y]: [f64; 2], radius: f64, color: &str) {
        let _ = writeln!(self.body, r#"<circle cx="{x:.2}" cy="{y:.2}" r="{radius}" fill="{color}"/>"#);
    }

    pub(super) fn text(&mut self, [x, y]: [f64; 2], anchor: Anchor, size: f64, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(
            self.body,
            r#"<text x="{x:.2}" y="{y:.2}" text-anchor="{anchor}" font-size="{size}" fill="{INK}">{text}</text>"#
        );
    }

    pub(super) fn finish(self) -> String {
        let ([w, h], body) = (self.size, self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" viewBox=\"0 0 {w:.0} {h:.0}\" \
             font-family=\"sans-serif\">\n{body}</svg>\n"
        )
    }
}
