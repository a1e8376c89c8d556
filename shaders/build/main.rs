//! Validates every stage in `wgsl/` and writes down what the host must agree with: sources, entry points, workgroup
//! sizes and bindings. Structs in buffers must be those of `crate::gpu`, member by member: the code written
//! here asserts it, so a drift does not compile.
//!
//! A line `//!use name` in a stage puts `wgsl/name.wgsl` in front of it. Files whose name begins with `_` are only
//! used so, they are not stages of their own. The shaders that draw, in `wgsl/draw/`, are treated the same.
//!
//! Without the feature `gpu` there is nothing to do, and naga is not built.

#![allow(clippy::print_stdout, reason = "cargo reads what a build script prints")]

#[cfg(feature = "gpu")]
mod constants;
#[cfg(feature = "gpu")]
mod reflect;

fn main() {
    println!("cargo::rerun-if-changed=wgsl");
    println!("cargo::rerun-if-changed=build");
    #[cfg(feature = "gpu")]
    reflect::write_stages();
}
