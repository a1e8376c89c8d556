//! Curves and points over two axes, alone or as panels side by side.

use super::range::{Range, Scale};
use super::svg::{Anchor, FAINT, INK, Svg};
use super::ticks::short;
use crate::Result;
use std::path::Path;

/// A plot of one or several series over two axes.
#[derive(Clone, Debug)]
pub struct Plot {
    title: String,
    axes: [PlotAxis; 2],
    series: Vec<Series>,
}

#[derive(Clone, Debug, Default)]
struct PlotAxis {
    label: String,
    scale: Scale,
    /// Given, or else around the values.
    range: Option<Range>,
}

#[derive(Clone, Debug)]
struct Series {
    /// In the legend; without a label it is not there.
    label: String,
    points: Vec<[f64; 2]>,
    style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Points,
    Line,
    LineWithPoints,
    Doubtful,
}

/// Where a plot is drawn, in pixels.
struct Frame {
    corner: [f64; 2],
    size: [f64; 2],
}

const SINGLE: [f64; 2] = [760.0, 480.0];
const PANEL: [f64; 2] = [330.0, 250.0];
/// Left, right, top, bottom of the field inside its frame.
const MARGIN: [f64; 4] = [62.0, 16.0, 34.0, 42.0];
/// Height of the title.
const HEAD: f64 = 40.0;
const COLORS: [&str; 7] = ["#1f6fb4", "#c83e2e", "#22844e", "#965aa0", "#b8860b", "#3aa6a6", "#666"];
const DOUBT: &str = "#d62728";

impl Plot {
    /// An empty plot; labels name what is along an axis, with its unit.
    pub fn new(title: &str, x_label: &str, y_label: &str) -> Self {
        let axes = [x_label, y_label].map(|label| PlotAxis { label: label.to_owned(), ..PlotAxis::default() });
        Plot { title: title.to_owned(), axes, series: Vec::new() }
    }

    /// How the axes count; linear unless said.
    pub fn scales(mut self, x: Scale, y: Scale) -> Self {
        (self.axes[0].scale, self.axes[1].scale) = (x, y);
        self
    }

    /// The ends of the axis along x instead of those of the values.
    pub(crate) fn x_range(mut self, range: Range) -> Self {
        (self.axes[0].scale, self.axes[0].range) = (range.scale, Some(range));
        self
    }

    /// Adds points. Those that have no place on the axes, such as NaN or 0 on a logarithmic one, are left out.
    pub fn points(self, label: &str, points: &[[f64; 2]]) -> Self {
        self.add(label, points, Style::Points)
    }

    /// Adds a line through points.
    pub fn line(self, label: &str, points: &[[f64; 2]]) -> Self {
        self.add(label, points, Style::Line)
    }

    /// Adds a line whose points are marked.
    pub fn line_with_points(self, label: &str, points: &[[f64; 2]]) -> Self {
        self.add(label, points, Style::LineWithPoints)
    }

    /// Adds points that are marked as doubtful: larger and red, without a legend.
    pub(crate) fn doubtful(self, points: &[[f64; 2]]) -> Self {
        self.add("", points, Style::Doubtful)
    }

    fn add(mut self, label: &str, points: &[[f64; 2]], style: Style) -> Self {
        self.series.push(Series { label: label.to_owned(), points: points.to_vec(), style });
        self
    }

    /// The plot as an SVG file.
    pub fn svg(&self) -> String {
        let mut svg = Svg::new(SINGLE[0], SINGLE[1]);
        svg.text([16.0, 26.0], Anchor::Start, 16.0, &self.title);
        let frame = Frame { corner: [0.0, HEAD], size: [SINGLE[0], SINGLE[1] - HEAD] };
        self.draw(&mut svg, &frame, self.y_range());
        svg.finish()
    }

    /// Writes the plot into an SVG file.
    pub fn save(&self, path: &Path) -> Result<()> {
        yarnwise_shared::file::write_atomically(path, |w| w.write_all(self.svg().as_bytes()))?;
        Ok(())
    }

    fn range(&self, axis: usize) -> Range {
        let values = self.series.iter().flat_map(|s| &s.points).map(|p| p[axis]);
        self.axes[axis].range.unwrap_or_else(|| Range::around(self.axes[axis].scale, values))
    }

    fn y_range(&self) -> Range {
        self.range(1)
    }

    fn draw(&self, svg: &mut Svg, frame: &Frame, y_range: Range) {
        let field = Field::new(frame, [self.range(0), y_range]);
        field.draw_axes(svg);
        let [x0, y0] = field.corner;
        let (middle, bottom) = (x0 + 0.5 * field.size[0], frame.corner[1] + frame.size[1] - 8.0);
        svg.text([middle, bottom], Anchor::Middle, 12.0, &self.axes[0].label);
        svg.text([x0, y0 - 10.0], Anchor::Start, 12.0, &self.axes[1].label);
        for (series, color) in self.series.iter().zip(COLORS.iter().cycle()) {
            field.draw_series(svg, series, color);
        }
        self.draw_legend(svg, &field);
    }

