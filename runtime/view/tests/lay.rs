//! `yarnwise-view lay` as its users run it.

mod support;

use std::io::Read;
use support::program;
use yarnwise_shared::mesh::clip::make::{Animation, Sheet};
use yarnwise_shared::npy::{self, Array, Data};
use yarnwise_shared::pattern::knit::{KnitChart, KnitOptions, knit};
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{self, Database, DatabaseData};
use yarnwise_shared::table::grid::StrainGrid;
use yarnwise_tests::folder::Folder;
use yarnwise_tests::program::Program;

/// `lay` in a folder with a database and a clip: `knit.ydb` and `sheet.bin`.
fn prepared() -> Program {
    let program = program().with("lay");
    let folder = &program.folder;
    let pattern = knit(&KnitChart::preset("stockinette").unwrap(), &KnitOptions::default()).unwrap();
    let (grid, n) = (StrainGrid::preset(5).unwrap(), pattern.vertices().len());
    let value = |i: usize| {
        let [sx, sa, sy] = grid.coordinates(i / n);
        [2e-4 * sx, 2e-4 * sa, -1e-4 * sy, 0.3 * sa].map(|v| v as f32)
    };
    let table = Table::new(grid.clone(), n, (0..n * grid.sample_count()).map(value).collect()).unwrap();
    let data = DatabaseData::imported("knit", "test", "test", pattern, table);
    database::write(&Database::new(data).unwrap(), &folder.path("knit.ydb"), &Default::default()).unwrap();
    let sheet = Sheet { size: [0.1, 0.1], cells: [10, 10] };
    let clip = Animation::default().clip(sheet.mesh().unwrap()).unwrap();
    yarnwise_shared::mesh::clip::binseq::write(&clip, &folder.path("sheet.bin")).unwrap();
    program
}

/// Lays the database on the clip.
fn lay(program: &Program, arguments: &[&str]) {
    program.success(&[&["knit.ydb", "sheet.bin"], arguments].concat());
}

fn array(folder: &Folder, file: &str, name: &str) -> Array {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(folder.path(file)).unwrap()).unwrap();
    let mut bytes = Vec::new();
    archive.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
    npy::parse(&bytes, name).unwrap()
}

fn floats(folder: &Folder, file: &str, name: &str) -> Vec<f32> {
    let Data::F32(numbers) = array(folder, file, name).data else { panic!("{name} is not of f32") };
    numbers
}

#[test]
fn a_frame_has_all_arrays_and_the_same_polylines() {
    let program = prepared();
    let folder = &program.folder;
    lay(&program, &["--frame", "10", "-o", "out"]);
    let n = floats(folder, "out.npz", "twist").len();
    assert!(n > 1000);
    for (name, width) in [("position", 3), ("director", 3), ("radius", 1), ("arc", 1), ("barycentrics", 3)] {
        let numbers = floats(folder, "out.npz", name);
        assert_eq!(numbers.len(), n * width, "{name}");
        assert!(numbers.iter().all(|v| v.is_finite()), "{name}");
    }
    for name in ["pattern_vertex", "triangle"] {
        assert_eq!(array(folder, "out.npz", name).shape, [n], "{name}");
    }
    for name in ["face_first", "face_second", "vertex_first", "vertex_second", "face_normal", "vertex_normal"] {
        assert!(!floats(folder, "out.npz", name).is_empty(), "{name}");
    }
    let text = folder.text("out.obj");
    assert_eq!(text.lines().filter(|l| l.starts_with("v ")).count(), n);
    let Data::U32(starts) = array(folder, "out.npz", "yarn_starts").data else { panic!() };
    assert_eq!(text.lines().filter(|l| l.starts_with("l ")).count(), starts.len() - 1);
    assert_eq!(*starts.last().unwrap() as usize, n);
}

/// Every switch changes what it should: the positions, or where it says so something else.
#[test]
fn every_switch_of_a_frame_can_be_given() {
    let program = prepared();
    let folder = &program.folder;
    let run = |name: &str, arguments: &[&str]| {
        lay(&program, &[&["--frame", "12", "--format", "npz", "-o", name], arguments].concat());
        ["position", "radius"].map(|array| floats(folder, &format!("{name}.npz"), array))
    };
    let plain = run("plain", &[]);
    for arguments in [
        &["--displacement", "0"][..],
        &["--min-eigenvalue", "1.1"],
        &["--no-volume"],
        &["--radius-factor", "2"],
        &["--scale", "1.5"],
        &["--min-length", "0"],
        &["--angle", "30"],
        &["--pattern-scale", "1.5"],
        &["--offset", "0.001,0.002"],
        &["--island", "0:90,1,0,0"],
        &["--compat"],
    ] {
        assert_ne!(plain, run("other", arguments), "{arguments:?} changes nothing");
    }
    // The sheet is flat and its strain the same everywhere: these are accepted, what they do is tested elsewhere.
    for arguments in [
        &["--no-follow"][..],
        &["--bending", "none"],
        &["--bending", "quadratic"],
        &["--bending-amount", "0.5"],
        &["--phong", "0"],
        &["--no-shepard"],
    ] {
        run("accepted", arguments);
    }
}

#[test]
fn the_gpu_gives_what_the_cpu_gives() {
    let program = prepared();
    let folder = &program.folder;
    for (name, more) in [("cpu", None), ("gpu", Some("--gpu")), ("other", Some("--displacement=0.9"))] {
        let mut arguments = vec!["--frame", "12", "--format", "npz", "-o", name];
        arguments.extend(more);
        lay(&program, &arguments);
    }
    let of = |file: &str, name: &str| floats(folder, &format!("{file}.npz"), name);
    let radius = of("cpu", "radius").iter().copied().fold(0.0, f32::max);
    // The largest difference, NaN where there is one: no comparison below holds then.
    let off = |a: Vec<f32>, b: Vec<f32>| {
        assert_eq!(a.len(), b.len());
        let larger = |m: f32, d: f32| if m.is_nan() || d.is_nan() { f32::NAN } else { m.max(d) };
        a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, larger)
    };
    assert!(off(of("cpu", "position"), of("gpu", "position")) < 1e-3 * radius);
    assert!(off(of("cpu", "director"), of("gpu", "director")) < 1e-3);
    assert!(off(of("cpu", "face_first"), of("gpu", "face_first")) < 1e-4);
    assert!(off(of("cpu", "vertex_second"), of("gpu", "vertex_second")) < 1e-2);
    assert!(off(of("other", "position"), of("gpu", "position")) > 1e-3 * radius, "the comparison cannot fail");
}

#[test]
fn mistakes_are_told_with_their_cure() {
    let program = prepared();
    let folder = &program.folder;
    folder.write("bare.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let told = |arguments: &str| program.failure(arguments);
    assert!(told("knit.ydb sheet.bin --frame 9999").contains("frames 0 to"));
    assert!(told("missing.ydb sheet.bin").contains("missing.ydb"));
    assert!(told("knit.ydb bare.obj").to_lowercase().contains("uv"));
    assert!(told("knit.ydb sheet.bin --phong 7").contains("phong"));
    assert!(told("knit.ydb sheet.bin --bending tables").contains("bending tables"));
    assert!(told("knit.ydb sheet.bin --max-vertices 10").contains("max_vertices"));
}
