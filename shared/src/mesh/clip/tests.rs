use super::*;
use crate::mesh::{MeshData, Surface};
use proptest::prelude::*;

fn square() -> Mesh {
    Mesh::new(MeshData {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        uvs: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        faces: vec![[0, 1, 2], [0, 2, 3]],
        uv_faces: vec![[0, 1, 2], [0, 2, 3]],
    })
    .unwrap()
}

/// The square, moved up by each height.
fn rising(heights: &[f32]) -> Clip {
    let frames =
        heights.iter().flat_map(|h| square().positions().iter().map(|p| [p[0], p[1], p[2] + h]).collect::<Vec<_>>());
    Clip::new("rising", square(), DEFAULT_FRAME_TIME, frames.collect()).unwrap()
}

fn triangle(size: f32) -> Surface {
    Surface::new(vec![[0.0; 3], [size, 0.0, 0.0], [0.0, size, 0.0]], vec![[0, 1, 2]]).unwrap()
}

/// A clip with a frame that repeats and two obstacles, one of which changes its shape and one its place.
fn eventful() -> Clip {
    let mut clip = rising(&[0.0, 1.0, 2.0]);
    clip.shape_of_frame = vec![0, 1, 1, 2];
    let mut soft = Obstacle::new(triangle(1.0));
    soft.set_shape(2, vec![[0.0; 3], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]);
    let mut rigid = Obstacle::new(triangle(3.0));
    let transform = Transform { scale: 2.0, translation: [1.0, 0.0, 0.0], angle: 90.0, axis: [0.0, 0.0, 2.0] };
    rigid.set_transform(1, transform);
    clip.obstacles = vec![soft, rigid];
    clip
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

#[test]
fn frames_are_read_in_any_order() {
    let clip = rising(&[0.0, 2.0, 5.0]);
    assert_eq!(clip.frame_count(), 3);
    assert_eq!(clip.positions(2)[1], [1.0, 0.0, 5.0]);
    assert_eq!(clip.positions(0)[1], [1.0, 0.0, 0.0]);
    assert_eq!(Clip::still(square()).frame_count(), 1);
}

#[test]
fn senseless_clips_are_refused() {
    let new = |time: f64, positions: Vec<[f32; 3]>| Clip::new("c", square(), time, positions).unwrap_err().to_string();
    assert!(new(1.0, vec![[0.0; 3]; 7]).contains("7 positions are not a whole number of frames of 4 vertices"));
    assert!(new(1.0, Vec::new()).contains("there must be a frame"));
    assert!(new(0.0, vec![[0.0; 3]; 4]).contains("must be a positive number of seconds"));
    assert!(new(f64::NAN, vec![[0.0; 3]; 4]).contains("seconds"));
    let mut positions = vec![[0.0; 3]; 12];
    positions[9][2] = f32::NAN;
    assert_eq!(
        new(1.0, positions),
        "c: frame 2: z of vertex 2 is NaN, which is not a finite number: export the file again"
    );
}

#[test]
fn scale_enlarges_world_uvs_and_obstacles_alike() {
    let clip = eventful().scaled(2.0, "c").unwrap();
    assert_eq!(clip.mesh().uvs()[2], [2.0, 2.0]);
    assert_eq!(clip.positions(3)[2], [2.0, 2.0, 4.0]);
    let corner = clip.obstacles()[1].positions(1)[1];
    // 3 m along x, turned by 90 degrees, twice as large, moved by 1; all of it twice.
    for (found, expected) in corner.iter().zip([2.0, 12.0, 0.0]) {
        assert!((found - expected).abs() < 1e-5, "{corner:?}");
    }
    assert_eq!(clip.obstacles()[0].positions(2)[1], [0.0, 4.0, 0.0]);
    for bad in [0.0, -1.0, f32::NAN, 1e7] {
        assert!(eventful().scaled(bad, "c").is_err(), "{bad}");
    }
}

#[test]
fn binary_sequences_keep_repeats_and_obstacles() {
    let clip = eventful();
    let bytes = binseq::to_bytes(&clip);
    let again = binseq::parse(&bytes, "again", DEFAULT_FRAME_TIME).unwrap();
    assert_eq!(again, clip);
    assert_eq!(again.positions(1), again.positions(2));
    assert_eq!(again.obstacles()[0].shape(1)[1], [1.0, 0.0, 0.0]);
    assert_eq!(again.obstacles()[0].shape(3)[1], [0.0, 2.0, 0.0]);
    assert_eq!(again.obstacles()[1].transform(0), Transform::default());
    assert_eq!(again.obstacles()[1].transform(3).scale, 2.0);
}

#[test]
fn every_cut_of_a_binary_file_is_an_error() {
    let clip = eventful();
    for bytes in [binseq::to_bytes(&clip), pc2::to_bytes(&clip)] {
        let parse = |bytes: &[u8]| match bytes.first() {
            Some(b'P') => pc2::parse(bytes, "cut", square(), 1.0),
            _ => binseq::parse(bytes, "cut", 1.0),
        };
        assert!(parse(&bytes).is_ok());
        for n in 0..bytes.len() {
            assert!(parse(&bytes[..n]).is_err(), "{n} of {} bytes", bytes.len());
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert!(parse(&longer).unwrap_err().to_string().contains("damaged"));
    }
}

#[test]
fn many_frames_and_lengths_of_every_size_survive() {
    for n in [1, 127, 128, 300, binseq::MAX_COUNT] {
        let clip = rising(&(0..n).map(|i| i as f32).collect::<Vec<_>>());
        assert_eq!(binseq::parse(&binseq::to_bytes(&clip), "again", DEFAULT_FRAME_TIME).unwrap(), clip);
    }
    let folder = tempfile::tempdir().unwrap();
    let long = rising(&vec![0.0; binseq::MAX_COUNT + 1]);
    let error = binseq::write(&long, &folder.path().join("x.bin")).unwrap_err().to_string();
    assert!(error.contains("at most 10000"), "{error}");
}

#[test]
fn a_sequence_that_changes_its_topology_is_refused_with_the_frame() {
    // A frame of 4 x 3 floats, and three matrices of 0 x 0 and three empty lists.
    let later = 8 + 48 + 3 * 8 + 3;
    let bytes = binseq::to_bytes(&rising(&[0.0, 1.0, 2.0]));
    let frame_2 = bytes.len() - later;
    let faces = frame_2 + 8 + 48;
    let with_faces = |face: [u32; 3]| {
        let mut bytes = bytes.clone();
        let rows = [2u32, 3, 0, 1, 2].into_iter().chain(face).flat_map(u32::to_le_bytes);
        bytes.splice(faces..faces + 8, rows);
        binseq::parse(&bytes, "clip.bin", 1.0)
    };
    assert!(with_faces([0, 2, 3]).is_ok(), "the same faces again");
    let error = with_faces([0, 2, 1]).unwrap_err().to_string();
    assert!(error.contains("frame 2: other faces (F) than the first frame") && error.contains("remeshing"), "{error}");
    let mut fewer = bytes.clone();
    fewer[frame_2] = 3;
    fewer.drain(frame_2 + 8..frame_2 + 20);
    let error = binseq::parse(&fewer, "clip.bin", 1.0).unwrap_err().to_string();
    assert!(error.contains("frame 2: 3 vertices, the first frame has 4"), "{error}");
}

#[test]
fn blown_up_counts_of_a_sequence_are_refused() {
    let parse = |bytes: &[u8]| binseq::parse(bytes, "x", 1.0).unwrap_err().to_string();
    assert!(parse(&[0xff; 4]).contains("at most 10000 are possible"));
    let huge = [&[1][..], &u32::MAX.to_le_bytes(), &3u32.to_le_bytes()].concat();
    assert!(parse(&huge).contains("the file has 0 bytes more"));
    let odd = [&[1][..], &u32::MAX.to_le_bytes(), &u32::MAX.to_le_bytes()].concat();
    assert!(parse(&odd).contains("instead of rows of 3"));
    assert!(parse(&[0]).contains("no frames"));
}

#[test]
fn point_caches_say_what_is_wrong() {
    let bytes = pc2::to_bytes(&rising(&[0.0, 1.0]));
    let with = |at: usize, word: [u8; 4]| {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&word);
        pc2::parse(&bytes, "x.pc2", square(), 0.04).map_err(|e| e.to_string())
    };
    assert!(with(0, *b"PO1N").unwrap_err().contains("begins with POINTCACHE2"));
    assert!(with(12, 2u32.to_le_bytes()).unwrap_err().contains("version 2"));
    assert!(with(16, 5u32.to_le_bytes()).unwrap_err().contains("moves 5 points, the mesh has 4 vertices"));
    assert!(with(24, 0f32.to_le_bytes()).unwrap_err().contains("sample rate is 0"));
    assert!(with(28, u32::MAX.to_le_bytes()).unwrap_err().contains("cut off"));
    assert!(with(32, f32::NAN.to_le_bytes()).unwrap_err().contains("frame 0: x of vertex 1 is NaN"));
    let half_frames = with(24, 0.5f32.to_le_bytes()).unwrap();
    assert_eq!(half_frames.frame_time(), 0.02);
}

#[test]
fn open_recognizes_every_kind() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let clip = rising(&[0.0, 1.0]);
    obj::write(&square(), &at("a.obj")).unwrap();
    binseq::write(&clip, &at("a.BIN")).unwrap();
    pc2::write(&clip, &at("a.pc2")).unwrap();
    pc2::write(&clip, &at("b.pc2")).unwrap();
    assert_eq!(Clip::open(&at("a.obj")).unwrap(), Clip::still(square()));
    assert_eq!(Clip::open(&at("a.BIN")).unwrap(), clip);
    assert_eq!(Clip::open(&at("a.pc2")).unwrap(), clip);
    let missing = Clip::open(&at("b.pc2")).unwrap_err().to_string();
    assert!(missing.contains("b.obj: put the OBJ file there or name it"), "{missing}");
    let named = ClipOptions { obj: Some(at("a.obj")), frame_time: 0.1, scale: 3.0, ..Default::default() };
    let opened = Clip::open_with(&at("b.pc2"), &named).unwrap();
    assert_eq!((opened.frame_time(), opened.positions(1)[2]), (0.1, [3.0, 3.0, 3.0]));
    write(&at("a.txt"), "");
    assert!(Clip::open(&at("a.txt")).unwrap_err().to_string().contains("is no clip"));
    assert!(matches!(Clip::open(&at("none.xyz")).unwrap_err(), Error::Io { .. }));
}

