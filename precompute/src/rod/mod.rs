//! Discrete elastic rods \[Bergou10\]: one energy a file, each with value, gradient and second derivatives.

pub(crate) mod bend;
pub(crate) mod frame;
pub(crate) mod joint;
pub(crate) mod stretch;
pub(crate) mod twist;

#[cfg(test)]
mod tests;
