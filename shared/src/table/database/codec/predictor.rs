//! Linear prediction of a value from those already known.
//!
//! Values are visited sample by sample, in each sample vertex by vertex. The prediction for vertex v of sample s is
//!
//!   p = floor((2^11 + sum_t k_t q_t) / 2^12)
//!
//! over the taps t = (dv, D): q_t is the value of vertex v - dv at the sample one step back along every axis of the
//! set D. The taps are all pairs of dv = 0, 1, 2 and subsets D that exist there (v >= dv; none of the axes in D at its
//! first index), except the value itself. Which ones exist is the *class* of the value, and every class has its own
//! coefficients k, whole numbers that are fitted when the table is written.
//!
//! (With k = +-1 this would be the Lorenzo predictor. Yarns jump as a whole from one sample to the next, so the vertices
//! before v in the same sample say more than any sample alone.)

/// How many vertices before the one predicted are looked at.
pub(super) const REACH: usize = 2;

/// Coefficients are whole numbers of 2^-12.
pub(super) const FRACTION_BITS: u32 = 12;

/// The largest size of a quantized value. Together with 16-bit coefficients and at most 47 taps it keeps every sum below
/// 2^45: whole numbers that an f64 holds exactly, so the order of summation does not matter.
pub(crate) const LARGEST_VALUE: i32 = 1 << 23;

/// A value that the prediction looks at: `back` vertices before, one step back along the axes in the bit set `axes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tap {
    pub(super) back: usize,
    pub(super) axes: usize,
}

/// The coefficients of one channel of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Predictor {
    axis_count: usize,
    /// Where each class begins in `coefficients`, and one beyond the last.
    starts: Vec<usize>,
    coefficients: Vec<i16>,
}

impl Predictor {
    /// From the coefficients of all classes, one after the other; `None` if their number is wrong.
    pub(crate) fn new(axis_count: usize, coefficients: Vec<i16>) -> Option<Self> {
        let mut starts = vec![0];
        for class in 0..class_count(axis_count) {
            starts.push(starts[class] + taps(axis_count, class).count());
        }
        (starts.last() == Some(&coefficients.len())).then_some(Predictor { axis_count, starts, coefficients })
    }

    /// The coefficients of all classes, one after the other.
    pub(crate) fn coefficients(&self) -> &[i16] {
        &self.coefficients
    }

    fn weighted_taps(&self, class: usize) -> impl Iterator<Item = (Tap, f64)> {
        let coefficients = &self.coefficients[self.starts[class]..self.starts[class + 1]];
        taps(self.axis_count, class).zip(coefficients).map(|(tap, k)| (tap, f64::from(*k)))
    }
}

/// A value's class: `available` is the bit set of axes along which there is a sample before.
pub(super) fn class(axis_count: usize, available: usize, vertex: usize) -> usize {
    vertex.min(REACH) << axis_count | available
}

pub(super) fn class_count(axis_count: usize) -> usize {
    (REACH + 1) << axis_count
}

/// The taps of a class, in the order of their coefficients.
pub(super) fn taps(axis_count: usize, class: usize) -> impl Iterator<Item = Tap> {
    let (reach, available) = (class >> axis_count, class & ((1 << axis_count) - 1));
    let all = (0..=reach).flat_map(move |back| (0..1 << axis_count).map(move |axes| Tap { back, axes }));
    all.filter(move |tap| tap.axes & !available == 0 && (tap.back, tap.axes) != (0, 0))
}

/// The samples around the one being predicted.
pub(super) struct Neighbors<'a> {
    /// The bit set of axes along which there is a sample before.
    pub(super) available: usize,
    /// Values of the sample one step back along the axes of the bit set; empty where there is none.
    pub(super) rows: Vec<&'a [i32]>,
}

/// Predicts one sample: what its neighbors say is summed up ahead, for all vertices at once.
pub(super) struct SamplePredictor {
    /// Sum over the taps in other samples, for each vertex.
    ahead: Vec<f64>,
    /// Coefficients of the vertices before, in the same sample: for vertices 1 and for all that follow.
    second: f64,
    others: [f64; REACH],
}

