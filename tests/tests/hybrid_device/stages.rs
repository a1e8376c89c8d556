//! Each stage alone against its twin, at all sizes around a workgroup.

use super::scene::{exact, sheet, wavy};
use super::world::World;
use yarnwise_device::{StagePipeline, wgpu};
use yarnwise_shaders::cpu::hybrid as twin;
use yarnwise_shaders::cpu::yarn_solver::{Nodes, Value, elements};
use yarnwise_shaders::gpu::{NodePosition, NodeVector, YarnSolverScalars, fault, phase};
use yarnwise_shaders::stages::hybrid as stages;
use yarnwise_shaders::{BindingKind, Stage};
use yarnwise_solvers::hybrid::TriangleModel;
use yarnwise_solvers::hybrid::device::PackedHybrid;
use yarnwise_tests::gpu;

/// Nodes, and with them everything else.
const SIZES: [usize; 5] = [1, 255, 256, 257, 1000];

/// Of the largest number of an output: rounding of sums in another order and of fused products.
const TOLERANCE: f32 = 2e-5;

/// A stage, what it is in the middle of, which of its outputs it does not read, and the numbers that it is to write.
struct Case {
    stage: &'static Stage,
    phase: u32,
    spoiled: &'static [&'static str],
    count: fn(&World) -> usize,
    expected: fn(&World) -> Vec<(&'static str, Vec<f32>)>,
}

fn vectors(values: impl Iterator<Item = Value>) -> Vec<f32> {
    values.flat_map(|v| v.words()).collect()
}

fn flat<const N: usize>(values: impl Iterator<Item = [f32; N]>) -> Vec<f32> {
    values.flatten().collect()
}

fn words<T: bytemuck::Pod>(values: &[T]) -> Vec<f32> {
    bytemuck::pod_collect_to_vec(values)
}

/// A value of every point, and of points that the stage leaves alone what was there.
fn points(w: &World, count: usize, old: &[NodeVector], new: impl Fn(usize) -> Value) -> Vec<f32> {
    let of = |i: usize| if i < count { new(i) } else { old[i].into() };
    vectors((0..5 * w.n).map(of))
}

fn value(v: &NodeVector) -> Value {
    (*v).into()
}

fn xyz([x, y, z]: [f32; 3]) -> Value {
    Value::from_words(&[x, y, z, 0.0, 0.0])
}

/// w with sums of workgroups of 64 from `first` on.
fn with_sums(w: &World, mut values: Vec<f32>, first: usize, sums: &[[f32; 2]]) -> Vec<f32> {
    let mut tail = w.sums.clone();
    for (k, group) in sums.chunks(64).enumerate() {
        let total = |c: usize| group.iter().map(|s| f64::from(s[c])).sum::<f64>() as f32;
        tail[first + k] = [total(0), total(1)];
    }
    values.extend(tail.as_flattened());
    values
}

fn meters(p: &NodePosition, unit: f32) -> [f32; 3] {
    twin::output(p, unit)
}

fn product(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let (mut rows, _) = w.rows_and_stress();
    let damped = 1.0 + w.scalars.h * w.params.mass_damping;
    for (row, own) in rows.iter_mut().zip(&w.diagonal) {
        let slide = |inverse: f32| if inverse > 0.0 { (1.0 / inverse - w.hybrid.slide_mass) * damped } else { 0.0 };
        row[7] = [slide(own.u), slide(own.v), 0.0, 0.0];
    }
    let nodes = Nodes { links: &w.links, rows: &rows, value: |i| value(&w.d[i]) };
    let (new, sums): (Vec<_>, Vec<_>) = w.with_input(|input| {
        (0..w.n).map(|i| twin::product(&nodes, input, &w.hybrid, &w.diagonal[i], i)).map(|(v, s)| (v, [s, 0.0])).unzip()
    });
    vec![("w", with_sums(w, points(w, w.n, &w.w, |i| new[i]), 0, &sums))]
}

fn residual(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let (rows, stress) = w.rows_and_stress();
    let new: Vec<_> =
        w.with_input(|input| (0..w.n).map(|i| twin::residual(input, &rows, &stress, &value(&w.r[i]), i)).collect());
    vec![("r", points(w, w.n, &w.r, |i| new[i]))]
}

