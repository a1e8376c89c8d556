//! Every reader survives damaged input: an error or a valid value, never a panic, a hang or a huge reservation.
//!
//! One test in one thread, so that the memory measured belongs to the reader under test.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the figures are shown with --nocapture")]

use peak_alloc::PeakAlloc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use yarnwise_shared::mesh::clip::{Clip, binseq, pc2};
use yarnwise_shared::mesh::obj;
use yarnwise_shared::npy::{self, Array, Data};
use yarnwise_shared::pattern::{self, Pattern, pyp, yarn};
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{
    self, BendingTables, Database, DatabaseData, Encoding, SampleRecord, SampleStatus, Tolerance,
};
use yarnwise_shared::table::grid::{Axis, Grid};
use yarnwise_shared::table::model_folder;
use yarnwise_solvers::cloth::scene::Scene;
use yarnwise_tests::mutate::{Random, mutate};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MUTATIONS: u64 = 20_000;

/// What a reader may reserve beyond the size of its input.
const ALLOWANCE: usize = 64 << 20;

/// Far above what any of the small inputs takes, even on a loaded machine: reaching it means a hang.
const HANG: Duration = Duration::from_secs(60);

/// A reader, by what it is called and what it does with bytes: `true` when they were accepted.
struct Reader {
    name: &'static str,
    samples: Vec<Vec<u8>>,
    read: fn(&[u8]) -> bool,
}

/// A pattern of two straight yarns, as small as they come.
fn small_pattern() -> Pattern {
    let text = "*pattern\n0.01 0.01 0.001 4\n*Q\n0 0 0 0\n0.005 0 0 0\n0 0.005 0 0\n0.005 0.005 0 0\n*E\n0 1 0 0\n1 0 1 0\n2 3 0 0\n\
                3 2 1 0\n*RL\n0.005\n0.005\n0.005\n0.005\n*RefD1\n0 0 1\n0 0 1\n0 0 1\n0 0 1\n";
    pyp::parse(text.as_bytes(), "small").unwrap()
}

/// A square with UVs: quads and triangles, relative indices.
const SMALL_OBJ: &str = "# square\nv 0 0 0\nv 0.1 0 0\nv 0.1 0.1 0\nv 0 0.1 0\nvt 0 0\nvt 0.1 0\nvt 0.1 0.1\nvt 0 0.1\n\
                         f 1/1 2/2 3/3 4/4\nf -4/-4 -3/-3 -2/-2\n";

fn small_clip() -> Clip {
    let mesh = obj::parse(SMALL_OBJ.as_bytes(), "small").unwrap();
    let frame = |z: f32| mesh.positions().iter().map(move |[x, y, _]| [*x, *y, z]).collect::<Vec<_>>();
    let positions = [frame(0.0), frame(0.1), frame(0.2)].concat();
    Clip::new("small", mesh, 0.1, positions).unwrap()
}

/// A binary sequence with an obstacle that moves, byte by byte as the format says.
fn clip_with_obstacle() -> Vec<u8> {
    fn matrix(out: &mut Vec<u8>, rows: u32, columns: u32, numbers: &[[u8; 4]]) {
        out.extend([rows.to_le_bytes(), columns.to_le_bytes()].as_flattened());
        out.extend(numbers.as_flattened());
    }
    let floats = |v: &[f32]| v.iter().map(|x| x.to_le_bytes()).collect::<Vec<_>>();
    let face = [0u32, 1, 2].map(u32::to_le_bytes);
    let triangle = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let mut out = vec![2];
    for frame in 0..2 {
        matrix(&mut out, 3, 3, &triangle);
        if frame == 0 {
            matrix(&mut out, 1, 3, &face);
            matrix(&mut out, 3, 2, &floats(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]));
            matrix(&mut out, 1, 3, &face);
        } else {
            (0..3).for_each(|_| matrix(&mut out, 0, 0, &[]));
        }
        out.push(1);
        out.extend(1.0f32.to_le_bytes());
        matrix(&mut out, 3, 1, &floats(&[0.0, 0.0, frame as f32]));
        matrix(&mut out, 4, 1, &floats(&[90.0, 0.0, 1.0, 0.0]));
        out.push(1);
        matrix(&mut out, 3, 3, &triangle);
        out.push(1);
        matrix(&mut out, 1, 3, &face);
    }
    out
}

