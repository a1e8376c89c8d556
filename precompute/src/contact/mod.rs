//! Contact of two segments of yarn \[Kaldor08\]: energy, quadrature, passage. Which segments of a fabric meet is the business
//! of `cell::pairs`.

pub(crate) mod pair;
pub(crate) mod passage;
pub(crate) mod potential;
pub(crate) mod quadrature;
