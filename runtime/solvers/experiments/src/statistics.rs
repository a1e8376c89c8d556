//! Means, quantiles and growth.

/// Mean of some numbers, NaN where there are none.
pub(crate) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0), |(sum, count), v| (sum + v, count + 1));
    sum / f64::from(count)
}

/// The value below which the part `q` of the numbers lies, NaN where there are none.
pub(crate) fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (q * (sorted.len() as f64 - 1.0)).round() as usize;
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

/// The part of the numbers that `counts`, NaN where there are none.
pub(crate) fn share(values: &[f64], counts: impl Fn(f64) -> bool) -> f64 {
    values.iter().filter(|v| counts(**v)).count() as f64 / values.len() as f64
}

/// Slope of the best line through the logarithms of points: the exponent of growth.
pub(crate) fn exponent(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|p| p.map(f64::ln)).collect();
    let (mx, my) = (mean(logs.iter().map(|p| p[0])), mean(logs.iter().map(|p| p[1])));
    let cross: f64 = logs.iter().map(|p| (p[0] - mx) * (p[1] - my)).sum();
    cross / logs.iter().map(|p| (p[0] - mx).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers_are_found() {
        assert_eq!(mean([1.0, 2.0, 6.0]), 3.0);
        assert_eq!([0.0, 0.5, 1.0].map(|q| quantile(&[5.0, 1.0, 3.0], q)), [1.0, 3.0, 5.0]);
        assert_eq!(share(&[1.0, 2.0, 3.0, 4.0], |v| v < 1.5), 0.25);
        let points: Vec<[f64; 2]> = (1..6).map(|i| [f64::from(i), 7.0 * f64::from(i).powf(1.5)]).collect();
        assert!((exponent(&points) - 1.5).abs() < 1e-12);
        assert!(mean([]).is_nan() && quantile(&[], 0.5).is_nan() && share(&[], |_| true).is_nan());
    }
}