#[test]
fn a_clip_is_written_as_its_name_asks_and_opens_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let clip = rising(&[0.0, 1.0, 0.5]);
    for name in ["x.bin", "x.pc2", "frames"] {
        clip.write(&at(name)).unwrap();
        assert_eq!(Clip::open(&at(name)).unwrap(), clip, "{name}");
    }
    let still = Clip::still(square());
    still.write(&at("still.obj")).unwrap();
    assert_eq!(Clip::open(&at("still.obj")).unwrap(), still);
    assert!(clip.write(&at("y.obj")).unwrap_err().to_string().contains("3 frames do not fit one OBJ file"));
    assert!(clip.write(&at("y.abc")).unwrap_err().to_string().contains("is no format of clips"));
    assert!(clip.write(&at("frames")).unwrap_err().to_string().contains("is not empty"));
}

#[test]
fn a_folder_plays_in_the_order_of_its_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = |h: f32| format!("v {h} 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n");
    for (name, h) in [("f10.obj", 3.0), ("f2.OBJ", 2.0), ("f1.obj", 1.0), (".f0.obj", 9.0), ("readme.txt", 9.0)] {
        write(&at(name), &text(h));
    }
    std::fs::create_dir(at("obs")).unwrap();
    write(&at("obs/ball.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    let clip = Clip::open(folder.path()).unwrap();
    let heights: Vec<f32> = (0..clip.frame_count()).map(|f| clip.positions(f)[0][0]).collect();
    assert_eq!(heights, [1.0, 2.0, 3.0]);
    assert_eq!(clip.obstacles()[0].faces().len(), 2);

    // Positions alone are enough for later frames, another topology is refused by name.
    write(&at("f3.obj"), "v 7 0 0\nv 1 0 0\nv 0 1 0\n");
    assert_eq!(Clip::open(folder.path()).unwrap().positions(2)[0][0], 7.0);
    write(&at("f3.obj"), &text(1.0).replace("f 1/1 2/2 3/3", "f 1/1 3/3 2/2"));
    let error = Clip::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("f3.obj: has other faces than the first frame"), "{error}");
    write(&at("f3.obj"), &text(1.0).replace("vt 1 0", "vt 1 0.5"));
    let error = Clip::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("f3.obj: has other UVs than the first frame"), "{error}");
    assert!(Clip::open_with(folder.path(), &ClipOptions { first_uvs: true, ..Default::default() }).is_ok());
    write(&at("f3.obj"), "v 7 0 0\nv 1 0 0\n");
    let error = Clip::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("has 2 vertices, the first frame has 3"), "{error}");
    let empty = tempfile::tempdir().unwrap();
    assert!(Clip::open(empty.path()).unwrap_err().to_string().contains("has no .obj files"));
}

