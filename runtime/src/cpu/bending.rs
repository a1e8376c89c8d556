//! Displacements from the two tables with a curvature axis [Sperl21, App. C].
//!
//! The second fundamental form has principal curvatures l1 >= l2; c2 is the squared cosine of the angle between the
//! first principal direction and the x axis. With the tables Gx (bent along x) and Gy (along y),
//!
//!   dQ = c2 (Gx(s, l1) + Gy(s, l2)) + (1 - c2) (Gx(s, l2) + Gy(s, l1)) - Gx(s, 0)
//!
//! blends the two ways of reading the curvatures as bending along the pattern's axes. The clamp acts on I alone.

use yarnwise_shaders::cpu::yarns;
use yarnwise_shaders::gpu::{Patch, PatternVertex, YarnParams, YarnSite};
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::BendingTables;
use yarnwise_shared::table::strain::{Strain, Sym2};

/// Principal curvatures of (II11, II12, II22), the larger first, and c2.
fn principal(Sym2 { xx, xy, yy }: Sym2<f32>) -> (f32, f32, f32) {
    let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    // The small number keeps the direction defined where both curvatures are equal.
    let radius = (half * half + xy * xy + 1e-8).sqrt();
    let sign = if half >= 0.0 { 1.0 } else { -1.0 };
    let along = half + sign * radius;
    let c2 = 0.5 + sign * (0.5 - xy * xy / (along * along + xy * xy));
    (mean + radius, mean - radius, c2)
}

/// The displacement at a site, before the factor of the frame.
pub(super) fn displacement(
    params: &YarnParams,
    tables: &BendingTables,
    patch: &Patch,
    site: &YarnSite,
    vertex: &PatternVertex,
) -> [f32; 4] {
    let (first, second) = yarns::forms(patch, site);
    let strain = Strain::saturated(yarns::clamp(params, first));
    let [sx, sa, sy] = [strain.sx, strain.sa, strain.sy].map(f64::from);
    let (l1, l2, c2) = principal(second);
    let at = |table: &Table<4>, curvature: f32| {
        table.interpolate([sx, sa, sy, f64::from(curvature)], vertex.table_vertex as usize)
    };
    let (x1, x2, x0) = (at(&tables.x, l1), at(&tables.x, l2), at(&tables.x, 0.0));
    let (y1, y2) = (at(&tables.y, l1), at(&tables.y, l2));
    let c2 = f64::from(c2);
    std::array::from_fn(|k| (c2 * (x1[k] + y2[k]) + (1.0 - c2) * (x2[k] + y1[k]) - x0[k]) as f32)
}

#[cfg(test)]
mod tests {
    use super::{Sym2, principal};

    #[test]
    fn principal_curvatures_and_direction_are_those_of_the_matrix() {
        for (angle, k1, k2) in [(0.0f32, 30.0f32, -20.0f32), (0.3, 50.0, 10.0), (1.2, -5.0, -80.0), (1.4, 40.0, 0.0)] {
            let (c, s) = (angle.cos(), angle.sin());
            let form = Sym2::new(k1 * c * c + k2 * s * s, (k1 - k2) * c * s, k1 * s * s + k2 * c * c);
            let (l1, l2, c2) = principal(form);
            assert!((l1 - k1).abs() < 1e-3 && (l2 - k2).abs() < 1e-3, "{l1} {l2}");
            assert!((c2 - c * c).abs() < 1e-4, "{angle}: {c2}");
        }
        let (l1, l2, c2) = principal(Sym2::default());
        assert!(l1.abs() < 2e-4 && l2.abs() < 2e-4 && (c2 - 1.0).abs() < 1e-6);
    }
}
