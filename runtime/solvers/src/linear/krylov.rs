//! Conjugate gradients, plain and filtered.
//!
//! [`mpcg`] is the modified preconditioned conjugate gradient method with the Ascher-Boxerman corrections
//! [Boxerman03, Fig. 5.2]. Against Baraff and Witkin's original it starts from S x0 + (I − S) z, where x0 is the last
//! step's solution, and it measures progress against b̂ = S (b − A (I − S) z), the right-hand side of the projected
//! problem.

use super::pass::{Parts, Step};
use super::vector::dot;
use super::{Filter, Operator, Preconditioner, Scalar, Unfiltered};

/// When a solve stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRule {
    /// tol²: the solve ends when δ ≤ tol² b̂ᵀ P⁻¹ b̂.
    pub tolerance_squared: f64,
    /// Whether also rᵀ r ≤ tol² b̂ᵀ b̂ is asked for. The measure of the thesis weighs stiff directions so little that a
    /// rigid motion along them may go unsolved: a tilted sheet would not fall straight down. Leave it off where the
    /// entries of the vectors have different units.
    pub plain_residual: bool,
    /// rᵀ r that is nothing but rounding in b: a solve that reaches it is done, however small b̂ is. A body that falls at
    /// its final speed has forces that cancel; what is left of them means nothing, and to solve for it blows it up.
    pub negligible: f64,
    /// The most iterations; a solve that needs more is reported as not converged.
    pub max_iterations: usize,
}

/// What a solve took.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SolveReport {
    /// Iterations.
    pub iterations: usize,
    /// Products of a row of A with a vector, the `RV count` of the thesis, those before the first iteration included: two,
    /// one where nothing is prescribed but rest, none from rest.
    pub row_products: u64,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// Solves A x = b by preconditioned conjugate gradients. On entry `x` is the guess, on return the solution.
pub fn conjugate_gradients<T: Scalar>(
    a: &(impl Operator<T> + ?Sized),
    preconditioner: &(impl Preconditioner<T> + ?Sized),
    b: &[T],
    x: &mut [T],
    rule: &StoppingRule,
) -> SolveReport {
    let nothing = vec![T::ZERO; x.len()];
    mpcg(a, &Unfiltered, preconditioner, b, &nothing, x, rule)
}

/// Solves S A x = S b, (I − S) x = (I − S) z.
///
/// On entry `x` is the guess x0, on return the solution; its prescribed part equals that of `z` exactly as far as
/// rounding lets it. An iteration is three passes over the vectors where all parts are piecewise.
pub fn mpcg<T: Scalar>(
    a: &(impl Operator<T> + ?Sized),
    filter: &(impl Filter<T> + ?Sized),
    preconditioner: &(impl Preconditioner<T> + ?Sized),
    b: &[T],
    z: &[T],
    x: &mut [T],
    rule: &StoppingRule,
) -> SolveReport {
    let n = x.len();
    let parts = Parts { a, filter, preconditioner };
    let mut memory = vec![T::ZERO; 3 * n];
    let (r, rest) = memory.split_at_mut(n);
    let (p, s) = rest.split_at_mut(n);

    let one = T::from_f64(1.0);
    // The prescribed part of z, and the vector to start from: v ← S (v − z) + z.
    let (less, more) = (|at| Step::Add { c: z, sign: -one, at }, |at| Step::Add { c: z, sign: one, at });
    let impose = [less(0), less(1), Step::Filter { at: 0 }, Step::Filter { at: 1 }, more(0), more(1)];
    let [prescribed] = parts.pass([&mut *p, &mut *x], &impose, |_, [p, _]| [dot(p, p)]);

    // b̂ = S (b − A (I − S) z). Where nothing is prescribed but rest, as on a pinned sheet, the product is known.
    let known = prescribed == 0.0;
    let project = [
        Step::Product { x: p, to: 1 },
        Step::Residual { b, minus: 1, to: 0 },
        Step::Filter { at: 0 },
        Step::Precondition { from: 0, to: 1 },
    ];
    let project = &project[usize::from(known)..];
    let goal = parts.pass([&mut *r, &mut *s], project, |_, [r, s]| [dot(r, s), dot(r, r)]);

    let start = [
        Step::Product { x, to: 2 },
        Step::Residual { b, minus: 2, to: 0 },
        Step::Filter { at: 0 },
        Step::Precondition { from: 0, to: 1 },
        Step::Filter { at: 1 },
    ];
    let left = parts.pass([&mut *r, &mut *p, &mut *s], &start, |_, [r, p, _]| [dot(r, p), dot(r, r)]);
    let products_before = if known { 1 } else { 2 };
    iterate(&parts, Vectors { x, r, p, s }, goal, left, products_before, rule)
}

/// Solves S A x = S b, (I − S) x = 0, from x = 0: what [`mpcg`] does where nothing is prescribed but rest and nothing is known of the
/// solution, with one product and one vector less. The solution is added to `x`, which is not read. On entry `r` is b, on return what
/// is left of it.
pub fn mpcg_from_rest<T: Scalar>(
    a: &(impl Operator<T> + ?Sized),
    filter: &(impl Filter<T> + ?Sized),
    preconditioner: &(impl Preconditioner<T> + ?Sized),
    r: &mut [T],
    x: &mut [T],
    rule: &StoppingRule,
) -> SolveReport {
    let n = x.len();
    let parts = Parts { a, filter, preconditioner };
    let mut memory = vec![T::ZERO; 2 * n];
    let (p, s) = memory.split_at_mut(n);
    let start = [Step::Filter { at: 0 }, Step::Precondition { from: 0, to: 1 }];
    let goal = parts.pass([&mut *r, &mut *s], &start, |_, [r, s]| [dot(r, s), dot(r, r)]);
    let turn = [Step::Turn { h: s, beta: T::ZERO, at: 0 }, Step::Filter { at: 0 }];
    let [delta] = parts.pass([&mut *p], &turn, |first, [p]| [dot(&r[first..first + p.len()], p)]);
    let left = [delta, goal[1]];
    iterate(&parts, Vectors { x, r, p, s }, goal, left, 0, rule)
}

