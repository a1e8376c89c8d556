//! The walk over the values of a chunk that writer and reader share: both see the same predictions and contexts.

use super::predictor::{self, LARGEST_VALUE, Neighbors, Predictor, SamplePredictor};
use super::shape::TableShape;

/// How many different contexts there are.
pub(super) const CONTEXTS: usize = 24;

/// The context of a value: how far off the predictions around it were, in half octaves.
#[inline]
pub(super) fn context(activity: u32) -> usize {
    let t = activity.saturating_add(1);
    let octave = t.ilog2();
    let half = if octave > 0 { t >> (octave - 1) & 1 } else { 0 };
    ((2 * octave + half) as usize).min(CONTEXTS - 1)
}

/// One layer of the walk: the values, and by how much each missed its prediction.
struct Layer {
    values: Vec<i32>,
    misses: Vec<u32>,
}

impl Layer {
    fn new(len: usize) -> Self {
        Layer { values: vec![0; len], misses: vec![0; len] }
    }
}

/// Visits the values of `layers` layers in order. `value(index, prediction, context)` gives each value; it is at most
/// [`LARGEST_VALUE`] in size. Only two layers are held in memory.
pub(super) fn walk<E>(
    shape: &TableShape,
    layers: usize,
    predictor: &Predictor,
    mut value: impl FnMut(usize, i32, usize) -> Result<i32, E>,
) -> Result<(), E> {
    let len = shape.layer_values();
    let (mut last, mut this) = (Layer::new(len), Layer::new(len));
    let mut row = SamplePredictor::new(shape.vertices);
    let mut activity = vec![0u32; shape.vertices];
    for layer in 0..layers {
        std::mem::swap(&mut last, &mut this);
        for sample in 0..shape.layer_samples() {
            let place = SamplePlace::new(shape, layer, sample);
            let start = sample * shape.vertices;
            let (done, here) = this.values.split_at_mut(start);
            row.prepare(predictor, &place.neighbors(shape, done, &last.values));
            let (misses_done, misses) = this.misses.split_at_mut(start);
            place.sum_activity(shape, misses_done, &last.misses, &mut activity);
            for v in 0..shape.vertices {
                let miss = |back: usize| if v >= back { misses[v - back] } else { 0 };
                let prediction = row.predict(here, v);
                let context = context(activity[v] + 2 * miss(1) + miss(2));
                let q = value(layer * len + start + v, prediction, context)?;
                debug_assert!(q.unsigned_abs() <= LARGEST_VALUE as u32);
                here[v] = q;
                misses[v] = q.abs_diff(prediction);
            }
        }
    }
    Ok(())
}

/// Where a sample lies in the chunk.
struct SamplePlace {
    sample: usize,
    available: usize,
}

impl SamplePlace {
    fn new(shape: &TableShape, layer: usize, sample: usize) -> Self {
        let mut rest = sample;
        let last = shape.axes.len() - 1;
        let mut indices: Vec<usize> = shape.axes[..last]
            .iter()
            .map(|n| {
                let i = rest % n;
                rest /= n;
                i
            })
            .collect();
        indices.push(layer);
        SamplePlace { sample, available: predictor::available(&indices) }
    }

    /// The row of the sample one step back along the axes of a bit set, of a layer done so far or the last layer.
    fn row<'a, T>(&self, shape: &TableShape, axes: usize, done: &'a [T], last: &'a [T]) -> &'a [T] {
        let along_last = 1usize << (shape.axes.len() - 1);
        let steps: usize =
            (0..shape.axes.len() - 1).map(|k| (axes >> k & 1) * shape.axes[..k].iter().product::<usize>()).sum();
        let from = if axes & along_last != 0 { last } else { done };
        &from[(self.sample - steps) * shape.vertices..][..shape.vertices]
    }

    fn neighbors<'a>(&self, shape: &TableShape, done: &'a [i32], last: &'a [i32]) -> Neighbors<'a> {
        let row = |axes: usize| match axes {
            0 => &[][..],
            _ if axes & !self.available != 0 => &[][..],
            _ => self.row(shape, axes, done, last),
        };
        Neighbors { available: self.available, rows: (0..1 << shape.axes.len()).map(row).collect() }
    }

    /// For each vertex the sum of the misses one step back along each single axis.
    fn sum_activity(&self, shape: &TableShape, done: &[u32], last: &[u32], out: &mut [u32]) {
        out.fill(0);
        for axis in (0..shape.axes.len()).filter(|k| self.available >> k & 1 == 1) {
            for (sum, miss) in out.iter_mut().zip(self.row(shape, 1 << axis, done, last)) {
                *sum += miss;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_are_half_octaves() {
        let expected = [(0, 0), (1, 2), (2, 3), (3, 4), (4, 4), (5, 5), (6, 5), (7, 6), (4094, 23), (u32::MAX, 23)];
        for (activity, at) in expected {
            assert_eq!(context(activity), at, "{activity}");
        }
        assert!((0..100_000).is_sorted_by_key(context));
    }

    #[test]
    fn the_walk_visits_every_value_in_order_and_predicts_from_what_it_was_given() {
        // Twice the value one step back along the first axis, elsewhere nothing.
        let shape = TableShape { axes: vec![3, 2, 2], vertices: 2 };
        let coefficients: Vec<i16> = (0..predictor::class_count(3))
            .flat_map(|class| predictor::taps(3, class))
            .map(|tap| if (tap.back, tap.axes) == (0, 1) { 2 << 12 } else { 0 })
            .collect();
        let predictor = Predictor::new(3, coefficients).unwrap();
        let mut visited = Vec::new();
        walk::<()>(&shape, 2, &predictor, |index, prediction, _| {
            visited.push((index, prediction));
            Ok(index as i32 + 1)
        })
        .unwrap();
        for (i, (index, prediction)) in visited.into_iter().enumerate() {
            assert_eq!(i, index);
            let first = (index / 2) % 3 == 0;
            assert_eq!(prediction, if first { 0 } else { 2 * (index as i32 - 2 + 1) });
        }
    }
}
