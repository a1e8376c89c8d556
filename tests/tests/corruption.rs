//! Every reader survives damaged input: a valid value or an error of one line that names the input; never a panic, a hang
//! or a huge reservation.
//!
//! One test in one thread, so that the memory measured belongs to the reader under test. Each reader also has a target in
//! `tests/fuzz`; `YARNWISE_SEEDS=tests/fuzz/seeds` writes the samples as its seeds.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the figures are shown with --nocapture")]

use peak_alloc::PeakAlloc;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use yarnwise_picture::Picture;
use yarnwise_precompute::campaign::{Campaign, Faults};
use yarnwise_precompute::job::Journal;
use yarnwise_shared::mesh::clip::{Clip, binseq, pc2};
use yarnwise_shared::mesh::obj;
use yarnwise_shared::npy::{self, Array, Data};
use yarnwise_shared::parameters::Parameters;
use yarnwise_shared::pattern::knit::KnitChart;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_shared::pattern::{self, Pattern, pyp, yarn};
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{
    self, BendingTables, Database, DatabaseData, Encoding, Kinds, SampleRecord, SampleStatus, Tolerance,
};
use yarnwise_shared::table::grid::{Axis, Grid};
use yarnwise_shared::table::model_folder;
use yarnwise_solvers::cloth::scene::Scene as ClothScene;
use yarnwise_solvers::hybrid::scene::{Scene as HybridScene, mask};
use yarnwise_solvers::yarn::scene::Scene as YarnScene;
use yarnwise_tests::mutate::{Random, mutate};
use yarnwise_viewer::scene::Scene;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MUTATIONS: u64 = 20_000;

/// The same for readers of folders and of files that they keep open: each input is written first.
const MUTATIONS_ON_DISK: u64 = 4_000;

/// What a reader may reserve beyond the size of its input.
const ALLOWANCE: usize = 64 << 20;

/// Far above what any of the small inputs takes, even on a loaded machine: reaching it means a hang.
const HANG: Duration = Duration::from_secs(60);

/// What a reader does with bytes: the message when it refuses them.
type Read = dyn Fn(&[u8]) -> Result<(), String>;

/// What inputs are called: messages must name it.
const ORIGIN: &str = "mutated";

/// A longer message is not for people.
const LONGEST_MESSAGE: usize = 800;

/// A reader, by what it is called, its fuzz target, inputs that it accepts, and what it does.
struct Reader {
    name: &'static str,
    target: &'static str,
    samples: Vec<Vec<u8>>,
    mutations: u64,
    read: Box<Read>,
}

impl Reader {
    fn new(
        name: &'static str,
        target: &'static str,
        samples: Vec<Vec<u8>>,
        read: impl Fn(&[u8]) -> Result<(), String> + 'static,
    ) -> Self {
        Reader { name, target, samples, mutations: MUTATIONS, read: Box::new(read) }
    }

    fn on_disk(self) -> Self {
        Reader { mutations: MUTATIONS_ON_DISK, ..self }
    }
}

/// What counts of a result.
fn outcome<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<(), String> {
    result.map(drop).map_err(|e| e.to_string())
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

/// The same as below, quantized, as the last program wrote it that knew version 1 of the format only.
const VERSION_1: &[u8] = include_bytes!("../../shared/src/table/database/version-1.ydb");

/// A database with all its parts, quantized and lossless, and one in version 1.
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
        kinds: Some(Kinds { stretch: 0.25, bend: 0.75, twist: 0.125, contact: 0.375 }),
        stress: Some([0.5, -0.25, 1e-9]),
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
    let written = encodings.iter().map(|e| database::to_bytes(&database, e).unwrap());
    written.chain([VERSION_1.to_vec()]).collect()
}

fn small_arrays() -> Vec<Vec<u8>> {
    let arrays = [Data::F32(vec![0.5; 24]), Data::F64(vec![0.5; 24]), Data::I32(vec![-1; 24]), Data::U32(vec![1; 24])];
    let bytes = |data: Data| npy::to_bytes(&Array { shape: vec![2, 3, 4], data }).unwrap();
    arrays.map(bytes).to_vec()
}

/// A pattern as a person would write it.
const SMALL_YARN: &str = "yarn-pattern 1\nunit mm\nperiod 9 7\nradius 1\ncolumns x y z twist\n\nyarn 1 0 # along x\n0 0 1 0\n\
                          3 0 1 0.1\n6 0 1 0\nyarn 0 1\n4 1 -1 0\n4 4 -1 0\n";

