//! The stages of the runtime: WGSL, and for each a CPU twin of the same name.
//!
//! The WGSL in `wgsl/` is validated when this crate is built with the feature `gpu`; `stages` says for each stage what its
//! host must agree with, and the build asserts that structs and constants are the same on both sides. [`cpu`] has the
//! twins: one function per invocation, inputs in the order of the bindings, structs from [`crate::gpu`]. They are the oracle of the shaders and of the runtime's vectorized CPU path. What draws
//! (`stages::draw`) has no twin: pictures are its tests. Nothing here touches a device.
//!
//! Symbols, units, words and the papers that citations name: `docs/reference/notation.md`.

pub mod cpu;
pub mod gpu;

#[cfg(feature = "gpu")]
pub mod stages {
    //! What the build found in `wgsl/`: sources, entry points, bindings, struct offsets and constants.
    include!(concat!(env!("OUT_DIR"), "/stages.rs"));
}

/// A compute stage, or a shader that draws.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// Its name, that of its file.
    pub name: &'static str,
    /// The whole WGSL source.
    pub source: &'static str,
    /// Its entry points.
    pub entry_points: &'static [EntryPoint],
    /// Its bindings.
    pub bindings: &'static [Binding],
}

/// An entry point of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// The function's name.
    pub name: &'static str,
    /// Invocations per workgroup: the one place where this number is set is the shader. Zeros for one that draws.
    pub workgroup_size: [u32; 3],
}

/// A buffer, texture or sampler that a stage uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The variable's name.
    pub name: &'static str,
    /// Bind group.
    pub group: u32,
    /// Index in the group.
    pub index: u32,
    /// How the stage uses it.
    pub kind: BindingKind,
}

/// How a stage uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// Uniform.
    Uniform,
    /// Storage, only read.
    ReadOnly,
    /// Storage, written.
    ReadWrite,
    /// A texture of colors.
    Texture,
    /// A texture of depths.
    Depth,
    /// A texture of depths with several samples a pixel.
    MultisampledDepth,
    /// A sampler that compares depths.
    ComparisonSampler,
}
