//! Solvers that move cloth: each steps in time and hands out positions.
//!
//! In the order in which they build on each other:
//!
//! - [`linear`]: operators, filters, preconditioners and the methods that put them together; knows no cloth.
//! - [`motion`]: prescribed motion of pins and bodies.
//! - [`contact`]: bodies, friction, close pairs; knows positions, not what they are made of.
//! - `pace`, `grab`: the length of steps, and taking hold of cloth with the mouse.
//! - [`parameters`]: what was estimated, as solvers take it.
//! - [`scene`]: what scene files of all solvers share.
//! - [`cloth`]: implicit cloth of particles and springs \[Boxerman03\].
//! - `yarn`: woven cloth yarn by yarn \[Cirio14\]; behind the feature `yarn-level`, see `NOTICE`.
//! - `hybrid`: yarns where they matter, triangles elsewhere \[Casafranca20\]; behind the same feature.
//!
//! Symbols, units and the papers that citations name are listed in `docs/reference/notation.md`.

pub mod cloth;
pub mod contact;
mod error;
mod grab;
#[cfg(feature = "yarn-level")]
pub mod hybrid;
pub mod linear;
pub mod motion;
mod pace;
pub mod parameters;
pub mod scene;
#[cfg(feature = "yarn-level")]
pub mod yarn;

pub use error::{Error, Result};