/// What parts the files of a folder when they are one input.
const CUT: &[u8] = b"\n%%\n";

/// Writes the files of a folder from one input; a file that has no part in it is empty.
fn write_parts(bytes: &[u8], folder: &Path, names: &[&str]) {
    let mut rest = bytes;
    for name in names {
        let end = rest.windows(CUT.len()).position(|w| w == CUT);
        let (part, after) = end.map_or((rest, &[][..]), |end| (&rest[..=end], &rest[end + CUT.len()..]));
        fs::write(folder.join(name), part).unwrap();
        rest = after;
    }
}

/// In memory where there is such a place: a disk would be waited for after every input.
fn temporary_folder() -> TempDir {
    TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap()
}

/// The in-plane files of a model folder, joined.
fn small_model_folder() -> Vec<u8> {
    let axes = b"0 0.1\n-0.5 0 0.5\n0 1\n".to_vec();
    let data = npy::to_bytes(&Array { shape: vec![48, 4], data: Data::F32(vec![1e-4; 192]) }).unwrap();
    let pattern = pyp::to_text(&small_pattern()).into_bytes();
    [pattern, axes, data].join(&CUT[1..])
}

fn model_folder_reader() -> Reader {
    let parent = temporary_folder();
    let folder = parent.path().join(ORIGIN);
    fs::create_dir_all(folder.join("sxsasy")).unwrap();
    Reader::new("model folder", "model_folder", vec![small_model_folder()], move |b| {
        let _keep = &parent;
        write_parts(b, &folder, &["pyp", "sxsasy/axes.txt", "sxsasy/data.npy"]);
        outcome(model_folder::read(&folder, "test"))
    })
}

fn clip_folder_reader() -> Reader {
    let parent = temporary_folder();
    let folder = parent.path().join(ORIGIN);
    fs::create_dir_all(folder.join("obs")).unwrap();
    let moved = SMALL_OBJ.replace("v 0 0 0", "v 0 0 0.1");
    let sample = [SMALL_OBJ, &moved, SMALL_OBJ].map(|text| text.as_bytes()).join(&CUT[1..]);
    Reader::new("clip folder", "clip_folder", vec![sample], move |b| {
        let _keep = &parent;
        write_parts(b, &folder, &["9.obj", "10.obj", "obs/body.obj"]);
        outcome(Clip::open(&folder))
    })
}

fn journal_reader() -> Reader {
    let folder = temporary_folder();
    let path = folder.path().join(ORIGIN);
    let description = [("job".to_owned(), "fuzz".to_owned())];
    let (mut journal, _) = Journal::open(&path, &description, false).unwrap();
    for task in 0..3 {
        journal.append(0, task, 0.5, &[7; 40]).unwrap();
    }
    drop(journal);
    let sample = fs::read(&path).unwrap();
    Reader::new("journal", "journal", vec![sample], move |b| {
        let _keep = &folder;
        fs::write(&path, b).unwrap();
        let (journal, opened) = Journal::open(&path, &description, false).map_err(|e| e.to_string())?;
        drop(journal);
        let (_, again) = Journal::open(&path, &description, false).expect("a journal that was opened opens again");
        assert_eq!((again.records, again.cut), (opened.records, 0), "nothing is left to be cut off");
        Ok(())
    })
}

/// Pictures of all kinds that a PNG file may hold.
fn small_pictures() -> Vec<Vec<u8>> {
    use image::ExtendedColorType::{L1, L8, La8, Rgb16, Rgba8};
    let encode = |color: image::ExtendedColorType| {
        let bytes = vec![0x5a; (7 * usize::from(color.bits_per_pixel())).div_ceil(8) * 5];
        let mut out = Vec::new();
        let encoder = image::codecs::png::PngEncoder::new(&mut out);
        image::ImageEncoder::write_image(encoder, &bytes, 7, 5, color).map(|()| out).ok()
    };
    let ours = Picture::from_fn(7, 5, |x, y| [x as u8, y as u8, 9]).png().unwrap();
    [L1, L8, La8, Rgb16, Rgba8].into_iter().filter_map(encode).chain([ours]).collect()
}

