//! The contact potential of two points of yarn surfaces.
//!
//!   f(d) = 1/d^2 + d^2 - 2 for d < 1, else 0          \[Kaldor08\]
//!
//! d = distance of the center lines over the yarn's diameter 2r, dimensionless. As a function of s = d^2 it needs no root:
//! g(s) = 1/s + s - 2, and it meets zero with zero slope at s = 1.

/// g(s).
#[inline(always)]
pub(crate) fn value(s: f64) -> f64 {
    if s < 1.0 { 1.0 / s + s - 2.0 } else { 0.0 }
}

/// dg/ds.
#[inline]
pub(crate) fn first(s: f64) -> f64 {
    if s < 1.0 { 1.0 - 1.0 / (s * s) } else { 0.0 }
}

/// d2g/ds2; the sums over nodes in `pair` write it out.
#[inline]
pub(crate) fn second(s: f64) -> f64 {
    if s < 1.0 { 2.0 / (s * s * s) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_agree_with_differences_and_vanish_outside() {
        for s in [0.1, 0.4, 0.9] {
            for h in [1e-3, 1e-4] {
                let d = (value(s + h * s) - value(s - h * s)) / (2.0 * h * s);
                assert!((d - first(s)).abs() < 10.0 * h * h * first(s).abs());
                let d = (first(s + h * s) - first(s - h * s)) / (2.0 * h * s);
                assert!((d - second(s)).abs() < 10.0 * h * h * second(s));
            }
        }
        assert_eq!((value(1.0), first(1.0), second(1.5)), (0.0, 0.0, 0.0));
        assert!(value(0.999_999) < 1e-11);
    }
}
