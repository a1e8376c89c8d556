//! The two dense matrices of hybrid vertices: K⁻¹ and G⁻¹.
//!
//!   K = BᵀB,   G⁻¹ = K⁻¹ m (I + m K⁻¹ H K⁻¹ m)⁻¹ m K⁻¹,   H = Bᵀ M_p⁻¹ B,   m = M_v^½
//!
//! The second is (K M_v⁻¹ K + H)⁻¹, also where a vertex has no mass. Made in 64 bits, with B as the device has it.

use crate::error::Error;
use nalgebra::{DMatrix, DVector};
use yarnwise_shaders::gpu::HybridRow;

/// K⁻¹ and G⁻¹, row by row.
pub(super) struct Coarse {
    pub(super) inverse_gram: Vec<f32>,
    pub(super) inverse_mass: Vec<f32>,
}

impl Coarse {
    /// For rows of B, the hybrid vertices of each hybrid triangle, M_p⁻¹ of each row (1/kg) and M_v (kg).
    pub(super) fn new(rows: &[HybridRow], triangles: &[[u32; 3]], node: &[f64], vertex: &[f64]) -> Result<Self, Error> {
        let n = vertex.len();
        let (mut gram, mut pressed) = (DMatrix::<f64>::zeros(n, n), DMatrix::<f64>::zeros(n, n));
        for (row, inverse) in rows.iter().zip(node) {
            let vertices = triangles[row.triangle() as usize];
            let beta = row.beta().map(f64::from);
            for (v, b) in vertices.iter().zip(beta) {
                for (w, c) in vertices.iter().zip(beta) {
                    gram[(*v as usize, *w as usize)] += b * c;
                    pressed[(*v as usize, *w as usize)] += b * c * inverse;
                }
            }
        }
        let inverse_gram = inverse(gram)?;
        let root = DMatrix::from_diagonal(&DVector::from_iterator(n, vertex.iter().map(|m| m.sqrt())));
        let scaled = &root * &inverse_gram;
        let inner = inverse(DMatrix::identity(n, n) + &scaled * pressed * scaled.transpose())?;
        let inverse_mass = scaled.transpose() * inner * &scaled;
        Ok(Coarse { inverse_gram: singles(&inverse_gram), inverse_mass: singles(&inverse_mass) })
    }
}

fn inverse(matrix: DMatrix<f64>) -> Result<DMatrix<f64>, Error> {
    let problem = "yarns say too little about the vertices of the hybrid ring: coarsen the mesh or use denser yarns";
    let factor = matrix.cholesky().ok_or_else(|| Error::invalid("hybrid cloth on a device", problem))?;
    Ok(factor.inverse())
}

/// Symmetric to the last bit.
fn singles(matrix: &DMatrix<f64>) -> Vec<f32> {
    let n = matrix.nrows();
    (0..n * n).map(|k| (0.5 * (matrix[(k / n, k % n)] + matrix[(k % n, k / n)])) as f32).collect()
}
