//! Linear least squares under linear inequalities, by an interior point method [Mehrotra92].
//!
//!   min 1/2 |A x - b|^2,  G x >= d:   H x - c = G^T z,   G x - d = s,   s z = 0,   s, z >= 0,   H = A^T A,  c = A^T b
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

/// What must not be below a bound: `row` times x.
pub(super) struct AtLeast {
    /// Of any length.
    pub(super) row: SparseRow,
    pub(super) bound: f64,
}

impl AtLeast {
    /// The same with a row of length 1; none where x does not change it.
    fn unit(&self) -> Option<Self> {
        let length = self.row.iter().map(|(_, v)| v * v).sum::<f64>().sqrt();
        let row = || self.row.iter().map(|(i, v)| (*i, v / length)).collect();
        (length > 0.0).then(|| AtLeast { row: row(), bound: self.bound / length })
    }

    /// How far x is above the bound.
    fn above(&self, x: &DVector<f64>) -> f64 {
        dot(&self.row, x) - self.bound
    }
}

/// Rows of A with their b, and what must not be below a bound.
pub(super) struct ConvexLeastSquares {
    pub(super) rows: Vec<SparseRow>,
    pub(super) target: Vec<f64>,
    pub(super) least: Vec<AtLeast>,
    /// How many numbers are sought.
    pub(super) columns: usize,
}

impl ConvexLeastSquares {
    /// x with the least |A x - b| among those with G x >= d; none where A does not determine its columns.
    pub(super) fn solve(&self) -> Option<DVector<f64>> {
        least_squares(&self.rows, &self.target, &self.least, self.columns)
    }

    /// The rows that hold none but the first `count` numbers.
    pub(super) fn of_first(&self, count: usize) -> Self {
        let alone = |row: &SparseRow| row.iter().all(|(i, v)| *i < count || *v == 0.0);
        let short = |row: &SparseRow| row.iter().copied().filter(|(i, _)| *i < count).collect::<SparseRow>();
        let data = self.rows.iter().zip(&self.target).filter(|(row, _)| alone(row));
        let (rows, target) = data.map(|(row, b)| (short(row), *b)).unzip();
        let least = self.least.iter().filter(|one| alone(&one.row));
        let least = least.map(|one| AtLeast { row: short(&one.row), bound: one.bound }).collect();
        ConvexLeastSquares { rows, target, least, columns: count }
    }

    /// The rows of the other numbers when the first are known.
    pub(super) fn given(&self, first: &DVector<f64>) -> Self {
        let count = first.len();
        let split = |row: &SparseRow| {
            let known: f64 = row.iter().filter(|(i, _)| *i < count).map(|(i, v)| v * first[*i]).sum();
            let others = row.iter().filter(|(i, v)| *i >= count && *v != 0.0);
            (others.map(|(i, v)| (i - count, *v)).collect::<SparseRow>(), known)
        };
        let datum = |(row, b): (&SparseRow, &f64)| {
            let (row, known) = split(row);
            (row, b - known)
        };
        let (rows, target) = self.rows.iter().zip(&self.target).map(datum).unzip();
        let bounded = |one: &AtLeast| {
            let (row, known) = split(&one.row);
            AtLeast { row, bound: one.bound - known }
        };
        let least = self.least.iter().map(bounded).collect();
        ConvexLeastSquares { rows, target, least, columns: self.columns - count }
    }
}

