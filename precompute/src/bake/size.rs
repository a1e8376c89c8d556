//! How much memory and room on the disk a bake takes.

use super::Bake;
use yarnwise_shared::table::database::Encoding;
use yarnwise_shared::table::grid::Axis;

/// Bytes of a displacement: an f64 while it is found, an f32 when it is stored, four of each.
const DISPLACEMENT_BYTES: u64 = 4 * (size_of::<f64>() + size_of::<f32>()) as u64;

/// Bytes of a sample beside its displacements: energies, counts, where it started, what the allocator adds.
const SAMPLE_BYTES: u64 = 400;

/// Bytes that a solve takes for each vertex: derivatives and their factorization. Measured with satin (200 vertices): 3.4 MB a thread.
const SOLVE_BYTES: u64 = 32 << 10;

/// Bytes of a displacement in a journal: four f64.
const KEPT_BYTES: u64 = 4 * size_of::<f64>() as u64;

/// Bytes of a solve in a journal and in a log, beside its displacements.
const RECORD_BYTES: u64 = 300;

/// Solves a sample: the first, the last and what is retried in between. Stockinette and rib took 1.9 to 2.3 (docs/results/bake.md,
/// docs/results/sampling.md).
pub const SOLVES_A_SAMPLE: f64 = 2.1;

/// Bytes of a displacement in a database before it is compressed: four values of 16 bits, or of 32.
const QUANTIZED_BYTES: u64 = 4 * 2;
const LOSSLESS_BYTES: u64 = 4 * 4;

/// Room that a bake takes on the disk, at most, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSize {
    /// The database.
    pub database: u64,
    /// What is beside it while it is baked.
    pub journal: u64,
}

/// Patterns of this many vertices take [`CORE_SECONDS`] a sample; it grows with this power of their number (docs/results/bake.md).
const VERTICES: f64 = 100.0;
const CORE_SECONDS: f64 = 0.02;
const GROWTH: f64 = 1.8;

impl Bake {
    /// About how much processor time a sample takes, s, before anything is measured: to divide work, not to rely on.
    pub fn seconds_a_sample(&self) -> f64 {
        CORE_SECONDS * (self.pattern.vertices().len() as f64 / VERTICES).powf(GROWTH)
    }

    /// Samples of all tables, those included that the bending tables take over from the plane.
    pub fn table_samples(&self) -> u64 {
        let tables = 1 + self.curvatures.as_ref().map_or(0, |axis| 2 * axis.len());
        self.grid.sample_count() as u64 * tables as u64
    }

    /// Samples that are solved.
    pub fn solved_samples(&self) -> u64 {
        let bent = self.curvatures.as_ref().map_or(0, Axis::len).saturating_sub(1) as u64;
        self.grid.sample_count() as u64 * (1 + 2 * bent)
    }

    /// Memory that it takes with this many threads, bytes.
    pub fn memory(&self, threads: usize) -> u64 {
        let vertices = self.pattern.vertices().len() as u64;
        let data = self.table_samples() * (vertices * DISPLACEMENT_BYTES + SAMPLE_BYTES);
        data + vertices * SOLVE_BYTES * threads as u64
    }

    /// Room that it takes on the disk.
    pub fn disk(&self, encoding: &Encoding) -> DiskSize {
        let vertices = self.pattern.vertices().len() as u64;
        let each = match encoding {
            Encoding::Quantized(_) => QUANTIZED_BYTES,
            Encoding::Lossless => LOSSLESS_BYTES,
        };
        let solves = (SOLVES_A_SAMPLE * self.solved_samples() as f64).ceil() as u64;
        DiskSize {
            database: self.table_samples() * (vertices * each + SAMPLE_BYTES),
            journal: solves * (vertices * KEPT_BYTES + RECORD_BYTES),
        }
    }
}
