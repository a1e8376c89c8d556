//! Products and factors of single blocks, and of rows of them. All is inlined into code that is compiled for the processor at
//! hand.

use super::super::blocks::BLOCK;
use super::{Block, VECTORS};

/// The inverse of the lower Cholesky factor of a block; none unless the block is positive definite.
#[inline(always)]
pub(in crate::sparse) fn inverse_of_factor(a: &Block) -> Option<Block> {
    let mut l = [0.0; BLOCK * BLOCK];
    let mut inverse = [0.0; BLOCK * BLOCK];
    for c in 0..BLOCK {
        let pivot = (0..c).fold(a[5 * c], |sum, m| sum - l[4 * m + c] * l[4 * m + c]);
        // NaN is not positive either.
        if !(pivot > 0.0 && pivot < f64::INFINITY) {
            return None;
        }
        let root = 1.0 / pivot.sqrt();
        l[5 * c] = pivot * root;
        inverse[5 * c] = root;
        for r in c + 1..BLOCK {
            l[4 * c + r] = (0..c).fold(a[4 * c + r], |sum, m| sum - l[4 * m + r] * l[4 * m + c]) * root;
        }
    }
    for c in 0..BLOCK {
        for r in c + 1..BLOCK {
            let sum = (c..r).fold(0.0, |sum, m| sum + l[4 * m + r] * inverse[4 * c + m]);
            inverse[4 * c + r] = -sum * inverse[5 * r];
        }
    }
    Some(inverse)
}

/// The sums of x_n y^T over the blocks of rows of equal length.
#[inline(always)]
pub(in crate::sparse) fn products<const N: usize>(x: [&[Block]; N], y: &[Block]) -> [Block; N] {
    let x = x.map(|x| &x[..y.len()]);
    let mut sums = [[0.0; BLOCK * BLOCK]; N];
    for (k, y) in y.iter().enumerate() {
        for m in 0..BLOCK {
            for c in 0..BLOCK {
                for n in 0..N {
                    for r in 0..BLOCK {
                        let sum = &mut sums[n][BLOCK * c + r];
                        *sum = x[n][k][BLOCK * m + r].mul_add(y[BLOCK * m + c], *sum);
                    }
                }
            }
        }
    }
    sums
}

#[inline(always)]
pub(in crate::sparse) fn subtract(out: &mut Block, x: &Block) {
    for (o, x) in out.iter_mut().zip(x) {
        *o -= x;
    }
}

/// x y^T.
#[inline(always)]
pub(in crate::sparse) fn times_transposed(x: &Block, y: &Block) -> Block {
    let [out] = products([std::slice::from_ref(x)], std::slice::from_ref(y));
    out
}

/// out -= row x for as many vectors as `out` has.
#[inline(always)]
pub(in crate::sparse) fn subtract_row(out: &mut [[f64; BLOCK]], row: &[Block], x: &[[f64; BLOCK]]) {
    let count = out.len();
    for (group, out) in out.chunks_exact_mut(VECTORS).enumerate() {
        let mut sums = [[0.0; BLOCK]; VECTORS];
        for (block, x) in row.iter().zip(x.chunks_exact(count)) {
            let x = &x[VECTORS * group..][..VECTORS];
            for c in 0..BLOCK {
                for v in 0..VECTORS {
                    for r in 0..BLOCK {
                        sums[v][r] = block[BLOCK * c + r].mul_add(x[v][c], sums[v][r]);
                    }
                }
            }
        }
        for (o, s) in out.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
            *o -= s;
        }
    }
}

/// m v.
#[inline(always)]
pub(in crate::sparse) fn product(m: &Block, v: &[f64; BLOCK]) -> [f64; BLOCK] {
    std::array::from_fn(|r| m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2] + m[12 + r] * v[3])
}

/// m^T v.
#[inline(always)]
pub(in crate::sparse) fn transposed_product(m: &Block, v: &[f64; BLOCK]) -> [f64; BLOCK] {
    std::array::from_fn(|r| m[4 * r] * v[0] + m[4 * r + 1] * v[1] + m[4 * r + 2] * v[2] + m[4 * r + 3] * v[3])
}

/// out -= m^T v.
#[inline(always)]
pub(in crate::sparse) fn subtract_transposed(out: &mut [f64; BLOCK], m: &Block, v: &[f64; BLOCK]) {
    let part = transposed_product(m, v);
    (0..BLOCK).for_each(|r| out[r] -= part[r]);
}
