//! Linear least squares under linear inequalities, by an interior point method [Mehrotra92].
//!
//!   min 1/2 |A x - b|^2,  G x >= 0:   H x - c = G^T z,   G x = s,   s z = 0,   s, z >= 0,   H = A^T A,  c = A^T b
//!
//! Newton's method for these equations with s z = mu > 0, whose solution lies inside of what is allowed, while mu falls. A step
//! solves (H + G^T (z/s) G) dx = r. It does so for any G, also where many rows hold at once, as they do in data that are hardly convex.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Places and weights of what is not zero in a row.
pub(super) type SparseRow = Vec<(usize, f64)>;

/// Equations are solved to this part of their largest term.
const TOLERANCE: f64 = 1e-10;
/// The mean of s z at the end: squares of residuals are exact to this times the number of inequalities.
const GAP: f64 = 1e-11;
/// Steps; some twenty are usual.
const STEPS: usize = 200;
/// Part of the way to the next inequality that a step takes.
const INSIDE: f64 = 0.99;

/// x with the least |A x - b| among those with G x >= 0; none where A does not determine its columns. Rows of G may have any length.
pub(super) fn least_squares(a: &[SparseRow], b: &[f64], g: &[SparseRow], columns: usize) -> Option<DVector<f64>> {
    let mut h = DMatrix::zeros(columns, columns);
    let mut c = DVector::zeros(columns);
    for (row, value) in a.iter().zip(b) {
        add_square(&mut h, row, 1.0);
        row.iter().for_each(|(i, v)| c[*i] += v * value);
    }
    let g: Vec<SparseRow> = g.iter().filter_map(unit).collect();
    let free = determined(&h)?.solve(&c);
    if g.iter().all(|row| dot(row, &free) >= 0.0) {
        return Some(free);
    }
    let mut at = Interior { x: DVector::zeros(columns), s: vec![1.0; g.len()], z: vec![1.0; g.len()] };
    for _ in 0..STEPS {
        let dual = &h * &at.x - &c - transposed(&g, &at.z, columns);
        let primal: Vec<f64> = g.iter().zip(&at.s).map(|(row, s)| dot(row, &at.x) - s).collect();
        let gap = at.gap();
        let outside = primal.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if gap < GAP && dual.amax() <= TOLERANCE * (1.0 + c.amax()) && outside < TOLERANCE {
            break;
        }
        let mut k = h.clone();
        g.iter().zip(at.s.iter().zip(&at.z)).for_each(|(row, (s, z))| add_square(&mut k, row, z / s));
        let factor = Cholesky::new(k)?;
        let step = |target: &dyn Fn(usize) -> f64| -> Interior {
            let t: Vec<f64> = (0..g.len()).map(|i| (target(i) - at.z[i] * (at.s[i] + primal[i])) / at.s[i]).collect();
            let x = factor.solve(&(transposed(&g, &t, columns) - &dual));
            let s: Vec<f64> = g.iter().zip(&primal).map(|(row, p)| dot(row, &x) + p).collect();
            let z = (0..g.len()).map(|i| (target(i) - at.z[i] * s[i]) / at.s[i] - at.z[i]).collect();
            Interior { x, s, z }
        };
        let straight = step(&|_| 0.0);
        let reached = at.moved(&straight, at.room(&straight)).gap();
        let aim = gap * (reached / gap).powi(3);
        let step = step(&|i| aim - straight.s[i] * straight.z[i]);
        at = at.moved(&step, (INSIDE * at.room(&step)).min(1.0));
    }
    at.x.iter().all(|v| v.is_finite()).then_some(at.x)
}

/// A point inside, or a step.
struct Interior {
    x: DVector<f64>,
    s: Vec<f64>,
    z: Vec<f64>,
}

impl Interior {
    /// The mean of s z.
    fn gap(&self) -> f64 {
        self.s.iter().zip(&self.z).map(|(s, z)| s * z).sum::<f64>() / self.s.len() as f64
    }

    /// The part of a step at which the first of s and z is zero.
    fn room(&self, step: &Interior) -> f64 {
        let of = |v: &[f64], d: &[f64]| {
            v.iter().zip(d).filter(|(_, d)| **d < 0.0).map(|(v, d)| -v / d).fold(f64::INFINITY, f64::min)
        };
        of(&self.s, &step.s).min(of(&self.z, &step.z)).min(1.0 / INSIDE)
    }

    fn moved(&self, step: &Interior, part: f64) -> Interior {
        let add = |v: &[f64], d: &[f64]| v.iter().zip(d).map(|(v, d)| v + part * d).collect();
        Interior { x: &self.x + &step.x * part, s: add(&self.s, &step.s), z: add(&self.z, &step.z) }
    }
}