    /// A plot of one series needs no legend: its label is that of the axis.
    fn draw_legend(&self, svg: &mut Svg, field: &Field) {
        let colored = self.series.iter().zip(COLORS.iter().cycle()).filter(|(s, _)| !s.label.is_empty());
        if colored.clone().count() < 2 {
            return;
        }
        for (i, (series, color)) in colored.enumerate() {
            let [x, y] = [field.corner[0] + field.size[0] - 10.0, field.corner[1] + 14.0 + 16.0 * i as f64];
            svg.text([x - 10.0, y + 4.0], Anchor::End, 12.0, &series.label);
            svg.dot([x, y], 4.0, color);
        }
    }
}

/// The field of a plot: corner and size in pixels, and what its axes range over.
struct Field {
    corner: [f64; 2],
    size: [f64; 2],
    ranges: [Range; 2],
}

impl Field {
    fn new(frame: &Frame, ranges: [Range; 2]) -> Self {
        let [left, right, top, bottom] = MARGIN;
        Field {
            corner: [frame.corner[0] + left, frame.corner[1] + top],
            size: [frame.size[0] - left - right, frame.size[1] - top - bottom],
            ranges,
        }
    }

    /// Where a point of the plot lies, in pixels.
    fn place(&self, p: [f64; 2]) -> [f64; 2] {
        let share = |k: usize| self.ranges[k].share(p[k]);
        [self.corner[0] + self.size[0] * share(0), self.corner[1] + self.size[1] * (1.0 - share(1))]
    }

    fn draw_axes(&self, svg: &mut Svg) {
        let [x, y] = self.ranges;
        let width = |v: f64| if v == 0.0 { 1.5 } else { 0.7 };
        for tick in y.ticks(5) {
            svg.line(&[self.place([x.low, tick]), self.place([x.high, tick])], FAINT, width(tick));
            let [left, at] = self.place([x.low, tick]);
            svg.text([left - 6.0, at + 4.0], Anchor::End, 11.0, &short(tick));
        }
        for tick in x.ticks(5) {
            svg.line(&[self.place([tick, y.low]), self.place([tick, y.high])], FAINT, width(tick));
            let [at, bottom] = self.place([tick, y.low]);
            svg.text([at, bottom + 15.0], Anchor::Middle, 11.0, &short(tick));
        }
        svg.line(&[[x.low, y.high], [x.low, y.low], [x.high, y.low]].map(|p| self.place(p)), INK, 1.0);
    }

    fn draw_series(&self, svg: &mut Svg, series: &Series, color: &str) {
        let has_place = |p: &&[f64; 2]| (0..2).all(|k| self.ranges[k].scale.has(p[k]));
        let points: Vec<[f64; 2]> = series.points.iter().filter(has_place).map(|p| self.place(*p)).collect();
        if matches!(series.style, Style::Line | Style::LineWithPoints) {
            svg.line(&points, color, 1.8);
        }
        let (radius, color) = match series.style {
            Style::Line => return,
            Style::LineWithPoints => (2.2, color),
            Style::Points => (2.6, color),
            Style::Doubtful => (3.5, DOUBT),
        };
        points.iter().for_each(|p| svg.dot(*p, radius, color));
    }
}

/// Plots as panels in rows of `columns` under a title, as an SVG file. Panels of a row share the range of y; the titles of the
/// plots themselves are left out.
pub(crate) fn panels(title: &str, plots: &[Plot], columns: usize) -> String {
    let rows = plots.len().div_ceil(columns);
    let mut svg = Svg::new(PANEL[0] * columns as f64, HEAD + PANEL[1] * rows as f64);
    svg.text([16.0, 26.0], Anchor::Start, 16.0, title);
    for (row, plots) in plots.chunks(columns).enumerate() {
        let values = plots.iter().flat_map(|p| &p.series).flat_map(|s| &s.points).map(|p| p[1]);
        let y_range = Range::around(plots[0].axes[1].scale, values);
        for (column, plot) in plots.iter().enumerate() {
            let corner = [PANEL[0] * column as f64, HEAD + PANEL[1] * row as f64];
            plot.draw(&mut svg, &Frame { corner, size: PANEL }, y_range);
        }
    }
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_shows_its_series_and_a_legend_where_there_are_several() {
        let one = Plot::new("title <1>", "x", "y").line("a", &[[0.0, 1.0], [1.0, 2.0]]);
        assert!(one.svg().contains("title &lt;1&gt;") && !one.svg().contains(">a<"));
        let two = one.points("b", &[[0.5, f64::NAN], [0.5, 1.5]]).doubtful(&[[1.0, 1.0]]);
        let svg = two.svg();
        assert!(svg.contains(">a<") && svg.contains(">b<") && !svg.contains("NaN"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 1 + 1 + 2, "a point, a doubtful one, two in the legend");
    }

    #[test]
    fn logarithmic_axes_leave_out_what_is_not_positive() {
        let plot = Plot::new("t", "x", "y").scales(Scale::Logarithmic, Scale::Logarithmic);
        let svg = plot.points("", &[[0.0, 1.0], [10.0, 100.0], [1000.0, 1e4], [10.0, -1.0]]).svg();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn without_values_it_is_an_empty_frame() {
        assert!(Plot::new("t", "x", "y").points("", &[]).svg().ends_with("</svg>\n"));
        assert!(panels("t", &[], 3).ends_with("</svg>\n"));
    }
}
