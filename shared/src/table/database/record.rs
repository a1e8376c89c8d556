//! What is known about a sample beside its geometry.

use crate::table::grid::Grid;
use serde::{Deserialize, Serialize};

/// How the displacements of a sample came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SampleStatus {
    /// An equilibrium to the solver's tolerance.
    Converged,
    /// The solver stopped before its tolerance: these displacements are where it stood, not an equilibrium.
    NotConverged,
    /// Taken from a table of another program; nothing is known about it.
    Imported,
    /// Yarns passed through each other on the way: a state of another fabric.
    PassedThrough,
}

impl SampleStatus {
    /// All of them; files hold the place in this list.
    pub const ALL: [SampleStatus; 4] =
        [SampleStatus::Converged, SampleStatus::NotConverged, SampleStatus::Imported, SampleStatus::PassedThrough];

    /// The status in words.
    pub fn name(self) -> &'static str {
        match self {
            SampleStatus::Converged => "converged",
            SampleStatus::NotConverged => "not converged",
            SampleStatus::Imported => "imported",
            SampleStatus::PassedThrough => "passed through",
        }
    }

    /// Whether a solver gave it up: what it has is no equilibrium of this fabric.
    pub fn failed(self) -> bool {
        matches!(self, SampleStatus::NotConverged | SampleStatus::PassedThrough)
    }
}

/// One sample of the bake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleRecord {
    /// How it came about.
    pub status: SampleStatus,
    /// Elastic energy per area of undeformed fabric, J/m^2; unknown for imported tables. \[Sperl20\] builds the
    /// fabric's stiffness from it.
    pub energy_density: Option<f64>,
    /// What is left of the force balance where the solver stopped, in the measure that the settings name.
    pub residual: Option<f64>,
    /// Steps that the solver took.
    pub iterations: u32,
    /// The sample that this one was started from; `None` for one that started from the affine state.
    pub started_from: Option<u32>,
}

impl SampleRecord {
    /// The record of a sample from another program.
    pub const IMPORTED: SampleRecord = SampleRecord {
        status: SampleStatus::Imported,
        energy_density: None,
        residual: None,
        iterations: 0,
        started_from: None,
    };

    /// Records of a whole grid from another program.
    pub fn imported<const N: usize>(grid: &Grid<N>) -> Vec<Self> {
        vec![Self::IMPORTED; grid.sample_count()]
    }
}

/// Bytes that one record takes in a file, before packing.
pub(super) const RECORD_BYTES: usize = 1 + 8 + 8 + 4 + 4;

/// Stands for "from the affine state" in a file.
const NO_START: u32 = u32::MAX;

/// The records as columns: all statuses, then all energy densities, residuals, iterations, starts. Little endian; what
/// is unknown is NaN, or all bits set for a start.
pub(super) fn to_bytes(records: &[SampleRecord]) -> Vec<u8> {
    let mut out = Vec::with_capacity(records.len() * RECORD_BYTES);
    out.extend(records.iter().map(|r| SampleStatus::ALL.iter().position(|s| *s == r.status).unwrap_or(0) as u8));
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN).to_le_bytes();
    out.extend(records.iter().flat_map(|r| number(r.energy_density)));
    out.extend(records.iter().flat_map(|r| number(r.residual)));
    out.extend(records.iter().flat_map(|r| r.iterations.to_le_bytes()));
    out.extend(records.iter().flat_map(|r| r.started_from.unwrap_or(NO_START).to_le_bytes()));
    out
}

/// The records from the bytes of [`to_bytes`]; `None` where there is a status that does not exist.
pub(super) fn parse(bytes: &[u8]) -> Option<Vec<SampleRecord>> {
    let count = bytes.len() / RECORD_BYTES;
    let column = |start: usize, width: usize, i: usize| &bytes[start * count + i * width..][..width];
    let f64_at = |start: usize, i: usize| column(start, 8, i).try_into().ok().map(f64::from_le_bytes);
    let u32_at = |start: usize, i: usize| column(start, 4, i).try_into().ok().map(u32::from_le_bytes);
    let record = |i: usize| {
        Some(SampleRecord {
            status: *SampleStatus::ALL.get(usize::from(column(0, 1, i)[0]))?,
            energy_density: f64_at(1, i).filter(|v| !v.is_nan()),
            residual: f64_at(9, i).filter(|v| !v.is_nan()),
            iterations: u32_at(17, i)?,
            started_from: u32_at(21, i).filter(|v| *v != NO_START),
        })
    };
    (0..count).map(record).collect()
}
