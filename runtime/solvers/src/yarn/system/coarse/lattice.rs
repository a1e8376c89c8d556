//! Lattices: every few crossings a node, and cells between four of them.

use super::vector::{Vec3, add};
use crate::linear::Scalar;
use crate::yarn::model::LatticePlace;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Where a fine node is: its cell, and the steps from the cell's first corner along both directions, two bits each.
#[derive(Clone, Copy, Debug)]
struct FinePlace(u32);

impl FinePlace {
    fn new(cell: u32, [a, b]: [u8; 2]) -> Self {
        debug_assert!(a < 4 && b < 4 && cell < 1 << 28);
        FinePlace(cell << 4 | u32::from(a) << 2 | u32::from(b))
    }

    #[inline(always)]
    fn cell(self) -> usize {
        (self.0 >> 4) as usize
    }

    #[inline(always)]
    fn steps(self) -> [u8; 2] {
        [(self.0 >> 2 & 3) as u8, (self.0 & 3) as u8]
    }
}

/// A lattice: its nodes, its cells, and the finer nodes in them.
#[derive(Clone, Debug, Default)]
pub(super) struct Lattice {
    /// Where the nodes are in their panels, while the next lattice is made.
    pub(super) places: Vec<LatticePlace>,
    /// The corners of each cell; a corner that no fine node hangs on is that of another one, and gets no weight.
    corners: Vec<[u32; 4]>,
    fine: Vec<FinePlace>,
    /// Fine nodes cell by cell.
    in_cells: Vec<u32>,
    /// Where cells begin there, and the end.
    starts: Vec<u32>,
    /// The cells around each node, with the number of the node among their corners.
    cells_of: Vec<[(u32, u8); 4]>,
    factor: i32,
}

/// In place of a cell.
const NO_CELL: u32 = u32::MAX;

impl Lattice {
    pub(super) fn new(places: &[LatticePlace], factor: i32) -> Self {
        let corner = |(panel, a, b): LatticePlace, k: i32| (panel, a + k / 2, b + k % 2);
        let cell = |(panel, a, b): LatticePlace| (panel, a.div_euclid(factor), b.div_euclid(factor));
        let steps = |(_, a, b): LatticePlace| [a, b].map(|v| v.rem_euclid(factor) as u8);
        let mut cells: BTreeMap<LatticePlace, u32> = BTreeMap::new();
        let mut nodes: BTreeMap<LatticePlace, u32> = BTreeMap::new();
        // Neighbors are mostly in the same cell.
        let mut last = None;
        for place in places {
            let now = (cell(*place), steps(*place).map(|s| s > 0));
            if last == Some(now) {
                continue;
            }
            last = Some(now);
            cells.insert(now.0, 0);
            for k in 0..4 {
                if (k / 2 == 0 || now.1[0]) && (k % 2 == 0 || now.1[1]) {
                    nodes.insert(corner(now.0, k), 0);
                }
            }
        }
        cells.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        nodes.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        let corners: Vec<[u32; 4]> = cells
            .keys()
            .map(|place| {
                let known: [Option<u32>; 4] = std::array::from_fn(|k| nodes.get(&corner(*place, k as i32)).copied());
                let some = known.iter().flatten().next().copied().unwrap_or(0);
                known.map(|k| k.unwrap_or(some))
            })
            .collect();
        let mut last = (None, 0);
        let fine = places.iter().map(|place| {
            let here = cell(*place);
            if last.0 != Some(here) {
                last = (Some(here), cells[&here]);
            }
            FinePlace::new(last.1, steps(*place))
        });
        let fine: Vec<FinePlace> = fine.collect();
        let mut starts = vec![0_u32; corners.len() + 1];
        fine.iter().for_each(|f| starts[f.cell() + 1] += 1);
        (0..corners.len()).for_each(|c| starts[c + 1] += starts[c]);
        let mut next = starts.clone();
        let mut in_cells = vec![0; fine.len()];
        for (i, f) in fine.iter().enumerate() {
            let place = &mut next[f.cell()];
            in_cells[*place as usize] = i as u32;
            *place += 1;
        }
        let places: Vec<LatticePlace> = nodes.into_keys().collect();
        let mut lattice = Lattice { places, corners, fine, in_cells, starts, cells_of: Vec::new(), factor };
        lattice.find_cells();
        lattice
    }

