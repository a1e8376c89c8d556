//! Persistent contacts \[Cirio14\] as a model of fabric, flat and with crimp.
//!
//! - `fabric`: [`Persistent`], a [`yarnwise_precompute::fabric::Fabric`].
//! - `woven`: from a woven pattern and its material.
//! - `files`: to and from parameters files.

mod fabric;
mod files;
#[cfg(test)]
mod tests;
mod woven;

pub use fabric::Persistent;
pub use woven::{Woven, is_woven, woven};
