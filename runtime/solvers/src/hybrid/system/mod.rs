//! The linear system of a Newton iteration, for yarns and triangles together.
//!
//! *Reduced* (ours): unknowns are the five of every simulated node and the three of every vertex of triangles alone; hybrid vertices follow
//! their nodes, v = R p. With A_p of the yarns, A_v of the triangles and E the map to the vertices,
//!
//!   A = A_p + Eᵀ A_v E
//!
//! Pins, contact and friction of nodes are then filters of single nodes. *Filtered* [Casafranca20, Eq. 9]: unknowns (v, x) of all active vertices and
//! nodes, p = B v + F x, S A S with S = diag(I, F). Both are the same problem in another basis.
//!
//! - `vertex_matrix`, `shell`: the triangles' side.
//! - `reduced`: vectors, operator and filter of the reduced form.
//! - `blended_mass`: the paper's preconditioner, in both forms.
//! - `filtered`: the paper's form, for comparison.
//! - `lines`: yarns solved along their length.
//! - `coarse`: the motions of all triangles, also under yarns.

mod blended_mass;
mod coarse;
mod filtered;
mod lines;
mod reduced;
mod shell;
mod vertex_matrix;

pub(crate) use blended_mass::{BlendedMass, LowRankMass, LumpedMass, MassDiagonal, dense_blended_mass};
pub(crate) use coarse::CoarseCorrection;
pub(crate) use filtered::FilteredSystem;
pub(crate) use lines::LineMatrices;
pub(crate) use reduced::{HybridFilter, ReducedOperator, Unknowns};
pub(crate) use shell::{ShellStep, ShellSystem, lagged};
pub(crate) use vertex_matrix::VertexMatrix;