    fn find_cells(&mut self) {
        self.cells_of = vec![[(NO_CELL, 0); 4]; self.places.len()];
        for (c, corners) in self.corners.iter().enumerate() {
            for (k, node) in corners.iter().enumerate() {
                // A corner without weight stands for another one.
                if corners[..k].contains(node) {
                    continue;
                }
                let cells = &mut self.cells_of[*node as usize];
                if let Some(free) = cells.iter_mut().find(|(cell, _)| *cell == NO_CELL) {
                    *free = (c as u32, k as u8);
                }
            }
        }
    }

    /// Gives the nodes other numbers: `number[old]` is the new one.
    pub(super) fn renumber(&mut self, number: &[u32]) {
        self.corners.iter_mut().flatten().for_each(|node| *node = number[*node as usize]);
        let mut places = vec![(0, 0, 0); self.places.len()];
        self.places.iter().zip(number).for_each(|(place, n)| places[*n as usize] = *place);
        self.places = places;
        self.find_cells();
    }

    pub(super) fn count(&self) -> usize {
        self.cells_of.len()
    }

    #[cfg(test)]
    pub(super) fn fine_count(&self) -> usize {
        self.fine.len()
    }

    pub(super) fn cell_count(&self) -> usize {
        self.corners.len()
    }

    /// The fine nodes in a cell.
    pub(super) fn in_cell(&self, cell: usize) -> &[u32] {
        &self.in_cells[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    pub(super) fn cell_of(&self, fine: usize) -> usize {
        self.fine[fine].cell()
    }

    /// The cells around a node.
    pub(super) fn cells_around(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.cells_of[node].iter().filter(|(c, _)| *c != NO_CELL).map(|(c, _)| *c as usize)
    }

    /// Weights of the corners of its cell at a fine node.
    #[inline(always)]
    fn weights(&self, fine: usize) -> [f32; 4] {
        let [a, b] = self.fine[fine].steps().map(|s| f32::from(s) / self.factor as f32);
        [(1.0 - a) * (1.0 - b), (1.0 - a) * b, a * (1.0 - b), a * b]
    }

    /// The nodes that a fine node hangs on, with weights.
    #[inline(always)]
    pub(super) fn parents(&self, fine: usize) -> impl Iterator<Item = (u32, f32)> + '_ {
        let corners = &self.corners[self.fine[fine].cell()];
        corners.iter().copied().zip(self.weights(fine)).filter(|(_, w)| *w > 0.0)
    }

    /// Qᵀ r.
    pub(super) fn restrict<T: Scalar>(&self, r: impl Fn(usize) -> Vec3<T> + Sync) -> Vec<Vec3<T>> {
        let mut cells = vec![[[T::ZERO; 3]; 4]; self.cell_count()];
        cells.par_iter_mut().enumerate().with_min_len(128).for_each(|(c, sums)| {
            for i in self.in_cell(c) {
                let r = r(*i as usize);
                for (sum, weight) in sums.iter_mut().zip(self.weights(*i as usize)) {
                    let weight = T::from_f64(f64::from(weight));
                    (0..3).for_each(|k| sum[k] += weight * r[k]);
                }
            }
        });
        let gather = |around: &[(u32, u8); 4]| {
            let there = around.iter().filter(|(c, _)| *c != NO_CELL);
            there.fold([T::ZERO; 3], |sum, (c, k)| add(sum, cells[*c as usize][usize::from(*k)]))
        };
        self.cells_of.par_iter().with_min_len(512).map(gather).collect()
    }

    /// Q x at a fine node.
    #[inline(always)]
    pub(super) fn interpolate<T: Scalar>(&self, x: &[Vec3<T>], fine: usize) -> Vec3<T> {
        let corners = &self.corners[self.fine[fine].cell()];
        let mut sum = [T::ZERO; 3];
        for (corner, weight) in corners.iter().zip(self.weights(fine)) {
            let (x, weight) = (&x[*corner as usize], T::from_f64(f64::from(weight)));
            (0..3).for_each(|k| sum[k] += weight * x[k]);
        }
        sum
    }
}
