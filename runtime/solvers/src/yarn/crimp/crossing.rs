//! Both yarns at a crossing, with heights in equilibrium.
//!
//! Outer variables are (l, ℓ) of the ports u−, u+, v−, v+. With F the second derivatives by them, B those by them and the heights, H
//! those by the heights, the envelope has the gradient at the heights found and the second derivatives F − B H⁻¹ Bᵀ.

use super::contact::CrimpContact;
use super::law::CrimpLaw;
use super::passage::{Curvature, HEIGHT, Passage, Side};
use nalgebra::{Matrix2, SMatrix, SVector, Vector2};

/// Where each search for heights begins, in radii: always at the same place, so that the answer has no history.
const START: f64 = 0.95;

/// No step of the search changes a height by more than this, in radii.
const STEP: f64 = 0.5;

/// No step of the search makes a height less than this part of it: heights stay positive.
const LEAST: f64 = 0.1;

/// Steps below this, in radii, end the search.
const SMALL: f64 = 1e-13;

/// Steps below this, in radii, need no lower energy: rounding hides it.
const UNSEEN: f64 = 1e-6;

/// The search ends after this many steps in any case.
const MOST: usize = 200;

/// Heights below this, in radii, count as none: there the stretch of the yarn does not resist them.
const FLAT: f64 = 1e-9;

/// Derivatives by (l, ℓ) of the four ports.
pub type OuterGradient = SVector<f64, 8>;
/// Second derivatives by (l, ℓ) of the four ports.
pub type OuterHessian = SMatrix<f64, 8, 8>;

/// A crossing: the sides of its warp and its weft.
#[derive(Clone, Copy, Debug)]
pub struct Crossing<'a> {
    /// The coefficients.
    pub law: &'a CrimpLaw,
    /// Warp and weft: sides towards smaller and larger arc coordinates.
    pub yarns: [[Option<Side>; 2]; 2],
}

/// A crossing whose heights are in equilibrium.
#[derive(Clone, Copy, Debug)]
pub struct Equilibrium {
    /// h_u and h_v, m.
    pub heights: [f64; 2],
    /// Whether they were found.
    pub converged: bool,
    /// Warp and weft.
    pub passages: [Passage; 2],
    /// Of warp on weft.
    pub contact: CrimpContact,
    free: [bool; 2],
}

/// How a crossing changes with a parameter at constant outer variables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensitive {
    /// Change of the gradient.
    pub gradient: OuterGradient,
    /// Change of the heights.
    pub heights: [f64; 2],
}

impl Crossing<'_> {
    fn at(&self, heights: Vector2<f64>, free: [bool; 2]) -> Equilibrium {
        let passage = |k: usize| Passage::new(self.law, &self.yarns[k], heights[k]);
        Equilibrium {
            heights: heights.into(),
            converged: false,
            passages: [passage(0), passage(1)],
            contact: CrimpContact::new(self.law, heights.sum()),
            free,
        }
    }

    /// Finds the heights; none where no yarn rises: nothing happens there.
    pub fn solve(&self) -> Option<Equilibrium> {
        let free = self.yarns.map(|sides| Passage::rises(&sides));
        if free == [false; 2] {
            return None;
        }
        let r = self.law.radius;
        let start = free.map(|free| if free { START * r } else { r });
        let mut now = self.at(start.into(), free);
        for _ in 0..MOST {
            let mut step = now.step();
            let longest = step.amax() / r;
            if longest > STEP {
                step *= STEP / longest;
            }
            // A step that rounding makes non-finite ends the search as not converged.
            if !longest.is_finite() {
                return Some(now);
            }
            let Some(next) = self.lower(&now, step) else { break };
            now = next;
            if longest <= SMALL {
                now.converged = true;
                return Some(now);
            }
        }
        now.converged = now.height_gradient().amax() <= 1e-10 * self.law.stretch;
        Some(now)
    }

    /// The largest part of a step, by halves, that lowers the energy.
    fn lower(&self, from: &Equilibrium, step: Vector2<f64>) -> Option<Equilibrium> {
        let energy = from.energy();
        let here = Vector2::from(from.heights);
        let mut part = 1.0;
        for _ in 0..50 {
            let bounded = (here + step * part).zip_map(&here, |to, from| to.max(LEAST * from));
            let next = self.at(bounded, from.free);
            if next.energy() <= energy || part * step.amax() < UNSEEN * self.law.radius {
                return Some(next);
            }
            part *= 0.5;
        }
        None
    }
}

impl Equilibrium {
    /// All of it, J.
    pub fn energy(&self) -> f64 {
        self.passages.iter().map(|p| p.stretch + p.bend).sum::<f64>() + self.contact.energy
    }

    /// F_n: how hard warp and weft press on each other, N.
    pub fn normal_force(&self) -> f64 {
        self.contact.force
    }

    fn height_gradient(&self) -> Vector2<f64> {
        self.masked(|k| self.passages[k].gradient()[HEIGHT] - self.contact.force)
    }

    /// A vector over the heights, zero for those that are no unknowns.
    fn masked(&self, value: impl Fn(usize) -> f64) -> Vector2<f64> {
        Vector2::from_fn(|k, _| if self.free[k] { value(k) } else { 0.0 })
    }

