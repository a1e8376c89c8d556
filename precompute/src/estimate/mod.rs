//! Estimation: which parameters make a model behave as measured.

pub mod membrane;
