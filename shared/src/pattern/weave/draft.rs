//! Weave drafts: which thread is on top at each crossing.

use crate::Result;
use crate::pattern::typed_grid::{self, Typed};

/// A matrix of crossings that repeats without end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    warps: usize,
    /// Weft after weft from the bottom, each from left to right: whether the warp is over the weft.
    warp_over: Vec<bool>,
}

/// A draft everybody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeavePreset {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// The draft as text for [`Draft::parse`].
    pub draft: &'static str,
}

/// The presets.
pub const PRESETS: [WeavePreset; 4] = [
    WeavePreset { name: "plain", description: "over one, under one", draft: "10/01" },
    WeavePreset {
        name: "twill",
        description: "2/2 twill: over two, under two, shifted by one",
        draft: "0110/0011/1001/1100",
    },
    WeavePreset {
        name: "satin",
        description: "5-end satin: each warp floats over four wefts",
        draft: "11110/11011/01111/11101/10111",
    },
    WeavePreset { name: "basket", description: "2x2 basket: plain weave of pairs", draft: "1100/1100/0011/0011" },
];

const TYPED: Typed<bool> = Typed {
    origin: "weave draft",
    places: "crossings",
    characters: &[('1', true), ('0', false)],
    legend: "1 (warp over weft) and 0 (warp under weft)",
};

impl Draft {
    /// Reads a draft as it looks from the front: the first line (or what stands before the first `/`) is the topmost
    /// weft, the first column the leftmost warp. `1` where the warp is over the weft, `0` where it is under; spaces do
    /// not count.
    pub fn parse(text: &str) -> Result<Self> {
        TYPED.parse(text).map(|(warps, warp_over)| Draft { warps, warp_over })
    }

    /// The preset called `name`.
    pub fn preset(name: &str) -> Result<Self> {
        let presets = PRESETS.iter().map(|p| (p.name, p.draft));
        Draft::parse(typed_grid::preset(presets, name, "weave preset")?)
    }

    /// Number of warps (threads along y).
    pub fn warps(&self) -> usize {
        self.warps
    }

    /// Number of wefts (threads along x).
    pub fn wefts(&self) -> usize {
        self.warp_over.len() / self.warps
    }

    /// Whether the warp (from the left) is over the weft (from the bottom); the draft repeats.
    pub fn warp_over(&self, weft: usize, warp: usize) -> bool {
        self.warp_over[weft % self.wefts() * self.warps + warp % self.warps]
    }

    /// How often the weft that does so most passes from one side to the other within the draft.
    pub fn interlacings_of_wefts(&self) -> usize {
        let passes = |j: usize| (0..self.warps()).filter(|i| self.warp_over(j, *i) != self.warp_over(j, i + 1)).count();
        (0..self.wefts()).map(passes).max().unwrap_or(0)
    }

    /// How often the warp that does so most passes from one side to the other within the draft.
    pub fn interlacings_of_warps(&self) -> usize {
        let passes = |i: usize| (0..self.wefts()).filter(|j| self.warp_over(*j, i) != self.warp_over(j + 1, i)).count();
        (0..self.warps()).map(passes).max().unwrap_or(0)
    }

    /// Threads that stay on one side of all others, so that nothing holds them: in words, for a warning.
    pub fn loose_threads(&self) -> Vec<String> {
        let constant = |mut sides: Box<dyn Iterator<Item = bool> + '_>| {
            let first = sides.next();
            sides.all(|side| Some(side) == first)
        };
        let wefts = (0..self.wefts()).filter(|j| constant(Box::new((0..self.warps()).map(|i| self.warp_over(*j, i)))));
        let warps = (0..self.warps()).filter(|i| constant(Box::new((0..self.wefts()).map(|j| self.warp_over(j, *i)))));
        let wefts = wefts.map(|j| format!("weft {} from the bottom", j + 1));
        wefts.chain(warps.map(|i| format!("warp {} from the left", i + 1))).collect()
    }
}
