//! Cubic B-splines: values and derivatives of the four that are not zero at a place.

/// The four cubic B-splines at one place, with derivatives by the place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Basis {
    /// Number of the first of the four.
    pub first: usize,
    /// Values; they sum to 1.
    pub value: [f64; 4],
    /// First derivatives.
    pub slope: [f64; 4],
    /// Second derivatives.
    pub curvature: [f64; 4],
}

/// The basis at `t` from 0 to 1 in one span of evenly spaced knots, a unit apart; `first` is zero.
pub fn uniform(t: f64) -> Basis {
    let u = 1.0 - t;
    let (t2, u2) = (t * t, u * u);
    Basis {
        first: 0,
        value: [
            u * u2 / 6.0,
            (3.0 * t * t2 - 6.0 * t2 + 4.0) / 6.0,
            (3.0 * u * u2 - 6.0 * u2 + 4.0) / 6.0,
            t * t2 / 6.0,
        ],
        slope: [-0.5 * u2, 1.5 * t2 - 2.0 * t, 2.0 * u - 1.5 * u2, 0.5 * t2],
        curvature: [u, 3.0 * t - 2.0, 3.0 * u - 2.0, t],
    }
}

/// Knots of `count` splines whose curve begins and ends at its first and last control point: distances of a unit, and ends four
/// times. `count` is at least 4.
pub fn open_knots(count: usize) -> Vec<f64> {
    let last = (count - 3) as f64;
    let inner = (1..count - 3).map(|i| i as f64);
    [0.0; 4].into_iter().chain(inner).chain([last; 4]).collect()
}

/// Knots for splines that end at the first and the last of `breaks`, which ascend strictly and are two or more.
pub fn knots_of_breaks(breaks: &[f64]) -> Vec<f64> {
    let (first, last) = (breaks[0], breaks[breaks.len() - 1]);
    [first; 3].into_iter().chain(breaks.iter().copied()).chain([last; 3]).collect()
}

/// Where control points of an evenly parametrized straight line lie: the means of three knots each.
pub fn greville(knots: &[f64]) -> Vec<f64> {
    knots[1..knots.len() - 1].windows(3).map(|k| (k[0] + k[1] + k[2]) / 3.0).collect()
}

/// The basis at `t` for ascending `knots` whose ends are there four times, by the recursion of Cox and de Boor. Outside the knots the polynomial of the
/// first or last span continues.
pub fn basis(knots: &[f64], t: f64) -> Basis {
    let count = knots.len() - 4;
    let span = knots[3..count].partition_point(|k| *k <= t).max(1) + 2;
    // Splines of degree d that are not zero on the span, those of degree 0 to 3.
    let mut rows = [[0.0; 4]; 4];
    rows[0][0] = 1.0;
    for d in 1..4 {
        for j in 0..=d {
            let i = span + j - d;
            let rising =
                |row: &[f64; 4]| if j > 0 { (t - knots[i]) / (knots[i + d] - knots[i]) * row[j - 1] } else { 0.0 };
            let falling = |row: &[f64; 4]| {
                if j < d { (knots[i + d + 1] - t) / (knots[i + d + 1] - knots[i + 1]) * row[j] } else { 0.0 }
            };
            rows[d][j] = rising(&rows[d - 1]) + falling(&rows[d - 1]);
        }
    }
    Basis {
        first: span - 3,
        value: rows[3],
        slope: derived(knots, span, 3, &rows[2]),
        curvature: derived(knots, span, 3, &derived(knots, span, 2, &rows[1])),
    }
}

/// The derivatives of the splines of degree `d` from (derivatives of) those of one degree less.
fn derived(knots: &[f64], span: usize, d: usize, lower: &[f64; 4]) -> [f64; 4] {
    let mut out = [0.0; 4];
    for (j, out) in out.iter_mut().enumerate().take(d + 1) {
        let i = span + j - d;
        if j > 0 {
            *out += d as f64 * lower[j - 1] / (knots[i + d] - knots[i]);
        }
        if j < d {
            *out -= d as f64 * lower[j] / (knots[i + d + 1] - knots[i + 1]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(at: impl Fn(f64) -> Basis, t: f64) {
        let b = at(t);
        assert!((b.value.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        let h = 1e-5;
        let (plus, minus) = (at(t + h), at(t - h));
        assert_eq!((plus.first, minus.first), (b.first, b.first), "t is inside a span");
        for k in 0..4 {
            assert!(((plus.value[k] - minus.value[k]) / (2.0 * h) - b.slope[k]).abs() < 1e-9);
            assert!(((plus.slope[k] - minus.slope[k]) / (2.0 * h) - b.curvature[k]).abs() < 1e-9);
        }
    }

    #[test]
    fn derivatives_agree_with_differences_and_values_sum_to_one() {
        let open = open_knots(9);
        assert_eq!(open, [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 6.0, 6.0, 6.0]);
        let uneven = knots_of_breaks(&[-0.3, 0.7, 1.6, 3.7]);
        for k in 0..97 {
            let t = (k as f64 + 0.37) / 97.0;
            check(uniform, t);
            check(|t| basis(&open, t), 6.0 * t);
            check(|t| basis(&uneven, t), -0.2999 + 3.9998 * t);
        }
    }

    #[test]
    fn inside_an_open_curve_the_basis_is_the_uniform_one() {
        let open = open_knots(10);
        let (a, b) = (basis(&open, 3.3), uniform(3.3_f64.fract()));
        assert_eq!(a.first, 3);
        for k in 0..4 {
            assert!((a.value[k] - b.value[k]).abs() < 1e-15 && (a.curvature[k] - b.curvature[k]).abs() < 1e-14);
        }
    }

    #[test]
    fn ends_are_control_points_and_straight_lines_are_even() {
        let open = open_knots(7);
        assert_eq!((basis(&open, 0.0).first, basis(&open, 0.0).value), (0, [1.0, 0.0, 0.0, 0.0]));
        assert_eq!(basis(&open, 0.0).slope, [-3.0, 3.0, 0.0, 0.0]);
        let end = basis(&open, 4.0);
        assert_eq!((end.first, end.value), (3, [0.0, 0.0, 0.0, 1.0]));
        let q = greville(&open);
        assert_eq!(q.len(), 7);
        for t in [0.0, 0.4, 1.7, 3.9, 4.0] {
            let b = basis(&open, t);
            let sum = |c: &[f64; 4]| (0..4).map(|k| c[k] * q[b.first + k]).sum::<f64>();
            assert!((sum(&b.value) - t).abs() < 1e-14 && (sum(&b.slope) - 1.0).abs() < 1e-14);
            assert!(sum(&b.curvature).abs() < 1e-13);
        }
    }
}
