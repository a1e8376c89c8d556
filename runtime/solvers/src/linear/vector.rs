//! Vector operations whose result does not depend on the number of threads.

use super::Scalar;
use rayon::prelude::*;

/// Entries that are worked on as one piece: sums over pieces, and with them the rounding, are the same on any number of
/// threads. A multiple of 3 and of 5, so that no node is cut.
pub const PIECE: usize = 3840;

/// Vectors shorter than this are not worth waking a second thread for.
const PARALLEL: usize = 4 * PIECE;

/// aᵀ b.
#[inline]
pub fn dot<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    T::dot(a, b)
}

/// Calls `work` with each piece of some vectors of equal length and where it begins; adds up what it returns, in order.
pub(super) fn in_pieces<T: Scalar, const N: usize, const M: usize>(
    vectors: [&mut [T]; N],
    work: impl Fn(usize, [&mut [T]; N]) -> [f64; M] + Sync,
) -> [f64; M] {
    let length = vectors[0].len();
    if length <= PIECE {
        return work(0, vectors);
    }
    let mut rests = vectors.map(|v| v.chunks_mut(PIECE));
    let pieces = (0..length).step_by(PIECE).map(|first| {
        let piece: [&mut [T]; N] = std::array::from_fn(|n| rests[n].next().unwrap_or_default());
        (first, piece)
    });
    let add = |sums: [f64; M], part: [f64; M]| std::array::from_fn(|m| sums[m] + part[m]);
    if length < PARALLEL {
        pieces.map(|(first, piece)| work(first, piece)).fold([0.0; M], add)
    } else {
        let pieces: Vec<_> = pieces.collect();
        let parts: Vec<[f64; M]> = pieces.into_par_iter().map(|(first, piece)| work(first, piece)).collect();
        parts.into_iter().fold([0.0; M], add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_visited_once_and_sums_have_a_fixed_order() {
        for length in [7, PIECE + 3, PARALLEL + 77] {
            let a: Vec<f64> = (0..length).map(|i| (i as f64 * 0.37).sin()).collect();
            let mut b = vec![0.0; length];
            let sum = || {
                let mut copy = a.clone();
                in_pieces([&mut copy], |_, [piece]| [dot(piece, piece)])[0]
            };
            in_pieces([&mut b], |first, [piece]| {
                for (offset, b) in piece.iter_mut().enumerate() {
                    *b += a[first + offset];
                }
                []
            });
            assert_eq!(a, b);
            let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(sum);
            assert_eq!(sum().to_bits(), alone.to_bits());
            let plain: f64 = a.iter().map(|a| a * a).sum();
            assert!((plain - alone).abs() < 1e-9);
        }
    }
}
