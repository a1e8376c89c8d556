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
use crate::yarn::model::Weave;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Matrix3, Vector3};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Crossings between the nodes of the first lattice.
const FIRST: i32 = 4;

/// Lattices with fewer nodes are solved directly.
const DIRECT: usize = 96;

/// Where a node is in the lattice of its panel: panel, along the wefts, along the warps.
type Place = (u32, i32, i32);

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

/// The place of each node: links along warps and wefts are steps of the lattice.
fn places(weave: &Weave) -> Vec<Place> {
    const NOWHERE: u32 = u32::MAX;
    const STEPS: [(i32, i32); 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];
    let mut places = vec![(NOWHERE, 0, 0); weave.node_count()];
    let mut waiting = std::collections::VecDeque::new();
    let mut panels = 0;
    // Crossings first: other nodes take the place next to theirs.
    let (crossings, others): (Vec<_>, Vec<_>) = (0..weave.node_count()).partition(|i| weave.kinds[*i].is_crossing());
    for start in crossings.into_iter().chain(others) {
        if places[start].0 != NOWHERE {
            continue;
        }
        places[start] = (panels, 0, 0);
        waiting.push_back(start);
        while let Some(i) = waiting.pop_front() {
            // A seam joins panels, but not their lattices.
            if !weave.kinds[i].is_crossing() && i != start {
                continue;
            }
            for (link, (da, db)) in weave.links[i].iter().zip(STEPS) {
                let Some(n) = link.node().filter(|n| places[*n].0 == NOWHERE) else { continue };
                places[n] = (panels, places[i].1 + da, places[i].2 + db);
                waiting.push_back(n);
            }
        }
        panels += 1;
    }
    places
}

