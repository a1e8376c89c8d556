//! What is known about a sample beside its geometry.

use super::prelude::VERSION;
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

/// Elastic energy by kind, per area of undeformed fabric, J/m^2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kinds {
    /// Of stretch.
    pub stretch: f64,
    /// Of bending.
    pub bend: f64,
    /// Of twist.
    #[serde(default)]
    pub twist: f64,
    /// Of contact.
    pub contact: f64,
}

impl Kinds {
    /// The kinds by name, in the order of [`Kinds::values`].
    pub const NAMES: [&str; 4] = ["stretch", "bend", "twist", "contact"];

    /// Stretch, bend, twist, contact, J/m^2.
    pub fn values(&self) -> [f64; 4] {
        [self.stretch, self.bend, self.twist, self.contact]
    }

    /// All of it, J/m^2.
    pub fn total(&self) -> f64 {
        self.stretch + self.bend + self.twist + self.contact
    }
}

impl From<[f64; 4]> for Kinds {
    /// From stretch, bend, twist, contact.
    fn from([stretch, bend, twist, contact]: [f64; 4]) -> Self {
        Kinds { stretch, bend, twist, contact }
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
    /// The same by kind; its sum is `energy_density`. Unknown for imported tables and in files of version 1.
    pub kinds: Option<Kinds>,
    /// d psi / d(sx, sa, sy) of the energy density psi, N/m. Unknown for imported tables, in files of version 1, and for samples
    /// that are no equilibria or bent.
    pub stress: Option<[f64; 3]>,
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
        kinds: None,
        stress: None,
        residual: None,
        iterations: 0,
        started_from: None,
    };

    /// Records of a whole grid from another program.
    pub fn imported<const N: usize>(grid: &Grid<N>) -> Vec<Self> {
        vec![Self::IMPORTED; grid.sample_count()]
    }

    /// All numbers that are known, each with its name.
    pub(super) fn numbers(&self) -> impl Iterator<Item = (&'static str, f64)> {
        const KINDS: [&str; 4] = ["energy of stretch", "energy of bend", "energy of twist", "energy of contact"];
        const STRESS: [&str; 3] = ["stress by sx", "stress by sa", "stress by sy"];
        let single = [("energy density", self.energy_density), ("residual", self.residual)];
        let single = single.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let kinds = self.kinds.into_iter().flat_map(|k| KINDS.into_iter().zip(k.values()));
        single.chain(kinds).chain(self.stress.into_iter().flat_map(|s| STRESS.into_iter().zip(s)))
    }

    /// Whether the kinds, where they are known, have the energy density as their sum.
    pub(super) fn kinds_add_up(&self) -> bool {
        let Some(kinds) = self.kinds else { return true };
        let size: f64 = kinds.values().iter().map(|v| v.abs()).sum();
        self.energy_density.is_some_and(|all| (kinds.total() - all).abs() <= SUM_ROUNDING * size)
    }
}

/// The sum of the kinds may differ from the energy density by this fraction: both were rounded, and divided by the area.
const SUM_ROUNDING: f64 = 1e-12;

/// The numbers of eight bytes that each version added to a record, in the order of [`added_numbers`].
const ADDED: usize = 4 + 3;

/// Bytes that one record takes in a file of this version, before packing.
pub(super) fn record_bytes(version: u32) -> usize {
    let first = 1 + 8 + 8 + 4 + 4;
    if version == 1 { first } else { first + 8 * ADDED }
}

/// Stands for "from the affine state" in a file.
const NO_START: u32 = u32::MAX;

/// What version 2 added: energy of stretch, bend, twist, contact, stress by sx, sa, sy; NaN where unknown.
fn added_numbers(record: &SampleRecord) -> [f64; ADDED] {
    let [stretch, bend, twist, contact] = record.kinds.map_or([f64::NAN; 4], |k| k.values());
    let [sx, sa, sy] = record.stress.unwrap_or([f64::NAN; 3]);
    [stretch, bend, twist, contact, sx, sa, sy]
}

/// The records as columns: all statuses, then all energy densities, residuals, iterations, starts, and the columns of
/// [`added_numbers`]. Little endian; what is unknown is NaN, or all bits set for a start.
pub(super) fn to_bytes(records: &[SampleRecord]) -> Vec<u8> {
    let mut out = Vec::with_capacity(records.len() * record_bytes(VERSION));
    out.extend(records.iter().map(|r| SampleStatus::ALL.iter().position(|s| *s == r.status).unwrap_or(0) as u8));
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN).to_le_bytes();
    out.extend(records.iter().flat_map(|r| number(r.energy_density)));
    out.extend(records.iter().flat_map(|r| number(r.residual)));
    out.extend(records.iter().flat_map(|r| r.iterations.to_le_bytes()));
    out.extend(records.iter().flat_map(|r| r.started_from.unwrap_or(NO_START).to_le_bytes()));
    for column in 0..ADDED {
        out.extend(records.iter().flat_map(|r| added_numbers(r)[column].to_le_bytes()));
    }
    out
}

/// The records from the bytes of [`to_bytes`], or of an earlier version; `None` where there is a status that does not exist.
pub(super) fn parse(bytes: &[u8], version: u32) -> Option<Vec<SampleRecord>> {
    let size = record_bytes(version);
    let count = bytes.len() / size;
    let column = |start: usize, width: usize, i: usize| &bytes[start * count + i * width..][..width];
    let f64_at = |start: usize, i: usize| column(start, 8, i).try_into().ok().map(f64::from_le_bytes);
    let u32_at = |start: usize, i: usize| column(start, 4, i).try_into().ok().map(u32::from_le_bytes);
    // Known where all numbers are there: the columns of version 2 begin where a record of version 1 ends.
    let added = |k: usize, i: usize| {
        let start = record_bytes(1) + 8 * k;
        if start < size { f64_at(start, i).filter(|v| !v.is_nan()) } else { None }
    };
    let kinds = |i: usize| Some(Kinds::from([added(0, i)?, added(1, i)?, added(2, i)?, added(3, i)?]));
    let record = |i: usize| {
        Some(SampleRecord {
            status: *SampleStatus::ALL.get(usize::from(column(0, 1, i)[0]))?,
            energy_density: f64_at(1, i).filter(|v| !v.is_nan()),
            kinds: kinds(i),
            stress: added(4, i).zip(added(5, i)).zip(added(6, i)).map(|((sx, sa), sy)| [sx, sa, sy]),
            residual: f64_at(9, i).filter(|v| !v.is_nan()),
            iterations: u32_at(17, i)?,
            started_from: u32_at(21, i).filter(|v| *v != NO_START),
        })
    };
    (0..count).map(record).collect()
}
