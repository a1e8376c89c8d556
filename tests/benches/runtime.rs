//! Speed of the CPU path against a plain copy of 32 B per yarn vertex in the same run.
//!
//! `cargo bench -p yarnwise-tests --bench runtime`. A sheet of stockinette bent to waves; with `YARNWISE_REFERENCE` set, the
//! published 9x9x9 table on the stretched sheet of `stock_stretchX` (frame 40) as well, which is what the reference
//! program's figure of 8 million vertices a second and thread was measured on. Each figure is the best of several runs:
//! the machine may be doing other things.

#![allow(clippy::print_stdout, reason = "figures are what a benchmark is for")]

mod gpu;

use std::hint::black_box;
use std::time::Instant;
use yarnwise_runtime::{CpuYarns, FrameParams, LayoutOptions, YarnLayout};
use yarnwise_shared::database::Database;
use yarnwise_shared::mesh::Mesh;
use yarnwise_tests::sheet;

/// Bytes per vertex of the copy.
const COPIED: usize = 32;

/// What is measured: a mesh of about one metre, its positions, the database.
struct Scene {
    name: &'static str,
    mesh: Mesh,
    positions: Vec<[f32; 3]>,
    database: Database,
}

fn main() {
    let mut scenes = vec![waves()];
    scenes.extend(published());
    let mut last = String::new();
    for scene in &scenes {
        println!("\n{}: {} faces", scene.name, scene.mesh.faces().len());
        println!(
            "{:>11} {:>8} {:>10} {:>11} {:>11} {:>9} {:>10} {:>12} {:>9}",
            "vertices", "threads", "layout s", "yarns ns", "M/s/thread", "copy ns", "to copy", "strain us", "ns/mesh v"
        );
        for millions in [0.1, 1.0, 10.0] {
            for threads in [1, 2] {
                last = measure(scene, millions, threads);
            }
        }
    }
    println!("\nCounted: {} B read and {} B written per yarn vertex and frame.", 16, 24);
    for scene in &scenes {
        gpu::measure(scene, 0.3);
    }
    println!("{last}");
}

fn measure(scene: &Scene, millions: f64, threads: usize) -> String {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let factor = (millions * 1e6 / estimate(scene)).sqrt() as f32;
        let mesh = scene.mesh.clone().scaled(factor).unwrap();
        let positions: Vec<[f32; 3]> = scene.positions.iter().map(|p| p.map(|c| c * factor)).collect();
        let start = Instant::now();
        let layout = YarnLayout::new(&mesh, scene.database.pattern(), &LayoutOptions::default()).unwrap();
        let layout_time = start.elapsed().as_secs_f64();
        let count = layout.vertex_count();
        let mut yarns = CpuYarns::new(layout, &scene.database).unwrap();
        let frame = FrameParams { positions: &positions, ..Default::default() };
        yarns.update(&frame).unwrap();
        let repeat = (20e6 / count as f64).clamp(5.0, 50.0) as usize;
        let strain = best(repeat.max(20), || yarns.update_mesh(&frame).unwrap());
        let time = best(repeat, || yarns.update_yarns(&frame).unwrap());
        black_box(yarns.vertices());
        let copy = best(repeat, copier(count, threads));
        let ns = |t: f64| t / count as f64 * 1e9;
        let ratio = time / copy;
        println!(
            "{count:>11} {threads:>8} {layout_time:>10.3} {:>11.2} {:>11.1} {:>9.2} {ratio:>10.2} {:>12.0} {:>9.1}",
            ns(time),
            count as f64 / time / 1e6 / threads as f64,
            ns(copy),
            strain * 1e6,
            strain * 1e9 / mesh.positions().len() as f64,
        );
        format!(
            "{}, {count} vertices, {threads} threads: {:.1} million vertices/s per thread ({:.1} x the reference)\nratio to copy: {ratio:.2}",
            scene.name,
            count as f64 / time / 1e6 / threads as f64,
            count as f64 / time / 8e6 / threads as f64
        )
    })
}

/// Yarn vertices on the scene's mesh at scale 1, about.
fn estimate(scene: &Scene) -> f64 {
    let area: f64 = (0..scene.mesh.faces().len())
        .map(|f| {
            let [p, q, r] = scene.mesh.uv_corners(f).map(|p| p.map(f64::from));
            0.5 * ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])).abs()
        })
        .sum();
    let pattern = scene.database.pattern();
    area / (pattern.period()[0] * pattern.period()[1]) * pattern.vertices().len() as f64
}

/// A copy of 32 B per vertex, on as many threads as the pool has.
fn copier(count: usize, threads: usize) -> impl FnMut() {
    let from = vec![1u8; count * COPIED];
    let mut to = vec![0u8; count * COPIED];
    move || {
        let part = from.len().div_ceil(threads);
        rayon::scope(|scope| {
            for (from, to) in from.chunks(part).zip(to.chunks_mut(part)) {
                scope.spawn(move |_| to.copy_from_slice(from));
            }
        });
        black_box(&to);
    }
}

fn best(repeat: usize, mut work: impl FnMut()) -> f64 {
    let mut once = || {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..repeat).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// A sheet bent to waves, with a made-up smooth table: needs no files.
fn waves() -> Scene {
    let mesh = sheet::sheet(48, 48, [0.5, 0.5]);
    let positions = sheet::waves(&mesh);
    Scene { name: "made-up waves", positions, mesh, database: sheet::database() }
}

fn published() -> Option<Scene> {
    let reference = yarnwise_tests::reference("the published table")?;
    let case = yarnwise_tests::golden::Case::all(&reference).into_iter().find(|c| c.name == "stock__stock_stretchX")?;
    let clip = case.clip();
    let (mesh, positions) = (clip.mesh().clone(), clip.positions(40).to_vec());
    Some(Scene { name: "published stockinette, stretched sheet", mesh, positions, database: case.database() })
}
