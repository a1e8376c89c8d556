//! Elastic equilibria of periodic yarn patterns, and the databases made of them.
//!
//! - [`job`]: long jobs that survive interruption.

mod error;
pub mod job;

pub use error::{Error, Result};
