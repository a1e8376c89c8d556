//! Small garments of our own making, for tests that need no published data.

use yarnwise_shared::mesh::{Mesh, MeshData};
use yarnwise_shared::pattern::{Edge, Pattern, PatternData, Vertex};
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{Database, DatabaseData};
use yarnwise_shared::table::grid::{Axis, Grid};

/// A flat sheet of `columns` by `rows` squares of `side` meters, two triangles each, in its rest shape.
pub fn sheet(columns: usize, rows: usize, side: f32) -> Mesh {
    let across = columns + 1;
    let uvs: Vec<[f32; 2]> =
        (0..across * (rows + 1)).map(|i| [(i % across) as f32 * side, (i / across) as f32 * side]).collect();
    let square = |i: usize| {
        let corner = (i % columns + i / columns * across) as u32;
        let [a, b, c, d] = [corner, corner + 1, corner + 1 + across as u32, corner + across as u32];
        [[a, b, c], [a, c, d]]
    };
    let faces: Vec<[u32; 3]> = (0..columns * rows).flat_map(square).collect();
    let positions = uvs.iter().map(|p| [p[0], p[1], 0.0]).collect();
    Mesh::new(MeshData { positions, uvs, uv_faces: faces.clone(), faces }).unwrap()
}

/// Positions of a sheet that is stretched, sheared and bent by different amounts everywhere; `time` moves it.
pub fn moved(mesh: &Mesh, time: f32) -> Vec<[f32; 3]> {
    let place = |p: &[f32; 2]| {
        let [u, v] = *p;
        let wave = 0.004 * (200.0 * u + time).sin() + 0.006 * (55.0 * v - 2.0 * time).cos();
        [u * (1.1 + 0.5 * v) + 0.15 * v, v * (0.95 - 0.6 * u) + 0.02 * (30.0 * u * time).sin(), wave]
    };
    mesh.uvs().iter().map(place).collect()
}

/// A pattern of one wavy yarn of `n` vertices, radius 0.5 mm, 1 mm a vertex, and a table of smooth displacements of up to a
/// few radii.
pub fn database(n: usize) -> Database {
    let axis = |values: &[f64]| Axis::new("test", values.to_vec()).unwrap();
    let grid = Grid([axis(&[-0.2, -0.1, 0.0, 0.2, 0.5, 1.0]), axis(&[-0.5, 0.0, 0.5]), axis(&[-0.2, 0.0, 0.3, 1.0])]);
    let value = |i: usize| {
        let [sx, sa, sy] = grid.coordinates(i / n);
        let phase = (i % n) as f64;
        let s = sx + 0.7 * sa - 0.4 * sy * sy;
        [s * 1.5e-3, (3.0 * s + phase).sin() * 3e-4, (2.0 * sy - phase).cos() * sx * 5e-4, (s + phase).sin() * sa]
            .map(|v| v as f32)
    };
    let table = Table::new(grid.clone(), n, (0..n * grid.sample_count()).map(value).collect()).unwrap();
    Database::new(DatabaseData::imported("wave", "made for tests", "yarnwise-tests", pattern(n), table)).unwrap()
}

fn pattern(n: usize) -> Pattern {
    let position = |i: usize| {
        let angle = i as f64 / n as f64 * std::f64::consts::TAU;
        [i as f64 * 1e-3, 0.5e-3 + 0.3e-3 * angle.sin(), 0.4e-3 * angle.cos()]
    };
    let vertex = |i: usize| {
        let (p, mut q) = (position(i), position((i + 1) % n));
        q[0] += if i + 1 == n { n as f64 * 1e-3 } else { 0.0 };
        let edge: [f64; 3] = std::array::from_fn(|k| q[k] - p[k]);
        let length = edge.iter().map(|c| c * c).sum::<f64>().sqrt();
        let across = (edge[0] * edge[0] + edge[2] * edge[2]).sqrt();
        Vertex {
            position: p,
            twist: 0.1 * i as f64,
            edge: Edge { to: ((i + 1) % n) as u32, shift: [(i + 1 == n) as i32, 0] },
            rest_length: length,
            rest_curvature: [0.0, 0.0],
            rest_twist: 0.0,
            reference_director: [-edge[2] / across, 0.0, edge[0] / across],
            reference_twist: 0.0,
        }
    };
    let vertices = (0..n).map(vertex).collect();
    Pattern::new(PatternData { period: [n as f64 * 1e-3, 2e-3], radius: 0.5e-3, vertices }).unwrap()
}

/// A flat strip of `triangles` along u, `length` by `height` meters.
pub fn strip(triangles: usize, length: f32, height: f32) -> Mesh {
    // Corners alternate between the lower and the upper border; the first and the last column are upright.
    let columns = triangles.div_ceil(2);
    let uvs: Vec<[f32; 2]> =
        (0..2 * (columns + 1)).map(|i| [(i / 2) as f32 / columns as f32 * length, (i % 2) as f32 * height]).collect();
    let face = |t: usize| {
        let i = t as u32 / 2 * 2;
        if t.is_multiple_of(2) { [i, i + 2, i + 1] } else { [i + 1, i + 2, i + 3] }
    };
    let faces: Vec<[u32; 3]> = (0..triangles).map(face).collect();
    let positions = uvs.iter().map(|p| [p[0], p[1], 0.0]).collect();
    Mesh::new(MeshData { positions, uvs, uv_faces: faces.clone(), faces }).unwrap()
}
