//! Linear least squares that say what they do not know.

use nalgebra::{DMatrix, DVector};

/// Singular values below this part of the largest are rounding.
const ROUNDING: f64 = 1e-10;

/// The solution of min |A x - b|, of the least length where there are several.
pub(super) struct LinearSolution {
    pub(super) x: DVector<f64>,
    /// |A x - b|^2 over rows minus directions that are seen; 1 where there are no more rows than these, the size that residuals are weighted to.
    pub(super) variance: f64,
    /// (A^T A)^-1 without the variance: of each number, infinite where the data do not limit it.
    pub(super) spread: DVector<f64>,
    /// How x changes with b: x = influence b.
    pub(super) influence: DMatrix<f64>,
}

/// Solves by singular values; columns are scaled to one length first.
pub(super) fn solve(a: &DMatrix<f64>, b: &DVector<f64>) -> LinearSolution {
    let (rows, columns) = a.shape();
    let length = DVector::from_iterator(columns, a.column_iter().map(|c| c.norm()));
    let scale = length.map(|l| if l > 0.0 { l.recip() } else { 0.0 });
    let scaled = a * DMatrix::from_diagonal(&scale);
    let svd = scaled.clone().resize_vertically(rows.max(columns), 0.0).svd(true, true);
    let (Some(u), Some(v_t)) = (&svd.u, &svd.v_t) else {
        return LinearSolution {
            x: DVector::zeros(columns),
            variance: 1.0,
            spread: DVector::from_element(columns, f64::INFINITY),
            influence: DMatrix::zeros(columns, rows),
        };
    };
    let limit = ROUNDING * svd.singular_values.max();
    let mut influence = DMatrix::<f64>::zeros(columns, rows);
    let target = b.clone().resize_vertically(rows.max(columns), 0.0);
    let (mut x, mut spread) = (DVector::<f64>::zeros(columns), DVector::<f64>::zeros(columns));
    for k in 0..columns {
        let (s, v) = (svd.singular_values[k], v_t.row(k).transpose());
        if s > limit {
            x += &v * (u.column(k).dot(&target) / s);
            influence += &v * u.view((0, k), (rows, 1)).transpose() / s;
        }
        for i in 0..columns {
            // What belongs to a direction by rounding only is not unknown.
            if v[i].abs() > ROUNDING.sqrt() {
                spread[i] += if s > limit { (v[i] / s).powi(2) } else { f64::INFINITY };
            }
        }
    }
    let seen = svd.singular_values.iter().filter(|s| **s > limit).count();
    let freedom = rows.saturating_sub(seen);
    let variance = if freedom > 0 { (&scaled * &x - b).norm_squared() / freedom as f64 } else { 1.0 };
    let free = |i: usize| scale[i] == 0.0;
    let spread =
        DVector::from_fn(columns, |i, _| if free(i) { f64::INFINITY } else { spread[i] * scale[i] * scale[i] });
    let influence = DMatrix::from_diagonal(&scale) * influence;
    LinearSolution { x: x.component_mul(&scale), variance, spread, influence }
}

/// Singular values of a matrix from the largest on, and the direction of the smallest with its largest entry positive.
pub(super) fn spectrum(a: &DMatrix<f64>) -> (Vec<f64>, Vec<f64>) {
    let columns = a.ncols();
    let svd = a.clone().resize_vertically(a.nrows().max(columns), 0.0).svd(false, true);
    let mut order: Vec<usize> = (0..columns).collect();
    order.sort_by(|a, b| svd.singular_values[*b].total_cmp(&svd.singular_values[*a]));
    let values = order.iter().map(|k| svd.singular_values[*k]).collect();
    let weakest = order.last().zip(svd.v_t).map(|(k, v_t)| {
        let v = v_t.row(*k).transpose();
        if v[v.iamax()] < 0.0 { -v } else { v }
    });
    (values, weakest.map_or(Vec::new(), |v| v.iter().copied().collect()))
}

/// The parts of the columns of `a` at right angles to those of `others`.
pub(super) fn without(a: &DMatrix<f64>, others: &DMatrix<f64>) -> DMatrix<f64> {
    let rows = others.nrows().max(others.ncols());
    let svd = others.clone().resize_vertically(rows, 0.0).svd(true, false);
    let mut rest = a.clone();
    let Some(u) = svd.u else { return rest };
    let limit = ROUNDING * svd.singular_values.max();
    for k in (0..others.ncols()).filter(|k| svd.singular_values[*k] > limit) {
        let direction = u.view((0, k), (a.nrows(), 1)).into_owned();
        let part = direction.transpose() * &rest;
        rest -= direction * part;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_are_those_of_the_inverse_normal_matrix() {
        let a = DMatrix::from_row_slice(
            5,
            3,
            &[1.0, 2.0, 3.0, 4.0, 5.5, 6.0, 7.0, 8.0, 1.0, -2.0, 1.0, 0.0, 3.0, 3.0, 30.0],
        );
        let b = DVector::from_vec(vec![1.0, -2.0, 3.0, 0.5, 2.0]);
        let solved = solve(&a, &b);
        let inverse = (a.transpose() * &a).try_inverse().unwrap();
        let x = &inverse * a.transpose() * &b;
        assert!((&solved.x - &x).amax() < 1e-12);
        assert!((&solved.influence * &b - &x).amax() < 1e-12);
        assert!((solved.spread - inverse.diagonal()).amax() < 1e-12);
        assert!((solved.variance - (a * x - b).norm_squared() / 2.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_seen_spreads_without_limit_and_the_rest_does_not() {
        let a = DMatrix::from_row_slice(3, 4, &[1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 2.0, 2.0, 1.0, 0.0]);
        let solved = solve(&a, &DVector::from_vec(vec![1.0, 4.0, 4.0]));
        assert!(solved.spread[0].is_infinite() && solved.spread[1].is_infinite() && solved.spread[3].is_infinite());
        assert!(solved.spread[2] < 1.0 && (solved.x[2] - 2.0).abs() < 1e-12, "{}", solved.x);
    }

    #[test]
    fn what_is_left_is_at_right_angles() {
        let others = DMatrix::from_row_slice(4, 2, &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
        let a = DMatrix::from_row_slice(4, 1, &[1.0, 2.0, 3.0, 6.0]);
        let rest = without(&a, &others);
        assert!((rest.transpose() * others).amax() < 1e-12 && (rest[(3, 0)] - 3.0).abs() < 1e-12, "{rest}");
    }
}
