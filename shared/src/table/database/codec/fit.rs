//! Fits a predictor's coefficients to a table.
//!
//! Least squares, weighted anew in each round by one over the last round's misses: the sum of the misses' sizes, and so
//! about the number of bits, is what gets small, and the few samples at which a yarn snaps to another state do not rule
//! the rest. Plain loops in a fixed order, no mathematical library: the same table gives the same coefficients on every
//! machine.

use super::predictor::{self, FRACTION_BITS, Predictor, Tap};
use super::shape::TableShape;

/// Rows that the fit of a class looks at; the 47 unknowns at most are known well by then.
const ROWS: usize = 1 << 14;

/// Rounds of reweighting; more bring nothing measurable.
const ROUNDS: usize = 3;

/// Misses below this (in quantizer steps) weigh alike.
const SMALL_MISS: f64 = 2.0;

/// The predictor for the quantized `values` of one channel, cut into runs of `layers_per_chunk` layers.
pub(super) fn fit(shape: &TableShape, layers_per_chunk: usize, values: &[i32]) -> Predictor {
    let axis_count = shape.axes.len();
    let rows = Rows::new(shape, layers_per_chunk);
    let mut coefficients = Vec::new();
    for class in 0..predictor::class_count(axis_count) {
        let taps: Vec<Tap> = predictor::taps(axis_count, class).collect();
        let known = rows.of_class(class, &taps, values);
        coefficients.extend(fit_class(taps.len(), &known));
    }
    Predictor::new(axis_count, coefficients).expect("every class gave its coefficients")
}

/// Where the values of each class are.
struct Rows<'a> {
    shape: &'a TableShape,
    /// For each bit set of available axes, the samples.
    samples: Vec<Vec<usize>>,
}

impl<'a> Rows<'a> {
    fn new(shape: &'a TableShape, layers_per_chunk: usize) -> Self {
        let mut samples = vec![Vec::new(); 1 << shape.axes.len()];
        let mut indices = vec![0; shape.axes.len()];
        for sample in 0..shape.layer_samples() * shape.layers() {
            let mut rest = sample;
            for (index, n) in indices.iter_mut().zip(&shape.axes) {
                *index = rest % n;
                rest /= n;
            }
            // A chunk knows nothing of the layers before it.
            *indices.last_mut().expect("a table has axes") %= layers_per_chunk;
            samples[predictor::available(&indices)].push(sample);
        }
        Rows { shape, samples }
    }

    /// The values of up to [`ROWS`] members of a class, each after the values of its taps.
    fn of_class(&self, class: usize, taps: &[Tap], values: &[i32]) -> Vec<f64> {
        let axis_count = self.shape.axes.len();
        let (reach, available) = (class >> axis_count, class & ((1 << axis_count) - 1));
        let last_vertex = if reach == predictor::REACH { self.shape.vertices } else { reach + 1 };
        let vertices = last_vertex.min(self.shape.vertices).saturating_sub(reach);
        let samples = &self.samples[available];
        let count = vertices * samples.len();
        let mut rows = Vec::with_capacity(count.min(ROWS) * (taps.len() + 1));
        for row in 0..count.min(ROWS) {
            // Spread evenly; the prime keeps the choice from falling on the same vertex of every sample.
            let member = if count <= ROWS { row } else { (row * (count / ROWS) + row * 7919 % (count / ROWS)) % count };
            let (sample, vertex) = (samples[member / vertices], reach + member % vertices);
            let value = |tap: &Tap| {
                let sample = sample - steps_back(self.shape, tap.axes);
                f64::from(values[sample * self.shape.vertices + vertex - tap.back])
            };
            rows.extend(taps.iter().map(value));
            rows.push(value(&Tap { back: 0, axes: 0 }));
        }
        rows
    }
}

/// How many samples before a sample the one lies that is one step back along the axes of a bit set.
fn steps_back(shape: &TableShape, axes: usize) -> usize {
    (0..shape.axes.len()).map(|k| (axes >> k & 1) * shape.axes[..k].iter().product::<usize>()).sum()
}

/// Coefficients for rows of `n` taps and the value to predict.
fn fit_class(n: usize, rows: &[f64]) -> Vec<i16> {
    let mut k = vec![0.0; n];
    for round in 0..ROUNDS {
        let mut normal = vec![0.0; n * n];
        let mut right = vec![0.0; n];
        for row in rows.chunks_exact(n + 1) {
            let (taps, value) = (&row[..n], row[n]);
            let predicted: f64 = taps.iter().zip(&k).map(|(t, k)| t * k).sum();
            let weight = if round == 0 { 1.0 } else { 1.0 / (value - predicted).abs().max(SMALL_MISS) };
            for i in 0..n {
                let w = weight * taps[i];
                right[i] += w * value;
                for (sum, t) in normal[i * n..=i * n + i].iter_mut().zip(taps) {
                    *sum += w * t;
                }
            }
        }
        k = solve(n, normal, right);
    }
    let scale = f64::from(1u32 << FRACTION_BITS);
    // The cast saturates: a coefficient beyond +-8 predicts less well, never wrongly.
    k.iter().map(|k| (k * scale).round() as i16).collect()
}

/// Solves the symmetric system whose lower half is in `matrix` by Cholesky's method, with a touch of damping so that
/// columns that are zero or alike do no harm.
fn solve(n: usize, mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let largest = (0..n).map(|i| matrix[i * n + i]).fold(0.0, f64::max);
    for i in 0..n {
        matrix[i * n + i] += 1e-7 * largest + 1e-9;
    }
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|m| matrix[i * n + m] * matrix[j * n + m]).sum();
            let rest = matrix[i * n + j] - dot;
            matrix[i * n + j] = if i == j { rest.max(1e-12).sqrt() } else { rest / matrix[j * n + j] };
        }
    }
    for i in 0..n {
        let dot: f64 = (0..i).map(|m| matrix[i * n + m] * right[m]).sum();
        right[i] = (right[i] - dot) / matrix[i * n + i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|m| matrix[m * n + i] * right[m]).sum();
        right[i] = (right[i] - dot) / matrix[i * n + i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solver_solves() {
        // [4 2; 2 3] k = [8; 7]
        let k = solve(2, vec![4.0, 0.0, 2.0, 3.0], vec![8.0, 7.0]);
        assert!((k[0] - 1.25).abs() < 1e-5 && (k[1] - 1.5).abs() < 1e-5, "{k:?}");
        assert_eq!(solve(2, vec![0.0; 4], vec![0.0; 2]), [0.0, 0.0]);
    }

    #[test]
    fn a_rule_in_the_data_is_found() {
        // The value is three quarters of the first tap minus the second; a few rows are far off and must not matter.
        let mut rows = Vec::new();
        for i in 0..500i32 {
            let (a, b) = (f64::from(i * 37 % 401 - 200), f64::from(i * 91 % 307 - 150));
            let outlier = if i % 50 == 0 { 5000.0 } else { 0.0 };
            rows.extend([a, b, 0.75 * a - b + outlier]);
        }
        let k = fit_class(2, &rows);
        assert!((k[0] - 3072).abs() < 80 && (k[1] + 4096).abs() < 80, "{k:?}");
    }
}
