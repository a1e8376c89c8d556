//! Whether a table of displacements covers the strains of a clip.

use std::fmt;
use std::path::Path;
use yarnwise_shared::mesh::clip::StrainRange;
use yarnwise_shared::table::database;
use yarnwise_shared::table::grid::{AXIS_NAMES, StrainGrid};

/// Samples along each axis of the grid that a bake takes by default.
const DEFAULT_GRID: usize = 9;

/// Strains may leave a table by this much: rounding of positions, not deformation.
const ROUNDING: f64 = 1e-3;

/// The strains that a table covers.
pub(super) struct Coverage {
    /// From and to along sx, sa and sy.
    ranges: [[f64; 2]; 3],
    source: String,
}

/// A strain that leaves the table.
#[derive(serde::Serialize)]
pub(super) struct Uncovered {
    strain: &'static str,
    /// Smallest and largest value on the mesh.
    reached: [f64; 2],
    /// Smallest and largest value in the table.
    covered: [f64; 2],
    /// Where the table is from.
    by: String,
}

impl Coverage {
    /// What `database` covers, or else the grid that a bake takes by default.
    pub(super) fn new(database: Option<&Path>) -> anyhow::Result<Self> {
        match database {
            Some(path) => Ok(Self::of(database::read(path)?.table().grid(), path.display().to_string())),
            None => Ok(Self::of(&StrainGrid::preset(DEFAULT_GRID)?, "the default grid of a bake".to_owned())),
        }
    }

    fn of(grid: &StrainGrid, source: String) -> Self {
        let ranges = grid.0.each_ref().map(|axis| [axis.values()[0], axis.values()[axis.len() - 1]]);
        Coverage { ranges, source }
    }

    /// The strains of `range` that the table does not cover.
    pub(super) fn uncovered(&self, range: &StrainRange) -> Vec<Uncovered> {
        let reached = [range.sx, range.sa, range.sy];
        let leaves = |k: &usize| {
            reached[*k][0] < self.ranges[*k][0] - ROUNDING || reached[*k][1] > self.ranges[*k][1] + ROUNDING
        };
        let one = |k: usize| Uncovered {
            strain: AXIS_NAMES[k],
            reached: reached[k],
            covered: self.ranges[k],
            by: self.source.clone(),
        };
        (0..3).filter(leaves).map(one).collect()
    }
}

impl fmt::Display for Uncovered {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // No "-0.000".
        let plain = |x: f64| if x.abs() < 5e-4 { 0.0 } else { x };
        let ([low, high], [first, last]) = (self.reached.map(plain), self.covered);
        write!(
            f,
            "warning: {} reaches from {low:.3} to {high:.3}, {} covers {first:.3} to {last:.3}: beyond it yarns keep the \
             displacements of its end\n    cure: bake a wider grid (bake --grid FILE), or check that UVs are in meters",
            self.strain, self.by
        )
    }
}
