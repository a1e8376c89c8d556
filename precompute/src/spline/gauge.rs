//! What is held of a periodic cell, so that each equilibrium is one place and not a family.
//!
//! A cell may be moved as a whole, and without friction a yarn that leads around the cell may slide along itself: nothing resists
//! either. For every such motion one coordinate of one control point is held, chosen where the motions move it most and
//! differently from those that are held already. Held coordinates follow the large-scale deformation.

use super::curve::Curve;
use crate::newton::{Hold, Holds};
use nalgebra::Vector3;

/// Below this a motion is a combination of others.
const DEPENDENT: f64 = 1e-6;

/// Holds for a cell with control points at `q` (m).
pub(super) fn holds(curves: &[Curve], q: &[Vector3<f64>], turns: &[Vector3<f64>]) -> Holds {
    against(&free_motions(curves, q, turns))
}

/// Holds against motions of all control points: one coordinate of one point for each that is no combination of others.
pub(super) fn against(motions: &[Vec<Vector3<f64>>]) -> Holds {
    let points = motions.first().map_or(0, Vec::len);
    // Rows are coordinates, columns are motions; rows lose what the chosen ones span.
    let mut rows: Vec<Vec<f64>> = (0..3 * points).map(|r| motions.iter().map(|m| m[r / 3][r % 3]).collect()).collect();
    let mut held = vec![[false; 3]; points];
    for _ in 0..motions.len() {
        let norm = |row: &[f64]| row.iter().map(|v| v * v).sum::<f64>();
        let (best, most) =
            rows.iter().map(|r| norm(r)).enumerate().fold((0, 0.0), |b, r| if r.1 > b.1 { r } else { b });
        if most < DEPENDENT * DEPENDENT {
            break;
        }
        held[best / 3][best % 3] = true;
        let direction: Vec<f64> = rows[best].iter().map(|v| v / most.sqrt()).collect();
        for row in &mut rows {
            let along: f64 = row.iter().zip(&direction).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(&direction).for_each(|(a, b)| *a -= along * b);
        }
    }
    let mut holds = Holds::default();
    for (point, held) in held.into_iter().enumerate().filter(|(_, h)| h.contains(&true)) {
        holds.set(point, Hold::along_axes(held));
    }
    holds
}

/// The three translations, and each closed yarn sliding along itself, a span a unit.
fn free_motions(curves: &[Curve], q: &[Vector3<f64>], turns: &[Vector3<f64>]) -> Vec<Vec<Vector3<f64>>> {
    let mut motions: Vec<Vec<Vector3<f64>>> = (0..3).map(|k| vec![Vector3::ith(k, 1.0); q.len()]).collect();
    for (curve, turn) in curves.iter().zip(turns).filter(|(curve, _)| curve.closed) {
        let mut slide = vec![Vector3::zeros(); q.len()];
        for i in 0..curve.count {
            let around = |k: usize| q[curve.first + k % curve.count] + turn * (k / curve.count) as f64;
            let [behind, ahead] = [around(i + curve.count - 1) - turn, around(i + 1)];
            slide[curve.first + i] = (ahead - behind) / (2.0 * curve.rest_speed);
        }
        motions.push(slide);
    }
    motions
}
