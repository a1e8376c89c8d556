//! Vectors as plain arrays.

use super::Lanes;
use std::array::from_fn;

/// Any processor.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Portable;

impl Lanes for Portable {
    type V = [f32; 8];
    type Q = [f32; 4];

    #[inline(always)]
    fn splat(self, a: f32) -> [f32; 8] {
        [a; 8]
    }

    #[inline(always)]
    fn load(self, a: &[f32; 8]) -> [f32; 8] {
        *a
    }

    #[inline(always)]
    fn store(self, a: [f32; 8]) -> [f32; 8] {
        a
    }

    #[inline(always)]
    fn add(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i] + b[i])
    }

    #[inline(always)]
    fn sub(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i] - b[i])
    }

    #[inline(always)]
    fn mul(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i] * b[i])
    }

    #[inline(always)]
    fn div(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i] / b[i])
    }

    #[inline(always)]
    fn max(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn min(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn sqrt(self, a: [f32; 8]) -> [f32; 8] {
        a.map(f32::sqrt)
    }

    #[inline(always)]
    fn rsqrt(self, a: [f32; 8]) -> [f32; 8] {
        a.map(|v| 1.0 / v.sqrt())
    }

    #[inline(always)]
    fn abs(self, a: [f32; 8]) -> [f32; 8] {
        a.map(f32::abs)
    }

    #[inline(always)]
    fn copysign(self, a: [f32; 8], sign: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i].copysign(sign[i]))
    }

    #[inline(always)]
    fn fma(self, a: [f32; 8], b: [f32; 8], c: [f32; 8]) -> [f32; 8] {
        from_fn(|i| a[i] * b[i] + c[i])
    }

    #[inline(always)]
    fn fnma(self, a: [f32; 8], b: [f32; 8], c: [f32; 8]) -> [f32; 8] {
        from_fn(|i| c[i] - a[i] * b[i])
    }

    #[inline(always)]
    fn where_ge(self, a: [f32; 8], b: [f32; 8], yes: [f32; 8], no: [f32; 8]) -> [f32; 8] {
        from_fn(|i| if a[i] >= b[i] { yes[i] } else { no[i] })
    }

    #[inline(always)]
    fn count_ge(self, count: [f32; 8], a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        from_fn(|i| f32::from_bits(count[i].to_bits() + u32::from(a[i] >= b[i])))
    }

    #[inline(always)]
    fn whole(self, count: [f32; 8]) -> [f32; 8] {
        count.map(|c| c.to_bits() as f32)
    }

    #[inline(always)]
    fn pick(self, table: &[f32; 8], index: [f32; 8]) -> [f32; 8] {
        index.map(|i| table[i.to_bits() as usize % 8])
    }

    #[inline(always)]
    fn below(self, a: [f32; 8], b: [f32; 8]) -> u32 {
        (0..8).map(|i| u32::from(a[i] < b[i]) << i).sum()
    }

    #[inline(always)]
    fn to_int(self, a: [f32; 8]) -> [i32; 8] {
        a.map(|v| v as i32)
    }

    #[inline(always)]
    fn pack_snorm16(self, x: [f32; 8], y: [f32; 8]) -> [f32; 8] {
        // 1.5 * 2^23: adding it leaves the rounded integer in the low bits of the float.
        let bits = |v: f32| (v * 32767.0 + 12_582_912.0).to_bits();
        from_fn(|i| f32::from_bits(bits(x[i]) & 0xffff | bits(y[i]) << 16))
    }

    #[inline(always)]
    fn transpose(self, rows: [[f32; 8]; 8]) -> [[f32; 8]; 8] {
        from_fn(|i| from_fn(|j| rows[j][i]))
    }

    #[inline(always)]
    fn quad(self, a: &[f32; 4]) -> [f32; 4] {
        *a
    }

    #[inline(always)]
    fn quad_fma(self, s: f32, a: [f32; 4], c: [f32; 4]) -> [f32; 4] {
        from_fn(|i| s * a[i] + c[i])
    }

    #[inline(always)]
    fn low(self, a: [f32; 8]) -> [f32; 4] {
        from_fn(|i| a[i])
    }

    #[inline(always)]
    fn with_low(self, a: [f32; 8], low: [f32; 4]) -> [f32; 8] {
        from_fn(|i| if i < 4 { low[i] } else { a[i] })
    }

    #[inline(always)]
    fn columns(self, rows: [[f32; 4]; 8]) -> [[f32; 8]; 4] {
        from_fn(|i| from_fn(|j| rows[j][i]))
    }
}
