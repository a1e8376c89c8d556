//! Vector operations whose result does not depend on the number of threads.

use rayon::prelude::*;

/// Entries summed as one: the partial sums, and with them the rounding, are the same on any number of threads.
const CHUNK: usize = 3072;

/// Vectors shorter than this are not worth waking a second thread for.
pub(super) const PARALLEL: usize = 24_576;

/// aᵀ b.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    if a.len() < PARALLEL {
        a.chunks(CHUNK).zip(b.chunks(CHUNK)).map(|(a, b)| chunk_dot(a, b)).sum()
    } else {
        let partial: Vec<f64> = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK)).map(|(a, b)| chunk_dot(a, b)).collect();
        partial.iter().sum()
    }
}

fn chunk_dot(a: &[f64], b: &[f64]) -> f64 {
    // Independent sums let the compiler use vector registers.
    let mut sums = [0.0; 4];
    let (a4, a_rest) = a.as_chunks::<4>();
    let (b4, b_rest) = b.as_chunks::<4>();
    for (a, b) in a4.iter().zip(b4) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// y ← y + c x.
pub(super) fn add_scaled(y: &mut [f64], c: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += c * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_short_sums_are_the_same_sum() {
        let a: Vec<f64> = (0..PARALLEL + 77).map(|i| (i as f64 * 0.37).sin()).collect();
        let b: Vec<f64> = (0..a.len()).map(|i| (i as f64 * 0.11).cos()).collect();
        let serial: f64 = a.chunks(CHUNK).zip(b.chunks(CHUNK)).map(|(a, b)| chunk_dot(a, b)).sum();
        assert_eq!(dot(&a, &b).to_bits(), serial.to_bits());
        let plain: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        assert!((serial - plain).abs() < 1e-9);
    }
}
