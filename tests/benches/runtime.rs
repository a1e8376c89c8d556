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
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::table::database::Database;
use yarnwise_tests::sheet;

/// Bytes per vertex of the copy.
const COPIED: usize = 32;

/// Vertices a second and thread of the reference program's CPU path.
const REFERENCE: f64 = 8e6;

/// What is measured: a mesh of about one meter, its positions, the database.
struct Scene {
    name: &'static str,
    mesh: Mesh,
    positions: Vec<[f32; 3]>,
    database: Database,
}

impl Scene {
    /// The mesh and its positions, made larger until the mesh carries about this number of yarn vertices.
    fn scaled(&self, millions: f64) -> (Mesh, Vec<[f32; 3]>) {
        let area = |f: usize| {
            let [p, q, r] = self.mesh.uv_corners(f).map(|p| p.map(f64::from));
            0.5 * ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])).abs()
        };
        let area: f64 = (0..self.mesh.faces().len()).map(area).sum();
        let pattern = self.database.pattern();
        let density = pattern.vertices().len() as f64 / (pattern.period()[0] * pattern.period()[1]);
        let factor = (millions * 1e6 / (area * density)).sqrt() as f32;
        let positions = self.positions.iter().map(|p| p.map(|c| c * factor)).collect();
        (self.mesh.clone().scaled(factor).unwrap(), positions)
    }
}

/// What one line of the table says, besides what is printed.
struct Figures {
    vertices: usize,
    /// Seconds of a frame's yarn stage and of the copy.
    yarns: f64,
    copy: f64,
}

fn main() {
    let mut scenes = vec![waves()];
    scenes.extend(published());
    let mut last = String::new();
    for scene in &scenes {
        println!("\n{}: {} faces", scene.name, scene.mesh.faces().len());
        println!(
            "{:>9} {:>7} {:>10} {:>9} {:>10} {:>8} {:>8} {:>10} {:>10}",
            "vertices",
            "threads",
            "layout ns",
            "yarns ns",
            "M/s/thread",
            "copy ns",
            "to copy",
            "strain us",
            "ns/mesh v"
        );
        for threads in [1, 2] {
            let all = [0.1, 1.0, 10.0].map(|millions| measure(scene, millions, threads));
            let each = |f: &Figures| f.yarns / f.vertices as f64;
            println!(
                "{:>17} threads: 10 million take {:.2} times as long a vertex as 1 million",
                threads,
                each(&all[2]) / each(&all[1])
            );
            let Figures { vertices, yarns, copy } = all[2];
            let rate = vertices as f64 / yarns / threads as f64;
            last = format!(
                "{}, {vertices} vertices, {threads} threads: {:.1} million vertices/s and thread, {:.1} times the reference\nratio to copy: {:.2}",
                scene.name,
                rate / 1e6,
                rate / REFERENCE,
                yarns / copy
            );
        }
    }
    println!("\nGPU path");
    match gpu::device() {
        Some((device, queue)) => scenes.iter().for_each(|scene| gpu::measure(&device, &queue, scene, 0.3)),
        None => println!("no graphics adapter: not measured"),
    }
    println!("\n{last}");
}

fn measure(scene: &Scene, millions: f64, threads: usize) -> Figures {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let (mesh, positions) = scene.scaled(millions);
        let start = Instant::now();
        let layout = YarnLayout::new(&mesh, scene.database.pattern(), &LayoutOptions::default()).unwrap();
        let layout_time = start.elapsed().as_secs_f64();
        let count = layout.vertex_count();
        let mut yarns = CpuYarns::new(layout, &scene.database).unwrap();
        let frame = FrameParams { positions: &positions, ..Default::default() };
        yarns.update(&frame).unwrap();
        let mut copy_once = copier(count, threads);
        // In turns, so that whatever else the machine does meets both.
        let (mut time, mut copy, mut strain) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        for _ in 0..(30e6 / count as f64).clamp(8.0, 60.0) as usize {
            time = time.min(best(1, || yarns.update_yarns(&frame).unwrap()));
            copy = copy.min(best(1, &mut copy_once));
            strain = strain.min(best(2, || yarns.update_mesh(&frame).unwrap()));
        }
        black_box(yarns.vertices());
        let ns = |t: f64| t / count as f64 * 1e9;
        println!(
            "{count:>9} {threads:>7} {:>10.0} {:>9.2} {:>10.1} {:>8.2} {:>8.2} {:>10.0} {:>10.0}",
            ns(layout_time),
            ns(time),
            count as f64 / time / 1e6 / threads as f64,
            ns(copy),
            time / copy,
            strain * 1e6,
            strain * 1e9 / mesh.positions().len() as f64,
        );
        Figures { vertices: count, yarns: time, copy }
    })
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
