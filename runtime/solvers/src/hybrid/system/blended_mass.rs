//! The paper's preconditioner: the exact inverse of the blended mass [Casafranca20, Eqs. 12-15].
//!
//! In the filtered form P = S M + I − S with M = [[M_v + BᵀM_pB, BᵀM_p], [M_pB, M_p]] [Casafranca20, Eq. 8], written as a diagonal with a
//! correction of low rank, M₀ + U A V, and inverted by Woodbury's formula. In the reduced form the blended mass is N = M_p + Rᵀ M_v R and
//!
//!   N⁻¹ = M_p⁻¹ − M_p⁻¹ B G⁻¹ Bᵀ M_p⁻¹,   G = K M_v⁻¹ K + Bᵀ M_p⁻¹ B                                  (ours)
//!
//! one symmetric solve of a third of the size. For residuals in the range of S both give the same. Where a vertex has no mass (every yarn
//! of full weight) G⁻¹ is K⁻¹m (I + m K⁻¹HK⁻¹ m)⁻¹ m K⁻¹ with m = M_v^½ and H = BᵀM_p⁻¹B.

use super::filtered::FilteredSystem;
use super::reduced::{Unknowns, position};
use crate::hybrid::coupling::Coupling;
use crate::linear::Preconditioner;
use nalgebra::{Cholesky, DMatrix, Dyn, LU};

/// How G⁻¹ is applied.
enum SmallSolve {
    Nothing,
    Factor(Cholesky<f64, Dyn>),
    Inverse(DMatrix<f64>),
}

/// N⁻¹ in the reduced form; sliding has the diagonal of the matrix.
pub(crate) struct BlendedMass<'a> {
    pub(crate) unknowns: Unknowns<'a>,
    /// 1 / M of every entry of nodes and of vertices of triangles alone.
    inverse: Vec<f64>,
    small: SmallSolve,
}

/// What the inverse of a mass is made of: kg, by node and by active vertex.
#[derive(Clone, Debug)]
pub(crate) struct LumpedMass {
    /// By node.
    pub(crate) nodes: Vec<f64>,
    /// Of both arc coordinates of every node, from the matrix.
    pub(crate) sliding: Vec<[f64; 2]>,
    /// By active vertex.
    pub(crate) vertices: Vec<f64>,
}

impl<'a> BlendedMass<'a> {
    /// With or without the correction for the vertices' mass.
    pub(crate) fn new(unknowns: Unknowns<'a>, mass: &LumpedMass, corrected: bool) -> Self {
        let of_node = |(m, s): (&f64, &[f64; 2])| [1.0 / m, 1.0 / m, 1.0 / m, 1.0 / s[0], 1.0 / s[1]];
        let mut inverse: Vec<f64> = mass.nodes.iter().zip(&mass.sliding).flat_map(of_node).collect();
        let free = unknowns.model.free;
        inverse.extend(mass.vertices[..free].iter().flat_map(|m| [1.0 / m; 3]));
        let small = if corrected { small_solve(unknowns, mass) } else { SmallSolve::Nothing };
        BlendedMass { unknowns, inverse, small }
    }
}

/// H = BᵀM_p⁻¹B.
fn inverse_mass_of_vertices(coupling: &Coupling, mass: impl Fn(usize) -> f64) -> DMatrix<f64> {
    let n = coupling.vertex_count();
    let mut h = DMatrix::zeros(n, n);
    for (row, (vs, beta)) in coupling.rows().iter().enumerate() {
        let inverse = 1.0 / mass(row);
        for (v, b) in vs.iter().zip(beta) {
            vs.iter().zip(beta).for_each(|(w, c)| h[(*v as usize, *w as usize)] += b * c * inverse);
        }
    }
    h
}

fn small_solve(unknowns: Unknowns<'_>, mass: &LumpedMass) -> SmallSolve {
    let model = unknowns.model;
    let coupling = &model.coupling;
    let h = inverse_mass_of_vertices(coupling, |row| mass.nodes[model.hybrid_nodes[row] as usize]);
    let vertices = &mass.vertices[model.free..];
    small_inverse(&coupling.dense_gram(), &h, vertices)
}

