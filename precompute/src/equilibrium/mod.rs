//! Elastostatic equilibrium of a cell under a large-scale deformation [Sperl21, Section 3.1].

pub(crate) mod assembly;
pub mod descent;
mod follow;
mod linear;
mod sample;
pub mod settings;
mod smooth;
pub mod solver;
mod statistics;
pub mod twists;

pub use follow::{Follower, Seen};
pub use sample::{Solved, Start, solve, solve_unless_known};
pub(crate) use sample::{is_sound, run};
pub(crate) use smooth::STIFFER;
pub use smooth::smooth_contact;
