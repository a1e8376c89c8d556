//! Eight numbers at a time.
//!
//! The yarn kernel is written once over [`Lanes`]. There are two implementations: [`Avx2`] for x86-64 processors that
//! have it (detected at run time, through `pulp`, without `unsafe` here) and [`Portable`], plain arrays that the compiler
//! vectorizes as it can.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
pub(super) use portable::Portable;

/// Operations on vectors of eight (`V`) and four (`Q`) numbers.
pub(super) trait Lanes: Copy {
    type V: Copy;
    type Q: Copy;

    fn splat(self, a: f32) -> Self::V;
    fn load(self, a: &[f32; 8]) -> Self::V;
    fn store(self, a: Self::V) -> [f32; 8];
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    fn sqrt(self, a: Self::V) -> Self::V;
    /// One over the square root of a normal positive number, to about 2e-7 of itself.
    fn rsqrt(self, a: Self::V) -> Self::V;
    fn abs(self, a: Self::V) -> Self::V;
    /// The magnitude of `a` with the sign of `sign`.
    fn copysign(self, a: Self::V, sign: Self::V) -> Self::V;
    /// a b + c, rounded once or twice.
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// c - a b, rounded once or twice.
    fn fnma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// Lane by lane `yes` where a >= b, otherwise `no`.
    fn where_ge(self, a: Self::V, b: Self::V, yes: Self::V, no: Self::V) -> Self::V;
    /// Adds 1 where a >= b to the whole numbers in the bits of `count`.
    fn count_ge(self, count: Self::V, a: Self::V, b: Self::V) -> Self::V;
    /// The whole numbers in the bits of `count` as floats.
    fn whole(self, count: Self::V) -> Self::V;
    /// For each lane the entry of `table` whose number, below 8, is in its bits.
    fn pick(self, table: &[f32; 8], index: Self::V) -> Self::V;
    /// A bit for each lane where a < b.
    fn below(self, a: Self::V, b: Self::V) -> u32;
    /// Toward zero; lanes must be within range.
    fn to_int(self, a: Self::V) -> [i32; 8];
    /// Lanes in [-1, 1] as two signed 16 bit numbers in the bits of a lane, x in the low half.
    fn pack_snorm16(self, x: Self::V, y: Self::V) -> Self::V;
    /// Rows to columns.
    fn transpose(self, rows: [Self::V; 8]) -> [Self::V; 8];

    fn quad(self, a: &[f32; 4]) -> Self::Q;
    /// s a + c.
    fn quad_fma(self, s: f32, a: Self::Q, c: Self::Q) -> Self::Q;
    fn low(self, a: Self::V) -> Self::Q;
    fn with_low(self, a: Self::V, low: Self::Q) -> Self::V;
    /// Eight rows of four to four columns of eight.
    fn columns(self, rows: [Self::Q; 8]) -> [Self::V; 4];
}
