//! Solvers that move cloth: each steps in time and hands out positions.
//!
//! - [`linear`]: operators, filters, preconditioners and the methods that put them together; knows no cloth.
//! - [`contact`]: bodies, friction, self-contact.
//! - [`motion`]: prescribed motion of pins and bodies.
//! - [`cloth`]: implicit cloth of particles and springs \[Boxerman03\].

pub mod cloth;
pub mod contact;
pub mod linear;
pub mod motion;
