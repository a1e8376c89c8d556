//! Each stage of the GPU path against its CPU twin, on garments of our own.
//!
//! What a stage writes is filled with NaN before, so that an element it forgets is infinitely far off. Each comparison is
//! made again with one input changed, and must then fail.

use yarnwise_runtime::gpu::{PipelineOptions, STAGES, StateOptions, TablePrecision};
use yarnwise_runtime::{Bending, FrameOptions, FrameParams, LayoutOptions, YarnLayout};
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::table::database::Database;
use yarnwise_tests::parity::{Difference, Results, Twins, forms_off, patches_off};
use yarnwise_tests::{garment, gpu};

fn lay(mesh: &Mesh, database: &Database) -> YarnLayout {
    let options = LayoutOptions { min_yarn_length: 0.0, ..Default::default() };
    YarnLayout::new(mesh, database.pattern(), &options).unwrap()
}

/// How far the results of one stage are apart, as a share of what is allowed: positions and radii 1e-3 yarn radii, angles
/// 1e-3.
fn off(stage: &str, a: &Results, b: &Results, radius: f32) -> f32 {
    match stage {
        "faces" => forms_off(&a.faces, &b.faces),
        "vertices" => forms_off(&a.vertices, &b.vertices),
        "patches" => patches_off(&a.patches, &b.patches),
        _ => {
            let d = Difference::of(&a.yarns, &b.yarns, radius);
            [d.position, d.twist, d.director, d.radius].into_iter().fold(0.0, f32::max) / 1e-3
        }
    }
}

/// Compares every stage, fed with the CPU's results of the stages before it, and the whole; then moves one vertex.
fn check(twins: &mut Twins, frame: &FrameParams<'_>, what: &str) {
    let radius = twins.cpu.layout().radius();
    let mut other = frame.positions.to_vec();
    other[frame.positions.len() / 2][2] += 1e-4;
    let cpu = twins.run_cpu(frame);
    let control = twins.run_cpu(&FrameParams { positions: &other, ..*frame });
    let whole = twins.run_gpu(frame, 0);
    for (i, stage) in STAGES.iter().enumerate() {
        let alone = twins.run_gpu(frame, i);
        assert!(off(stage, &cpu, &alone, radius) < 1.0, "{what}: {stage} {}", off(stage, &cpu, &alone, radius));
        assert!(off(stage, &cpu, &whole, radius) < 1.0, "{what}: up to {stage} {}", off(stage, &cpu, &whole, radius));
        assert!(off(stage, &control, &alone, radius) > 1.0, "{what}: {stage} does not notice a moved vertex");
    }
    let given = twins.run_gpu(frame, STAGES.len());
    assert_eq!(given.yarns, cpu.yarns, "{what}: nothing is left to the GPU, so nothing may change");
}

/// Workgroups of the mesh's stages have 64 invocations; those of `yarns` finish 126 vertices. (A yarn has at least 4.)
#[test]
fn stages_agree_for_all_sizes_around_a_workgroup() {
    let database = garment::database(8);
    let (device, queue) = gpu::device();
    for (triangles, vertices) in [(1, 9), (2, 125), (63, 126), (64, 127), (65, 251), (127, 252), (128, 253), (129, 300)]
    {
        let mesh = garment::strip(triangles, vertices as f32 * 1e-3 - 0.5e-3, 2e-3);
        let layout = lay(&mesh, &database);
        let kept = layout.vertex_count();
        let options = StateOptions::default();
        let pipeline = PipelineOptions::default();
        let mut twins = Twins::on(device.clone(), queue.clone(), &pipeline, layout, &database, &options);
        let positions = garment::moved(&mesh, 0.4);
        let frame = FrameParams { positions: &positions, ..Default::default() };
        check(&mut twins, &frame, &format!("{triangles} triangles, {kept} vertices"));
        let cut = triangles % 2;
        assert!(kept > 0 && (cut == 1 || kept == vertices), "the strip carries one yarn of a vertex a millimeter");
    }
}