fn least_squares(a: &[SparseRow], b: &[f64], g: &[AtLeast], columns: usize) -> Option<DVector<f64>> {
    let mut h = DMatrix::zeros(columns, columns);
    let mut c = DVector::zeros(columns);
    for (row, value) in a.iter().zip(b) {
        add_square(&mut h, row, 1.0);
        row.iter().for_each(|(i, v)| c[*i] += v * value);
    }
    let g: Vec<AtLeast> = g.iter().filter_map(AtLeast::unit).collect();
    let free = determined(&h)?.solve(&c);
    if g.iter().all(|one| one.above(&free) >= 0.0) {
        return Some(free);
    }
    let mut at = Interior { x: DVector::zeros(columns), s: vec![1.0; g.len()], z: vec![1.0; g.len()] };
    for _ in 0..STEPS {
        let dual = &h * &at.x - &c - transposed(&g, &at.z, columns);
        let primal: Vec<f64> = g.iter().zip(&at.s).map(|(one, s)| one.above(&at.x) - s).collect();
        let gap = at.gap();
        let outside = primal.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if gap < GAP && dual.amax() <= TOLERANCE * (1.0 + c.amax()) && outside < TOLERANCE {
            break;
        }
        let mut k = h.clone();
        g.iter().zip(at.s.iter().zip(&at.z)).for_each(|(one, (s, z))| add_square(&mut k, &one.row, z / s));
        let factor = Cholesky::new(k)?;
        let step = |target: &dyn Fn(usize) -> f64| -> Interior {
            let t: Vec<f64> = (0..g.len()).map(|i| (target(i) - at.z[i] * (at.s[i] + primal[i])) / at.s[i]).collect();
            let x = factor.solve(&(transposed(&g, &t, columns) - &dual));
            let s: Vec<f64> = g.iter().zip(&primal).map(|(one, p)| dot(&one.row, &x) + p).collect();
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

/// A row times x.
pub(super) fn dot(row: &SparseRow, x: &DVector<f64>) -> f64 {
    row.iter().map(|(i, v)| v * x[*i]).sum()
}

fn transposed(g: &[AtLeast], by: &[f64], columns: usize) -> DVector<f64> {
    let mut sum = DVector::zeros(columns);
    for (one, factor) in g.iter().zip(by) {
        one.row.iter().for_each(|(i, v)| sum[*i] += v * factor);
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

    fn problem(a: &DMatrix<f64>, b: &DVector<f64>, g: &DMatrix<f64>) -> ConvexLeastSquares {
        let least = sparse(g).into_iter().map(|row| AtLeast { row, bound: 0.0 }).collect();
        ConvexLeastSquares { rows: sparse(a), target: b.as_slice().to_vec(), least, columns: a.ncols() }
    }

    fn solve(a: &DMatrix<f64>, b: &DVector<f64>, g: &DMatrix<f64>) -> Option<DVector<f64>> {
        problem(a, b, g).solve()
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
    fn numbers_that_are_known_leave_the_best_of_the_others() {
        let mut random = Random::new(11);
        let mut number = || 2.0 * random.unit() - 1.0;
        // The first two numbers are seen alone by two rows and one constraint.
        let mut a = DMatrix::from_fn(12, 5, |_, _| number());
        let mut g = DMatrix::from_fn(4, 5, |_, _| number());
        a.view_mut((0, 2), (2, 3)).fill(0.0);
        g.view_mut((0, 2), (1, 3)).fill(0.0);
        let b = DVector::from_fn(12, |_, _| number());
        let all = problem(&a, &b, &g);
        let alone = all.of_first(2);
        assert_eq!((alone.rows.len(), alone.least.len(), alone.columns), (2, 1, 2));
        let first = alone.solve().unwrap();
        let own = |m: &DMatrix<f64>, rows| m.view((0, 0), (rows, 2)).into_owned();
        check(&own(&a, 2), &b.rows(0, 2).into_owned(), &own(&g, 1), &first);
        let rest = all.given(&first).solve().unwrap();
        let x = DVector::from_iterator(5, first.iter().chain(rest.iter()).copied());
        assert!((&g * &x).min() > -1e-9);
        // No small change of the others that is allowed is better.
        let cost = |x: &DVector<f64>| (&a * x - &b).norm_squared();
        for _ in 0..200 {
            let mut other = x.clone();
            (2..5).for_each(|k| other[k] += 0.01 * number());
            assert!((&g * &other).min() < 0.0 || cost(&other) > cost(&x) - 1e-9, "{other}");
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
