//! The linear system of one step: decomposed, solved in parallel, put together.

use super::decomposition::Decomposition;
use super::matrix::{BlockMatrix, Connection};
use crate::linear::{BlockDiagonal, BlockFilter, Constraint, PreconditionerKind, SolveReport, StoppingRule, mpcg};
use nalgebra::Vector3;
use rayon::prelude::*;
use std::ops::Range;

/// Particles below which a loop over them is not worth a second thread.
const GRAIN: usize = 4096;

/// The constrained problem of [Boxerman03, Eq. 5.2] for the velocity changes of one step, times the masses.
///
/// Multiplying [Boxerman03, Eq. 4.11] by M makes it symmetric, which conjugate gradients ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct System<'a> {
    /// Mass and implicit air damping of each particle, kg.
    pub(crate) diagonal: &'a [f64],
    /// What couples particles.
    pub(crate) connections: &'a [Connection],
    /// Right-hand side, N s.
    pub(crate) b: &'a [Vector3<f64>],
    /// How each particle is constrained.
    pub(crate) constraints: &'a [Constraint],
    /// Prescribed velocity changes, m/s.
    pub(crate) z: &'a [Vector3<f64>],
}

/// How to solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SystemOptions {
    /// Which preconditioner.
    pub(crate) preconditioner: PreconditionerKind,
    /// Whether the system is cut into components that are solved on their own.
    pub(crate) decompose: bool,
    /// When to stop; `negligible` is that of one particle.
    pub(crate) rule: StoppingRule,
}

/// What a solve took.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SystemReport {
    /// Iterations of the component that took most.
    pub iterations: usize,
    /// Row-vector products of all components.
    pub row_products: u64,
    /// Number of components.
    pub components: usize,
    /// Off-diagonal blocks of the matrix.
    pub blocks: usize,
    /// Whether every component met the tolerance.
    pub converged: bool,
}

/// Solves for the velocity changes. `x` holds the guess and receives the solution; `matrix` lends its memory.
///
/// Without connections there is no system: each particle's change is known, without a matrix and without iterations.
pub(crate) fn solve(
    system: &System<'_>,
    options: &SystemOptions,
    matrix: &mut BlockMatrix,
    x: &mut [Vector3<f64>],
) -> SystemReport {
    let n = system.diagonal.len();
    if system.connections.is_empty() {
        x.par_iter_mut().with_min_len(GRAIN).enumerate().for_each(|(p, x)| *x = explicit_change(system, p));
        return SystemReport { components: n, row_products: n as u64, converged: true, ..SystemReport::default() };
    }
    let is_fixed = |p: usize| matches!(system.constraints[p], Constraint::Fixed);
    let cut =
        if options.decompose { Decomposition::new(n, system.connections, is_fixed) } else { Decomposition::whole(n) };
    let rows = cut.particles.iter().map(|p| system.diagonal[*p as usize]);
    matrix.assemble(rows, system.connections, &cut.row_of_particle);
    let matrix = &*matrix;

    let mut b = gather(&cut, system.b);
    add_known_motion(system, &cut, &mut b);
    let z = gather(&cut, system.z);
    let constraints: Vec<Constraint> = cut.particles.iter().map(|p| system.constraints[*p as usize]).collect();
    let mut solution = gather(&cut, x);

    let component =
        |range: &Range<usize>, x: &mut [f64]| solve_component(matrix, range, &constraints, &b, &z, x, options);
    let pieces = split(&mut solution, &cut.components);
    let reports: Vec<SolveReport> = if pieces.len() == 1 || n < 256 {
        pieces.into_iter().map(|(range, x)| component(range, x)).collect()
    } else {
        pieces.into_par_iter().with_min_len(8).map(|(range, x)| component(range, x)).collect()
    };

    for p in (0..n).filter(|p| cut.row_of_particle[*p].is_none()) {
        x[p] = system.z[p];
    }
    for (particle, v) in cut.particles.iter().zip(solution.as_chunks::<3>().0) {
        x[*particle as usize] = Vector3::from(*v);
    }
    SystemReport {
        iterations: reports.iter().map(|r| r.iterations).max().unwrap_or(0),
        row_products: reports.iter().map(|r| r.row_products).sum(),
        components: reports.len(),
        blocks: matrix.off_diagonal_blocks(),
        converged: reports.iter().all(|r| r.converged),
    }
}

/// S b / m + (I − S) z: the change of a particle that nothing implicit acts on.
#[inline]
fn explicit_change(system: &System<'_>, p: usize) -> Vector3<f64> {
    let (change, z) = (system.b[p] / system.diagonal[p], system.z[p]);
    match &system.constraints[p] {
        Constraint::Free => change,
        Constraint::Fixed => z,
        constraint => z + Vector3::from(constraint.apply(&(change - z).into())),
    }
}

fn solve_component(
    matrix: &BlockMatrix,
    range: &Range<usize>,
    constraints: &[Constraint],
    b: &[f64],
    z: &[f64],
    x: &mut [f64],
    options: &SystemOptions,
) -> SolveReport {
    let constraints = &constraints[range.clone()];
    let scalars = 3 * range.start..3 * range.end;
    if range.len() == 1 {
        return solve_alone(matrix, range.start, &constraints[0], &b[scalars.clone()], &z[scalars], x);
    }
    let a = matrix.rows(range.clone());
    let preconditioner = BlockDiagonal::new(options.preconditioner, a.diagonal(), constraints);
    let filter = BlockFilter::<_, 3>(constraints);
    let rule = StoppingRule { negligible: range.len() as f64 * options.rule.negligible, ..options.rule };
    mpcg(&a, &filter, &preconditioner, &b[scalars.clone()], &z[scalars], x, &rule)
}