/// The solution, the residual, the direction, and its product.
struct Vectors<'a, T> {
    x: &'a mut [T],
    r: &'a mut [T],
    p: &'a mut [T],
    s: &'a mut [T],
}

/// The iterations of conjugate gradients. `goal` has b̂ᵀ P⁻¹ b̂ and b̂ᵀ b̂, `left` the same of the residual.
fn iterate<T: Scalar, A, F, P>(
    parts: &Parts<'_, A, F, P>,
    vectors: Vectors<'_, T>,
    goal: [f64; 2],
    left: [f64; 2],
    products_before: u64,
    rule: &StoppingRule,
) -> SolveReport
where
    A: Operator<T> + ?Sized,
    F: Filter<T> + ?Sized,
    P: Preconditioner<T> + ?Sized,
{
    let Vectors { x, r, p, s } = vectors;
    let [goal, plain_goal] = goal.map(|goal| rule.tolerance_squared * goal);
    let unsolved = |delta: f64, plain: f64| {
        plain > rule.negligible && (delta > goal || (rule.plain_residual && plain > plain_goal))
    };
    let [mut delta, mut plain] = left;
    let mut iterations = 0;
    // The comparison is written so that NaN ends the loop, as not converged.
    while unsolved(delta, plain) && iterations < rule.max_iterations {
        let product = [Step::Product { x: p, to: 0 }, Step::Filter { at: 0 }];
        let [curvature] = parts.pass([&mut *s], &product, |first, [s]| [dot(&p[first..first + s.len()], s)]);
        // NaN once the residual has reached rounding: x must not follow.
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        let alpha = T::from_f64(delta / curvature);
        let delta_old = delta;
        // s becomes h = P⁻¹ r as soon as r has taken it in.
        let advance = [Step::Advance { alpha, p, x: 0, r: 1, s: 2 }, Step::Precondition { from: 1, to: 2 }];
        [delta, plain] = parts.pass([&mut *x, &mut *r, &mut *s], &advance, |_, [_, r, s]| [dot(r, s), dot(r, r)]);
        let turn = [Step::Turn { h: s, beta: T::from_f64(delta / delta_old), at: 0 }, Step::Filter { at: 0 }];
        parts.pass([&mut *p], &turn, |_, _| []);
        iterations += 1;
    }
    SolveReport {
        iterations,
        row_products: (iterations as u64 + products_before) * parts.a.rows() as u64,
        converged: !delta.is_nan() && !unsolved(delta, plain),
    }
}

/// Solves S A x = S b with x = S x by preconditioned conjugate residuals. On entry `x` is the guess, on return the solution.
///
/// The residual falls from one iteration to the next also in the plain norm, and A may be close to semidefinite; an iteration takes
/// two applications of the preconditioner's pieces more than [`mpcg`]. [Cirio14, §6] uses it.
pub fn conjugate_residuals<T: Scalar>(
    a: &(impl Operator<T> + ?Sized),
    filter: &(impl Filter<T> + ?Sized),
    preconditioner: &(impl Preconditioner<T> + ?Sized),
    b: &[T],
    x: &mut [T],
    rule: &StoppingRule,
) -> SolveReport {
    let n = x.len();
    let zero = || vec![T::ZERO; n];
    let (mut plain, mut r, mut ar, mut p_ap) = (zero(), zero(), zero(), zero());
    filter.apply(x);
    let mut filtered = b.to_vec();
    filter.apply(&mut filtered);
    let goal = rule.tolerance_squared * dot(&filtered, &filtered);
    // `plain` is S (b − A x), r the preconditioned residual.
    a.apply(x, &mut plain);
    plain.iter_mut().zip(b).for_each(|(p, b)| *p = *b - *p);
    filter.apply(&mut plain);
    preconditioner.apply_inverse(&plain, &mut r);
    filter.apply(&mut r);
    let mut p = r.clone();
    a.apply(&r, &mut ar);
    filter.apply(&mut ar);
    let mut ap = ar.clone();
    let mut r_ar = dot(&r, &ar);
    let mut iterations = 0;
    let mut left = dot(&plain, &plain);
    while left > goal && left > rule.negligible && iterations < rule.max_iterations {
        preconditioner.apply_inverse(&ap, &mut p_ap);
        filter.apply(&mut p_ap);
        let curvature = dot(&ap, &p_ap);
        if curvature.is_nan() || curvature <= 0.0 {
            break;
        }
        let alpha = T::from_f64(r_ar / curvature);
        for k in 0..n {
            x[k] += alpha * p[k];
            plain[k] -= alpha * ap[k];
            r[k] -= alpha * p_ap[k];
        }
        left = dot(&plain, &plain);
        a.apply(&r, &mut ar);
        filter.apply(&mut ar);
        let r_ar_old = r_ar;
        r_ar = dot(&r, &ar);
        let beta = T::from_f64(r_ar / r_ar_old);
        for k in 0..n {
            p[k] = r[k] + beta * p[k];
            ap[k] = ar[k] + beta * ap[k];
        }
        iterations += 1;
    }
    SolveReport {
        iterations,
        row_products: (iterations as u64 + 2) * a.rows() as u64,
        converged: left <= goal || left <= rule.negligible,
    }
}
