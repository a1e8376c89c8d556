//! Contact between yarns \[Kaldor08\].

pub mod broad_phase;
pub mod pair;
pub mod passage;
pub mod potential;
pub mod quadrature;