impl SamplePredictor {
    pub(super) fn new(vertices: usize) -> Self {
        SamplePredictor { ahead: vec![0.0; vertices], second: 0.0, others: [0.0; REACH] }
    }

    /// Prepares for the sample between these neighbors.
    pub(super) fn prepare(&mut self, predictor: &Predictor, neighbors: &Neighbors) {
        self.ahead.fill(0.0);
        let n = self.ahead.len();
        for vertex in 0..n.min(REACH + 1) {
            // The last class holds for all the vertices that follow.
            let end = if vertex == REACH { n } else { vertex + 1 };
            let class = class(predictor.axis_count, neighbors.available, vertex);
            for (tap, k) in predictor.weighted_taps(class) {
                if tap.axes != 0 {
                    let row = &neighbors.rows[tap.axes][vertex - tap.back..end - tap.back];
                    for (sum, q) in self.ahead[vertex..end].iter_mut().zip(row) {
                        *sum += k * f64::from(*q);
                    }
                } else if vertex == REACH {
                    self.others[tap.back - 1] = k;
                } else {
                    self.second = k;
                }
            }
        }
    }

    /// The prediction for `vertex`, given the vertices before it in its own sample.
    #[inline]
    pub(super) fn predict(&self, before: &[i32], vertex: usize) -> i32 {
        let value = |back: usize| f64::from(before[vertex - back]);
        let here = match vertex {
            0 => 0.0,
            1 => self.second * value(1),
            _ => self.others[0] * value(1) + self.others[1] * value(2),
        };
        let sum = (self.ahead[vertex] + here) as i64;
        // Below 2^34 in size; the limit on values makes anything beyond i32 useless as a prediction anyway.
        let rounded = (sum + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS;
        rounded.clamp(-i64::from(LARGEST_VALUE), i64::from(LARGEST_VALUE)) as i32
    }
}

/// The axes along which a sample has one before it, as a bit set, from its indices within the chunk.
pub(super) fn available(indices: &[usize]) -> usize {
    indices.iter().enumerate().map(|(k, i)| usize::from(*i > 0) << k).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_the_documented_number_of_coefficients() {
        let total = |axes: usize| (0..class_count(axes)).map(|c| taps(axes, c).count()).sum::<usize>();
        assert_eq!(total(3), 138);
        assert_eq!(total(4), 438);
        assert_eq!(taps(3, class(3, 0b111, 9)).count(), 23);
        assert_eq!(taps(3, class(3, 0, 0)).count(), 0);
        let order: Vec<_> = taps(3, class(3, 0b101, 1)).map(|t| (t.back, t.axes)).collect();
        assert_eq!(order, [(0, 1), (0, 4), (0, 5), (1, 0), (1, 1), (1, 4), (1, 5)]);
    }

    #[test]
    fn the_prepared_sum_is_the_formula() {
        let coefficients: Vec<i16> = (0..138).map(|i| (i * 7919 % 8191 - 4096) as i16).collect();
        let predictor = Predictor::new(3, coefficients).unwrap();
        let value = |axes: usize, v: usize| ((axes * 31 + v * 17) % 23) as i32 * 1000 - 9000;
        let rows: Vec<Vec<i32>> = (0..8).map(|axes| (0..6).map(|v| value(axes, v)).collect()).collect();
        for available in 0..8usize {
            let neighbors = Neighbors {
                available,
                rows: (0..8).map(|axes| if axes & !available == 0 { &rows[axes][..] } else { &[] }).collect(),
            };
            let mut row = SamplePredictor::new(6);
            row.prepare(&predictor, &neighbors);
            for v in 0..6 {
                let class = class(3, available, v);
                let start = predictor.starts[class];
                let mut sum = 1i64 << 11;
                for (i, tap) in taps(3, class).enumerate() {
                    sum += i64::from(predictor.coefficients[start + i]) * i64::from(value(tap.axes, v - tap.back));
                }
                assert_eq!(i64::from(row.predict(&rows[0][..v], v)), sum.div_euclid(1 << 12), "{available} {v}");
            }
        }
    }

    #[test]
    fn a_wrong_number_of_coefficients_is_no_predictor() {
        assert!(Predictor::new(3, vec![0; 137]).is_none());
        assert!(Predictor::new(4, vec![0; 438]).is_some());
    }
}
