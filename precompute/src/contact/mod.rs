//! Contact of two segments of yarn \[Kaldor08\]: energy, quadrature, passage. Which segments of a fabric meet is the business
//! of [`cell::pairs`](crate::cell::pairs).

pub mod pair;
pub mod passage;
pub mod potential;
pub mod quadrature;