fn own(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let all: Vec<_> = w
        .with_input(|input| (0..w.n).map(|i| twin::own(input, &w.hybrid, &w.diagonal[i], &w.momentum[i], i)).collect());
    let inverses = (0..5 * w.n).map(|i| if i < w.n { all[i].0 } else { w.diagonal[i] });
    vec![("diagonal", flat(inverses.map(|d| [d.x, d.u, d.v]))), ("r", points(w, w.n, &w.r, |i| all[i].1))]
}

fn corners(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let all: Vec<_> = w.with_input(|input| (0..w.n).map(|i| twin::corners(input, i)).collect());
    let mut moments = points(w, w.n, &w.w, |i| {
        let [a, b, c, d] = all[i].1;
        Value::from_words(&[a, b, c, d, w.w[i].v])
    });
    moments.extend(w.sums.as_flattened());
    vec![("corners", flat(all.iter().map(|c| c.0))), ("w", moments)]
}

fn vertex_residual(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let (n, input) = (w.n, w.vertices());
    let all: Vec<_> = (0..4 * n).map(|c| twin::vertex_residual(&input, &w.velocity[n + c], c)).collect();
    let of = |i: usize| match i {
        i if i < n => value(&w.r[i]),
        i if i < 4 * n => twin::kept(&w.diagonal[i], &xyz(all[i - n])),
        _ => Value::default(),
    };
    vec![("r", vectors((0..5 * n).map(of))), ("forces", flat(all[3 * n..].iter().copied()))]
}

fn vertex_gather(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let (n, input) = (w.n, w.vertices());
    let all: Vec<_> = (0..4 * n).map(|c| twin::vertex_gather(&input, c)).collect();
    let of = |i: usize| match i {
        i if i < n => value(&w.w[i]),
        i if i < 4 * n => twin::kept(&w.diagonal[i], &xyz(all[i - n].0)),
        _ => Value::default(),
    };
    let sums: Vec<_> = all.iter().map(|(_, s)| [*s, 0.0]).collect();
    let values = with_sums(w, vectors((0..5 * n).map(of)), n.div_ceil(64), &sums);
    vec![("w", values), ("forces", flat(all[3 * n..].iter().map(|(f, _)| *f)))]
}

fn start(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let all: Vec<_> = (0..5 * w.n).map(|i| twin::start(&w.diagonal[i], &w.spread(), &value(&w.r[i]))).collect();
    let sums: Vec<_> = all.iter().map(|(_, s)| *s).collect();
    let kept = vectors(w.w.iter().map(value));
    vec![("r", vectors(all.iter().map(|(r, _)| *r))), ("w", with_sums(w, kept, 0, &sums))]
}

fn update(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let of = |i: usize| {
        let [x, r, d, p] = [&w.x, &w.r, &w.d, &w.w].map(|v| value(&v[i]));
        twin::update(&w.diagonal[i], &w.spread(), w.scalars.alpha, &x, &r, &d, &p)
    };
    let all: Vec<_> = (0..5 * w.n).map(of).collect();
    let sums: Vec<_> = all.iter().map(|(_, _, s)| *s).collect();
    let kept = vectors(w.w.iter().map(value));
    let (x, r) = (vectors(all.iter().map(|a| a.0)), vectors(all.iter().map(|a| a.1)));
    vec![("x", x), ("r", r), ("w", with_sums(w, kept, 0, &sums))]
}

fn direction(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let of = |i: usize| twin::direction(&w.diagonal[i], &w.spread(), w.scalars.beta, &value(&w.r[i]), &value(&w.d[i]));
    vec![("d", points(w, 4 * w.n, &w.d, of))]
}

fn triangle_force(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let of = |k: usize| twin::triangle_force(&w.membrane(), &w.triangles[k], &w.positions[w.n..], &w.d[w.n..]);
    let all: Vec<_> = (0..w.n).map(of).collect();
    let tangents: Vec<_> = all.iter().map(|(t, _)| *t).collect();
    vec![("tangents", words(&tangents)), ("slots", slots(w, 0, all.iter().flat_map(|(_, f)| *f)))]
}

/// Slots from `first` on, those before and after as they were.
fn slots(w: &World, first: usize, forces: impl Iterator<Item = [f32; 3]>) -> Vec<f32> {
    let mut out = w.slots.clone();
    for (slot, [x, y, z]) in out[first..].iter_mut().zip(forces) {
        *slot = [x, y, z, 0.0];
    }
    out.as_flattened().to_vec()
}

fn triangle_product(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let of = |k: usize| twin::triangle_product(&w.triangles[k], &w.tangents[k], &w.d[w.n..]);
    vec![("slots", slots(w, 0, (0..w.n).flat_map(of)))]
}

