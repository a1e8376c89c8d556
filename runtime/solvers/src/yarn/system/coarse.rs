//! Coarse corrections: smooth motions of the whole cloth, which blocks and lines know nothing of.
//!
//!   P⁻¹ = fine⁻¹ + Q V Qᵀ
//!
//! Q interpolates positions bilinearly from a lattice of every fourth crossing; V is one V-cycle on Qᵀ A Q with block Gauss-Seidel,
//! each further lattice twice as coarse, the last solved directly. Arc coordinates have no coarse part: lines take sliding. Ours.
//!
//! Without it the number of iterations grows with the size of the cloth, and with the ratio of its stiffness to its mass: in a fine
//! sheet a step of 1 ms joins hundreds of crossings.

use super::blocks::projection;
use super::filter::NodeFilter;
use super::operator::{RowOperator, corners_at};
use super::rows::Rows;
use crate::linear::{Preconditioner, Scalar};
use crate::yarn::model::{LatticePlace, Weave, places};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Matrix3, Vector3};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Crossings between the nodes of the first lattice.
const FIRST: i32 = 4;

/// Lattices with fewer nodes are solved directly.
const DIRECT: usize = 96;

/// Interpolation: up to four coarse nodes with weights, for each fine node.
#[derive(Clone, Debug, Default)]
struct Interpolation {
    parents: Vec<[(u32, f32); 4]>,
    /// The fine nodes of each coarse node, with weights.
    children: Vec<Vec<(u32, f32)>>,
}

/// The lattices of a weave; they stay while links do.
#[derive(Clone, Debug, Default)]
pub struct Lattices {
    steps: Vec<Interpolation>,
}

impl Lattices {
    /// Finds the lattice of each panel by following links.
    pub fn new(weave: &Weave) -> Self {
        let mut places = places(weave);
        let mut steps = Vec::new();
        let mut factor = FIRST;
        loop {
            let (step, coarse) = Interpolation::new(&places, factor);
            let (fine, count) = (places.len(), coarse.len());
            steps.push(step);
            if count <= DIRECT || 4 * count > 3 * fine {
                return Lattices { steps };
            }
            places = coarse;
            factor = 2;
        }
    }
}

impl Interpolation {
    fn new(places: &[LatticePlace], factor: i32) -> (Self, Vec<LatticePlace>) {
        let corners = |(panel, a, b): LatticePlace| {
            let (ca, cb) = (a.div_euclid(factor), b.div_euclid(factor));
            let fraction = |v: i32| v.rem_euclid(factor) as f32 / factor as f32;
            let (fa, fb) = (fraction(a), fraction(b));
            [
                ((panel, ca, cb), (1.0 - fa) * (1.0 - fb)),
                ((panel, ca + 1, cb), fa * (1.0 - fb)),
                ((panel, ca, cb + 1), (1.0 - fa) * fb),
                ((panel, ca + 1, cb + 1), fa * fb),
            ]
        };
        let used = places.iter().flat_map(|p| corners(*p)).filter(|(_, weight)| *weight > 0.0);
        let mut number: BTreeMap<LatticePlace, u32> = used.map(|(place, _)| (place, 0)).collect();
        number.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        let parent =
            |(place, weight): (LatticePlace, f32)| if weight > 0.0 { (number[&place], weight) } else { (0, 0.0) };
        let parents: Vec<_> = places.iter().map(|p| corners(*p).map(parent)).collect();
        let mut children = vec![Vec::new(); number.len()];
        for (i, parents) in parents.iter().enumerate() {
            for (c, weight) in parents.iter().filter(|(_, w)| *w > 0.0) {
                children[*c as usize].push((i as u32, *weight));
            }
        }
        (Interpolation { parents, children }, number.into_keys().collect())
    }

    /// Qᵀ A Q of a matrix that is known by the blocks of each row.
    fn galerkin(&self, blocks: impl Fn(usize, &mut BlockRow) + Sync) -> CoarseMatrix {
        let row = |fine: &mut BlockRow, children: &Vec<(u32, f32)>| {
            let mut row = BlockRow::default();
            for (i, weight) in children {
                fine.0.clear();
                blocks(*i as usize, fine);
                for (k, block) in &fine.0 {
                    for (c, other) in self.parents[*k as usize].iter().filter(|(_, w)| *w > 0.0) {
                        row.add(*c as usize, &(block * f64::from(weight * other)));
                    }
                }
            }
            row.0.sort_unstable_by_key(|(k, _)| *k);
            row
        };
        CoarseMatrix::new(self.children.par_iter().with_min_len(16).map_init(BlockRow::default, row).collect())
    }

    /// Qᵀ r.
    fn restrict(&self, r: impl Fn(usize) -> Vector3<f64> + Sync) -> Vec<Vector3<f64>> {
        let sum = |children: &Vec<(u32, f32)>| {
            children.iter().fold(Vector3::zeros(), |sum, (i, weight)| sum + r(*i as usize) * f64::from(*weight))
        };
        self.children.par_iter().with_min_len(256).map(sum).collect()
    }

