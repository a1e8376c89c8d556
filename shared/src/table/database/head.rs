//! What a database file says before its tables: enough to know whose it is and how good, without reading all of it.

use super::codec::Encoding;
use super::record::SampleRecord;
use crate::pattern::Pattern;
use crate::pattern::material::YarnMaterial;
use crate::table::grid::{Axis, StrainGrid};
use std::collections::BTreeMap;

/// A database without its displacements; [`read_head`](super::read_head) reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct DatabaseHead {
    /// A short name for people.
    pub name: String,
    /// Where the pattern comes from.
    pub origin: String,
    /// Name and version of the program that made it.
    pub tool: String,
    /// The pattern.
    pub pattern: Pattern,
    /// Its yarn's material, where it is known.
    pub material: Option<YarnMaterial>,
    /// Settings by name.
    pub settings: BTreeMap<String, String>,
    /// The strains.
    pub grid: StrainGrid,
    /// The curvatures of its bending tables, 1/m.
    pub curvatures: Option<Axis>,
    /// Whether every bit of every displacement was kept.
    pub lossless: bool,
    /// No displacement is further than this from the one that was given, m and radians; 0 where lossless.
    pub tolerance: [f64; 4],
    /// Records of the samples in the plane.
    pub samples: Vec<SampleRecord>,
    /// Those of the bending tables, along x and along y.
    pub bent: Option<[Vec<SampleRecord>; 2]>,
    /// Size of the file.
    pub file_bytes: u64,
}

impl DatabaseHead {
    /// Whether displacements are stored like this.
    pub fn is_stored_as(&self, encoding: &Encoding) -> bool {
        match encoding {
            Encoding::Lossless => self.lossless,
            Encoding::Quantized(tolerance) => {
                !self.lossless && self.tolerance == tolerance.channels(self.pattern.radius())
            }
        }
    }

    /// All records: in the plane and bent.
    pub fn all_samples(&self) -> impl Iterator<Item = &SampleRecord> {
        self.samples.iter().chain(self.bent.iter().flatten().flatten())
    }
}