fn hinge_force(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let of = |k: usize| twin::hinge_force(&w.params, &w.scalars, &w.hinges[k], &w.positions[w.n..], &w.d[w.n..]);
    let all: Vec<_> = (0..w.n).map(of).collect();
    let gradients = flat(all.iter().map(|(row, _)| row.gradients));
    vec![("hinge_rows", gradients), ("slots", slots(w, 3 * w.n, all.iter().flat_map(|(_, f)| *f)))]
}

fn hinge_product(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let of = |k: usize| twin::hinge_product(&w.hinges[k], &w.hinge_rows[k], &w.d[w.n..]);
    vec![("slots", slots(w, 3 * w.n, (0..w.n).flat_map(of)))]
}

fn restrict(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    vec![("chunk_sums", flat(w.chunks.iter().flat_map(|c| twin::restrict(&w.rows, c, &w.d))))]
}

fn restrict_residual(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let of = |c| twin::restrict_residual(&w.rows, c, &w.r, &w.diagonal);
    vec![("chunk_sums", flat(w.chunks.iter().flat_map(of)))]
}

fn gather(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    vec![("coarse", flat((0..w.n).map(|v| twin::gather(&w.gather_list, w.n, &w.chunk_sums, v))))]
}

fn dense(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    vec![("result", flat(w.matrix.chunks(w.n).map(|row| twin::dense(row, &w.source))))]
}

fn follow(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let of = |i: usize| {
        if i < 4 * w.n {
            value(&w.d[i])
        } else {
            twin::follow(&w.matrix[w.n * (i - 4 * w.n)..][..w.n], &w.source).into()
        }
    };
    vec![("d", vectors((0..5 * w.n).map(of)))]
}

fn reset(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let all: Vec<_> = (0..5 * w.n).map(|i| twin::reset(&w.diagonal[i], &w.velocity[i])).collect();
    let (x, d) = (vectors(all.iter().map(|a| a.0)), vectors(all.iter().map(|a| a.1)));
    let mut zero = vec![0.0; 25 * w.n];
    zero.extend(w.sums.as_flattened());
    vec![("x", x), ("d", d), ("w", zero)]
}

fn pins(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let of = |i: usize| twin::pins(&w.pins[i], &w.positions[i], &w.velocity[i], w.scalars.left, w.params.unit);
    let with = |old: &NodeVector, [x, y, z]: [f32; 3]| Value::from_words(&[x, y, z, old.u, old.v]);
    let x = points(w, w.n, &w.x, |i| with(&w.x[i], of(i)[1]));
    vec![("x", x), ("d", points(w, w.n, &w.d, |i| with(&w.d[i], of(i)[0])))]
}

fn finish(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    vec![("d", points(w, 4 * w.n, &w.d, |i| twin::finish(&w.velocity[i], &value(&w.x[i]))))]
}

fn check(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let faults: Vec<_> = w.with_input(|input| (0..5 * w.n).map(|i| twin::check(input, &w.hybrid, i)).collect());
    let count = |f: &u32| [f32::from(*f == fault::CROWDED), f32::from(*f == fault::NOT_FINITE)];
    let kept = vectors(w.w.iter().map(value));
    vec![("w", with_sums(w, kept, 0, &faults.iter().map(count).collect::<Vec<_>>()))]
}

fn settle(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let all: Vec<_> =
        w.with_input(|input| (0..w.n).map(|i| twin::settle(input, &w.hybrid, &w.diagonal[i], i)).collect());
    let momentum: Vec<_> = all.iter().map(|a| a.0).collect();
    let anchors: Vec<_> = all.iter().map(|a| a.1).collect();
    vec![("momentum", words(&momentum)), ("anchors", words(&anchors))]
}

fn commit(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let still = w.arcs[0];
    let of = |i: usize| {
        let arcs = w.arcs.get(i).unwrap_or(&still);
        twin::commit(&w.positions[i], arcs, &value(&w.d[i]), w.scalars.h, w.params.unit)
    };
    let all: Vec<_> = (0..5 * w.n).map(of).collect();
    let unit = w.params.unit;
    let arcs = all[..w.n].iter().map(|(_, a)| [a.u as f32 * unit, a.v as f32 * unit]);
    let positions = flat(all.iter().map(|(p, _)| meters(p, unit)));
    vec![("velocity", words(&w.d)), ("positions", positions), ("arcs", flat(arcs))]
}