    /// H, with ones on the diagonal for what is no unknown.
    fn height_hessian(&self, curvature: Curvature) -> Matrix2<f64> {
        let c = self.contact.stiffness;
        let own = |k: usize| self.passages[k].hessian(curvature)[(HEIGHT, HEIGHT)];
        Matrix2::from_fn(|i, j| match (self.free[i] && self.free[j], i == j) {
            (true, true) => own(i) + c,
            (true, false) => c,
            (false, same) => f64::from(u8::from(same)),
        })
    }

    /// Newton's step towards the minimum.
    fn step(&self) -> Vector2<f64> {
        let gradient = self.height_gradient();
        let exact = self.height_hessian(Curvature::Exact);
        let hessian = if is_definite(&exact) { exact } else { self.height_hessian(Curvature::Positive) };
        // Where nothing resists, a step downhill as long as steps may be.
        let unit = self.passages[0].scale();
        let shift = if is_definite(&hessian) { 0.0 } else { 1e-3 * unit };
        -inverse(&(hessian + Matrix2::identity() * shift)) * gradient
    }

    /// H⁻¹ of what the heights resist with.
    fn compliance(&self, curvature: Curvature) -> Matrix2<f64> {
        let mut bound = *self;
        let flat = FLAT * self.passages[0].radius();
        (0..2).for_each(|k| bound.free[k] &= self.heights[k] > flat);
        let mut inverse = inverse(&bound.height_hessian(curvature));
        for k in (0..2).filter(|k| !bound.free[*k]) {
            inverse.row_mut(k).fill(0.0);
            inverse.column_mut(k).fill(0.0);
        }
        inverse
    }

    /// Forces and stresses: derivatives of the energy by (l, ℓ) of the ports.
    pub fn gradient(&self) -> OuterGradient {
        self.outer(|p| p.gradient())
    }

    fn outer(&self, of: impl Fn(&Passage) -> super::passage::Gradient) -> OuterGradient {
        let [u, v] = [0, 1].map(|k| of(&self.passages[k]));
        OuterGradient::from_fn(|k, _| if k < 4 { u[k] } else { v[k - 4] })
    }

    /// Second derivatives of the energy with the heights in equilibrium.
    pub fn hessian(&self, curvature: Curvature) -> OuterHessian {
        let hessians = [0, 1].map(|k| self.passages[k].hessian(curvature));
        let mut out = OuterHessian::zeros();
        for (k, h) in hessians.iter().enumerate() {
            out.fixed_view_mut::<4, 4>(4 * k, 4 * k).copy_from(&h.fixed_view::<4, 4>(0, 0));
        }
        let compliance = self.compliance(curvature);
        let b = coupling(&hessians);
        out - b * compliance * b.transpose()
    }

    /// Change of the heights with the outer variables, m/m.
    pub fn heights_by_outer(&self) -> SMatrix<f64, 2, 8> {
        let b = coupling(&[0, 1].map(|k| self.passages[k].hessian(Curvature::Exact)));
        -self.compliance(Curvature::Exact) * b.transpose()
    }

    fn sensitive(&self, gradient: OuterGradient, by_heights: Vector2<f64>) -> Sensitive {
        let heights = -self.compliance(Curvature::Exact) * by_heights;
        let b = coupling(&[0, 1].map(|k| self.passages[k].hessian(Curvature::Exact)));
        Sensitive { gradient: gradient + b * heights, heights: heights.into() }
    }

    /// By ln k_s. Contact is in units of k_s.
    pub fn by_stretch(&self) -> Sensitive {
        let heights = self.masked(|k| self.passages[k].stretch_gradient[HEIGHT] - self.contact.force);
        self.sensitive(self.outer(|p| p.stretch_gradient), heights)
    }

    /// By ln k_b.
    pub fn by_bend(&self) -> Sensitive {
        let heights = self.masked(|k| self.passages[k].bend_gradient[HEIGHT]);
        self.sensitive(self.outer(|p| p.bend_gradient), heights)
    }

    /// By ln K.
    pub fn by_contact(&self) -> Sensitive {
        self.sensitive(OuterGradient::zeros(), self.masked(|_| -self.contact.force))
    }

    /// By ln n.
    pub fn by_exponent(&self) -> Sensitive {
        let change = -self.contact.force * self.contact.by_exponent;
        self.sensitive(OuterGradient::zeros(), self.masked(|_| change))
    }
}

/// B: second derivatives by outer variables and heights.
fn coupling(hessians: &[super::passage::Hessian; 2]) -> SMatrix<f64, 8, 2> {
    let mut b = SMatrix::<f64, 8, 2>::zeros();
    for (k, h) in hessians.iter().enumerate() {
        b.fixed_view_mut::<4, 1>(4 * k, k).copy_from(&h.fixed_view::<4, 1>(0, HEIGHT));
    }
    b
}

fn is_definite(m: &Matrix2<f64>) -> bool {
    m[(0, 0)] > 0.0 && m.determinant() > 1e-12 * m[(0, 0)] * m[(1, 1)].abs()
}

/// The inverse of a symmetric matrix, zero where it is singular.
fn inverse(m: &Matrix2<f64>) -> Matrix2<f64> {
    m.try_inverse().unwrap_or_default()
}
