//! Which states are measured.

use yarnwise_shared::table::strain::Strain;

/// Strains along both axes of the biaxial experiment; with every pair of them, the fits of persistent contacts see how warp and weft
/// act on each other.
pub const BIAXIAL: [f64; 6] = [0.0, 0.03, 0.06, 0.1, 0.15, 0.2];

/// Strains along x of the uniaxial experiment.
pub const UNIAXIAL: [f64; 5] = [0.02, 0.05, 0.1, 0.15, 0.2];

/// Shears of the sheared experiment.
pub const SHEAR: [f64; 6] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5];

/// Stretches along both axes under which fabric is sheared.
pub const SHEAR_LOADS: [f64; 3] = [0.0, 0.05, 0.1];

/// All pairs of `values` as (sx, sy).
pub fn biaxial(values: &[f64]) -> Vec<Strain<f64>> {
    values.iter().flat_map(|x| values.iter().map(|y| Strain::new(*x, 0.0, *y))).collect()
}

/// Every shear under every load, which is the same along both axes.
pub fn shear(values: &[f64], loads: &[f64]) -> Vec<Strain<f64>> {
    loads.iter().flat_map(|l| values.iter().map(|a| Strain::new(*l, *a, *l))).collect()
}
