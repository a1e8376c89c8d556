//! How far a patch is from flat.

use nalgebra::{Matrix3, Vector3};
use serde::Serialize;
use yarnwise_solvers::yarn::YarnSimulation;
use yarnwise_solvers::yarn::model::Sheet;

/// The shape of a patch over the plane that fits its crossings best.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Shape {
    /// From the lowest to the highest crossing, spacings.
    pub(super) height: f64,
    /// Root mean square of the slope across the pull.
    pub(super) slope_across: f64,
    /// The same along the pull: small where a wrinkle runs along it.
    pub(super) slope_along: f64,
}

impl Shape {
    pub(super) fn of(sheet: &Sheet, simulation: &YarnSimulation) -> Self {
        let heights = heights(sheet, simulation);
        let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(low, high), z| (low.min(*z), high.max(*z)));
        let n = sheet.warps;
        // From crossing to crossing along the diagonals of the meshes.
        let slope = |from: [usize; 2], to: [usize; 2]| {
            let cells = (0..n - 1).flat_map(|i| (0..n - 1).map(move |j| (i, j)));
            let at = |i: usize, j: usize, d: [usize; 2]| heights[sheet.crossing(i + d[0], j + d[1])];
            let sum: f64 = cells.map(|(i, j)| (at(i, j, to) - at(i, j, from)).powi(2) / 2.0).sum();
            (sum / ((n - 1) * (n - 1)) as f64).sqrt()
        };
        Shape { height: high - low, slope_across: slope([1, 0], [0, 1]), slope_along: slope([0, 0], [1, 1]) }
    }
}

/// Heights of the crossings over the plane that fits them best, spacings.
fn heights(sheet: &Sheet, simulation: &YarnSimulation) -> Vec<f64> {
    let count = sheet.warps * sheet.wefts;
    let positions = &simulation.state().positions[..count];
    let center: Vector3<f64> = positions.iter().sum::<Vector3<f64>>() / count as f64;
    let spread: Matrix3<f64> = positions.iter().map(|x| (x - center) * (x - center).transpose()).sum();
    let eigen = spread.symmetric_eigen();
    let normal = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into_owned();
    let up = if normal.z < 0.0 { -normal } else { normal };
    positions.iter().map(|x| (x - center).dot(&up) / sheet.material.spacing).collect()
}

/// Place and height of the crossings on the diagonal across the pull, spacings.
pub(super) fn profile(sheet: &Sheet, simulation: &YarnSimulation) -> Vec<[f64; 2]> {
    let (n, heights) = (sheet.warps, heights(sheet, simulation));
    let place = |i: usize| (i as f64 - 0.5 * (n - 1) as f64) * 2.0_f64.sqrt();
    (0..n).map(|i| [place(i), heights[sheet.crossing(i, n - 1 - i)]]).collect()
}

/// The fastest crossing, spacings a second.
pub(super) fn speed(simulation: &YarnSimulation) -> f64 {
    let speed = |v: &[f64; 5]| Vector3::new(v[0], v[1], v[2]).norm();
    let fastest = simulation.state().velocities.iter().map(speed).fold(0.0, f64::max);
    fastest / simulation.weave().material.spacing
}
