//! How a table becomes chunks of bytes: quantize, predict, sort what the prediction missed by context, pack.
//!
//! `docs/reference/database-format.md` describes the result byte by byte.

mod fit;
mod predictor;
mod quantize;
mod shape;
mod streams;
mod walk;

pub(super) use predictor::Predictor;
pub use quantize::{Encoding, Tolerance};
pub(super) use shape::{TableShape, runs};

use super::frames::{Damage, Unpacker};
use crate::table::{Displacement, Table};
use crate::{Error, Result};
use predictor::LARGEST_VALUE;
use streams::{StreamsReader, StreamsWriter};
use walk::CONTEXTS;

/// Above this many values, the channels of a chunk are worth a thread each.
const WORTH_THREADS: usize = 1 << 15;

/// What a reader must know of a channel to decode its chunks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Channel {
    /// Stored values are whole numbers of this, in meters or radians.
    pub(super) step: f64,
    pub(super) predictor: Predictor,
    /// Whether corrections follow that make values exact.
    pub(super) lossless: bool,
}

/// A table as bytes.
pub(super) struct Encoded {
    pub(super) layers_per_chunk: usize,
    pub(super) channels: Vec<Channel>,
    /// For each run of layers the four channels.
    pub(super) chunks: Vec<[Vec<u8>; 4]>,
    /// The largest difference between what was given and what will be read, per channel, meters and radians.
    pub(super) largest_error: [f64; 4],
}

/// The shape of a table.
pub(super) fn shape_of<const N: usize>(table: &Table<N>) -> TableShape {
    TableShape { axes: table.grid().0.iter().map(|axis| axis.len()).collect(), vertices: table.vertices() }
}

/// Encodes a table within `tolerance` (meters and radians per channel), or exactly.
///
/// Where f32 is too coarse to keep the tolerance (values of millions of tolerances), the table is stored exactly.
pub(super) fn encode<const N: usize>(table: &Table<N>, tolerance: [f64; 4], lossless: bool) -> Result<Encoded> {
    let shape = shape_of(table);
    let layers_per_chunk = shape.layers_per_chunk();
    let largest: [f64; 4] =
        std::array::from_fn(|c| table.values().iter().map(|v| f64::from(v[c].abs())).fold(0.0, f64::max));
    let steps: [Option<f64>; 4] = std::array::from_fn(|c| quantize::step(tolerance[c], largest[c]));
    let lossless = lossless || steps.contains(&None);
    let step = |c: usize| match steps[c] {
        Some(step) if !lossless => step,
        _ => quantize::lossless_step(tolerance[c], largest[c]),
    };
    let encode = |c: usize| encode_channel(&shape, layers_per_chunk, table.values(), c, step(c), lossless);
    let encoded = for_each_channel(shape.values(), encode);
    let mut out = Encoded { layers_per_chunk, channels: Vec::new(), chunks: Vec::new(), largest_error: [0.0; 4] };
    for (c, (channel, chunks, error)) in encoded.into_iter().enumerate() {
        if !lossless && error > tolerance[c] {
            return Err(Error::invalid(
                "displacement table",
                format!(
                    "channel {c} would be stored with an error of {error}, above its tolerance of {}",
                    tolerance[c]
                ),
            ));
        }
        out.channels.push(channel);
        out.largest_error[c] = error;
        out.chunks.resize(chunks.len(), Default::default());
        for (run, chunk) in out.chunks.iter_mut().zip(chunks) {
            run[c] = chunk;
        }
    }
    Ok(out)
}

