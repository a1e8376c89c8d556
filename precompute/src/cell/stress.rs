//! Stress: the derivative of a cell's energy by the strain, in the plane.
//!
//! The energy of an equilibrium changes with the strain as if material displacements were held \[Sperl21, Eq. 5\]: to first order,
//! moving them costs nothing, and the constraints stay satisfied. Held, they let every edge e and every offset o of two points in
//! contact follow the plane, e = S E and o = S O with S = sqrt(I), whatever copies of the cell they belong to. So the derivative
//! by I needs the forces f = dE/de and dE/do alone, the *virial*
//!
//!   M = sum f e^T + sum f o^T,     dE = 1/2 tr(P dI),   P = S^-1 M S^-1,
//!
//! where M is symmetric, since no energy changes when the fabric turns. With x = 1 + sx and y = 1 + sy, I11 = x^2, I12 = sa x y and
//! I22 = y^2 [Sperl21, Eq. 4]:
//!
//!   dE/dsx = x P11 + sa y P12,   dE/dsa = x y P12,   dE/dsy = y P22 + sa x P12
//!
//! Frames follow their edges by parallel transport: for yarns without rest curvature, whose energy does not change when a whole yarn
//! turns about itself, it does not matter how they are carried.

use super::energy::Problem;
use super::pairs::Pairs;
use super::state::State;
use nalgebra::{Matrix2, Vector3};
use yarnwise_shared::table::strain::{Strain, Sym2};

/// d psi / d(sx, sa, sy) of the energy density psi of an equilibrium, N/m; none where the fabric is bent. `pairs` must hold every
/// pair that touches.
pub(crate) fn stress(problem: &Problem, state: &State, pairs: &Pairs) -> Option<[f64; 3]> {
    let stretch = problem.deformation.flat_stretch()?;
    let m = rod_virial(problem, state) + contact_virial(problem, &state.position, pairs);
    Some(slopes(stretch, &m).map(|slope| slope / problem.cell.area()))
}

/// dE / d(sx, sa, sy) of a cell by kind of force, elastic and contact, J; none where the fabric is bent.
pub(crate) fn pulls(problem: &Problem, state: &State, pairs: &Pairs) -> Option<[[f64; 3]; 2]> {
    let stretch = problem.deformation.flat_stretch()?;
    let virials = [rod_virial(problem, state), contact_virial(problem, &state.position, pairs)];
    Some(virials.map(|m| slopes(stretch, &m)))
}

/// dE / d(sx, sa, sy), J, from the virial M.
fn slopes(stretch: Sym2<f64>, m: &Matrix2<f64>) -> [f64; 3] {
    let symmetric = Sym2::new(m.m11, 0.5 * (m.m12 + m.m21), m.m22);
    let p = symmetric.sandwich(stretch.inverse());
    let Strain { sx, sa, sy } = Strain::from_first_form(Sym2::identity().sandwich(stretch));
    let (x, y) = (1.0 + sx, 1.0 + sy);
    [x * p.xx + sa * y * p.xy, x * y * p.xy, y * p.yy + sa * x * p.xy]
}

/// sum f e^T over the rods, J.
fn rod_virial(problem: &Problem, state: &State) -> Matrix2<f64> {
    let mut sum = Matrix2::zeros();
    problem.for_each_rod_force(state, |[f0, f1], [e0, e1]| sum += outer(&f0, &e0) + outer(&f1, &e1));
    sum
}

/// sum f o^T over contact, J.
fn contact_virial(problem: &Problem, x: &[Vector3<f64>], pairs: &Pairs) -> Matrix2<f64> {
    let mut sum = Matrix2::zeros();
    for pair in &pairs.pairs {
        let rule = problem.contact.rule(problem.cell, pair.first as usize, pair.second as usize);
        let segments = problem.segments(x, pair, pairs);
        if segments.far_apart(&rule) {
            continue;
        }
        if let Some(g) = segments.gradient(&rule) {
            // Forces of a pair add up to nothing, so places may be counted from anywhere.
            let ([p0, p1], [q0, q1]) = (segments.p, segments.q);
            sum += outer(&g[1], &(p1 - p0)) + outer(&g[2], &(q0 - p0)) + outer(&g[3], &(q1 - p0));
        }
    }
    sum
}

fn outer(f: &Vector3<f64>, e: &Vector3<f64>) -> Matrix2<f64> {
    f.xy() * e.xy().transpose()
}
