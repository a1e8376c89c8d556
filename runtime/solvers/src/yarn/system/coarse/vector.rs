//! Vectors and blocks of lattice nodes.

use crate::linear::Scalar;

/// A vector of a lattice node.
pub(super) type Vec3<T> = [T; 3];

/// A block, by rows.
pub(super) type CoarseBlock<T> = [[T; 3]; 3];

#[inline(always)]
pub(super) fn add<T: Scalar>(a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// m x.
#[inline(always)]
pub(super) fn product<T: Scalar>(m: &CoarseBlock<T>, x: &Vec3<T>) -> Vec3<T> {
    let row = |r: &[T; 3]| r[0] * x[0] + r[1] * x[1] + r[2] * x[2];
    [row(&m[0]), row(&m[1]), row(&m[2])]
}

/// sum − x.
#[inline(always)]
pub(super) fn subtract<T: Scalar>(sum: &mut Vec3<T>, x: Vec3<T>) {
    (0..3).for_each(|k| sum[k] -= x[k]);
}
