//! Sheets and a made-up pattern with its database: for tests that need no files.

use yarnwise_shared::mesh::{Mesh, MeshData};
use yarnwise_shared::pattern::{Edge, Pattern, PatternData, Vertex};
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{Database, DatabaseData};
use yarnwise_shared::table::grid::{Axis, Grid};

/// A flat rectangular sheet of `size` meters with `columns` by `rows` squares of two triangles, lying on z = 0.
pub fn sheet(columns: usize, rows: usize, size: [f32; 2]) -> Mesh {
    let mut data = MeshData::default();
    for j in 0..=rows {
        for i in 0..=columns {
            let uv = [size[0] * i as f32 / columns as f32, size[1] * j as f32 / rows as f32];
            data.uvs.push(uv);
            data.positions.push([uv[0], uv[1], 0.0]);
        }
    }
    let at = |i: usize, j: usize| (j * (columns + 1) + i) as u32;
    for j in 0..rows {
        for i in 0..columns {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            data.faces.extend(if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
    }
    data.uv_faces = data.faces.clone();
    Mesh::new(data).unwrap()
}

/// Positions of a sheet that is stretched, sheared and bent to waves.
pub fn waves(mesh: &Mesh) -> Vec<[f32; 3]> {
    let wave = |[u, v]: [f32; 2]| [1.15 * u + 0.1 * v, 0.95 * v, 0.02 * (15.0 * u).sin() * (11.0 * v).cos()];
    mesh.uvs().iter().map(|uv| wave(*uv)).collect()
}

/// Two yarns that wind along x: 40 vertices in a cell of 8 by 6 mm, radius 0.5 mm.
pub fn pattern() -> Pattern {
    let n = 20;
    let [px, py] = [8e-3, 6e-3];
    let point = |yarn: usize, i: usize| {
        let t = std::f64::consts::TAU * i as f64 / n as f64;
        [px * i as f64 / n as f64, py * (0.25 + 0.5 * yarn as f64) + 1e-3 * t.sin(), 0.8e-3 * (2.0 * t).cos()]
    };
    let mut vertices = Vec::new();
    for yarn in 0..2 {
        for i in 0..n {
            let (at, mut to) = (point(yarn, i), point(yarn, (i + 1) % n));
            if i + 1 == n {
                to[0] += px;
            }
            let edge: [f64; 3] = std::array::from_fn(|k| to[k] - at[k]);
            let length = edge.iter().map(|c| c * c).sum::<f64>().sqrt();
            let across = (edge[0] * edge[0] + edge[1] * edge[1]).sqrt();
            vertices.push(Vertex {
                position: at,
                twist: 0.1 * (i as f64).sin(),
                edge: Edge { to: (yarn * n + (i + 1) % n) as u32, shift: [i32::from(i + 1 == n), 0] },
                rest_length: length,
                rest_curvature: [0.0; 2],
                rest_twist: 0.0,
                reference_director: [-edge[1] / across, edge[0] / across, 0.0],
                reference_twist: 0.0,
            });
        }
    }
    Pattern::new(PatternData { period: [px, py], radius: 0.5e-3, vertices }).unwrap()
}

/// A smooth made-up table on the usual 9x9x9 grid.
pub fn database() -> Database {
    let pattern = pattern();
    let stretch = || vec![-0.2, -0.1, 0.0, 1.0 / 6.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 5.0 / 6.0, 1.0];
    let shear = (0..9).map(|i| -0.7 + 0.175 * f64::from(i)).collect();
    let axis = |name, values| Axis::new(name, values).unwrap();
    let grid = Grid([axis("sx", stretch()), axis("sa", shear), axis("sy", stretch())]);
    let n = pattern.vertices().len();
    let mut values = Vec::new();
    for sample in 0..grid.sample_count() {
        let [sx, sa, sy] = grid.coordinates(sample);
        for v in 0..n {
            let phase = 0.7 * v as f64;
            let d = [
                1e-3 * (sx * phase.sin() - 0.3 * sa),
                1e-3 * (sy * phase.cos() + 0.2 * sx * sa),
                -0.5e-3 * (sx + sy) * (2.0 * phase).sin(),
                0.4 * (sx - sy) * phase.sin() + 0.2 * sa,
            ];
            values.push(d.map(|c| c as f32));
        }
    }
    let table = Table::new(grid, n, values).unwrap();
    Database::new(DatabaseData::imported("made up", "yarnwise_tests::sheet", "", pattern, table)).unwrap()
}
