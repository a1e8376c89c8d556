//! Numbers that elements are computed with: one, or eight at a time.
//!
//! The product is written once over [`Number`]. On x86-64 processors with AVX2 (detected at run time, through `pulp`, without `unsafe` here)
//! a pack of nodes is in vector registers, elsewhere in arrays that the compiler vectorizes as it can. No operation is fused, so that
//! the result has the same bits everywhere.

use super::bands::LANES;
use crate::linear::Scalar;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number, or several at a time.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// A constant; `self` only says of which kind.
    fn constant(self, value: f64) -> Self;
    /// √.
    fn sqrt(self) -> Self;
    /// `yes` where it is above `limit`, otherwise `no`.
    fn where_above(self, limit: Self, yes: Self, no: Self) -> Self;
}

impl Number for f64 {
    #[inline(always)]
    fn constant(self, value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn sqrt(self) -> f64 {
        self.sqrt()
    }

    #[inline(always)]
    fn where_above(self, limit: f64, yes: f64, no: f64) -> f64 {
        if self > limit { yes } else { no }
    }
}

/// A pack of numbers that can be loaded with the proof `Token` that the processor can.
pub trait Pack<T>: Number {
    /// The proof.
    type Token: Copy;
    /// From an array.
    fn load(token: Self::Token, a: [T; LANES]) -> Self;
    /// As an array.
    fn store(self) -> [T; LANES];
}

/// A pack in an array.
#[derive(Clone, Copy)]
pub(super) struct Portable<T>([T; LANES]);

impl<T: Scalar> Portable<T> {
    #[inline(always)]
    fn each(self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        Portable(std::array::from_fn(|l| f(self.0[l], other.0[l])))
    }
}

macro_rules! portable_operator {
    ($($name:ident $method:ident $operator:tt),*) => {$(
        impl<T: Scalar> $name for Portable<T> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.each(other, |a, b| a $operator b)
            }
        }
    )*};
}

portable_operator!(Add add +, Sub sub -, Mul mul *, Div div /);

impl<T: Scalar> Neg for Portable<T> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Portable(self.0.map(|a| -a))
    }
}

impl<T: Scalar> Number for Portable<T> {
    #[inline(always)]
    fn constant(self, value: f64) -> Self {
        Portable([T::from_f64(value); LANES])
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Portable(self.0.map(T::sqrt))
    }

    #[inline(always)]
    fn where_above(self, limit: Self, yes: Self, no: Self) -> Self {
        Portable(std::array::from_fn(|l| if self.0[l] > limit.0[l] { yes.0[l] } else { no.0[l] }))
    }
}

impl<T: Scalar> Pack<T> for Portable<T> {
    type Token = ();

    #[inline(always)]
    fn load((): (), a: [T; LANES]) -> Self {
        Portable(a)
    }

    #[inline(always)]
    fn store(self) -> [T; LANES] {
        self.0
    }
}

/// Work that is compiled for each kind of pack.
pub trait PackWork<T> {
    /// Does it.
    fn run<P: Pack<T>>(self, token: P::Token);
}

/// Numbers that know their fastest pack, and how they are kept where digits matter little.
pub trait PackScalar: Scalar {
    /// For preconditioners: `f64` as it is, of `f32` the upper half, with 8 bits of its digits.
    type Short: Copy + Send + Sync + std::fmt::Debug;
    /// To be kept.
    fn shorten(value: f64) -> Self::Short;
    /// As it was kept.
    fn lengthen(short: Self::Short) -> Self;
    /// Does the work with the widest registers that the processor has.
    fn dispatch(work: impl PackWork<Self>);
}

impl PackScalar for f32 {
    type Short = u16;

    #[inline(always)]
    fn shorten(value: f64) -> u16 {
        // To the nearest: half of the last digit is added before the rest is cut off.
        ((value as f32).to_bits().saturating_add(1 << 15) >> 16) as u16
    }

    #[inline(always)]
    fn lengthen(short: u16) -> f32 {
        f32::from_bits(u32::from(short) << 16)
    }

    fn dispatch(work: impl PackWork<f32>) {
        dispatch::single(work);
    }
}

impl PackScalar for f64 {
    type Short = f64;

