//! Small plots as SVG: curves and maps.
//!
//! Written by hand: two kinds of plot need a few dozen lines, come out the same everywhere (no fonts are measured, no
//! clock is read), and a plotting library would bring a rasteriser and font handling along.

mod curves;
mod maps;
mod svg;
mod ticks;

pub use curves::{Curve, CurvePanel, curves};
pub use maps::{ColorScale, MapPanel, Maps, maps};
