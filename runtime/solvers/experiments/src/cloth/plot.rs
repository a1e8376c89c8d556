//! Plots as PNG: points and lines over linear or logarithmic axes.
//!
//! Drawn with `image` and the bitmap glyphs of `font8x8`: a plotting crate would bring a font stack along for a few labels.

use anyhow::{Context, Result};
use image::{Rgb, RgbImage};
use std::path::Path;

const WIDTH: u32 = 760;
const HEIGHT: u32 = 480;
/// Left, top, right and bottom of the field.
const FIELD: [f64; 4] = [84.0, 44.0, 740.0, 420.0];
const COLORS: [[u8; 3]; 5] = [[31, 87, 164], [200, 62, 46], [34, 132, 78], [150, 90, 160], [120, 110, 60]];
const INK: [u8; 3] = [40, 40, 44];
const FAINT: [u8; 3] = [222, 224, 228];

/// How an axis counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    Linear,
    Log,
}

struct Series {
    label: String,
    points: Vec<[f64; 2]>,
    joined: bool,
}

/// A plot in the making.
pub(super) struct Plot {
    title: String,
    labels: [String; 2],
    scales: [Scale; 2],
    series: Vec<Series>,
}

impl Plot {
    pub(super) fn new(title: &str, x: &str, y: &str) -> Self {
        let labels = [x.to_owned(), y.to_owned()];
        Plot { title: title.to_owned(), labels, scales: [Scale::Linear; 2], series: Vec::new() }
    }

    pub(super) fn scales(mut self, x: Scale, y: Scale) -> Self {
        self.scales = [x, y];
        self
    }

    pub(super) fn points(self, label: &str, points: &[[f64; 2]]) -> Self {
        self.add(label, points, false)
    }

    pub(super) fn line(self, label: &str, points: &[[f64; 2]]) -> Self {
        self.add(label, points, true)
    }

    fn add(mut self, label: &str, points: &[[f64; 2]], joined: bool) -> Self {
        let usable =
            |p: &&[f64; 2]| (0..2).all(|k| p[k].is_finite() && (self.scales[k] == Scale::Linear || p[k] > 0.0));
        let points = points.iter().filter(usable).copied().collect();
        self.series.push(Series { label: label.to_owned(), points, joined });
        self
    }

    pub(super) fn save(&self, path: &Path) -> Result<()> {
        let mut canvas = Canvas(RgbImage::from_pixel(WIDTH, HEIGHT, Rgb([255; 3])));
        let axes = [0, 1].map(|k| Axis::new(self.scales[k], self.series.iter().flat_map(|s| &s.points).map(|p| p[k])));
        self.draw_frame(&axes, &mut canvas);
        for (i, series) in self.series.iter().enumerate() {
            let color = COLORS[i % COLORS.len()];
            let place = |p: &[f64; 2]| {
                let [x, y] = [axes[0].part(p[0]), axes[1].part(p[1])];
                [FIELD[0] + x * (FIELD[2] - FIELD[0]), FIELD[3] - y * (FIELD[3] - FIELD[1])]
            };
            if series.joined {
                for pair in series.points.windows(2) {
                    canvas.line(place(&pair[0]), place(&pair[1]), color);
                }
            } else {
                for p in &series.points {
                    canvas.dot(place(p), color);
                }
            }
            let y = FIELD[1] + 8.0 + 16.0 * i as f64;
            canvas.dot([FIELD[2] - 150.0, y + 4.0], color);
            canvas.text([FIELD[2] - 140.0, y], &series.label, color);
        }
        canvas.0.save(path).with_context(|| path.display().to_string())
    }