/// The factor of H; none where a direction has no more than rounding, seen by itself.
fn determined(h: &DMatrix<f64>) -> Option<Cholesky<f64, Dyn>> {
    let factor = Cholesky::new(h.clone())?;
    let l = factor.l_dirty();
    (0..h.nrows()).all(|i| l[(i, i)] * l[(i, i)] > 1e-14 * h[(i, i)]).then_some(factor)
}

fn unit(row: &SparseRow) -> Option<SparseRow> {
    let length = row.iter().map(|(_, v)| v * v).sum::<f64>().sqrt();
    (length > 0.0).then(|| row.iter().map(|(i, v)| (*i, v / length)).collect())
}

fn dot(row: &SparseRow, x: &DVector<f64>) -> f64 {
    row.iter().map(|(i, v)| v * x[*i]).sum()
}

fn transposed(rows: &[SparseRow], by: &[f64], columns: usize) -> DVector<f64> {
    let mut sum = DVector::zeros(columns);
    for (row, factor) in rows.iter().zip(by) {
        row.iter().for_each(|(i, v)| sum[*i] += v * factor);
    }
    sum
}

fn add_square(h: &mut DMatrix<f64>, row: &SparseRow, weight: f64) {
    for (i, v) in row {
        row.iter().for_each(|(j, w)| h[(*i, *j)] += weight * v * w);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::random::Random;

    fn sparse(m: &DMatrix<f64>) -> Vec<SparseRow> {
        m.row_iter().map(|r| r.iter().copied().enumerate().filter(|(_, v)| *v != 0.0).collect()).collect()
    }

    fn solve(a: &DMatrix<f64>, b: &DVector<f64>, g: &DMatrix<f64>) -> Option<DVector<f64>> {
        least_squares(&sparse(a), b.as_slice(), &sparse(g), a.ncols())
    }

    /// Optimality: the slope of the squares is a sum of constraints that hold, each pushing inward.
    fn check(a: &DMatrix<f64>, b: &DVector<f64>, g: &DMatrix<f64>, x: &DVector<f64>) {
        let gap = g * x;
        assert!(gap.min() > -1e-9, "{}", gap.min());
        let slope = a.transpose() * (a * x - b);
        let active: Vec<usize> = (0..g.nrows()).filter(|k| gap[*k] < 1e-6).collect();
        if active.is_empty() {
            assert!(slope.amax() < 1e-8);
            return;
        }
        let g = g.select_rows(&active);
        let pressing = g.transpose().svd(true, true).solve(&slope, 1e-12).unwrap();
        assert!((g.transpose() * &pressing - &slope).amax() < 1e-6 * (1.0 + slope.amax()), "{slope}");
        assert!(pressing.min() > -1e-6 * (1.0 + pressing.amax()), "{pressing}");
    }

    #[test]
    fn what_is_found_is_the_best_that_is_allowed() {
        let mut random = Random::new(7);
        let mut number = || 2.0 * random.unit() - 1.0;
        for (rows, columns, constraints) in [(5, 3, 2), (12, 8, 6), (30, 20, 14)] {
            let a = DMatrix::from_fn(rows, columns, |_, _| number());
            let b = DVector::from_fn(rows, |_, _| number());
            let g = DMatrix::from_fn(constraints, columns, |_, _| number());
            check(&a, &b, &g, &solve(&a, &b, &g).unwrap());
        }
    }

    #[test]
    fn data_that_are_convex_are_met_and_others_are_not() {
        let a = DMatrix::identity(5, 5);
        let second = DMatrix::from_fn(3, 5, |i, j| [1.0, -2.0, 1.0].get(j.wrapping_sub(i)).copied().unwrap_or(0.0));
        let convex = DVector::from_vec(vec![4.0, 1.0, 0.0, 1.0, 4.0]);
        assert!((solve(&a, &convex, &second).unwrap() - &convex).amax() < 1e-12);
        let bumpy = DVector::from_vec(vec![0.0, 2.0, 0.0, 2.0, 0.0]);
        let x = solve(&a, &bumpy, &second).unwrap();
        check(&a, &bumpy, &second, &x);
        assert!((x - bumpy).amax() > 0.1);
    }

    #[test]
    fn what_is_not_determined_is_reported() {
        let a = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 2.0, 2.0]);
        assert!(solve(&a, &DVector::zeros(2), &DMatrix::zeros(0, 2)).is_none());
    }
}