    #[inline(always)]
    fn shorten(value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn lengthen(short: f64) -> f64 {
        short
    }

    fn dispatch(work: impl PackWork<f64>) {
        dispatch::double(work);
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod dispatch {
    use super::{PackWork, Portable};

    pub(super) fn single(work: impl PackWork<f32>) {
        work.run::<Portable<f32>>(());
    }

    pub(super) fn double(work: impl PackWork<f64>) {
        work.run::<Portable<f64>>(());
    }
}

#[cfg(target_arch = "x86_64")]
mod dispatch {
    use super::{LANES, Number, Pack, PackWork, Portable};
    use core::arch::x86_64::{__m256, __m256d, _CMP_GT_OQ};
    use pulp::x86::V3;
    use std::ops::{Add, Div, Mul, Neg, Sub};

    /// Eight numbers of 32 bits.
    #[derive(Clone, Copy)]
    struct Single(__m256, V3);

    /// Eight numbers of 64 bits, in two registers.
    #[derive(Clone, Copy)]
    struct Double([__m256d; 2], V3);

    macro_rules! operator {
        ($($name:ident $method:ident $single:ident $double:ident),*) => {$(
            impl $name for Single {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    Single(self.1.avx.$single(self.0, other.0), self.1)
                }
            }

            impl $name for Double {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    let Double([a, b], simd) = self;
                    Double([simd.avx.$double(a, other.0[0]), simd.avx.$double(b, other.0[1])], simd)
                }
            }
        )*};
    }

    operator!(
        Add add _mm256_add_ps _mm256_add_pd,
        Sub sub _mm256_sub_ps _mm256_sub_pd,
        Mul mul _mm256_mul_ps _mm256_mul_pd,
        Div div _mm256_div_ps _mm256_div_pd
    );

    impl Neg for Single {
        type Output = Self;

        #[inline(always)]
        fn neg(self) -> Self {
            Single(self.1.avx._mm256_xor_ps(self.0, self.constant(-0.0).0), self.1)
        }
    }

    impl Neg for Double {
        type Output = Self;

        #[inline(always)]
        fn neg(self) -> Self {
            let sign = self.1.avx._mm256_set1_pd(-0.0);
            let Double([a, b], simd) = self;
            Double([simd.avx._mm256_xor_pd(a, sign), simd.avx._mm256_xor_pd(b, sign)], simd)
        }
    }

    impl Number for Single {
        #[inline(always)]
        fn constant(self, value: f64) -> Self {
            Single(self.1.avx._mm256_set1_ps(value as f32), self.1)
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            Single(self.1.avx._mm256_sqrt_ps(self.0), self.1)
        }

        #[inline(always)]
        fn where_above(self, limit: Self, yes: Self, no: Self) -> Self {
            let mask = self.1.avx._mm256_cmp_ps::<{ _CMP_GT_OQ }>(self.0, limit.0);
            Single(self.1.avx._mm256_blendv_ps(no.0, yes.0, mask), self.1)
        }
    }

    impl Number for Double {
        #[inline(always)]
        fn constant(self, value: f64) -> Self {
            Double([self.1.avx._mm256_set1_pd(value); 2], self.1)
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            let Double([a, b], simd) = self;
            Double([simd.avx._mm256_sqrt_pd(a), simd.avx._mm256_sqrt_pd(b)], simd)
        }

        #[inline(always)]
        fn where_above(self, limit: Self, yes: Self, no: Self) -> Self {
            let (Double([a, b], simd), Double([c, d], _)) = (self, limit);
            let low = simd.avx._mm256_cmp_pd::<{ _CMP_GT_OQ }>(a, c);
            let high = simd.avx._mm256_cmp_pd::<{ _CMP_GT_OQ }>(b, d);
            let low = simd.avx._mm256_blendv_pd(no.0[0], yes.0[0], low);
            Double([low, simd.avx._mm256_blendv_pd(no.0[1], yes.0[1], high)], simd)
        }
    }

    impl Pack<f32> for Single {
        type Token = V3;

        #[inline(always)]
        fn load(token: V3, a: [f32; LANES]) -> Self {
            Single(pulp::bytemuck::must_cast(a), token)
        }

        #[inline(always)]
        fn store(self) -> [f32; LANES] {
            pulp::bytemuck::must_cast(self.0)
        }
    }

    impl Pack<f64> for Double {
        type Token = V3;

        #[inline(always)]
        fn load(token: V3, a: [f64; LANES]) -> Self {
            Double(pulp::bytemuck::must_cast(a), token)
        }

        #[inline(always)]
        fn store(self) -> [f64; LANES] {
            pulp::bytemuck::must_cast(self.0)
        }
    }

    pub(super) fn single(work: impl PackWork<f32>) {
        match V3::try_new() {
            Some(simd) => simd.vectorize(
                #[inline(always)]
                || work.run::<Single>(simd),
            ),
            None => work.run::<Portable<f32>>(()),
        }
    }

    pub(super) fn double(work: impl PackWork<f64>) {
        match V3::try_new() {
            Some(simd) => simd.vectorize(
                #[inline(always)]
                || work.run::<Double>(simd),
            ),
            None => work.run::<Portable<f64>>(()),
        }
    }
}