    /// Q x at a fine node.
    #[inline]
    fn interpolate(&self, x: &[Vector3<f64>], i: usize) -> Vector3<f64> {
        let sum = |sum, (c, weight): &(u32, f32)| sum + x[*c as usize] * f64::from(*weight);
        self.parents[i].iter().fold(Vector3::zeros(), sum)
    }
}

/// The blocks of a row: few, so that looking through them is the quickest way to find one.
#[derive(Clone, Debug, Default)]
struct BlockRow(Vec<(u32, Matrix3<f64>)>);

impl BlockRow {
    #[inline]
    fn add(&mut self, node: usize, block: &Matrix3<f64>) {
        match self.0.iter_mut().find(|(k, _)| *k as usize == node) {
            Some((_, sum)) => *sum += block,
            None => self.0.push((node as u32, *block)),
        }
    }
}

/// A symmetric matrix of 3 × 3 blocks with the inverses of its diagonal.
#[derive(Debug)]
struct CoarseMatrix {
    rows: Vec<BlockRow>,
    inverse: Vec<Matrix3<f64>>,
}

impl CoarseMatrix {
    fn new(rows: Vec<BlockRow>) -> Self {
        let inverse = |(i, row): (usize, &BlockRow)| {
            let own = row.0.iter().find(|(k, _)| *k as usize == i);
            own.and_then(|(_, block)| block.cholesky()).map_or_else(Matrix3::zeros, |c| c.inverse())
        };
        let inverse = rows.iter().enumerate().map(inverse).collect();
        CoarseMatrix { rows, inverse }
    }

    /// b − A x in row i.
    #[inline]
    fn residual(&self, b: &[Vector3<f64>], x: &[Vector3<f64>], i: usize) -> Vector3<f64> {
        self.rows[i].0.iter().fold(b[i], |sum, (k, block)| sum - block * x[*k as usize])
    }

    /// One sweep of Gauss-Seidel through the rows, in an order.
    fn sweep(&self, b: &[Vector3<f64>], x: &mut [Vector3<f64>], order: impl Iterator<Item = usize>) {
        for i in order {
            let change = self.inverse[i] * self.residual(b, x, i);
            x[i] += change;
        }
    }

    fn dense(&self) -> Option<Cholesky<f64, Dyn>> {
        let n = self.rows.len();
        let mut dense = DMatrix::zeros(3 * n, 3 * n);
        for (i, row) in self.rows.iter().enumerate() {
            for (k, block) in &row.0 {
                dense.fixed_view_mut::<3, 3>(3 * i, 3 * *k as usize).copy_from(block);
            }
        }
        // Lattice nodes that move nothing have empty rows.
        for k in 0..3 * n {
            if dense[(k, k)] <= 0.0 {
                dense[(k, k)] = 1.0;
            }
        }
        dense.cholesky()
    }
}

/// The matrices of the lattices. As part of a preconditioner they may be those of an earlier step.
#[derive(Debug)]
pub struct CoarseMatrices {
    matrices: Vec<CoarseMatrix>,
    last: Option<Cholesky<f64, Dyn>>,
}

impl CoarseMatrices {
    /// Qᵀ A Q of every lattice.
    pub fn new<T: Scalar>(lattices: &Lattices, operator: &RowOperator<'_, T>, filter: &NodeFilter) -> Self {
        let (weave, rows) = (operator.weave, operator.rows);
        let mut matrices: Vec<CoarseMatrix> = Vec::with_capacity(lattices.steps.len());
        for step in &lattices.steps {
            let matrix = match matrices.last() {
                None => step.galerkin(|i, out| filtered_blocks(weave, rows, filter, i, out)),
                Some(finer) => step.galerkin(|i, out| out.0.clone_from(&finer.rows[i].0)),
            };
            matrices.push(matrix);
        }
        let last = matrices.last().filter(|m| m.rows.len() <= 8 * DIRECT).and_then(CoarseMatrix::dense);
        CoarseMatrices { matrices, last }
    }
}

/// The coarse correction with a preconditioner of the finest level.
pub struct Coarse<'a, P> {
    /// Of the finest level.
    pub fine: &'a P,
    /// How lattices are joined.
    pub lattices: &'a Lattices,
    /// Matrices of the lattices.
    pub coarse: &'a CoarseMatrices,
    /// What is prescribed.
    pub filter: &'a NodeFilter,
}