impl Interpolation {
    fn new(places: &[Place], factor: i32) -> (Self, Vec<Place>) {
        let corners = |(panel, a, b): Place| {
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
        let mut number: BTreeMap<Place, u32> = used.map(|(place, _)| (place, 0)).collect();
        number.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        let parent = |(place, weight): (Place, f32)| if weight > 0.0 { (number[&place], weight) } else { (0, 0.0) };
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
    fn galerkin(&self, blocks: impl Fn(usize, &mut dyn FnMut(usize, &Matrix3<f64>)) + Sync) -> BlockMatrix {
        let rows: Vec<Vec<(u32, Matrix3<f64>)>> = self
            .children
            .par_iter()
            .map(|children| {
                let mut row: BTreeMap<u32, Matrix3<f64>> = BTreeMap::new();
                for (i, weight) in children {
                    blocks(*i as usize, &mut |k, block| {
                        for (c, other) in self.parents[k].iter().filter(|(_, w)| *w > 0.0) {
                            *row.entry(*c).or_insert_with(Matrix3::zeros) += block * f64::from(weight * other);
                        }
                    });
                }
                row.into_iter().collect()
            })
            .collect();
        BlockMatrix::new(rows)
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

/// A symmetric matrix of 3 × 3 blocks with the inverses of its diagonal.
#[derive(Debug)]
struct BlockMatrix {
    rows: Vec<Vec<(u32, Matrix3<f64>)>>,
    inverse: Vec<Matrix3<f64>>,
}

impl BlockMatrix {
    fn new(rows: Vec<Vec<(u32, Matrix3<f64>)>>) -> Self {
        let inverse = |(i, row): (usize, &Vec<(u32, Matrix3<f64>)>)| {
            let own = row.iter().find(|(k, _)| *k as usize == i);
            own.and_then(|(_, block)| block.cholesky()).map_or_else(Matrix3::zeros, |c| c.inverse())
        };
        let inverse = rows.iter().enumerate().map(inverse).collect();
        BlockMatrix { rows, inverse }
    }

    /// b − A x in row i.
    #[inline]
    fn residual(&self, b: &[Vector3<f64>], x: &[Vector3<f64>], i: usize) -> Vector3<f64> {
        self.rows[i].iter().fold(b[i], |sum, (k, block)| sum - block * x[*k as usize])
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
            for (k, block) in row {
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

/// The coarse correction with a preconditioner of the finest level.
pub struct Coarse<'a, P> {
    fine: P,
    lattices: &'a Lattices,
    filter: &'a NodeFilter,
    matrices: Vec<BlockMatrix>,
    last: Option<Cholesky<f64, Dyn>>,
}

impl<'a, P> Coarse<'a, P> {
    /// Forms the coarse matrices.
    pub fn new<T: Scalar>(
        lattices: &'a Lattices,
        operator: &RowOperator<'_, T>,
        filter: &'a NodeFilter,
        fine: P,
    ) -> Self {
        let (weave, rows) = (operator.weave, operator.rows);
        let mut matrices: Vec<BlockMatrix> = Vec::with_capacity(lattices.steps.len());
        for (level, step) in lattices.steps.iter().enumerate() {
            let matrix = match matrices.last() {
                None => step.galerkin(|i, put| filtered_blocks(weave, rows, filter, i, put)),
                Some(finer) => {
                    step.galerkin(|i, put| finer.rows[i].iter().for_each(|(k, block)| put(*k as usize, block)))
                }
            };
            debug_assert_eq!(level, matrices.len());
            matrices.push(matrix);
        }
        let last = matrices.last().filter(|m| m.rows.len() <= 8 * DIRECT).and_then(BlockMatrix::dense);
        Coarse { fine, lattices, filter, matrices, last }
    }

    /// An approximate solution on a level.
    fn cycle(&self, level: usize, b: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let matrix = &self.matrices[level];
        let n = b.len();
        if level + 1 == self.matrices.len()
            && let Some(factor) = &self.last
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
fn filtered_blocks<T: Scalar>(
    weave: &Weave,
    rows: &Rows<T>,
    filter: &NodeFilter,
    i: usize,
    put: &mut dyn FnMut(usize, &Matrix3<f64>),
) {
    let position = |i: usize| projection(filter, i).map(|s| s.fixed_view::<3, 3>(0, 0).into_owned());
    let here = position(i);
    position_blocks(weave, rows, i, &mut |k, block| {
        let left = here.map_or(*block, |s: Matrix3<f64>| s * block);
        let whole = position(k).map_or(left, |s| left * s);
        put(k, &whole);
    });
}

/// The blocks of the positions of node i with those of all nodes that it shares an element with.
fn position_blocks<T: Scalar>(weave: &Weave, rows: &Rows<T>, i: usize, put: &mut dyn FnMut(usize, &Matrix3<f64>)) {
    let v = |r: &[T; 3]| Vector3::from(r.map(T::to_f64));
    let links = &weave.links[i];
    if let Some(drag) = rows.drag.get(i) {
        put(i, &(Matrix3::identity() * drag.to_f64()));
    }
    for (port, link) in links.iter().enumerate() {
        let Some((n, back)) = link.get() else { continue };
        let (owner, slot) = if port % 2 == 1 { (i, port / 2) } else { (n, back.slot().index()) };
        let row = &rows.segments[owner][slot];
        let t = v(&row.direction);
        let stiff = t * t.transpose() * row.along.to_f64() + Matrix3::identity() * row.across.to_f64();
        let mass = Matrix3::identity() * row.mass.to_f64();
        put(i, &(stiff + mass * 2.0));
        put(n, &(mass - stiff));
    }
    let mut add = |nodes: &[(usize, Vector3<f64>)], weight: f64| {
        let Some((_, own)) = nodes.iter().find(|(n, _)| *n == i) else { return };
        for (n, row) in nodes {
            put(*n, &(own * row.transpose() * weight));
        }
    };
    let mut bend = |center: usize, slot: usize| {
        let (Some(two), Some(one)) = (weave.links[center][2 * slot].node(), weave.links[center][2 * slot + 1].node())
        else {
            return;
        };
        let b = &rows.bends[center][slot];
        for (r1, r2, weight) in [(&b.g1, &b.g2, b.in_plane), (&b.h1, &b.h2, b.out_of_plane)] {
            let (r1, r2) = (v(r1), v(r2));
            add(&[(center, -(r1 + r2)), (one, r1), (two, r2)], weight.to_f64());
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
        let (Some(warp), Some(weft)) = (weave.links[center][k / 2].node(), weave.links[center][2 + k % 2].node())
        else {
            return;
        };
        let c = &rows.corners[center][k];
        let (g1, g3) = (v(&c.g1), v(&c.g3));
        add(&[(center, -(g1 + g3)), (warp, g1), (weft, g3)], c.weight.to_f64());
    };
    for k in 0..4 {
        corner(i, k);
        if let Some((n, back)) = links[k].get() {
            corners_at(back.index()).0.into_iter().for_each(|k| corner(n, k));
        }
    }
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