/// A database with all its parts, quantized and lossless.
fn small_databases() -> Vec<Vec<u8>> {
    let axis = |values: &[f64]| Axis::new("small", values.to_vec()).unwrap();
    let plane = Grid([axis(&[-0.1, 0.0, 1.0]), axis(&[-0.5, 0.0, 0.5]), axis(&[0.0, 1.0])]);
    let bent = Grid([axis(&[0.0, 1.0]), axis(&[0.0, 0.1]), axis(&[0.0, 1.0]), axis(&[-80.0, 0.0, 80.0])]);
    fn table<const N: usize>(grid: Grid<N>) -> Table<N> {
        let value = |i: usize| [(i as f32).sin() * 1e-3, (i as f32).cos() * 1e-3, 1e-6 * i as f32, 0.01 * i as f32];
        let values = (0..grid.sample_count() * 4).map(value).collect();
        Table::new(grid, 4, values).unwrap()
    }
    let record = SampleRecord {
        status: SampleStatus::Converged,
        energy_density: Some(1.5),
        residual: Some(1e-7),
        iterations: 12,
        started_from: Some(0),
    };
    let database = Database::new(DatabaseData {
        name: "small".into(),
        origin: "a test".into(),
        tool: "a test".into(),
        pattern: small_pattern(),
        material: None,
        settings: [("tolerance".to_owned(), "1e-6".to_owned())].into(),
        table: table(plane),
        samples: vec![record; 18],
        bending: Some(BendingTables {
            x: table(bent.clone()),
            y: table(bent),
            x_samples: vec![record; 24],
            y_samples: vec![record; 24],
        }),
    })
    .unwrap();
    let encodings = [Encoding::Lossless, Encoding::Quantized(Tolerance::default())];
    encodings.iter().map(|e| database::to_bytes(&database, e).unwrap()).collect()
}

fn small_arrays() -> Vec<Vec<u8>> {
    let arrays = [Data::F32(vec![0.5; 24]), Data::F64(vec![0.5; 24]), Data::I32(vec![-1; 24]), Data::U32(vec![1; 24])];
    let bytes = |data: Data| npy::to_bytes(&Array { shape: vec![2, 3, 4], data }).unwrap();
    arrays.map(bytes).to_vec()
}

/// A pattern as a person would write it.
const SMALL_YARN: &str = "yarn-pattern 1\nunit mm\nperiod 9 7\nradius 1\ncolumns x y z twist\n\nyarn 1 0 # along x\n0 0 1 0\n\
                          3 0 1 0.1\n6 0 1 0\nyarn 0 1\n4 1 -1 0\n4 4 -1 0\n";