/// G⁻¹ from K, H and M_v.
fn small_inverse(k: &DMatrix<f64>, h: &DMatrix<f64>, vertices: &[f64]) -> SmallSolve {
    let n = vertices.len();
    if n == 0 {
        return SmallSolve::Nothing;
    }
    if vertices.iter().all(|m| *m > 0.0) {
        let mut scaled = k.clone();
        scaled.row_iter_mut().zip(vertices).for_each(|(mut row, m)| row /= *m);
        let g = k * scaled + h;
        let symmetric = (&g + g.transpose()) * 0.5;
        return Cholesky::new(symmetric).map_or(SmallSolve::Nothing, SmallSolve::Factor);
    }
    let Some(k) = Cholesky::new(k.clone()) else { return SmallSolve::Nothing };
    let root = DMatrix::from_diagonal(&nalgebra::DVector::from_iterator(n, vertices.iter().map(|m| m.max(0.0).sqrt())));
    let mk = &root * k.inverse();
    let inner = DMatrix::identity(n, n) + &mk * h * mk.transpose();
    match Cholesky::new((&inner + inner.transpose()) * 0.5) {
        Some(inner) => SmallSolve::Inverse(mk.transpose() * inner.inverse() * mk),
        None => SmallSolve::Nothing,
    }
}

impl SmallSolve {
    /// λ = G⁻¹ g; nothing where there is no correction.
    fn solve(&self, g: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let right = || DMatrix::from_fn(g.len(), 3, |i, k| g[i][k]);
        let lambda = match self {
            SmallSolve::Nothing => return Vec::new(),
            SmallSolve::Factor(factor) => factor.solve(&right()),
            SmallSolve::Inverse(inverse) => inverse * right(),
        };
        (0..g.len()).map(|i| [lambda[(i, 0)], lambda[(i, 1)], lambda[(i, 2)]]).collect()
    }
}

impl Preconditioner for BlendedMass<'_> {
    fn apply_inverse(&self, r: &[f64], y: &mut [f64]) {
        for ((y, r), inverse) in y.iter_mut().zip(r).zip(&self.inverse) {
            *y = r * inverse;
        }
        let model = self.unknowns.model;
        let (nodes, _) = self.unknowns.split_mut(y);
        let g = model.coupling.gather(|row| position(&nodes[model.hybrid_nodes[row] as usize]));
        let lambda = self.small.solve(&g);
        if lambda.is_empty() {
            return;
        }
        for (row, node) in model.hybrid_nodes.iter().enumerate() {
            let carried = model.coupling.spread(row, &lambda);
            let inverse = self.inverse[5 * *node as usize];
            (0..3).for_each(|k| nodes[*node as usize][k] -= inverse * carried[k]);
        }
    }
}

/// The diagonal of the mass alone, in the filtered form: what the paper calls naive.
pub(crate) struct MassDiagonal {
    inverse: Vec<f64>,
}

impl MassDiagonal {
    /// Of a system.
    pub(crate) fn new(system: &FilteredSystem<'_>) -> Self {
        let coupling = system.coupling();
        let mut diagonal = system.vertex_mass.clone();
        for (row, (vs, beta)) in coupling.rows().iter().enumerate() {
            let mass = system.node_mass[system.node_of_row(row)];
            vs.iter().zip(beta).for_each(|(v, b)| diagonal[system.hybrid_vertex(*v as usize)] += b * b * mass);
        }
        diagonal.extend(&system.node_mass);
        MassDiagonal { inverse: diagonal.into_iter().flat_map(|d| [1.0 / d; 3]).collect() }
    }
}

impl Preconditioner for MassDiagonal {
    fn apply_inverse(&self, r: &[f64], h: &mut [f64]) {
        h.iter_mut().zip(r).zip(&self.inverse).for_each(|((h, r), d)| *h = r * d);
    }
}

/// P of [Casafranca20, Eq. 12] as a dense matrix over vertices and nodes, one coordinate.
pub(crate) fn dense_blended_mass(system: &FilteredSystem<'_>) -> DMatrix<f64> {
    let (nv, np) = (system.vertex_mass.len(), system.node_mass.len());
    let b = system.dense_coupling();
    let mp = DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(&system.node_mass));
    let mut m = DMatrix::zeros(nv + np, nv + np);
    let mut vv = b.transpose() * &mp * &b;
    (0..nv).for_each(|i| vv[(i, i)] += system.vertex_mass[i]);
    m.view_mut((0, 0), (nv, nv)).copy_from(&vv);
    m.view_mut((0, nv), (nv, np)).copy_from(&(b.transpose() * &mp));
    m.view_mut((nv, 0), (np, nv)).copy_from(&(&mp * &b));
    m.view_mut((nv, nv), (np, np)).copy_from(&mp);
    let s = system.dense_filter();
    &s * m + DMatrix::identity(nv + np, nv + np) - s
}

