//! What is known about a sample beside its geometry.

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
}

impl SampleStatus {
    /// All of them.
    pub const ALL: [SampleStatus; 3] = [SampleStatus::Converged, SampleStatus::NotConverged, SampleStatus::Imported];

    /// The status in words.
    pub fn name(self) -> &'static str {
        match self {
            SampleStatus::Converged => "converged",
            SampleStatus::NotConverged => "not converged",
            SampleStatus::Imported => "imported",
        }
    }
}

/// One sample of the bake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleRecord {
    /// How it came about.
    pub status: SampleStatus,
    /// Elastic energy per area of undeformed fabric, J/m^2; unknown for imported tables. [Sperl20] builds the
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
}