    fn draw_frame(&self, axes: &[Axis; 2], canvas: &mut Canvas) {
        for tick in axes[0].ticks() {
            let x = FIELD[0] + axes[0].part(tick) * (FIELD[2] - FIELD[0]);
            canvas.line([x, FIELD[1]], [x, FIELD[3]], FAINT);
            let text = number(tick);
            canvas.text([x - 4.0 * text.len() as f64, FIELD[3] + 8.0], &text, INK);
        }
        for tick in axes[1].ticks() {
            let y = FIELD[3] - axes[1].part(tick) * (FIELD[3] - FIELD[1]);
            canvas.line([FIELD[0], y], [FIELD[2], y], FAINT);
            let text = number(tick);
            canvas.text([FIELD[0] - 8.0 - 8.0 * text.len() as f64, y - 4.0], &text, INK);
        }
        let corners = [[FIELD[0], FIELD[1]], [FIELD[2], FIELD[1]], [FIELD[2], FIELD[3]], [FIELD[0], FIELD[3]]];
        for k in 0..4 {
            canvas.line(corners[k], corners[(k + 1) % 4], INK);
        }
        canvas.text([FIELD[0], 12.0], &self.title, INK);
        canvas.text([FIELD[0], 28.0], &self.labels[1], INK);
        let width = 8.0 * self.labels[0].len() as f64;
        canvas.text([0.5 * (FIELD[0] + FIELD[2] - width), FIELD[3] + 30.0], &self.labels[0], INK);
    }
}

/// The range of an axis.
struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Axis {
    fn new(scale: Scale, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (1.0, 2.0) };
        match scale {
            Scale::Log => Axis { scale, low: low / 1.15, high: high * 1.15 },
            Scale::Linear => {
                let pad = 0.04 * (high - low).max(1e-12 * high.abs()).max(1e-12);
                Axis { scale, low: low - pad, high: high + pad }
            }
        }
    }

    /// Where a value lies between the ends, 0 to 1.
    fn part(&self, v: f64) -> f64 {
        match self.scale {
            Scale::Linear => (v - self.low) / (self.high - self.low),
            Scale::Log => (v / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    fn ticks(&self) -> Vec<f64> {
        let inside = |v: &f64| (self.low..=self.high).contains(v);
        match self.scale {
            Scale::Linear => {
                let rough = (self.high - self.low) / 6.0;
                let decade = 10_f64.powf(rough.log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * decade).into_iter().find(|s| *s >= rough).unwrap_or(rough);
                let first = (self.low / step).ceil() as i64;
                (first..first + 12).map(|i| i as f64 * step).filter(inside).collect()
            }
            Scale::Log => {
                let decades = (self.high / self.low).log10();
                let multiples: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
                let first = self.low.log10().floor() as i32;
                let each = |d: i32| multiples.iter().map(move |m| m * 10_f64.powi(d));
                (first..first + decades.ceil() as i32 + 2).flat_map(each).filter(inside).collect()
            }
        }
    }
}

fn number(v: f64) -> String {
    let rounded = (v * 1e6).round() / 1e6;
    if rounded != 0.0 && (rounded.abs() >= 1e5 || rounded.abs() < 1e-3) {
        format!("{v:.0e}")
    } else {
        format!("{rounded}")
    }
}

struct Canvas(RgbImage);

impl Canvas {
    fn set(&mut self, x: f64, y: f64, color: [u8; 3]) {
        if (0.0..f64::from(WIDTH)).contains(&x) && (0.0..f64::from(HEIGHT)).contains(&y) {
            self.0.put_pixel(x as u32, y as u32, Rgb(color));
        }
    }

    fn line(&mut self, a: [f64; 2], b: [f64; 2], color: [u8; 3]) {
        let steps = (b[0] - a[0]).abs().max((b[1] - a[1]).abs()).ceil().clamp(1.0, 4000.0);
        for i in 0..=steps as usize {
            let t = i as f64 / steps;
            self.set((a[0] + t * (b[0] - a[0])).round(), (a[1] + t * (b[1] - a[1])).round(), color);
        }
    }

    fn dot(&mut self, [x, y]: [f64; 2], color: [u8; 3]) {
        for dy in -2..=2_i32 {
            for dx in -2..=2_i32 {
                if dx * dx + dy * dy <= 5 {
                    self.set(x.round() + f64::from(dx), y.round() + f64::from(dy), color);
                }
            }
        }
    }

    fn text(&mut self, [x, y]: [f64; 2], text: &str, color: [u8; 3]) {
        for (i, letter) in text.chars().enumerate() {
            let Some(glyph) = font8x8::legacy::BASIC_LEGACY.get(letter as usize) else { continue };
            for (row, bits) in glyph.iter().enumerate() {
                for column in (0..8).filter(|c| bits >> c & 1 == 1) {
                    self.set(x.round() + 8.0 * i as f64 + f64::from(column), y.round() + row as f64, color);
                }
            }
        }
    }
}
