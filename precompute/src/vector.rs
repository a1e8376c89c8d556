//! The vector instructions that the inner loops are compiled for, chosen at run time.
//!
//! No result depends on them: sums have a fixed order, a fused product is rounded once whether one instruction does it or many, and
//! elementary functions are our own (`yarnwise_shared::elementary`). `tests/levels.rs` of the program holds that. A journal still says
//! with which level its results were computed, and a level can be pinned, so that a difference between machines can be looked into.

use std::sync::OnceLock;

/// A set of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorLevel {
    /// None beyond what every processor of the architecture has.
    Scalar,
    /// x86-64-v3: AVX2 and FMA.
    V3,
    /// Those of 64-bit ARM.
    Neon,
}

static CHOSEN: OnceLock<pulp::Arch> = OnceLock::new();

fn chosen() -> pulp::Arch {
    *CHOSEN.get_or_init(pulp::Arch::new)
}

impl VectorLevel {
    /// The one in use: that of the processor, unless another was [pinned](Self::pin).
    pub fn in_use() -> Self {
        VectorLevel::of(chosen())
    }

    /// Uses this level from now on, if the processor has it and nothing was computed with another one; whether it is in use now.
    pub fn pin(self) -> bool {
        let arch = match self {
            VectorLevel::Scalar => pulp::Arch::Scalar,
            VectorLevel::V3 | VectorLevel::Neon => pulp::Arch::new(),
        };
        // A second choice that is the same is none.
        let _ = CHOSEN.set(arch);
        VectorLevel::in_use() == self
    }

    /// Its name, as journals have it.
    pub fn name(self) -> &'static str {
        match self {
            VectorLevel::Scalar => "scalar",
            VectorLevel::V3 => "v3",
            VectorLevel::Neon => "neon",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        [VectorLevel::Scalar, VectorLevel::V3, VectorLevel::Neon].into_iter().find(|level| level.name() == name)
    }

    fn of(arch: pulp::Arch) -> Self {
        match arch {
            pulp::Arch::Scalar => VectorLevel::Scalar,
            _ if cfg!(target_arch = "aarch64") => VectorLevel::Neon,
            _ => VectorLevel::V3,
        }
    }
}

/// Runs what is compiled for each level with the one in use.
pub(crate) fn dispatch<O: pulp::WithSimd>(operation: O) -> O::Output {
    chosen().dispatch(operation)
}
