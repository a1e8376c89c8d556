//! Where second derivatives go, whatever keeps them.

use nalgebra::Matrix3;

/// Where second derivatives are added.
pub trait Blocks {
    /// Adds d2E / dx_i dx_j of one term; its transpose at (j, i) is implied. For i = j, two copies of one point in the same
    /// term, both are added; a term's own diagonal block goes to [`Blocks::add_diagonal`].
    fn add(&mut self, i: usize, j: usize, block: &Matrix3<f64>);

    /// Adds d2E / dx_i^2 of one term.
    fn add_diagonal(&mut self, i: usize, block: &Matrix3<f64>);
}