/// P⁻¹ by Woodbury's formula, literally [Casafranca20, Eqs. 13-15]. Masses are scaled to a mean of 1: P mixes kilograms with pure numbers.
pub(crate) struct LowRankMass {
    scale: f64,
    vertices: usize,
    node_mass: Vec<f64>,
    vertex_factor: Cholesky<f64, Dyn>,
    u: DMatrix<f64>,
    v: DMatrix<f64>,
    inner: LU<f64, Dyn, Dyn>,
}

impl LowRankMass {
    /// Of a system; none where masses of vertices vanish.
    pub(crate) fn new(system: &FilteredSystem<'_>) -> Option<Self> {
        let (nv, np, nh) = (system.vertex_mass.len(), system.node_mass.len(), system.coupling().vertex_count());
        let scale = np as f64 / system.node_mass.iter().sum::<f64>();
        let node_mass: Vec<f64> = system.node_mass.iter().map(|m| m * scale).collect();
        let b = system.dense_coupling();
        let hybrid: Vec<usize> = (0..nh).map(|v| system.hybrid_vertex(v)).collect();
        let bh = b.select_columns(&hybrid);
        let scaled_rows = |m: &DMatrix<f64>| {
            let mut m = m.clone();
            m.row_iter_mut().zip(&node_mass).for_each(|(mut row, mass)| row *= *mass);
            m
        };
        let mut vv = b.transpose() * scaled_rows(&b);
        (0..nv).for_each(|i| vv[(i, i)] += system.vertex_mass[i] * scale);
        let vertex_factor = Cholesky::new(vv)?;
        // U = (U_S U_M), V = (U_Sᵀ (I − M); U_Mᵀ).
        let mut u = DMatrix::zeros(nv + np, 3 * nh);
        u.view_mut((nv, 0), (np, nh)).copy_from(&bh);
        u.view_mut((nv, nh), (np, nh)).copy_from(&scaled_rows(&bh));
        hybrid.iter().enumerate().for_each(|(k, v)| u[(*v, 2 * nh + k)] = 1.0);
        let mut v = u.transpose();
        let mass_of_s = b.transpose() * scaled_rows(&bh);
        v.view_mut((0, 0), (nh, nv)).copy_from(&(-mass_of_s).transpose());
        v.view_mut((0, nv), (nh, np)).copy_from(&(&bh - scaled_rows(&bh)).transpose());
        let mut capacitance = DMatrix::zeros(3 * nh, 3 * nh);
        capacitance.view_mut((0, 0), (nh, nh)).copy_from(&system.coupling().dense_gram());
        for k in 0..nh {
            capacitance[(nh + k, 2 * nh + k)] = 1.0;
            capacitance[(2 * nh + k, nh + k)] = 1.0;
        }
        let mut out = LowRankMass {
            scale,
            vertices: nv,
            node_mass,
            vertex_factor,
            u,
            v,
            inner: LU::new(DMatrix::identity(3 * nh, 3 * nh)),
        };
        let inner = capacitance + &out.v * out.diagonal_solve(&out.u);
        out.inner = LU::new(inner);
        out.inner.is_invertible().then_some(out)
    }

    /// M₀⁻¹ x.
    fn diagonal_solve(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        let mut out = x.clone();
        let top = self.vertex_factor.solve(&x.rows(0, self.vertices).into_owned());
        out.rows_mut(0, self.vertices).copy_from(&top);
        for (i, m) in self.node_mass.iter().enumerate() {
            out.row_mut(self.vertices + i).scale_mut(1.0 / m);
        }
        out
    }
}

impl Preconditioner for LowRankMass {
    fn apply_inverse(&self, r: &[f64], h: &mut [f64]) {
        let n = r.len() / 3;
        let right = DMatrix::from_fn(n, 3, |i, k| r[3 * i + k]);
        let q = self.diagonal_solve(&right);
        let correction = self.inner.solve(&(&self.v * &q)).unwrap_or_else(|| DMatrix::zeros(self.v.nrows(), 3));
        let y = &q - self.diagonal_solve(&(&self.u * correction));
        for i in 0..n {
            (0..3).for_each(|k| h[3 * i + k] = self.scale * y[(i, k)]);
        }
    }
}