/// Makes the checksums of a PNG file's chunks right.
fn repair_png(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let mut at = 8;
    while let Some(head) = out.get(at..at + 8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let end = at + 8 + length;
        if end + 4 > out.len() {
            break;
        }
        let checksum = crc32fast::hash(&out[at + 4..end]);
        out[end..end + 4].copy_from_slice(&checksum.to_be_bytes());
        at = end + 4;
    }
    out
}

fn read_picture(bytes: &[u8]) -> Result<(), String> {
    let picture = Picture::parse(bytes, ORIGIN).map_err(|e| e.to_string())?;
    assert_eq!(picture.pixels.len(), picture.width as usize * picture.height as usize * 4);
    Ok(())
}

/// As the program reads them: a grid in a file has been found to be text, and its messages begin with the file's name.
fn read_grid<T>(bytes: &[u8], parse: fn(&str) -> yarnwise_shared::Result<T>) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|_| format!("{ORIGIN}: is not text"))?;
    parse(text).map(drop).map_err(|e| format!("{ORIGIN}: {e}"))
}

fn pattern_readers() -> Vec<Reader> {
    let pattern = small_pattern();
    let [yarn_text, pyp_text] = [yarn::to_text(&pattern), pyp::to_text(&pattern)].map(String::into_bytes);
    vec![
        Reader::new("pyp", "pyp", vec![pyp_text.clone()], |b| outcome(pyp::parse(b, ORIGIN))),
        Reader::new("yarn", "yarn", vec![yarn_text.clone(), SMALL_YARN.into()], |b| outcome(yarn::parse(b, ORIGIN))),
        Reader::new("any pattern", "yarn", vec![yarn_text, pyp_text], |b| outcome(pattern::parse(b, ORIGIN))),
        Reader::new("knit chart", "chart", vec![b"KPK/K K K # top\npkp".to_vec()], |b| read_grid(b, KnitChart::parse)),
        Reader::new("weave draft", "chart", vec![b"101/010 # twill\n110".to_vec()], |b| read_grid(b, Draft::parse)),
    ]
}

fn table_readers() -> Vec<Reader> {
    let curvatures = b"# 1/m\n-50 0 50\n".to_vec();
    vec![
        Reader::new("npy", "npy", small_arrays(), |b| outcome(npy::parse(b, ORIGIN))),
        Reader::new("axes", "axes", vec![b"-0.2 0 1\n-0.5 0 0.5 # shear\n\n0 0.01\n".to_vec()], |b| {
            outcome(model_folder::parse_axes::<3>(b, ORIGIN))
        }),
        Reader::new("curvatures", "axes", vec![curvatures], |b| outcome(model_folder::parse_curvatures(b, ORIGIN))),
        model_folder_reader().on_disk(),
        Reader::new("database", "database", small_databases(), |b| outcome(database::parse(b, ORIGIN))),
        // Damage behind right checksums: what a faulty writer, or somebody with bad intent, would hand over.
        Reader::new("repaired db", "database", small_databases(), |b| {
            let repaired = database::repair(b.to_vec());
            outcome(database::inspect(&repaired, ORIGIN))?;
            outcome(database::parse(&repaired, ORIGIN))
        }),
        journal_reader().on_disk(),
        Reader::new("parameters", "parameters", small_parameters(), read_parameters),
        Reader::new("campaign", "campaign", small_campaigns(), |bytes| {
            let faults = |faults: Faults| faults.to_string().lines().next().unwrap_or_default().to_owned();
            let (_, found) = Campaign::draft_of(bytes, Path::new(ORIGIN)).map_err(|e| e.to_string())?;
            Faults::check(Path::new(ORIGIN), found).map_err(faults)
        })
        .on_disk(),
    ]
}

/// Campaigns of a pattern in this repository, with each kind of field.
fn small_campaigns() -> Vec<Vec<u8>> {
    let pattern = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/patterns/plain.yarn");
    let lists = format!("patterns = [{:?}]\nmaterials = [\"woven\"]\n", pattern.display().to_string());
    let all = "name = \"a\"\noutput = \"o\"\nnaming = \"{pattern}-{grid}-{bending}\"\n\
               grids = [5, { name = \"t\", sx = [0, 1], sa = [-0.5, 0], sy = [0, 0.1] }]\n\
               bending = [false, { name = \"c\", curvatures = [-20, 0, 20] }]\n\
               relax = { period = \"fixed\", max_steps = 10, residual = 1e-6 }\nbake = { residual = 1e-5, shards = 3 }\n\
               [[override]]\ngrid = 5\nrounds = 1\ntolerance = 1e-3\nbending = false\n[[exclude]]\nbending = \"c\"\n";
    vec![lists.clone().into_bytes(), format!("{lists}{all}").into_bytes()]
}

