//! Vectors in AVX2 registers, with fused multiply-add.

use super::Lanes;
use core::arch::x86_64::{__m128, __m256, __m256i};
use pulp::x86::V3;

/// An x86-64 processor with AVX2 and FMA: a value exists only where the processor has both.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Avx2(V3);

impl Avx2 {
    /// The instructions, if this processor has them.
    pub(in crate::cpu) fn detect() -> Option<Self> {
        V3::try_new().map(Avx2)
    }

    /// Runs `work` compiled for these instructions.
    #[inline(always)]
    pub(in crate::cpu) fn run(self, work: impl FnOnce()) {
        self.0.vectorize(work);
    }
}

impl Lanes for Avx2 {
    type V = __m256;
    type Q = __m128;

    #[inline(always)]
    fn splat(self, a: f32) -> __m256 {
        self.0.avx._mm256_set1_ps(a)
    }

    #[inline(always)]
    fn load(self, a: &[f32; 8]) -> __m256 {
        bytemuck::must_cast(*a)
    }

    #[inline(always)]
    fn store(self, a: __m256) -> [f32; 8] {
        bytemuck::must_cast(a)
    }

    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_add_ps(a, b)
    }

    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_sub_ps(a, b)
    }

    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_mul_ps(a, b)
    }

    #[inline(always)]
    fn div(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_div_ps(a, b)
    }

    #[inline(always)]
    fn max(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_max_ps(a, b)
    }

    #[inline(always)]
    fn min(self, a: __m256, b: __m256) -> __m256 {
        self.0.avx._mm256_min_ps(a, b)
    }

    #[inline(always)]
    fn sqrt(self, a: __m256) -> __m256 {
        self.0.avx._mm256_sqrt_ps(a)
    }

    #[inline(always)]
    fn rsqrt(self, a: __m256) -> __m256 {
        // The instruction's estimate has 12 bits; a Newton step doubles them.
        let y = self.0.avx._mm256_rsqrt_ps(a);
        let square = self.mul(self.mul(a, y), y);
        self.mul(self.mul(self.splat(0.5), y), self.sub(self.splat(3.0), square))
    }

    #[inline(always)]
    fn abs(self, a: __m256) -> __m256 {
        self.0.avx._mm256_andnot_ps(self.splat(-0.0), a)
    }

    #[inline(always)]
    fn copysign(self, a: __m256, sign: __m256) -> __m256 {
        let mask = self.splat(-0.0);
        self.0.avx._mm256_or_ps(self.0.avx._mm256_and_ps(mask, sign), self.0.avx._mm256_andnot_ps(mask, a))
    }

    #[inline(always)]
    fn fma(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        self.0.fma._mm256_fmadd_ps(a, b, c)
    }

    #[inline(always)]
    fn fnma(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        self.0.fma._mm256_fnmadd_ps(a, b, c)
    }

    #[inline(always)]
    fn where_ge(self, a: __m256, b: __m256, yes: __m256, no: __m256) -> __m256 {
        let mask = self.0.avx._mm256_cmp_ps::<{ core::arch::x86_64::_CMP_GE_OQ }>(a, b);
        self.0.avx._mm256_blendv_ps(no, yes, mask)
    }

    #[inline(always)]
    fn count_ge(self, count: __m256, a: __m256, b: __m256) -> __m256 {
        // A comparison gives -1 where it holds.
        let mask: __m256i = bytemuck::must_cast(self.0.avx._mm256_cmp_ps::<{ core::arch::x86_64::_CMP_GE_OQ }>(a, b));
        bytemuck::must_cast(self.0.avx2._mm256_sub_epi32(bytemuck::must_cast(count), mask))
    }

    #[inline(always)]
    fn whole(self, count: __m256) -> __m256 {
        self.0.avx._mm256_cvtepi32_ps(bytemuck::must_cast(count))
    }

    #[inline(always)]
    fn pick(self, table: &[f32; 8], index: __m256) -> __m256 {
        self.0.avx2._mm256_permutevar8x32_ps(self.load(table), bytemuck::must_cast(index))
    }

    #[inline(always)]
    fn below(self, a: __m256, b: __m256) -> u32 {
        let mask = self.0.avx._mm256_cmp_ps::<{ core::arch::x86_64::_CMP_LT_OQ }>(a, b);
        self.0.avx._mm256_movemask_ps(mask) as u32
    }

    #[inline(always)]
    fn to_int(self, a: __m256) -> [i32; 8] {
        bytemuck::must_cast(self.0.avx._mm256_cvttps_epi32(a))
    }

    #[inline(always)]
    fn pack_snorm16(self, x: __m256, y: __m256) -> __m256 {
        let (x, y) = (self.snorm16(x), self.0.avx2._mm256_slli_epi32::<16>(self.snorm16(y)));
        // The low half of x, the high half of y.
        bytemuck::must_cast(self.0.avx2._mm256_blend_epi16::<0b1010_1010>(x, y))
    }

    #[inline(always)]
    fn transpose(self, r: [__m256; 8]) -> [__m256; 8] {
        let avx = self.0.avx;
        let (a, b) = (self.transpose_quads([r[0], r[1], r[2], r[3]]), self.transpose_quads([r[4], r[5], r[6], r[7]]));
        [
            avx._mm256_permute2f128_ps::<0x20>(a[0], b[0]),
            avx._mm256_permute2f128_ps::<0x20>(a[1], b[1]),
            avx._mm256_permute2f128_ps::<0x20>(a[2], b[2]),
            avx._mm256_permute2f128_ps::<0x20>(a[3], b[3]),
            avx._mm256_permute2f128_ps::<0x31>(a[0], b[0]),
            avx._mm256_permute2f128_ps::<0x31>(a[1], b[1]),
            avx._mm256_permute2f128_ps::<0x31>(a[2], b[2]),
            avx._mm256_permute2f128_ps::<0x31>(a[3], b[3]),
        ]
    }

    #[inline(always)]
    fn quad(self, a: &[f32; 4]) -> __m128 {
        bytemuck::must_cast(*a)
    }

    #[inline(always)]
    fn quad_fma(self, s: f32, a: __m128, c: __m128) -> __m128 {
        self.0.fma._mm_fmadd_ps(self.0.sse._mm_set1_ps(s), a, c)
    }

    #[inline(always)]
    fn low(self, a: __m256) -> __m128 {
        self.0.avx._mm256_castps256_ps128(a)
    }

    #[inline(always)]
    fn with_low(self, a: __m256, low: __m128) -> __m256 {
        self.0.avx._mm256_blend_ps::<0x0f>(a, self.0.avx._mm256_castps128_ps256(low))
    }

    #[inline(always)]
    fn columns(self, r: [__m128; 8]) -> [__m256; 4] {
        self.transpose_quads([
            self.pair(r[0], r[4]),
            self.pair(r[1], r[5]),
            self.pair(r[2], r[6]),
            self.pair(r[3], r[7]),
        ])
    }
}

impl Avx2 {
    /// Rows to columns within the lower and within the upper four lanes.
    #[inline(always)]
    fn transpose_quads(self, a: [__m256; 4]) -> [__m256; 4] {
        let avx = self.0.avx;
        let (t0, t1) = (avx._mm256_unpacklo_ps(a[0], a[1]), avx._mm256_unpackhi_ps(a[0], a[1]));
        let (t2, t3) = (avx._mm256_unpacklo_ps(a[2], a[3]), avx._mm256_unpackhi_ps(a[2], a[3]));
        [
            avx._mm256_shuffle_ps::<0x44>(t0, t2),
            avx._mm256_shuffle_ps::<0xee>(t0, t2),
            avx._mm256_shuffle_ps::<0x44>(t1, t3),
            avx._mm256_shuffle_ps::<0xee>(t1, t3),
        ]
    }

    #[inline(always)]
    fn pair(self, low: __m128, high: __m128) -> __m256 {
        self.0.avx._mm256_insertf128_ps::<1>(self.0.avx._mm256_castps128_ps256(low), high)
    }

    #[inline(always)]
    fn snorm16(self, a: __m256) -> __m256i {
        self.0.avx._mm256_cvtps_epi32(self.mul(a, self.splat(32767.0)))
    }
}
