//! The numbers that vectors are made of.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// `f64`, or `f32` where half the memory matters more than digits. Sums over a vector are `f64` either way.
pub trait Scalar:
    Copy
    + Debug
    + Default
    + PartialEq
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + 'static
{
    /// Nothing.
    const ZERO: Self;
    /// The distance from 1 to the next number.
    const EPSILON: Self;

    /// The nearest number of this type.
    fn from_f64(value: f64) -> Self;

    /// As `f64`, exactly.
    fn to_f64(self) -> f64;

    /// √.
    fn sqrt(self) -> Self;

    /// aᵀ b.
    fn dot(a: &[Self], b: &[Self]) -> f64;
}

impl Scalar for f64 {
    const ZERO: f64 = 0.0;
    const EPSILON: f64 = f64::EPSILON;

    #[inline]
    fn from_f64(value: f64) -> f64 {
        value
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self
    }

    #[inline]
    fn sqrt(self) -> f64 {
        self.sqrt()
    }

    #[inline]
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        // Independent sums let the compiler use vector registers.
        let mut sums = [0.0; 4];
        let (a4, a_rest) = a.as_chunks::<4>();
        let (b4, b_rest) = b.as_chunks::<4>();
        for (a, b) in a4.iter().zip(b4) {
            for k in 0..4 {
                sums[k] += a[k] * b[k];
            }
        }
        let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
        (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
    }
}

impl Scalar for f32 {
    const ZERO: f32 = 0.0;
    const EPSILON: f32 = f32::EPSILON;

    #[inline]
    fn from_f64(value: f64) -> f32 {
        value as f32
    }

    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    #[inline]
    fn sqrt(self) -> f32 {
        self.sqrt()
    }

    #[inline]
    fn dot(a: &[f32], b: &[f32]) -> f64 {
        let mut sums = [0.0_f64; 8];
        let (a8, a_rest) = a.as_chunks::<8>();
        let (b8, b_rest) = b.as_chunks::<8>();
        for (a, b) in a8.iter().zip(b8) {
            for k in 0..8 {
                sums[k] += f64::from(a[k]) * f64::from(b[k]);
            }
        }
        let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        sums.iter().sum::<f64>() + rest
    }
}