/// Parameters of each kind.
fn small_parameters() -> Vec<Vec<u8>> {
    let family = r#"{"stretch": 2, "bend": 1e-9, "rest_length": 1.1e-3, "spacing": 1e-3}"#;
    let coefficients = [[1.5; 16]; 2];
    [
        r#"{"constants": {"c11": 20, "c22": 15.5, "c12": null, "c66": 1}}, "bending": {"d11": 1e-6, "d22": 1e-6, "d_mixed": 0}"#.into(),
        format!(
            r#"{{"spline": {{"sx": [-0.1, 1], "sy": [0, 0.5], "sa": [-0.5, 0.5], "powers": [0, 2], "coefficients": {coefficients:?}}}}}"#
        ),
    ]
    .map(|sheet: String| format!(r#"{{"membrane": {{"in_plane": {sheet}}}}}"#))
    .into_iter()
    .chain([
        r#"{"yarn": {"young": 1e5, "shear": 4e4, "gamma": 0.1, "contact": 12, "radius": 2e-4}}"#.into(),
        format!(
            r#"{{"persistent": {{"weft": {family}, "warp": {family}, "crimp": true, "contact": {{"stiffness": 0.3, "exponent": 2}},
                "shear": {{"table": {{"normal_force": [0, 1e-3], "stiffness": [1e-4, 2e-4]}}}}, "radius": 2.5e-4}}}}"#
        ),
    ])
    .map(|model| {
        let estimated = r#"[{"name": "c11", "unit": "N/m", "value": 20, "standard_error": 0.01, "determined": true}]"#;
        format!(r#"{{"format": "yarnwise-parameters", "version": 1, "estimated": {estimated}, "model": {model}}}"#)
    })
    .map(String::into_bytes)
    .collect()
}

/// What is read can be written, and read as the same.
fn read_parameters(bytes: &[u8]) -> Result<(), String> {
    let read = Parameters::parse(bytes, ORIGIN).map_err(|e| e.to_string())?;
    let again = Parameters::parse(read.to_json(ORIGIN).unwrap().as_bytes(), ORIGIN).unwrap();
    assert_eq!(again, read);
    outcome(read.membrane(ORIGIN).map(|sheet| sheet.in_plane.at_rest())).or(Ok(()))
}

fn mesh_readers() -> Vec<Reader> {
    let clip = small_clip();
    vec![
        Reader::new("obj", "obj", vec![SMALL_OBJ.into(), obj::to_text(clip.mesh()).into_bytes()], |b| {
            outcome(obj::parse(b, ORIGIN))
        }),
        Reader::new("obj surface", "obj", vec![SMALL_OBJ.into()], |b| outcome(obj::parse_surface(b, ORIGIN))),
        clip_folder_reader().on_disk(),
        Reader::new("binseq", "binseq", vec![binseq::to_bytes(&clip), clip_with_obstacle()], |b| {
            outcome(binseq::parse(b, ORIGIN, 0.1))
        }),
        Reader::new("pc2", "pc2", vec![pc2::to_bytes(&clip)], |b| {
            let mesh = obj::parse(SMALL_OBJ.as_bytes(), "small").unwrap();
            outcome(pc2::parse(b, ORIGIN, mesh, 0.1))
        }),
    ]
}

fn scene_readers() -> Vec<Reader> {
    let cloth = include_bytes!("../../data/cloth-scenes/sleeve.json").to_vec();
    let yarns = include_bytes!("../../data/yarn-scenes/pull.json").to_vec();
    let hybrid = include_bytes!("../../data/hybrid-scenes/ball.json").to_vec();
    let springs =
        br#"{"cloth": {"mesh": {"file": "a.obj"}}, "region": {"faces": [1, 2]}, "triangles": {"springs": {}}}"#
            .to_vec();
    let scenes = vec![
        include_bytes!("../../data/scenes/rib-pull.json").to_vec(),
        include_bytes!("../../data/scenes/skirt-swing.json").to_vec(),
    ];
    vec![
        Reader::new("cloth scene", "cloth_scene", vec![cloth], |b| outcome(ClothScene::parse(b, ORIGIN))),
        Reader::new("yarn scene", "yarn_scene", vec![yarns], |b| outcome(YarnScene::parse(b, ORIGIN))),
        Reader::new("hybrid scene", "hybrid_scene", vec![hybrid, springs], |b| outcome(HybridScene::parse(b, ORIGIN))),
        Reader::new("region mask", "hybrid_scene", vec![b"1 2 3 # first\n17\n".to_vec()], |b| {
            outcome(mask::parse(b, ORIGIN))
        }),
        Reader::new("scene", "scene", scenes, |b| outcome(Scene::parse(b, ORIGIN))),
        Reader::new("png", "png", small_pictures(), read_picture),
        Reader::new("repaired png", "png", small_pictures(), |b| read_picture(&repair_png(b))),
    ]
}

