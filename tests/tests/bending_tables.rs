//! The 4D bending tables [Sperl21, App. C] on the CPU path, against a look-up written out by hand.

use yarnwise_runtime::{Bending, CpuYarns, FrameOptions, FrameParams, LayoutOptions, YarnLayout};
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{BendingTables, Database, DatabaseData, SampleRecord};
use yarnwise_shared::table::grid::{Axis, Grid};
use yarnwise_tests::sheet;

/// A table that is linear in every axis, so that interpolation within it is exact: the coefficients of height.
fn table(n: usize, [a, b, c, d]: [f64; 4]) -> Table<4> {
    let axis = |name, values: &[f64]| Axis::new(name, values.to_vec()).unwrap();
    let s = [-0.3, 0.0, 0.4, 1.0];
    let grid = Grid([axis("sx", &s), axis("sa", &[-0.8, 0.0, 0.8]), axis("sy", &s), axis("k", &[-90.0, 0.0, 70.0])]);
    let values = (0..grid.sample_count()).flat_map(|i| {
        let [sx, sa, sy, k] = grid.coordinates(i);
        std::iter::repeat_n([0.0, 0.0, (1e-3 * (a * sx + b * sa + c * sy) + d * k) as f32, 0.0], n)
    });
    let values = values.collect();
    Table::new(grid, n, values).unwrap()
}

const X: [f64; 4] = [0.3, -0.2, 0.5, 4e-6];
const Y: [f64; 4] = [-0.4, 0.1, 0.2, -7e-6];

fn database() -> Database {
    let base: DatabaseData = sheet::database().into_data();
    let n = base.pattern.vertices().len();
    let (x, y) = (table(n, X), table(n, Y));
    let x_samples = SampleRecord::imported(x.grid());
    let y_samples = x_samples.clone();
    Database::new(DatabaseData { bending: Some(BendingTables { x, y, x_samples, y_samples }), ..base }).unwrap()
}

#[test]
fn displacements_are_those_of_the_papers_formula() {
    let (mesh, database) = (sheet::sheet(40, 40, [0.16, 0.12]), database());
    // A cylinder of 20 mm radius about an axis 30 degrees from v: one principal curvature, -1/R, known everywhere.
    let (radius, (sin, cos)) = (0.02f32, 30f32.to_radians().sin_cos());
    let roll = |[u, v]: &[f32; 2]| {
        let (s, t) = (cos * u + sin * v, cos * v - sin * u);
        [radius * (s / radius).sin(), t, radius * (s / radius).cos() - radius]
    };
    let positions: Vec<[f32; 3]> = mesh.uvs().iter().map(roll).collect();
    let layout = YarnLayout::new(&mesh, database.pattern(), &LayoutOptions::default()).unwrap();
    let mut yarns = CpuYarns::new(layout, &database).unwrap();
    let frame = FrameParams {
        positions: &positions,
        options: FrameOptions { bending: Bending::Tables, follow_triangle: false, ..Default::default() },
    };
    let naive = FrameParams { options: FrameOptions { displacement: 0.0, ..frame.options }, ..frame };
    yarns.update_mesh(&frame).unwrap();
    let (with, without) = (yarns.deform_plainly(&frame).unwrap(), yarns.deform_plainly(&naive).unwrap());
    // Strains are zero; l1 = 0, l2 = -1/R, whose direction has the squared cosine cos^2 with x. Heights change by
    // c2 (Gx(l1) + Gy(l2)) + (1 - c2) (Gx(l2) + Gy(l1)) - Gx(0), c2 that of the first principal direction.
    let (l2, c2) = (-1.0 / f64::from(radius), f64::from(sin * sin));
    let expected = c2 * Y[3] * l2 + (1.0 - c2) * X[3] * l2;
    let other = (1.0 - c2) * Y[3] * l2 + c2 * X[3] * l2;
    assert!((expected - other).abs() > 1e-4, "the principal directions must matter");
    let mut checked = 0;
    for (i, site) in yarns.layout().sites().iter().enumerate() {
        // Away from the border, where II is known to be low.
        let [u, v] = mesh.uv_corners(site.face as usize)[0];
        if !(0.03..0.13).contains(&u) || !(0.03..0.09).contains(&v) {
            continue;
        }
        let change =
            (0..3).map(|k| f64::from(with[i].position[k] - without[i].position[k]).powi(2)).sum::<f64>().sqrt();
        assert!((change - expected.abs()).abs() < 0.06 * expected.abs(), "vertex {i}: {change} instead of {expected}");
        checked += 1;
    }
    assert!(checked > 3000);
}

#[test]
fn a_database_without_bending_tables_says_so() {
    let (mesh, database) = (sheet::sheet(4, 4, [0.04, 0.04]), sheet::database());
    let layout = YarnLayout::new(&mesh, database.pattern(), &LayoutOptions::default()).unwrap();
    let mut yarns = CpuYarns::new(layout, &database).unwrap();
    let frame = FrameParams {
        positions: mesh.positions(),
        options: FrameOptions { bending: Bending::Tables, ..Default::default() },
    };
    assert!(yarns.update(&frame).unwrap_err().to_string().contains("bending tables"));
}