fn output(w: &World) -> Vec<(&'static str, Vec<f32>)> {
    let of = |p| twin::output(p, w.params.unit);
    let nodes = flat(w.positions[..w.n].iter().map(of));
    vec![("node_points", nodes), ("vertex_points", flat(w.positions[w.n..].iter().map(of)))]
}

const CASES: [Case; 25] = {
    const NODES: fn(&World) -> usize = |w| w.n;
    const POINTS: fn(&World) -> usize = |w| 5 * w.n;
    const VERTICES: fn(&World) -> usize = |w| 4 * w.n;
    const CHUNKS: fn(&World) -> usize = |w| 64 * w.chunks.len();
    const ROWS: fn(&World) -> usize = |w| 64 * w.n;
    const fn case(
        stage: &'static Stage,
        phase: u32,
        spoiled: &'static [&'static str],
        count: fn(&World) -> usize,
        expected: fn(&World) -> Vec<(&'static str, Vec<f32>)>,
    ) -> Case {
        Case { stage, phase, spoiled, count, expected }
    }
    use phase::{ACCEPTED, CHECK, SOLVE, STEP};
    [
        case(&stages::reset::STAGE, STEP, &["x", "d"], POINTS, reset),
        case(&stages::pins::STAGE, STEP, &[], NODES, pins),
        case(&stages::restrict::STAGE, STEP, &["chunk_sums"], CHUNKS, restrict),
        case(&stages::restrict_residual::STAGE, SOLVE, &["chunk_sums"], CHUNKS, restrict_residual),
        case(&stages::gather::STAGE, SOLVE, &["coarse"], NODES, gather),
        case(&stages::dense::STAGE, SOLVE, &["result"], ROWS, dense),
        case(&stages::follow::STAGE, CHECK, &[], ROWS, follow),
        case(&stages::corners::STAGE, STEP, &["corners"], NODES, corners),
        case(&stages::own::STAGE, STEP, &[], NODES, own),
        case(&stages::residual::STAGE, STEP, &[], NODES, residual),
        case(&stages::triangle_force::STAGE, STEP, &["tangents"], NODES, triangle_force),
        case(&stages::hinge_force::STAGE, STEP, &["hinge_rows"], NODES, hinge_force),
        case(&stages::vertex_residual::STAGE, STEP, &["forces"], VERTICES, vertex_residual),
        case(&stages::start::STAGE, STEP, &[], POINTS, start),
        case(&stages::direction::STAGE, SOLVE, &[], POINTS, direction),
        case(&stages::triangle_product::STAGE, SOLVE, &[], NODES, triangle_product),
        case(&stages::hinge_product::STAGE, SOLVE, &[], NODES, hinge_product),
        case(&stages::vertex_gather::STAGE, SOLVE, &["forces"], VERTICES, vertex_gather),
        case(&stages::product::STAGE, SOLVE, &[], NODES, product),
        case(&stages::update::STAGE, SOLVE, &[], POINTS, update),
        case(&stages::finish::STAGE, CHECK, &[], POINTS, finish),
        case(&stages::check::STAGE, CHECK, &[], POINTS, check),
        case(&stages::settle::STAGE, ACCEPTED, &["momentum"], NODES, settle),
        case(&stages::commit::STAGE, ACCEPTED, &["velocity"], POINTS, commit),
        case(&stages::output::STAGE, STEP, &["node_points", "vertex_points"], POINTS, output),
    ]
};

/// Runs a stage once; what it has written, by variable.
fn run(device: &wgpu::Device, queue: &wgpu::Queue, case: &Case, world: &World) -> Vec<(&'static str, Vec<u8>)> {
    let pipeline = StagePipeline::new(device, case.stage, 65_535);
    let usage = wgpu::BufferUsages::STORAGE
        | wgpu::BufferUsages::UNIFORM
        | wgpu::BufferUsages::COPY_DST
        | wgpu::BufferUsages::COPY_SRC;
    let buffer = |name: &str| {
        let mut bytes = world.bytes(name);
        if case.spoiled.contains(&name) {
            bytes.fill(0xff);
        }
        // What is empty has room for one that is never read.
        let size = if bytes.is_empty() { 64 } else { bytes.len() as u64 };
        let buffer =
            device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        queue.write_buffer(&buffer, 0, &bytes);
        buffer
    };
    let buffers: Vec<_> = case.stage.bindings.iter().map(|b| (b.name, buffer(b.name))).collect();
    let resources: Vec<_> = buffers.iter().map(|(name, b)| (*name, b.as_entire_binding())).collect();
    let bindings = pipeline.bind(device, &resources);
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pipeline.dispatch(&mut pass, &bindings, pipeline.groups((case.count)(world), 0).unwrap());
    drop(pass);
    queue.submit([encoder.finish()]);
    let written = case.stage.bindings.iter().filter(|b| b.kind == BindingKind::ReadWrite);
    written
        .map(|b| {
            let buffer = &buffers.iter().find(|(name, _)| *name == b.name).unwrap().1;
            (b.name, gpu::read::<u8>(device, queue, buffer))
        })
        .collect()
}

