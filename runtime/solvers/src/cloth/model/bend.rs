//! The bend force as a function of the spring's strain.
//!
//! A buckled strip is taken for a circular arc; with s = |x| / L the force along the chord is k_b L g(s),
//!
//!   f(s) = −11.541 s⁴ + 34.193 s³ − 39.083 s² + 23.116 s − 9.713               [Boxerman03, Eq. 3.9]
//!   g(s) = max(f(s), −c (1 − s)) for s < 1, and 0 for s ≥ 1
//!
//! f alone would jump at s = 1; the line is Choi and Ko's start for small deformation (footnote 2 of the thesis). It meets
//! f at the strain [`LINEAR_START`]. Differs from the thesis: its Eq. 3.8 has k_b in N/m times a pure number, which is
//! not a force; the missing length is taken to be the rest length L, so that energy and slope scale as those of the
//! other springs do.

/// Compression at which the linear start of the bend force meets the polynomial.
const LINEAR_START: f64 = 0.1;

const COEFFICIENTS: [f64; 5] = [-9.713, 23.116, -39.083, 34.193, -11.541];

const fn polynomial(s: f64) -> f64 {
    let [a, b, c, d, e] = COEFFICIENTS;
    a + s * (b + s * (c + s * (d + s * e)))
}

fn polynomial_slope(s: f64) -> f64 {
    (1..5).rev().fold(0.0, |sum, k| sum * s + k as f64 * COEFFICIENTS[k])
}

fn polynomial_integral(s: f64) -> f64 {
    (0..5).rev().fold(0.0, |sum, k| sum * s + COEFFICIENTS[k] / (k + 1) as f64) * s
}

/// c, the slope of the linear start.
const LINE: f64 = -polynomial(1.0 - LINEAR_START) / LINEAR_START;

/// g(s): force over k_b L, negative because it pushes the ends apart.
#[inline]
pub(super) fn bend_force(s: f64) -> f64 {
    if s >= 1.0 {
        0.0
    } else if s > 1.0 - LINEAR_START {
        -LINE * (1.0 - s)
    } else {
        polynomial(s)
    }
}

/// dg/ds, positive: stiffness over k_b.
#[inline]
pub(super) fn bend_slope(s: f64) -> f64 {
    if s >= 1.0 {
        0.0
    } else if s > 1.0 - LINEAR_START {
        LINE
    } else {
        polynomial_slope(s)
    }
}

/// The largest slope, for the stability number of explicit steps.
pub(super) fn largest_slope() -> f64 {
    LINE
}

/// −∫ g from s to 1: energy over k_b L².
pub(super) fn bend_energy(s: f64) -> f64 {
    let start = 1.0 - LINEAR_START;
    if s >= 1.0 {
        0.0
    } else if s > start {
        0.5 * LINE * (1.0 - s).powi(2)
    } else {
        0.5 * LINE * LINEAR_START.powi(2) + polynomial_integral(s) - polynomial_integral(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_is_the_slope_of_energy_and_slope_that_of_force() {
        for s in [0.02, 0.3, 0.5, 0.77, 0.89, 0.91, 0.97, 1.2] {
            let d = 1e-6;
            let force = (bend_energy(s + d) - bend_energy(s - d)) / (2.0 * d);
            assert!((force - bend_force(s)).abs() < 1e-7, "force at {s}: {force} and {}", bend_force(s));
            let slope = (bend_force(s + d) - bend_force(s - d)) / (2.0 * d);
            assert!((slope - bend_slope(s)).abs() < 1e-6, "slope at {s}: {slope} and {}", bend_slope(s));
        }
    }

    #[test]
    fn it_starts_at_zero_is_continuous_and_always_pushes_back() {
        assert_eq!(bend_force(1.0), 0.0);
        let start = 1.0 - LINEAR_START;
        assert!((bend_force(start + 1e-12) - bend_force(start - 1e-12)).abs() < 1e-9);
        for i in 0..1000 {
            let s = i as f64 / 1000.0;
            assert!(bend_force(s) < 0.0 && bend_slope(s) > 0.0 && bend_slope(s) <= largest_slope(), "at {s}");
        }
    }
}