impl<P> Coarse<'_, P> {
    /// An approximate solution on a level.
    fn cycle(&self, level: usize, b: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let CoarseMatrices { matrices, last } = self.coarse;
        let matrix = &matrices[level];
        let n = b.len();
        if level + 1 == matrices.len()
            && let Some(factor) = last
        {
            let x = factor.solve(&DVector::from_iterator(3 * n, b.iter().flat_map(|b| b.iter().copied())));
            return (0..n).map(|i| x.fixed_rows::<3>(3 * i).into()).collect();
        }
        let mut x = vec![Vector3::zeros(); n];
        matrix.sweep(b, &mut x, 0..n);
        if let Some(step) = self.lattices.steps.get(level + 1) {
            let coarse = step.restrict(|i| matrix.residual(b, &x, i));
            let change = self.cycle(level + 1, &coarse);
            x.iter_mut().enumerate().for_each(|(i, x)| *x += step.interpolate(&change, i));
        }
        matrix.sweep(b, &mut x, (0..n).rev());
        x
    }

    fn add_correction<T: Scalar>(&self, r: &[[T; 5]], h: &mut [[T; 5]]) {
        let Some(step) = self.lattices.steps.first() else { return };
        let project = |i: usize, v: Vector3<f64>| Vector3::from(self.filter.position(i).apply(&v.into()));
        let position = |r: &[T; 5]| Vector3::new(r[0].to_f64(), r[1].to_f64(), r[2].to_f64());
        let b = step.restrict(|i| project(i, position(&r[i])));
        let x = self.cycle(0, &b);
        h.par_iter_mut().enumerate().with_min_len(4096).for_each(|(i, h)| {
            let change = project(i, step.interpolate(&x, i));
            (0..3).for_each(|k| h[k] += T::from_f64(change[k]));
        });
    }
}

/// The blocks of the positions of node i with all others, S A S.
fn filtered_blocks<T: Scalar>(weave: &Weave, rows: &Rows<T>, filter: &NodeFilter, i: usize, out: &mut BlockRow) {
    position_blocks(weave, rows, i, out);
    let position = |i: usize| projection(filter, i).map(|s| s.fixed_view::<3, 3>(0, 0).into_owned());
    let here: Option<Matrix3<f64>> = position(i);
    for (k, block) in &mut out.0 {
        if let Some(s) = here {
            *block = s * *block;
        }
        if let Some(s) = position(*k as usize) {
            *block *= s;
        }
    }
}

/// The blocks of the positions of node i with those of all nodes that it shares an element with.
fn position_blocks<T: Scalar>(weave: &Weave, rows: &Rows<T>, i: usize, out: &mut BlockRow) {
    let v = |r: &[T; 3]| Vector3::from(r.map(T::to_f64));
    let links = &weave.links[i];
    let mut own = Matrix3::identity() * rows.drag.get(i).map_or(0.0, |drag| drag.to_f64());
    for (port, link) in links.iter().enumerate() {
        let Some((n, back)) = link.get() else { continue };
        let (owner, slot) = if port % 2 == 1 { (i, port / 2) } else { (n, back.slot().index()) };
        let row = &rows.segments[owner][slot];
        let t = v(&row.direction);
        let stiff = t * t.transpose() * row.along.to_f64() + Matrix3::identity() * row.across.to_f64();
        let mass = Matrix3::identity() * row.mass.to_f64();
        own += stiff + mass * 2.0;
        out.add(n, &(mass - stiff));
    }
    // A row with entries `one` and `two` at two nodes and what is left of zero at a third.
    let mut add = |[center, one, two]: [usize; 3], r1: &[T; 3], r2: &[T; 3], weight: T| {
        let (r1, r2) = (v(r1), v(r2));
        let r0 = -(r1 + r2);
        let mine = if i == center {
            r0
        } else if i == one {
            r1
        } else {
            r2
        } * weight.to_f64();
        for (n, r) in [(center, r0), (one, r1), (two, r2)] {
            let block = mine * r.transpose();
            if n == i { own += block } else { out.add(n, &block) }
        }
    };
    let node = |i: usize, port: usize| weave.links[i][port].node();
    let mut bend = |center: usize, slot: usize| {
        if let (Some(two), Some(one)) = (node(center, 2 * slot), node(center, 2 * slot + 1)) {
            let b = &rows.bends[center][slot];
            add([center, one, two], &b.g1, &b.g2, b.in_plane);
            add([center, one, two], &b.h1, &b.h2, b.out_of_plane);
        }
    };
    for slot in 0..2 {
        bend(i, slot);
        for port in [2 * slot, 2 * slot + 1] {
            if let Some((n, back)) = links[port].get() {
                bend(n, back.slot().index());
            }
        }
    }
    let mut corner = |center: usize, k: usize| {
        if let (Some(warp), Some(weft)) = (node(center, k / 2), node(center, 2 + k % 2)) {
            let c = &rows.corners[center][k];
            add([center, warp, weft], &c.g1, &c.g3, c.weight);
        }
    };
    for k in 0..4 {
        corner(i, k);
        if let Some((n, back)) = links[k].get() {
            corners_at(back.index()).0.into_iter().for_each(|k| corner(n, k));
        }
    }
    out.add(i, &own);
}

// For each kind of number alone: an implementation for all of them could clash with one for pieces elsewhere.

impl<P: Preconditioner<f32>> Preconditioner<f32> for Coarse<'_, P> {
    fn apply_inverse(&self, r: &[f32], h: &mut [f32]) {
        self.fine.apply_inverse(r, h);
        self.add_correction(r.as_chunks().0, h.as_chunks_mut().0);
    }
}

impl<P: Preconditioner<f64>> Preconditioner<f64> for Coarse<'_, P> {
    fn apply_inverse(&self, r: &[f64], h: &mut [f64]) {
        self.fine.apply_inverse(r, h);
        self.add_correction(r.as_chunks().0, h.as_chunks_mut().0);
    }
}