fn readers() -> Vec<Reader> {
    [pattern_readers(), table_readers(), mesh_readers(), scene_readers()].into_iter().flatten().collect()
}

#[test]
fn damaged_input_is_refused_or_read_but_never_breaks_a_reader() {
    assert_that_greed_is_seen();
    assert_that_every_reader_has_a_fuzz_target();
    let stage = Stage::watched();
    for reader in readers() {
        for (i, sample) in reader.samples.iter().enumerate() {
            assert_eq!((reader.read)(sample), Ok(()), "{}: sample {i} is not valid to begin with", reader.name);
        }
        let mut accepted = 0;
        let mut largest = 0;
        for seed in 0..reader.mutations {
            let bytes = mutate(&mut Random::new(seed), &reader.samples);
            stage.enter(&reader, seed);
            let (reserved, outcome) = measure(&reader.read, &bytes);
            accepted += u64::from(outcome.is_ok());
            largest = largest.max(reserved);
            assert!(
                reserved <= bytes.len() + ALLOWANCE,
                "{} reserves {reserved} bytes for an input of {} bytes, seed {seed}",
                reader.name,
                bytes.len()
            );
            if let Err(message) = outcome {
                assert!(is_clear(&message), "{}, seed {seed}: a message that is not clear: {message:?}", reader.name);
            }
        }
        println!(
            "{:>12}: {} mutations, {accepted} still valid, at most {largest} bytes reserved",
            reader.name, reader.mutations
        );
        assert!(accepted < reader.mutations, "{}: nothing was refused, the damage never arrived", reader.name);
    }
}

/// The most bytes that reading reserved at one time, and whether the bytes were accepted.
fn measure(read: &Read, bytes: &[u8]) -> (usize, Result<(), String>) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let outcome = read(bytes);
    (MEMORY.peak_usage().saturating_sub(before), outcome)
}

/// One line that names the input, of a length that people read, without what a terminal would obey.
fn is_clear(message: &str) -> bool {
    message.contains(ORIGIN) && message.len() <= LONGEST_MESSAGE && !message.chars().any(char::is_control)
}

/// Negative controls: a reader that believes a length field is seen to do so, and so is a message that is not clear.
fn assert_that_greed_is_seen() {
    let greedy = |bytes: &[u8]| match Vec::<u8>::with_capacity(2 * ALLOWANCE + bytes.len()).is_empty() {
        true => Ok(()),
        false => Err(String::new()),
    };
    assert!(measure(&greedy, b"few").0 > ALLOWANCE, "the measure does not see what is reserved");
    assert!(is_clear("mutated, line 2: 'x' is not a number"));
    assert!(!is_clear("line 2: 'x' is not a number") && !is_clear("mutated:\n\u{1b}[2J"));
}

/// Both lists are one: what is tested here is fuzzed, and what is fuzzed is tested here. Writes the seeds if asked to.
fn assert_that_every_reader_has_a_fuzz_target() {
    let targets = fs::read_dir(yarnwise_tests::repository().join("tests/fuzz/fuzz_targets")).unwrap();
    let targets = targets.map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned());
    let tested: BTreeSet<String> = readers().iter().map(|reader| reader.target.to_owned()).collect();
    assert_eq!(targets.collect::<BTreeSet<_>>(), tested, "fuzz targets, and targets of the readers in this list");
    let Some(folder) = std::env::var_os("YARNWISE_SEEDS") else { return };
    for reader in readers() {
        let folder = yarnwise_tests::repository().join(&folder).join(reader.target);
        fs::create_dir_all(&folder).unwrap();
        for (i, sample) in reader.samples.iter().enumerate() {
            fs::write(folder.join(format!("{}-{i}", reader.name.replace(' ', "-"))), sample).unwrap();
        }
    }
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