/// A particle without implicit neighbors: its block is solved directly, which counts as one row.
fn solve_alone(
    matrix: &BlockMatrix,
    row: usize,
    constraint: &Constraint,
    b: &[f64],
    z: &[f64],
    x: &mut [f64],
) -> SolveReport {
    let z = Vector3::new(z[0], z[1], z[2]);
    let prescribed = z - Vector3::from(constraint.apply(&z.into()));
    let a = matrix.diagonal(row);
    let rhs = Vector3::new(b[0], b[1], b[2]) - Vector3::from(a.mul(&prescribed.into()));
    let free = constraint.apply(&rhs.into());
    let inverse = constraint.constrain(&a).inverse();
    let step = inverse.map_or([0.0; 3], |inverse| inverse.mul(&free));
    x.copy_from_slice((prescribed + Vector3::from(step)).as_slice());
    SolveReport { iterations: 1, row_products: 1, converged: inverse.is_some() }
}

/// Moves the columns of particles with known motion, which the matrix does not have, to the right-hand side.
fn add_known_motion(system: &System<'_>, cut: &Decomposition, b: &mut [f64]) {
    let (b, _) = b.as_chunks_mut::<3>();
    for c in system.connections {
        let (ri, rj) = (cut.row_of_particle[c.i as usize], cut.row_of_particle[c.j as usize]);
        let (row, known) = match (ri, rj) {
            (Some(row), None) => (row, c.j),
            (None, Some(row)) => (row, c.i),
            _ => continue,
        };
        let push = c.block.mul(&system.z[known as usize].into());
        for k in 0..3 {
            b[row as usize][k] += push[k];
        }
    }
}

fn gather(cut: &Decomposition, v: &[Vector3<f64>]) -> Vec<f64> {
    cut.particles.iter().flat_map(|p| <[f64; 3]>::from(v[*p as usize])).collect()
}

/// The part of each component.
fn split<'a, 'r>(mut v: &'a mut [f64], components: &'r [Range<usize>]) -> Vec<(&'r Range<usize>, &'a mut [f64])> {
    let mut pieces = Vec::with_capacity(components.len());
    for range in components {
        let (piece, rest) = v.split_at_mut(3 * range.len());
        pieces.push((range, piece));
        v = rest;
    }
    pieces
}

/// Impulse that the constraint of each particle had to give, N s: A x − b, unprojected [Boxerman03, §3.4.2].
pub(crate) fn constraint_impulses(system: &System<'_>, x: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let mut impulse: Vec<Vector3<f64>> =
        x.iter().zip(system.diagonal).zip(system.b).map(|((x, d), b)| x * *d - b).collect();
    for c in system.connections {
        let (i, j) = (c.i as usize, c.j as usize);
        let push = Vector3::from(c.block.mul(&(x[i] - x[j]).into()));
        impulse[i] += push;
        impulse[j] -= push;
    }
    impulse
}

#[cfg(test)]
mod tests {
    use super::super::AxialBlock;
    use super::*;

    /// Three particles, in all kinds of constraint, with the given connections.
    fn solved(connections: &[Connection]) -> ([Vector3<f64>; 3], SystemReport) {
        let rule =
            StoppingRule { tolerance_squared: 1e-24, plain_residual: true, negligible: 0.0, max_iterations: 100 };
        let options = SystemOptions { preconditioner: PreconditionerKind::default(), decompose: true, rule };
        let system = System {
            diagonal: &[2.0, 4.0, 5.0],
            connections,
            b: &[Vector3::new(2.0, 4.0, 6.0); 3],
            constraints: &[Constraint::Free, Constraint::Plane(Vector3::y()), Constraint::Fixed],
            z: &[Vector3::new(9.0, 8.0, 7.0); 3],
        };
        let mut x = [Vector3::repeat(0.3); 3];
        let report = solve(&system, &options, &mut BlockMatrix::default(), &mut x);
        (x, report)
    }

    #[test]
    fn without_connections_changes_are_impulses_over_masses_and_nothing_is_iterated() {
        let (x, report) = solved(&[]);
        assert_eq!(x[0], Vector3::new(1.0, 2.0, 3.0));
        assert_eq!(x[1], Vector3::new(0.5, 8.0, 1.5));
        assert_eq!(x[2], Vector3::new(9.0, 8.0, 7.0));
        assert_eq!((report.iterations, report.blocks, report.converged), (0, 0, true));
    }

    #[test]
    fn a_connection_without_stiffness_changes_nothing_and_one_with_stiffness_does() {
        let connected = |stiffness| {
            let block = AxialBlock::new(&Vector3::x(), stiffness, 0.0);
            solved(&[Connection { i: 0, j: 1, block }]).0
        };
        for (a, b) in connected(0.0).iter().zip(solved(&[]).0) {
            assert!((a - b).norm() < 1e-10);
        }
        assert!((connected(1.0)[0].x - 1.0).abs() > 0.01);
    }
}
