//! Discrete elastic rods \[Bergou10\]: one energy a file, each with value, gradient and second derivatives.

pub mod bend;
pub mod frame;
pub mod joint;
pub mod stretch;
pub mod twist;

#[cfg(test)]
mod tests;