proptest! {
    #[test]
    fn binary_formats_round_trip_exactly(
        frames in prop::collection::vec(prop::collection::vec([-1e6f32..1e6, -1.0f32..1.0, -1e-30f32..1e-30], 4), 1..12),
        rate in 0.01f64..10.0,
    ) {
        let time = DEFAULT_FRAME_TIME * rate;
        let clip = Clip::new("clip", square(), time, frames.concat()).unwrap();
        let again = binseq::parse(&binseq::to_bytes(&clip), "again", time).unwrap();
        prop_assert_eq!(&again.positions, &clip.positions);
        prop_assert_eq!(again.mesh.positions(), clip.positions(0), "the format has no rest shape");
        let again = pc2::parse(&pc2::to_bytes(&clip), "again", square(), DEFAULT_FRAME_TIME).unwrap();
        prop_assert_eq!(&again.positions, &clip.positions);
        prop_assert!((again.frame_time() / time - 1.0).abs() < 1e-6, "the sample rate is an f32");
    }

    #[test]
    fn any_bytes_give_a_clip_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300), frames in 0u8..4) {
        let _ = binseq::parse(&bytes, "x", 1.0);
        let good = binseq::to_bytes(&eventful());
        let mut mixed = [&[frames][..], &good[1..good.len().min(170)], &bytes].concat();
        let _ = binseq::parse(&mixed, "x", 1.0);
        mixed.truncate(100);
        let _ = pc2::parse(&mixed, "x", square(), 1.0);
    }
}
