//! Linear least squares under linear inequalities, by the least distance problem and non-negative least squares [Lawson74].
//!
//!   min |A x - b|,  G x >= 0:   A = Q R,  x = R^-1 (y + f),  f = Q^T b,  min |y|,  H y >= h,  H = G R^-1,  h = -H f
//!
//! and y from u >= 0 that makes | [H^T; h^T] u - (0, ..., 0, 1) | least, with r what is left of it: y = -r_k / r_last.

use nalgebra::{DMatrix, DVector};

/// Multipliers and gradients below this part of the largest are zero.
const TOLERANCE: f64 = 1e-11;

/// x with the least |A x - b| among those with G x >= 0, to rounding; none where A has not the rank of its columns.
pub(super) fn least_squares(a: DMatrix<f64>, b: &DVector<f64>, g: &DMatrix<f64>) -> Option<DVector<f64>> {
    let columns = a.ncols();
    let qr = a.qr();
    let f = (qr.q().transpose() * b).rows(0, columns).into_owned();
    let r = qr.r();
    let largest = r.diagonal().amax();
    if !(r.diagonal().iter().all(|d| d.abs() > 1e-15 * largest)) {
        return None;
    }
    let free = r.solve_upper_triangular(&f)?;
    if g.nrows() == 0 || (g * &free).min() >= 0.0 {
        return Some(free);
    }
    // H^T = R^-T G^T, its columns scaled to one length: that changes no inequality.
    let mut h_t = r.tr_solve_upper_triangular(&g.transpose())?;
    for mut column in h_t.column_iter_mut() {
        let length = column.norm();
        if length > 0.0 {
            column /= length;
        }
    }
    let h = -(h_t.transpose() * &f);
    let scale = h.amax();
    let mut e = h_t.insert_row(columns, 0.0);
    e.row_mut(columns).copy_from(&(h / scale).transpose());
    let mut target = DVector::zeros(columns + 1);
    target[columns] = 1.0;
    let u = non_negative(&e, &target);
    let left = &e * u - target;
    let y = left.rows(0, columns) * (-scale / left[columns]);
    r.solve_upper_triangular(&(y + f))
}

/// u >= 0 with the least |E u - t|.
fn non_negative(e: &DMatrix<f64>, t: &DVector<f64>) -> DVector<f64> {
    let columns = e.ncols();
    let mut u = DVector::zeros(columns);
    let mut held: Vec<usize> = Vec::new();
    // Each round adds a column; a round that takes some away lowers the distance, so that there is an end. Rounding could prevent it.
    for _ in 0..3 * columns {
        let left = t - e * &u;
        let slope = e.transpose() * &left;
        let best = (0..columns).filter(|k| !held.contains(k)).max_by(|a, b| slope[*a].total_cmp(&slope[*b]));
        let Some(best) = best.filter(|k| slope[*k] > TOLERANCE * left.norm().max(TOLERANCE)) else { break };
        held.push(best);
        while !held.is_empty() {
            let Some(z) = solve_columns(e, &held, t) else {
                // The last column depends on the others.
                held.pop();
                break;
            };
            if z.iter().all(|v| *v > 0.0) {
                u.fill(0.0);
                held.iter().zip(z.iter()).for_each(|(k, v)| u[*k] = *v);
                break;
            }
            let steps = held.iter().zip(z.iter()).filter(|(_, v)| **v <= 0.0).map(|(k, v)| u[*k] / (u[*k] - v));
            let step = steps.fold(1.0, f64::min);
            held.iter().zip(z.iter()).for_each(|(k, v)| u[*k] += step * (v - u[*k]));
            let zero = TOLERANCE * u.amax();
            held.retain(|k| u[*k] > zero);
            (0..columns).filter(|k| !held.contains(k)).for_each(|k| u[k] = 0.0);
        }
    }
    u
}

/// The least squares solution with some columns only; none where they depend on each other.
fn solve_columns(e: &DMatrix<f64>, held: &[usize], t: &DVector<f64>) -> Option<DVector<f64>> {
    if held.len() > e.nrows() {
        return None;
    }
    let qr = e.select_columns(held).qr();
    let r = qr.r();
    let independent = r.diagonal().iter().all(|d| d.abs() > 1e-13);
    let f = (qr.q().transpose() * t).rows(0, held.len()).into_owned();
    independent.then(|| r.solve_upper_triangular(&f)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::random::Random;

    /// Optimality: the slope of the squares is a sum of constraints that hold, each pushing inward.
    fn check(a: &DMatrix<f64>, b: &DVector<f64>, g: &DMatrix<f64>, x: &DVector<f64>) {
        let gap = g * x;
        assert!(gap.min() > -1e-9, "{}", gap.min());
        let slope = a.transpose() * (a * x - b);
        let active: Vec<usize> = (0..g.nrows()).filter(|k| gap[*k] < 1e-9).collect();
        if active.is_empty() {
            assert!(slope.amax() < 1e-9);
            return;
        }
        let g = g.select_rows(&active);
        let pressing = g.transpose().svd(true, true).solve(&slope, 1e-12).unwrap();
        assert!((g.transpose() * &pressing - &slope).amax() < 1e-8 * (1.0 + slope.amax()), "{slope}");
        assert!(pressing.min() > -1e-8 * (1.0 + pressing.amax()), "{pressing}");
    }

    #[test]
    fn what_is_found_is_the_best_that_is_allowed() {
        let mut random = Random::new(7);
        let mut number = || 2.0 * random.unit() - 1.0;
        for (rows, columns, constraints) in [(5, 3, 2), (12, 8, 6), (30, 20, 14)] {
            let a = DMatrix::from_fn(rows, columns, |_, _| number());
            let b = DVector::from_fn(rows, |_, _| number());
            let g = DMatrix::from_fn(constraints, columns, |_, _| number());
            let x = least_squares(a.clone(), &b, &g).unwrap();
            check(&a, &b, &g, &x);
        }
    }

    #[test]
    fn data_that_are_convex_are_met_and_others_are_not() {
        let a = DMatrix::identity(5, 5);
        let second = DMatrix::from_fn(3, 5, |i, j| [1.0, -2.0, 1.0].get(j.wrapping_sub(i)).copied().unwrap_or(0.0));
        let convex = DVector::from_vec(vec![4.0, 1.0, 0.0, 1.0, 4.0]);
        assert!((least_squares(a.clone(), &convex, &second).unwrap() - &convex).amax() < 1e-12);
        let bumpy = DVector::from_vec(vec![0.0, 2.0, 0.0, 2.0, 0.0]);
        let x = least_squares(a.clone(), &bumpy, &second).unwrap();
        check(&a, &bumpy, &second, &x);
        assert!((x - bumpy).amax() > 0.1);
    }

    #[test]
    fn what_is_not_determined_is_reported() {
        let a = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 2.0, 2.0]);
        assert!(least_squares(a, &DVector::zeros(2), &DMatrix::zeros(0, 2)).is_none());
    }
}