/// Runs `work` for channels 0 to 3, side by side when there is enough of it.
fn for_each_channel<T: Send>(values: usize, work: impl Fn(usize) -> T + Sync) -> [T; 4] {
    if values < WORTH_THREADS {
        return std::array::from_fn(work);
    }
    std::thread::scope(|scope| {
        let work = &work;
        let threads: [_; 4] = std::array::from_fn(|c| scope.spawn(move || work(c)));
        threads.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

fn encode_channel(
    shape: &TableShape,
    layers_per_chunk: usize,
    values: &[Displacement],
    c: usize,
    step: f64,
    lossless: bool,
) -> (Channel, Vec<Vec<u8>>, f64) {
    let quantized: Vec<i32> = values.iter().map(|v| quantize::quantize(v[c], step)).collect();
    let predictor = fit::fit(shape, layers_per_chunk, &quantized);
    let mut chunks = Vec::new();
    let mut error = 0.0f64;
    let mut first = 0;
    for layers in runs(shape.layers(), layers_per_chunk) {
        let (mut misses, mut corrections) = (StreamsWriter::default(), StreamsWriter::default());
        let visited: Result<(), std::convert::Infallible> =
            walk::walk(shape, layers, &predictor, |index, prediction, context| {
                let (q, exact) = (quantized[first + index], values[first + index][c]);
                let rough = quantize::dequantize(q, step);
                misses.push(context, q - prediction);
                if lossless {
                    corrections.push(size_context(q), quantize::correction(exact, rough));
                } else {
                    error = error.max((f64::from(exact) - f64::from(rough)).abs());
                }
                Ok(q)
            });
        let Ok(()) = visited;
        let mut chunk = Vec::new();
        misses.finish(&mut chunk);
        if lossless {
            corrections.finish(&mut chunk);
        }
        chunks.push(chunk);
        first += layers * shape.layer_values();
    }
    (Channel { step, predictor, lossless }, chunks, error)
}

/// The context of a correction: the size of the value, on which depends how many f32 values one step spans.
fn size_context(q: i32) -> usize {
    ((32 - q.unsigned_abs().leading_zeros()) as usize).min(CONTEXTS - 1)
}

/// Decodes a run of `layers` layers; damage comes with the channel it is in.
pub(super) fn decode(
    shape: &TableShape,
    channels: &[Channel],
    layers: usize,
    chunks: [&[u8]; 4],
) -> Result<[Vec<f32>; 4], (usize, Damage)> {
    let decode = |c: usize| decode_channel(shape, &channels[c], layers, chunks[c]).map_err(|damage| (c, damage));
    let mut decoded = for_each_channel(layers * shape.layer_values(), decode);
    let mut out: [Vec<f32>; 4] = Default::default();
    for (out, channel) in out.iter_mut().zip(&mut decoded) {
        *out = std::mem::replace(channel, Ok(Vec::new()))?;
    }
    Ok(out)
}

fn decode_channel(shape: &TableShape, channel: &Channel, layers: usize, chunk: &[u8]) -> Result<Vec<f32>, Damage> {
    let count = layers * shape.layer_values();
    let mut unpacker = Unpacker::new();
    let mut rest = chunk;
    let mut misses = StreamsReader::open(&mut rest, count, &mut unpacker)?;
    let mut corrections = match channel.lossless {
        true => Some(StreamsReader::open(&mut rest, count, &mut unpacker)?),
        false => None,
    };
    if !rest.is_empty() {
        return Err(Damage("something follows the streams"));
    }
    // The streams are there and hold `count` tokens: what is reserved from here on is a small multiple of them.
    let mut values = Vec::with_capacity(count);
    walk::walk(shape, layers, &channel.predictor, |_, prediction, context| {
        let q = prediction.wrapping_add(misses.pull(context)?);
        if q.unsigned_abs() > LARGEST_VALUE as u32 {
            return Err(Damage("a value is out of range"));
        }
        let rough = quantize::dequantize(q, channel.step);
        let value = match &mut corrections {
            Some(corrections) => quantize::correct(rough, corrections.pull(size_context(q))?),
            None => rough,
        };
        values.push(value);
        Ok(q)
    })?;
    misses.finish()?;
    corrections.map_or(Ok(()), StreamsReader::finish)?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::database::tests::{axis, smooth_table};
    use crate::table::grid::Grid;

    fn decode_all<const N: usize>(table: &Table<N>, encoded: &Encoded) -> Vec<Displacement> {
        let shape = shape_of(table);
        let mut values = Vec::new();
        for (layers, chunks) in runs(shape.layers(), encoded.layers_per_chunk).zip(&encoded.chunks) {
            let [x, y, z, t] = decode(&shape, &encoded.channels, layers, chunks.each_ref().map(|c| &c[..])).unwrap();
            values.extend((0..x.len()).map(|i| [x[i], y[i], z[i], t[i]]));
        }
        values
    }

    fn small_table() -> Table<3> {
        let values: Vec<f64> = (0..6).map(f64::from).collect();
        smooth_table(Grid([axis(&values), axis(&values[..3]), axis(&values[..4])]), 7)
    }

    const TOLERANCE: [f64; 4] = [1e-6, 1e-6, 1e-6, 2e-3];

    #[test]
    fn quantized_tables_keep_their_tolerance() {
        let table = small_table();
        let encoded = encode(&table, TOLERANCE, false).unwrap();
        let decoded = decode_all(&table, &encoded);
        let mut largest = [0.0f64; 4];
        for (a, b) in decoded.iter().zip(table.values()) {
            for c in 0..4 {
                largest[c] = largest[c].max((f64::from(a[c]) - f64::from(b[c])).abs());
            }
        }
        assert_eq!(largest, encoded.largest_error);
        assert!((0..4).all(|c| largest[c] <= TOLERANCE[c] && largest[c] > 0.5 * TOLERANCE[c]), "{largest:?}");
    }

    #[test]
    fn lossless_tables_keep_every_bit() {
        let mut values = small_table().values().to_vec();
        values[3] = [-0.0, f32::MIN_POSITIVE / 8.0, -1e-30, 1e30];
        values[400] = [f32::MAX, -f32::MAX, 1.0, -1.0];
        let table = Table::new(small_table().grid().clone(), 7, values).unwrap();
        let decoded = decode_all(&table, &encode(&table, TOLERANCE, true).unwrap());
        let bits = |values: &[Displacement]| values.iter().map(|v| v.map(f32::to_bits)).collect::<Vec<_>>();
        assert_eq!(bits(&decoded), bits(table.values()));
    }

    #[test]
    fn values_too_large_for_the_tolerance_are_stored_exactly() {
        let mut values = small_table().values().to_vec();
        values[5][1] = 1e4;
        let table = Table::new(small_table().grid().clone(), 7, values).unwrap();
        let encoded = encode(&table, TOLERANCE, false).unwrap();
        assert!(encoded.channels.iter().all(|c| c.lossless));
        assert_eq!(decode_all(&table, &encoded), table.values());
    }

    #[test]
    fn four_axes_and_many_chunks_round_trip() {
        let table =
            smooth_table(Grid([axis(&[0., 1.]), axis(&[0., 1., 2.]), axis(&[0., 1.]), axis(&[-9., 0., 9.])]), 4);
        assert_eq!(decode_all(&table, &encode(&table, TOLERANCE, true).unwrap()), table.values());
        let shape = shape_of(&table);
        let quantized: Vec<i32> = table.values().iter().map(|v| quantize::quantize(v[0], 1e-6)).collect();
        let (channel, chunks, _) = encode_channel(&shape, 2, table.values(), 0, 1e-6, false);
        assert_eq!(chunks.len(), 2);
        let decoded: Vec<f32> = runs(3, 2)
            .zip(&chunks)
            .flat_map(|(layers, chunk)| decode_channel(&shape, &channel, layers, chunk).unwrap())
            .collect();
        assert_eq!(decoded, quantized.iter().map(|q| quantize::dequantize(*q, 1e-6)).collect::<Vec<_>>());
    }

    #[test]
    fn the_same_table_gives_the_same_bytes_and_is_smaller_than_it_was() {
        let table = small_table();
        let [first, second] = [(); 2].map(|()| encode(&table, TOLERANCE, false).unwrap().chunks);
        assert_eq!(first, second);
        let stored: usize = first.iter().flatten().map(Vec::len).sum();
        assert!(stored * 2 < table.values().len() * 16, "{stored}");
    }
}
