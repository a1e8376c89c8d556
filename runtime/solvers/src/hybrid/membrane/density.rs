//! ψ(sx, sa, sy) as an energy of F: sx = |F_u| − 1, sa = cos φ, sy = |F_v| − 1 [Sperl21, Eq. 4].
//!
//! The tangent has the second derivatives in (l_u, φ, l_v) without their negative eigenvalues, plus the positive geometric
//! part.

use super::Gradient;
use super::directions::{Directions, SecondOrder, Stresses};
use super::svk::positive_part;
use nalgebra::{Matrix3, Vector3};
use yarnwise_shared::parameters::Density;

/// P, N/m, of a density by strains.
pub(super) fn stress(f: &Gradient, at: impl Fn([f64; 3]) -> Density) -> Gradient {
    let directions = Directions::new(f);
    let density = at(strains(&directions));
    directions.stress(&stresses(&directions, &density))
}

/// ψ up to second order, of a density by strains.
pub(super) fn second_order(f: &Gradient, at: impl Fn([f64; 3]) -> Density) -> SecondOrder {
    let directions = Directions::new(f);
    let density = at(strains(&directions));
    let to_angle = Matrix3::from_diagonal(&Vector3::new(1.0, -directions.angle.sine, 1.0));
    let mut stiffness = to_angle * density.curvature * to_angle;
    stiffness[(1, 1)] -= directions.angle.cosine * density.slope.y;
    let stresses = stresses(&directions, &density);
    SecondOrder { directions, stiffness: positive_part(&stiffness), stresses }
}

/// (sx, sa, sy) of F.
pub(super) fn strains_of(f: &Gradient) -> [f64; 3] {
    strains(&Directions::new(f))
}

fn strains(directions: &Directions) -> [f64; 3] {
    let [u, v] = &directions.sides;
    [u.strain(), directions.angle.cosine, v.strain()]
}

/// ∂ψ/∂(l_u, φ, l_v), N/m.
fn stresses(directions: &Directions, density: &Density) -> Stresses {
    let [x, a, y] = density.slope.into();
    Stresses::new(x, -directions.angle.sine * a, y)
}