fn readers() -> Vec<Reader> {
    let reader = |name, samples, read| Reader { name, samples, read };
    let pattern = small_pattern();
    let clip = small_clip();
    let scene = include_bytes!("../../data/cloth-scenes/sleeve.json").to_vec();
    vec![
        reader("cloth scene", vec![scene], |b| Scene::parse(b, "mutated").is_ok()),
        reader("pyp", vec![pyp::to_text(&pattern).into_bytes()], |b| pyp::parse(b, "mutated").is_ok()),
        reader("yarn", vec![yarn::to_text(&pattern).into_bytes(), SMALL_YARN.into()], |b| {
            yarn::parse(b, "mutated").is_ok()
        }),
        reader("any pattern", vec![yarn::to_text(&pattern).into_bytes(), pyp::to_text(&pattern).into_bytes()], |b| {
            pattern::parse(b, "mutated").is_ok()
        }),
        reader("npy", small_arrays(), |b| npy::parse(b, "mutated").is_ok()),
        reader("axes", vec![b"-0.2 0 1\n-0.5 0 0.5 # shear\n\n0 0.01\n".to_vec()], |b| {
            model_folder::parse_axes::<3>(b, "mutated").is_ok()
        }),
        reader("database", small_databases(), |b| database::parse(b, "mutated").is_ok()),
        // Damage behind right checksums: what a faulty writer, or somebody with bad intent, would hand over.
        reader("repaired db", small_databases(), |b| {
            let repaired = database::repair(b.to_vec());
            database::inspect(&repaired, "mutated").is_ok() && database::parse(&repaired, "mutated").is_ok()
        }),
        reader("obj", vec![SMALL_OBJ.into(), obj::to_text(clip.mesh()).into_bytes()], |b| {
            obj::parse(b, "mutated").is_ok()
        }),
        reader("obj surface", vec![SMALL_OBJ.into()], |b| obj::parse_surface(b, "mutated").is_ok()),
        reader("binseq", vec![binseq::to_bytes(&clip), clip_with_obstacle()], |b| {
            binseq::parse(b, "mutated", 0.1).is_ok()
        }),
        reader("pc2", vec![pc2::to_bytes(&clip)], |b| {
            let mesh = obj::parse(SMALL_OBJ.as_bytes(), "small").unwrap();
            pc2::parse(b, "mutated", mesh, 0.1).is_ok()
        }),
        reader("yarn scene", vec![include_bytes!("../../data/yarn-scenes/pull.json").to_vec()], |b| {
            yarnwise_solvers::yarn::scene::Scene::parse(b, "mutated").is_ok()
        }),
    ]
}

#[test]
fn damaged_input_is_refused_or_read_but_never_breaks_a_reader() {
    assert_that_greed_is_seen();
    let stage = Stage::watched();
    for reader in readers() {
        for (i, sample) in reader.samples.iter().enumerate() {
            assert!((reader.read)(sample), "{}: sample {i} is not valid to begin with", reader.name);
        }
        let mut accepted = 0;
        let mut largest = 0;
        for seed in 0..MUTATIONS {
            let bytes = mutate(&mut Random::new(seed), &reader.samples);
            stage.enter(&reader, seed);
            let (reserved, valid) = measure(reader.read, &bytes);
            accepted += u64::from(valid);
            largest = largest.max(reserved);
            assert!(
                reserved <= bytes.len() + ALLOWANCE,
                "{} reserves {reserved} bytes for an input of {} bytes, seed {seed}",
                reader.name,
                bytes.len()
            );
        }
        println!(
            "{:>12}: {MUTATIONS} mutations, {accepted} still valid, at most {largest} bytes reserved",
            reader.name
        );
        assert!(accepted < MUTATIONS, "{}: nothing was refused, the damage never arrived", reader.name);
    }
}

/// The most bytes that reading reserved at one time, and whether the bytes were accepted.
fn measure(read: fn(&[u8]) -> bool, bytes: &[u8]) -> (usize, bool) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let accepted = read(bytes);
    (MEMORY.peak_usage().saturating_sub(before), accepted)
}

/// Negative control: a reader that believes a length field is seen to do so.
fn assert_that_greed_is_seen() {
    let greedy = |bytes: &[u8]| Vec::<u8>::with_capacity(2 * ALLOWANCE + bytes.len()).is_empty();
    assert!(measure(greedy, b"few").0 > ALLOWANCE, "the measure does not see what is reserved");
}

/// What is being read, for the watchdog's message.
struct Stage {
    seed: &'static AtomicU64,
}

impl Stage {
    /// Starts a watchdog that ends the test run when one input takes too long.
    fn watched() -> Self {
        let seed: &'static AtomicU64 = Box::leak(Box::new(AtomicU64::new(0)));
        std::thread::spawn(move || {
            let mut last = (u64::MAX, Instant::now());
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let now = seed.load(Ordering::Relaxed);
                if now != last.0 {
                    last = (now, Instant::now());
                } else if last.1.elapsed() > HANG {
                    eprintln!("a reader hangs on the mutation with seed {}", now & 0xffff_ffff);
                    std::process::exit(101);
                }
            }
        });
        Stage { seed }
    }

    fn enter(&self, reader: &Reader, seed: u64) {
        let name = reader.name.bytes().fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(b)));
        self.seed.store(name << 32 | seed, Ordering::Relaxed);
    }
}
