//! Passes over the vectors of a method: steps that work on pieces are fused, others stand alone.
//!
//! An iteration waits for memory. A pass is a list of steps; each run of piecewise steps, and the sums after the last, are
//! done piece by piece, so that a piece is read once. A step that needs whole vectors ends a run and begins another.

use super::vector::in_pieces;
use super::{Filter, Operator, Preconditioner, Scalar};

/// One step of a pass; vectors are named by their place in the pass.
#[derive(Clone, Copy)]
pub(super) enum Step<'a, T> {
    /// v[to] = A x.
    Product { x: &'a [T], to: usize },
    /// v[to] = b − v[minus].
    Residual { b: &'a [T], minus: usize, to: usize },
    /// v[at] ← S v[at].
    Filter { at: usize },
    /// v[to] = P⁻¹ v[from].
    Precondition { from: usize, to: usize },
    /// v[at] += sign · c.
    Add { c: &'a [T], sign: T, at: usize },
    /// v[x] += α p, v[r] −= α v[s].
    Advance { alpha: T, p: &'a [T], x: usize, r: usize, s: usize },
    /// v[at] = h + β v[at].
    Turn { h: &'a [T], beta: T, at: usize },
}

/// The three parts of a filtered system, which steps refer to.
pub(super) struct Parts<'a, A: ?Sized, F: ?Sized, P: ?Sized> {
    pub(super) a: &'a A,
    pub(super) filter: &'a F,
    pub(super) preconditioner: &'a P,
}

impl<A: ?Sized, F: ?Sized, P: ?Sized> Parts<'_, A, F, P> {
    /// Does the steps and adds up what `sums` returns for each piece.
    pub(super) fn pass<T: Scalar, const N: usize, const M: usize>(
        &self,
        mut vectors: [&mut [T]; N],
        steps: &[Step<'_, T>],
        sums: impl Fn(usize, &[&mut [T]; N]) -> [f64; M] + Sync,
    ) -> [f64; M]
    where
        A: Operator<T>,
        F: Filter<T>,
        P: Preconditioner<T>,
    {
        // Up to and with the last whole step; what follows is fused with the sums.
        let whole = steps.iter().rposition(|s| !self.is_piecewise(s)).map_or(0, |last| last + 1);
        let (before, last) = steps.split_at(whole);
        for run in before.chunk_by(|a, b| self.is_piecewise(a) && self.is_piecewise(b)) {
            if self.is_piecewise(&run[0]) {
                in_pieces(reborrow(&mut vectors), |first, mut piece| {
                    run.iter().for_each(|step| self.on_piece(step, first, &mut piece));
                    []
                });
            } else {
                self.on_whole(&run[0], &mut vectors);
            }
        }
        in_pieces(vectors, |first, mut piece| {
            last.iter().for_each(|step| self.on_piece(step, first, &mut piece));
            sums(first, &piece)
        })
    }

    fn is_piecewise<T: Scalar>(&self, step: &Step<'_, T>) -> bool
    where
        A: Operator<T>,
        F: Filter<T>,
        P: Preconditioner<T>,
    {
        match step {
            Step::Product { .. } => self.a.pieces().is_some(),
            Step::Filter { .. } => self.filter.pieces().is_some(),
            Step::Precondition { .. } => self.preconditioner.pieces().is_some(),
            _ => true,
        }
    }

    fn on_whole<T: Scalar, const N: usize>(&self, step: &Step<'_, T>, v: &mut [&mut [T]; N])
    where
        A: Operator<T>,
        F: Filter<T>,
        P: Preconditioner<T>,
    {
        match *step {
            Step::Product { x, to } => self.a.apply(x, v[to]),
            Step::Filter { at } => self.filter.apply(v[at]),
            Step::Precondition { from, to } => {
                let (r, h) = two(v, from, to);
                self.preconditioner.apply_inverse(r, h);
            }
            _ => self.on_piece(step, 0, v),
        }
    }

    fn on_piece<T: Scalar, const N: usize>(&self, step: &Step<'_, T>, first: usize, v: &mut [&mut [T]; N])
    where
        A: Operator<T>,
        F: Filter<T>,
        P: Preconditioner<T>,
    {
        match *step {
            Step::Product { x, to } => {
                if let Some(a) = self.a.pieces() {
                    a.apply_piece(x, first, v[to]);
                }
            }
            Step::Filter { at } => {
                if let Some(filter) = self.filter.pieces() {
                    filter.apply_piece(first, v[at]);
                }
            }
            Step::Precondition { from, to } => {
                let (r, h) = two(v, from, to);
                if let Some(preconditioner) = self.preconditioner.pieces() {
                    preconditioner.apply_inverse_piece(first, r, h);
                }
            }
            Step::Residual { b, minus, to } => {
                let (s, r) = two(v, minus, to);
                for ((r, b), s) in r.iter_mut().zip(&b[first..]).zip(s) {
                    *r = *b - *s;
                }
            }
            Step::Add { c, sign, at } => {
                for (v, c) in v[at].iter_mut().zip(&c[first..]) {
                    *v += sign * *c;
                }
            }
            Step::Advance { alpha, p, x, r, s } => {
                for (x, p) in v[x].iter_mut().zip(&p[first..]) {
                    *x += alpha * *p;
                }
                let (s, r) = two(v, s, r);
                for (r, s) in r.iter_mut().zip(s) {
                    *r -= alpha * *s;
                }
            }
            Step::Turn { h, beta, at } => {
                for (p, h) in v[at].iter_mut().zip(&h[first..]) {
                    *p = *h + beta * *p;
                }
            }
        }
    }
}

/// The vectors, lent for a while.
fn reborrow<'b, T, const N: usize>(vectors: &'b mut [&mut [T]; N]) -> [&'b mut [T]; N] {
    vectors.each_mut().map(|v| &mut **v)
}

/// Two different vectors, the first to read and the second to write.
fn two<'b, T, const N: usize>(v: &'b mut [&mut [T]; N], read: usize, write: usize) -> (&'b [T], &'b mut [T]) {
    let (low, high) = v.split_at_mut(read.max(write));
    if read < write { (&*low[read], &mut *high[0]) } else { (&*high[0], &mut *low[write]) }
}
