//! Yarns on a moving mesh without a GPU: `cargo run -p yarnwise-runtime --example cpu_only --no-default-features`.
//!
//! A square of cloth, two triangles for each of its 20 x 20 squares, swings; a woven pattern made of straight yarns lies
//! on it. A program of your own would read a database and a mesh from files, and draw [`CpuYarns::vertices`].

use std::f32::consts::TAU;
use yarnwise_runtime::shared::mesh::{Mesh, MeshData};
use yarnwise_runtime::shared::pattern::{Edge, Pattern, PatternData, Vertex};
use yarnwise_runtime::shared::table::Table;
use yarnwise_runtime::shared::table::database::{Database, DatabaseData};
use yarnwise_runtime::shared::table::grid::{Axis, Grid};
use yarnwise_runtime::{CpuYarns, FrameParams, LayoutOptions, YarnLayout};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run(draw)
}

/// Four frames; `draw` is where a renderer takes over.
pub(crate) fn run(mut draw: impl FnMut(usize, &CpuYarns)) -> Result<(), Box<dyn std::error::Error>> {
    let mesh = square(20, 0.2)?;
    let database = database()?;

    // Once per garment.
    let layout = YarnLayout::new(&mesh, database.pattern(), &LayoutOptions::default())?;
    let mut yarns = CpuYarns::new(layout, &database)?;

    // Each frame.
    for frame in 0..4 {
        let positions = swing(&mesh, frame as f32 / 4.0);
        yarns.update(&FrameParams { positions: &positions, ..Default::default() })?;
        draw(frame, &yarns);
    }
    Ok(())
}

/// What is drawn here: a line of text.
#[allow(clippy::print_stdout, reason = "an example shows what it does")]
fn draw(frame: usize, yarns: &CpuYarns) {
    let top = yarns.vertices().iter().map(|v| v.position[2]).fold(f32::MIN, f32::max);
    let count = yarns.layout().yarn_count();
    println!("frame {frame}: {} vertices on {count} yarns, top at {:.1} mm", yarns.vertices().len(), top * 1e3);
}

fn square(n: u32, size: f32) -> Result<Mesh, Box<dyn std::error::Error>> {
    let mut data = MeshData::default();
    for i in 0..(n + 1) * (n + 1) {
        let uv = [i % (n + 1), i / (n + 1)].map(|k| size * k as f32 / n as f32);
        data.uvs.push(uv);
        data.positions.push([uv[0], uv[1], 0.0]);
    }
    for i in (0..n * (n + 1)).filter(|i| i % (n + 1) < n) {
        let [a, b, c, d] = [i, i + 1, i + n + 2, i + n + 1];
        data.faces.extend([[a, b, c], [a, c, d]]);
    }
    data.uv_faces = data.faces.clone();
    Ok(Mesh::new(data)?)
}

fn swing(mesh: &Mesh, time: f32) -> Vec<[f32; 3]> {
    let height = |u: f32| 0.02 * (TAU * (u / 0.2 + time)).sin();
    mesh.uvs().iter().map(|[u, v]| [*u, *v, height(*u)]).collect()
}

/// A yarn along x over one along y, and a table in which stretched yarns lie flatter.
fn database() -> Result<Database, Box<dyn std::error::Error>> {
    let (period, n) = (4e-3, 8);
    let mut vertices = Vec::new();
    for yarn in 0..2 {
        for i in 0..n {
            let along = period * (i as f64 + 0.5) / n as f64;
            let height = if yarn == 0 { 0.5e-3 } else { -0.5e-3 };
            let last = i + 1 == n;
            vertices.push(Vertex {
                position: if yarn == 0 { [along, 1e-3, height] } else { [3e-3, along, height] },
                twist: 0.0,
                edge: Edge {
                    to: (yarn * n + (i + 1) % n) as u32,
                    shift: if yarn == 0 { [i32::from(last), 0] } else { [0, i32::from(last)] },
                },
                rest_length: period / n as f64,
                rest_curvature: [0.0; 2],
                rest_twist: 0.0,
                reference_director: [0.0, 0.0, 1.0],
                reference_twist: 0.0,
            });
        }
    }
    let pattern = Pattern::new(PatternData { period: [period; 2], radius: 0.4e-3, vertices })?;
    let axis = |name| Axis::new(name, vec![-0.2, 0.0, 1.0]);
    let grid = Grid([axis("sx")?, axis("sa")?, axis("sy")?]);
    let mut values = Vec::new();
    for sample in 0..grid.sample_count() {
        let [sx, _, sy] = grid.coordinates(sample);
        values.extend(pattern.vertices().iter().map(|v| [0.0, 0.0, (-0.3 * (sx + sy) * v.position[2]) as f32, 0.0]));
    }
    let table = Table::new(grid, pattern.vertices().len(), values)?;
    let name = "plain weave";
    Ok(Database::new(DatabaseData::imported(name, name, "example", pattern, table))?)
}