#[test]
fn stages_agree_on_a_garment_for_every_switch() {
    let mesh = garment::sheet(24, 20, 0.004);
    let database = garment::database(8);
    let mut twins = Twins::new(lay(&mesh, &database), &database, &StateOptions::default());
    let positions = garment::moved(&mesh, 1.3);
    let plain = FrameParams { positions: &positions, ..Default::default() };
    let switched = [
        ("plain", plain),
        ("naive", FrameParams { options: FrameOptions { displacement: 0.0, ..plain.options }, ..plain }),
        (
            "half the displacement",
            FrameParams { options: FrameOptions { displacement: 0.5, ..plain.options }, ..plain },
        ),
        ("no bending", FrameParams { options: FrameOptions { bending: Bending::None, ..plain.options }, ..plain }),
        (
            "quadratic bending",
            FrameParams { options: FrameOptions { bending: Bending::Quadratic, ..plain.options }, ..plain },
        ),
        ("no clamp", FrameParams { options: FrameOptions { min_eigenvalue: 0.0, ..plain.options }, ..plain }),
        ("a strong clamp", FrameParams { options: FrameOptions { min_eigenvalue: 1.1, ..plain.options }, ..plain }),
        ("no Phong", FrameParams { options: FrameOptions { phong: 0.0, ..plain.options }, ..plain }),
        ("full Phong", FrameParams { options: FrameOptions { phong: 1.0, ..plain.options }, ..plain }),
        ("triangle kept", FrameParams { options: FrameOptions { follow_triangle: false, ..plain.options }, ..plain }),
        (
            "volume not kept",
            FrameParams { options: FrameOptions { volume_preservation: false, ..plain.options }, ..plain },
        ),
        ("thick", FrameParams { options: FrameOptions { radius_factor: 1.5, ..plain.options }, ..plain }),
    ];
    let reference = twins.run_cpu(&plain);
    for (name, frame) in switched {
        check(&mut twins, &frame, name);
        let changed = off("yarns", &reference, &twins.run_cpu(&frame), twins.cpu.layout().radius());
        assert!(name == "plain" || changed > 1.0, "'{name}' changes nothing here: it is not tested");
    }
}

/// A sheet folded flat, one collapsed to a line and one to a point: finite, and the same on both sides.
#[test]
fn collapsed_meshes_give_finite_yarns() {
    let mesh = garment::sheet(6, 6, 0.01);
    let database = garment::database(8);
    let mut twins = Twins::new(lay(&mesh, &database), &database, &StateOptions::default());
    let line: Vec<[f32; 3]> = mesh.uvs().iter().map(|p| [p[0], 0.0, 0.0]).collect();
    let point = vec![[0.1, 0.2, 0.3]; mesh.uvs().len()];
    for (name, positions) in [("line", line), ("point", point)] {
        for bending in [Bending::None, Bending::Linearized, Bending::Quadratic] {
            let frame = FrameParams {
                positions: &positions,
                options: FrameOptions { bending, min_eigenvalue: 0.0, ..Default::default() },
            };
            let (cpu, gpu) = (twins.run_cpu(&frame), twins.run_gpu(&frame, 0));
            let d = Difference::of(&cpu.yarns, &gpu.yarns, twins.cpu.layout().radius());
            assert!(d.position < 1e-3 && d.radius < 1e-3, "{name}, {bending:?}: {d:?}");
            assert!(gpu.yarns.iter().all(|v| v.position.iter().all(|c| c.is_finite())), "{name}, {bending:?}");
        }
    }
}

#[test]
fn a_table_of_16_bits_is_within_the_tolerance() {
    let mesh = garment::sheet(12, 12, 0.008);
    let database = garment::database(8);
    let positions = garment::moved(&mesh, 0.9);
    let frame = FrameParams { positions: &positions, ..Default::default() };
    let options = StateOptions { table: TablePrecision::Snorm16, ..Default::default() };
    let mut twins = Twins::new(lay(&mesh, &database), &database, &options);
    check(&mut twins, &frame, "16 bits");
    let floats = Twins::new(lay(&mesh, &database), &database, &StateOptions::default()).run_gpu(&frame, 0);
    assert_ne!(floats.yarns, twins.run_gpu(&frame, 0).yarns, "the table was not packed");
}

/// Cut in parts, or dispatched in many rows of workgroups, a frame is the same to the last bit.
#[test]
fn parts_and_rows_of_workgroups_change_nothing() {
    let mesh = garment::sheet(12, 12, 0.008);
    let database = garment::database(8);
    let positions = garment::moved(&mesh, 0.9);
    let frame = FrameParams { positions: &positions, ..Default::default() };
    let whole = Twins::new(lay(&mesh, &database), &database, &StateOptions::default()).run_gpu(&frame, 0);
    let (device, queue) = gpu::device();
    for (max_part_vertices, max_workgroups) in
        [(Some(1000), None), (Some(127), None), (None, Some(7)), (Some(999), Some(3))]
    {
        let options = StateOptions { max_part_vertices, ..Default::default() };
        let pipelines = PipelineOptions { max_workgroups };
        let mut twins =
            Twins::on(device.clone(), queue.clone(), &pipelines, lay(&mesh, &database), &database, &options);
        assert_eq!(twins.gpu.parts().len() > 1, max_part_vertices.is_some());
        assert_eq!(twins.run_gpu(&frame, 0), whole, "parts of {max_part_vertices:?}, rows of {max_workgroups:?}");
    }
}
