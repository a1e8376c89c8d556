//! Animated yarns as USD text: one `BasisCurves` with the points of each frame as time samples. Where yarns stay whole,
//! topology and widths do not change: what reads them once can move them by points alone.

use super::{CurveFrame, Curves};
use crate::camera::Bounds;
use crate::scene::Color;
use crate::{Error, Result};
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::Path;
use yarnwise_shared::file;

/// How points are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Basis {
    /// By straight lines: every program reads them.
    #[default]
    Linear,
    /// By Catmull-Rom splines through all points, ends included (`wrap = "pinned"`).
    CatmullRom,
}

pub(super) fn write(
    curves: &mut Curves,
    frames: RangeInclusive<usize>,
    basis: Basis,
    path: &Path,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<()> {
    // A frame that fails must not be hidden behind an error of the file.
    let mut failed: Option<Error> = None;
    let written = file::write_atomically(path, |w| {
        header(w, curves, &frames, basis)?;
        let (mut extents, mut shapes, count) = (Vec::new(), Vec::<Shape>::new(), frames.clone().count());
        writeln!(w, "        point3f[] points.timeSamples = {{")?;
        for frame in frames {
            match curves.frame(frame) {
                Ok(CurveFrame { vertices, starts }) => {
                    write!(w, "            {frame}: ")?;
                    list(w, vertices.iter().map(|v| Triple(v.position)))?;
                    extents.push((frame, Bounds::of(vertices.iter().map(|v| &v.position))));
                    let counts: Vec<u32> = starts.windows(2).map(|yarn| yarn[1] - yarn[0]).collect();
                    if shapes.last().is_none_or(|last| last.counts != counts) {
                        shapes.push(Shape { frame, counts, colors: curves.colors() });
                    }
                }
                Err(error) => {
                    failed = Some(error);
                    return Err(std::io::Error::other("a frame failed"));
                }
            }
            writeln!(w, ",")?;
            progress(extents.len(), count);
        }
        writeln!(w, "        }}")?;
        topology(w, &shapes)?;
        extent(w, &extents, curves.width() / 2.0)?;
        writeln!(w, "    }}\n}}")
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(written?),
    }
}

fn header(w: &mut dyn Write, curves: &Curves, frames: &RangeInclusive<usize>, basis: Basis) -> std::io::Result<()> {
    let rate = 1.0 / curves.loaded.cloth.frame_time();
    writeln!(w, "#usda 1.0\n(")?;
    writeln!(w, "    defaultPrim = \"yarns\"")?;
    writeln!(w, "    doc = \"Yarns by yarnwise-view {}\"", env!("CARGO_PKG_VERSION"))?;
    writeln!(w, "    startTimeCode = {}\n    endTimeCode = {}", frames.start(), frames.end())?;
    writeln!(w, "    timeCodesPerSecond = {rate}\n    framesPerSecond = {rate}")?;
    writeln!(w, "    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n")?;
    writeln!(w, "def Xform \"yarns\"\n{{\n    def BasisCurves \"curves\"\n    {{")?;
    match basis {
        Basis::Linear => writeln!(w, "        uniform token type = \"linear\"")?,
        Basis::CatmullRom => {
            writeln!(w, "        uniform token type = \"cubic\"")?;
            writeln!(w, "        uniform token basis = \"catmullRom\"")?;
        }
    }
    let wrap = if basis == Basis::Linear { "nonperiodic" } else { "pinned" };
    writeln!(w, "        uniform token wrap = \"{wrap}\"")?;
    writeln!(w, "        float[] widths = [{}] (\n            interpolation = \"constant\"\n        )", curves.width())
}

/// Which curves there are from a frame on.
struct Shape {
    frame: usize,
    counts: Vec<u32>,
    colors: Vec<Color>,
}

/// Vertices and color of each curve: once, or from each frame on in which they change.
fn topology(w: &mut dyn Write, shapes: &[Shape]) -> std::io::Result<()> {
    let counts = |w: &mut dyn Write, shape: &Shape| list(w, shape.counts.iter());
    let colors = |w: &mut dyn Write, shape: &Shape| list(w, shape.colors.iter().map(|c| Triple(c.linear())));
    const UNIFORM: &str = " (\n            interpolation = \"uniform\"\n        )";
    const COLOR: &str = "color3f[] primvars:displayColor";
    attribute(w, "int[] curveVertexCounts", shapes, counts)?;
    writeln!(w)?;
    if shapes.len() > 1 {
        // Time samples have no place for it.
        writeln!(w, "        {COLOR}{UNIFORM}")?;
    }
    attribute(w, COLOR, shapes, colors)?;
    writeln!(w, "{}", if shapes.len() > 1 { "" } else { UNIFORM })
}

fn attribute(
    w: &mut dyn Write,
    name: &str,
    shapes: &[Shape],
    value: impl Fn(&mut dyn Write, &Shape) -> std::io::Result<()>,
) -> std::io::Result<()> {
    if let [shape] = shapes {
        write!(w, "        {name} = ")?;
        return value(w, shape);
    }
    writeln!(w, "        {name}.timeSamples = {{")?;
    for shape in shapes {
        write!(w, "            {}: ", shape.frame)?;
        value(w, shape)?;
        writeln!(w, ",")?;
    }
    write!(w, "        }}")
}

/// Boxes around the yarns, with their thickness.
fn extent(w: &mut dyn Write, extents: &[(usize, Option<Bounds>)], radius: f32) -> std::io::Result<()> {
    writeln!(w, "        float3[] extent.timeSamples = {{")?;
    for (frame, bounds) in extents {
        if let Some(bounds) = bounds {
            let (low, high) = (bounds.low.add_scalar(-radius), bounds.high.add_scalar(radius));
            writeln!(w, "            {frame}: [{}, {}],", Triple(low.into()), Triple(high.into()))?;
        }
    }
    writeln!(w, "        }}")
}

struct Triple([f32; 3]);

impl std::fmt::Display for Triple {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x}, {y}, {z})")
    }
}

fn list(w: &mut dyn Write, items: impl Iterator<Item = impl std::fmt::Display>) -> std::io::Result<()> {
    write!(w, "[")?;
    for (i, item) in items.enumerate() {
        write!(w, "{}{item}", if i == 0 { "" } else { ", " })?;
    }
    write!(w, "]")
}
