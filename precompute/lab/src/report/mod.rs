//! Figures that show how good a bake is.

pub mod balance;
pub mod campaign;
pub mod cold;
pub mod continued;
pub mod energies;
pub mod estimate;
pub mod jumps;
pub mod pictures;
pub mod plots;
pub mod published;
pub mod rest;
pub mod trace;
