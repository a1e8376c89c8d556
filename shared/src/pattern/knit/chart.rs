//! Knit charts: a grid of knit and purl stitches.

use crate::Result;
use crate::pattern::typed_grid::{self, Typed};

/// How a loop is pulled through the loop below it, seen from the front of the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stitch {
    /// `K`: from the back to the front.
    Knit,
    /// `P`: from the front to the back; the mirror image of a knit stitch.
    Purl,
}

/// A grid of stitches that repeats without end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnitChart {
    wales: usize,
    /// Course after course from the bottom, each from left to right.
    stitches: Vec<Stitch>,
}

/// A chart everybody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnitPreset {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// The chart as text for [`KnitChart::parse`].
    pub chart: &'static str,
}

/// The presets.
pub const PRESETS: [KnitPreset; 5] = [
    KnitPreset { name: "stockinette", description: "knit stitches only: smooth front, rough back", chart: "K" },
    KnitPreset { name: "garter", description: "courses of knit and purl in turn: ridges across", chart: "P/K" },
    KnitPreset { name: "rib1x1", description: "wales of knit and purl in turn: stretches most", chart: "KP" },
    KnitPreset { name: "rib2x2", description: "two wales knit, two wales purl", chart: "KKPP" },
    KnitPreset { name: "seed", description: "knit and purl like a checkerboard", chart: "PK/KP" },
];

const TYPED: Typed<Stitch> = Typed {
    origin: "knit chart",
    places: "stitches",
    characters: &[('K', Stitch::Knit), ('P', Stitch::Purl)],
    legend: "K (knit) and P (purl)",
};

impl KnitChart {
    /// Reads a chart as it looks from the front: the first line (or what stands before the first `/`) is the topmost
    /// course, the last one is knitted first, as on paper. `K` and `P` in either case; spaces do not count.
    pub fn parse(text: &str) -> Result<Self> {
        TYPED.parse(text).map(|(wales, stitches)| KnitChart { wales, stitches })
    }

    /// The preset called `name`.
    pub fn preset(name: &str) -> Result<Self> {
        let presets = PRESETS.iter().map(|p| (p.name, p.chart));
        KnitChart::parse(typed_grid::preset(presets, name, "knit preset")?)
    }

    /// Number of wales (columns of loops).
    pub fn wales(&self) -> usize {
        self.wales
    }

    /// Number of courses (rows of loops).
    pub fn courses(&self) -> usize {
        self.stitches.len() / self.wales
    }

    /// The stitch in a course from the bottom and a wale from the left; the chart repeats.
    pub fn stitch(&self, course: usize, wale: usize) -> Stitch {
        self.stitches[course % self.courses() * self.wales + wale % self.wales]
    }

    /// Whether all stitches are the same: stockinette, from the front or from the back.
    pub fn is_uniform(&self) -> bool {
        self.stitches.iter().all(|s| *s == self.stitches[0])
    }
}
