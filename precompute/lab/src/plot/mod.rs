//! Plots as SVG: curves and points over linear or logarithmic axes, and maps of colored cells.
//!
//! Written by hand: two kinds of plot need a few dozen lines, come out the same everywhere (no fonts are measured, no
//! clock is read), and a plotting library would bring a rasterizer and font handling along.
//!
//! ```
//! use yarnwise_lab::plot::{Plot, Scale};
//!
//! let plot = Plot::new("Iterations", "particles", "iterations")
//!     .scales(Scale::Logarithmic, Scale::Linear)
//!     .points("measured", &[[100.0, 12.0], [1000.0, 31.0]])
//!     .line("fit", &[[100.0, 10.0], [1000.0, 32.0]]);
//! assert!(plot.svg().starts_with("<svg"));
//! ```

mod curves;
mod maps;
mod range;
mod svg;
mod ticks;

pub use curves::Plot;
pub(crate) use curves::panels;
pub(crate) use maps::{MapPanel, Maps, maps};
pub(crate) use range::Range;
pub use range::Scale;