/// Numbers of an output; those in fixed point as meters, without what is no number.
fn numbers(name: &str, bytes: &[u8], unit: f32) -> Vec<f32> {
    match name {
        "positions" => {
            let positions: Vec<NodePosition> = bytemuck::pod_collect_to_vec(bytes);
            flat(positions.iter().map(|p| meters(p, unit)))
        }
        "arcs" => {
            let arcs: Vec<[i32; 3]> = bytemuck::pod_collect_to_vec(bytes);
            flat(arcs.iter().map(|a| [a[0] as f32 * unit, a[1] as f32 * unit]))
        }
        "diagonal" => {
            let diagonal: Vec<[f32; 4]> = bytemuck::pod_collect_to_vec(bytes);
            flat(diagonal.iter().map(|d| [d[0], d[1], d[2]]))
        }
        "hinge_rows" => {
            let rows: Vec<[f32; 13]> = bytemuck::pod_collect_to_vec(bytes);
            flat(rows.iter().map(|r| <[f32; 12]>::try_from(&r[..12]).unwrap()))
        }
        _ => bytemuck::pod_collect_to_vec(bytes),
    }
}

/// The largest difference of numbers as a part of the largest number; infinite where one is not a number.
fn off(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let scale = b.iter().fold(f32::MIN_POSITIVE, |m, v| m.max(v.abs()));
    let difference = |(a, b): (&f32, &f32)| if (a - b).is_nan() { f32::INFINITY } else { (a - b).abs() };
    a.iter().zip(b).map(difference).fold(0.0, f32::max) / scale
}

/// The sums of workgroups have other units than the vector before them.
fn parts<'a>(world: &World, name: &str, values: &'a [f32]) -> Vec<&'a [f32]> {
    let at = if name == "w" { 25 * world.n } else { values.len() };
    vec![&values[..at], &values[at..]]
}

fn worlds(n: usize) -> Vec<World> {
    let laws = [TriangleModel::Matched, TriangleModel::StVenantKirchhoff];
    let cloth = |law| PackedHybrid::new(&wavy(sheet([3, 2], 8, 1.0, law, true), exact(), 0.3)).unwrap();
    laws.into_iter().map(|law| World::new(n, &cloth(law))).collect()
}

#[test]
fn stages_agree_with_their_twins_at_all_sizes_around_a_workgroup() {
    let (device, queue) = gpu::device();
    for n in SIZES {
        for (k, mut world) in worlds(n).into_iter().enumerate() {
            for case in CASES.iter().filter(|c| k == 0 || c.stage.name.starts_with("triangle")) {
                world.scalars.phase = case.phase;
                let (expected, control) = ((case.expected)(&world), (case.expected)(&world.moved()));
                let found = run(&device, &queue, case, &world);
                let mut noticed = false;
                for ((name, expected), (_, control)) in expected.iter().zip(&control) {
                    let bytes = &found.iter().find(|(found, _)| found == name).unwrap().1;
                    let numbers = numbers(name, bytes, world.params.unit);
                    let halves = parts(&world, name, &numbers).into_iter().zip(parts(&world, name, expected));
                    for ((found, expected), control) in halves.zip(parts(&world, name, control)) {
                        let by = off(found, expected);
                        assert!(by < TOLERANCE, "{} of {n}: {name} off by {by}", case.stage.name);
                        noticed |= !found.is_empty() && off(found, control) > TOLERANCE;
                    }
                }
                assert!(noticed, "{} of {n}: nothing notices a moved node", case.stage.name);
            }
        }
    }
}

/// Sums of workgroups and of hybrid vertices in 64 bits.
fn total(values: &[[f32; 2]], world: &World, reduced: bool) -> [f32; 2] {
    let sum = |c: usize| values.iter().map(|v| f64::from(v[c])).sum::<f64>();
    let dot = |(a, b): (&[f32; 3], &[f32; 3])| (0..3).map(|k| f64::from(a[k]) * f64::from(b[k])).sum::<f64>();
    let corrected: f64 = world.source.iter().zip(&world.carried).map(dot).sum();
    [(sum(0) - if reduced { corrected } else { 0.0 }) as f32, sum(1) as f32]
}

