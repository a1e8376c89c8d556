//! What is minimized.

use super::matrix::PointMatrix;
use nalgebra::Vector3;

/// What is large and what is small in a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// A large force, such as the stretch stiffness of a yarn, N.
    pub force: f64,
    /// A large stiffness between neighboring points, N/m.
    pub stiffness: f64,
    /// No step moves a point by more than this along an axis, m: a fraction of the yarn's radius.
    pub step: f64,
}

/// An energy of points in space.
///
/// Lists of what may touch are kept by the objective: [`Objective::refresh`] is called before the first evaluation and after each
/// step that is taken, and lists must hold for every place within [`Units::step`] along each axis.
pub trait Objective {
    /// Number of points.
    fn points(&self) -> usize;

    /// What is large and what is small.
    fn units(&self) -> Units;

    /// Brings lists of what may touch up to date for steps from `x` (m); whether [`Objective::couplings`] may have changed.
    fn refresh(&mut self, x: &[Vector3<f64>]) -> bool;

    /// The energy at `x`, J. Not finite where it is not defined.
    fn value(&self, x: &[Vector3<f64>]) -> f64;

    /// Calls `pair` for all pairs of points that share an entry of the second derivatives, in any order, repeated or not.
    fn couplings(&self, pair: &mut dyn FnMut(usize, usize));

    /// Adds the gradient (N) and the second derivatives (N/m) at `x`.
    fn derivatives(&self, x: &[Vector3<f64>], gradient: &mut [Vector3<f64>], matrix: &mut PointMatrix);
}
