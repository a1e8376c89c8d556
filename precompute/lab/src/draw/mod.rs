//! Pictures of patterns: yarns as round tubes, drawn in software.
//!
//! [`curves`] draws any yarns in space, [`solid`] any surface with a number at each place. [`draw`] tiles a pattern and shows it from the front and from two sides, laid out like a
//! technical drawing. Positions, lattice and colors can be replaced, so that it draws deformed patterns and errors as well. Views are orthographic; each
//! pixel finds the nearest tube, its normal and height, so that over and under are exact.

mod canvas;
mod center_line;
mod color;
mod curves;
mod shade;
mod sheet;
mod solid;
mod view;

pub use color::Colors;
pub(crate) use color::heat;
pub use curves::{Curves, curves};
pub use sheet::draw;
pub(crate) use sheet::strand_color;
pub use solid::{Solid, solid};

pub use yarnwise_picture::Picture;
use yarnwise_shared::pattern::Pattern;

/// Yarns to draw.
#[derive(Clone, Debug)]
pub struct Yarns<'a> {
    /// Connectivity and radius.
    pub pattern: &'a Pattern,
    /// A position for each vertex, meters.
    pub positions: Vec<[f64; 3]>,
    /// Where the cells one period further along x and along y begin, meters.
    pub lattice: [[f64; 2]; 2],
    /// The colors.
    pub colors: Colors,
}

impl<'a> Yarns<'a> {
    /// The pattern as it is.
    pub fn new(pattern: &'a Pattern) -> Self {
        let [px, py] = pattern.period();
        Yarns {
            pattern,
            positions: pattern.vertices().iter().map(|v| v.position).collect(),
            lattice: [[px, 0.0], [0.0, py]],
            colors: Colors::Strands,
        }
    }
}

/// How yarns are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawOptions {
    /// How many periods are shown along x and along y.
    pub tiles: [u32; 2],
    /// The longer side of the front view in pixels.
    pub pixels: u32,
    /// Samples along each side of a pixel, against jagged edges.
    pub supersampling: u32,
    /// Whether the yarns show the twist of their plies.
    pub plies: bool,
    /// Whether the border of one period is drawn.
    pub period_box: bool,
}

impl Default for DrawOptions {
    fn default() -> Self {
        DrawOptions { tiles: [3, 3], pixels: 640, supersampling: 3, plies: true, period_box: true }
    }
}