#[test]
fn scalars_agree_with_their_twins() {
    let (device, queue) = gpu::device();
    type Twin = fn(&World, &mut YarnSolverScalars);
    let cases: [(&'static Stage, u32, Twin); 7] = [
        (&stages::open::STAGE, phase::DONE, |w, s| twin::open(&w.params, s)),
        (&stages::open_solve::STAGE, phase::STEP, |w, s| {
            twin::open_solve(&w.params, s, total(&w.sums[..(5 * w.n).div_ceil(64)], w, true));
        }),
        (&stages::step_length::STAGE, phase::SOLVE, |w, s| {
            let count = w.n.div_ceil(64) + (4 * w.n).div_ceil(64);
            twin::step_length(s, total(&w.sums[..count], w, false)[0]);
        }),
        (&stages::ratio::STAGE, phase::SOLVE, |w, s| {
            twin::ratio(&w.params, s, total(&w.sums[..(5 * w.n).div_ceil(64)], w, true));
        }),
        (&stages::close_solve::STAGE, phase::SOLVE, |_, s| twin::close_solve(s)),
        (&stages::judge::STAGE, phase::CHECK, |w, s| {
            let [crowded, lost] = total(&w.sums[..(5 * w.n).div_ceil(64)], w, false);
            let worst = if lost > 0.0 { fault::NOT_FINITE } else { u32::from(crowded > 0.0) };
            twin::judge(s, worst);
        }),
        (&stages::close::STAGE, phase::ACCEPTED, |w, s| twin::close(&w.params, s)),
    ];
    for n in SIZES {
        let mut world = worlds(n).remove(0);
        for (stage, at, expected) in cases {
            world.scalars.phase = at;
            // Opening is that of a new frame.
            world.scalars.h = if at == phase::DONE { -1.0 } else { 1e-4 };
            let case = Case { stage, phase: at, spoiled: &[], count: |_| 1, expected: |_| Vec::new() };
            let bytes = run(&device, &queue, &case, &world).remove(0).1;
            let found: YarnSolverScalars = bytemuck::pod_collect_to_vec(&bytes)[0];
            let mut twin = world.scalars;
            expected(&world, &mut twin);
            assert_eq!(
                (found.phase, found.fault, found.taken, found.capped),
                (twin.phase, twin.fault, twin.taken, twin.capped),
                "{} of {n}",
                stage.name
            );
            for (a, b) in [
                (found.alpha, twin.alpha),
                (found.beta, twin.beta),
                (found.delta, twin.delta),
                (found.left, twin.left),
                (found.h, twin.h),
                (found.current, twin.current),
            ] {
                assert!((a - b).abs() <= 1e-5 * b.abs(), "{} of {n}: {a} {b}", stage.name);
            }
            assert!(twin != world.scalars, "{}: negative control", stage.name);
        }
    }
}

/// A step that is left alone by phases of others.
#[test]
fn stages_of_another_phase_do_nothing() {
    let (device, queue) = gpu::device();
    let mut world = worlds(70).remove(0);
    world.scalars.phase = phase::DONE;
    for case in CASES.iter().filter(|c| c.stage.name != "output") {
        let case = Case { spoiled: &[], ..*case };
        for (name, bytes) in run(&device, &queue, &case, &world) {
            assert!(bytes == world.bytes(name), "{} writes {name}", case.stage.name);
        }
    }
}

/// What the twins of elements see is what the yarn solver sees, times weights.
#[test]
fn weights_scale_elements() {
    let world = worlds(256).remove(0);
    let (mut half, mut whole) = (world.clone(), world.clone());
    half.weights.fill([0x7fff_7fff; 4]);
    whole.weights.fill([0xffff_ffff; 4]);
    let rows = |w: &World| w.with_input(|input| elements::node(input, 34).0);
    let (half, whole) = (rows(&half), rows(&whole));
    let ratio = 32767.0 / 65535.0;
    for (part, entries) in [(2, 4), (4, 2), (6, 4)] {
        for k in 0..entries {
            assert!((half[part][k] - ratio * whole[part][k]).abs() <= 1e-6 * whole[part][k].abs());
        }
    }
    assert!(whole[2][0] != 0.0 && whole[0] == half[0]);
}
