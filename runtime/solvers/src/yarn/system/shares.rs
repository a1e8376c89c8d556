//! What the elements of a node give to it and to its neighbors, gathered.

use super::bands::{Band, LANES, PackLinks};
use crate::linear::Scalar;
use std::sync::Mutex;

/// What a node gives: five to itself, and through each port three to the position and one to the arc coordinate of its neighbor.
pub(super) const SHARES: usize = 5 + 4 * 4;

/// Where the shares of a port begin.
#[inline(always)]
pub(super) fn port_share(port: usize) -> usize {
    5 + 4 * port
}

/// Planes of values by local number.
#[derive(Debug, Default)]
pub(super) struct Planes<S> {
    values: Vec<S>,
    length: usize,
}

impl<S: Scalar> Planes<S> {
    pub(super) fn resize(&mut self, planes: usize, length: usize) {
        self.values.resize(planes * length, S::ZERO);
        self.length = length;
    }

    #[inline(always)]
    pub(super) fn plane(&self, k: usize) -> &[S] {
        &self.values[k * self.length..(k + 1) * self.length]
    }

    #[inline(always)]
    pub(super) fn plane_mut(&mut self, k: usize) -> &mut [S] {
        &mut self.values[k * self.length..(k + 1) * self.length]
    }

    /// The first planes, all at once.
    #[inline(always)]
    pub(super) fn first_planes<const N: usize>(&mut self) -> [&mut [S]; N] {
        let mut planes = self.values.chunks_exact_mut(self.length);
        std::array::from_fn(|_| planes.next().unwrap_or_default())
    }

    /// The values of a pack.
    #[inline(always)]
    pub(super) fn pack(&self, k: usize, first: usize) -> [S; LANES] {
        lanes(self.plane(k), first)
    }
}

/// Consecutive values.
#[inline(always)]
pub(super) fn lanes<S: Scalar>(plane: &[S], first: usize) -> [S; LANES] {
    let mut out = [S::ZERO; LANES];
    out.copy_from_slice(&plane[first..first + LANES]);
    out
}

/// Memory for one band.
#[derive(Debug, Default)]
pub(super) struct Scratch<S> {
    /// What elements are computed from.
    pub(super) inputs: Planes<S>,
    /// What they give.
    pub(super) shares: Planes<S>,
}

/// Scratch memory that threads lend to each other.
#[derive(Debug, Default)]
pub(super) struct Pool<S>(Mutex<Vec<Scratch<S>>>);

impl<S: Scalar> Pool<S> {
    pub(super) fn with<R>(&self, work: impl FnOnce(&mut Scratch<S>) -> R) -> R {
        let take = || self.0.lock().unwrap_or_else(|e| e.into_inner()).pop();
        let mut scratch = take().unwrap_or(Scratch { inputs: Planes::default(), shares: Planes::default() });
        let result = work(&mut scratch);
        self.0.lock().unwrap_or_else(|e| e.into_inner()).push(scratch);
        result
    }
}

/// The sums of what each node of a band gets. The local number that stands for nothing gives nothing.
#[inline(always)]
pub(super) fn gather<S: Scalar>(band: &Band, shares: &Planes<S>, mut out: impl FnMut(usize, [S; 5])) {
    for pack in 0..band.own_packs() {
        let first = LANES * pack;
        let mut y: [[S; LANES]; 5] = std::array::from_fn(|k| shares.pack(k, first));
        for port in 0..4 {
            let targets = [0, 1, 2, 3 + port / 2];
            match band.links(pack) {
                PackLinks::Runs(runs) => {
                    for (k, target) in targets.into_iter().enumerate() {
                        let given = lanes(shares.plane(port_share(runs[port].back()) + k), runs[port].node());
                        (0..LANES).for_each(|l| y[target][l] += given[l]);
                    }
                }
                PackLinks::Each(each) => {
                    for (l, link) in each[port].iter().enumerate() {
                        for (k, target) in targets.into_iter().enumerate() {
                            y[target][l] += shares.plane(port_share(link.back()) + k)[link.node()];
                        }
                    }
                }
            }
        }
        for l in 0..LANES.min(band.count - first) {
            out(first + l, std::array::from_fn(|k| y[k][l]));
        }
    }
}
