//! The published clips decode, have the strains that were measured in them, and survive being written byte for byte.

use std::path::PathBuf;
use yarnwise_shared::mesh::clip::{Clip, DEFAULT_FRAME_TIME, binseq};
use yarnwise_shared::mesh::{obj, topology::Topology};

fn clips(test: &str) -> Option<Vec<PathBuf>> {
    let folder = yarnwise_tests::reference(test)?.join("clips");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "bin"));
    paths.sort();
    assert!(paths.len() >= 7, "only {} clips", paths.len());
    Some(paths)
}

#[test]
fn published_clips_round_trip_byte_for_byte() {
    let Some(paths) = clips("published_clips_round_trip_byte_for_byte") else { return };
    for path in paths {
        let bytes = std::fs::read(&path).unwrap();
        let clip = binseq::parse(&bytes, "clip", DEFAULT_FRAME_TIME).unwrap();
        assert!(binseq::to_bytes(&clip) == bytes, "{}", path.display());
        let opened = Clip::open(&path).unwrap();
        assert_eq!(opened, clip, "{}: welding UVs must not change a mesh without split UVs", path.display());
    }
}

/// A row of the table of published clips: frames, world vertices, UV vertices, faces, islands, and the ranges of sx, sa,
/// sy and of the eigenvalues of I, each over all faces and frames.
struct Row {
    file: &'static str,
    counts: [usize; 5],
    sx: [f64; 2],
    sa: [f64; 2],
    sy: [f64; 2],
    eigenvalues: [f64; 2],
}

/// From an independent program in f64; rounded to the digits that are given.
const TABLE: [Row; 8] = [
    Row {
        file: "sx.bin",
        counts: [140, 4, 4, 2, 1],
        sx: [-0.750, 2.000],
        sa: [0.0, 0.0],
        sy: [0.0, 0.0],
        eigenvalues: [0.06, 9.0],
    },
    Row {
        file: "sxsy_const.bin",
        counts: [160, 4, 4, 2, 1],
        sx: [-0.500, 0.500],
        sa: [0.0, 0.0],
        sy: [-0.500, 0.500],
        eigenvalues: [0.25, 2.25],
    },
    Row {
        file: "sxsy.bin",
        counts: [100, 1681, 1681, 3200, 1],
        sx: [-0.499, 1.499],
        sa: [-0.0007, 0.0007],
        sy: [-0.499, 1.499],
        eigenvalues: [0.25, 6.25],
    },
    Row {
        file: "shear_grid_x.bin",
        counts: [120, 225, 225, 288, 9],
        sx: [-0.250, 0.500],
        sa: [-0.894, 0.894],
        sy: [-0.250, 1.121],
        eigenvalues: [0.21, 5.89],
    },
    Row {
        file: "basket_stretchX.bin",
        counts: [60, 2625, 2625, 5168, 1],
        sx: [-0.042, 0.299],
        sa: [-0.595, 0.605],
        sy: [-0.066, 0.136],
        eigenvalues: [0.46, 2.31],
    },
    Row {
        file: "rib_stretchX.bin",
        counts: [60, 2625, 2625, 5168, 1],
        sx: [-0.327, 1.256],
        sa: [-1.000, 0.999],
        sy: [-0.277, 0.289],
        eigenvalues: [5e-5, 5.97],
    },
    Row {
        file: "stock_stretchX.bin",
        counts: [60, 2625, 2625, 5168, 1],
        sx: [-0.377, 0.715],
        sa: [-0.923, 0.743],
        sy: [-0.176, 0.428],
        eigenvalues: [0.08, 3.45],
    },
    Row {
        file: "sock.obj",
        counts: [1, 2409, 2552, 4772, 3],
        sx: [-0.345, 1.074],
        sa: [-0.458, 0.443],
        sy: [-0.349, 0.876],
        eigenvalues: [0.42, 4.60],
    },
];

#[test]
fn published_clips_have_the_published_strains() {
    let Some(reference) = yarnwise_tests::reference("published_clips_have_the_published_strains") else { return };
    for row in TABLE {
        let clip = Clip::open(&reference.join("clips").join(row.file)).unwrap();
        let (mesh, report) = (clip.mesh(), clip.report());
        let counts =
            [clip.frame_count(), mesh.positions().len(), mesh.uvs().len(), mesh.faces().len(), report.island_count];
        assert_eq!(counts, row.counts, "{}", row.file);
        let range = clip.strain_range().unwrap();
        for (name, found, expected, digits) in [
            ("sx", range.sx, row.sx, 0.0005),
            ("sa", range.sa, row.sa, 0.0005),
            ("sy", range.sy, row.sy, 0.0005),
            ("eigenvalues", range.eigenvalues, row.eigenvalues, 0.005),
        ] {
            for k in 0..2 {
                let off = (found[k] - expected[k]).abs();
                assert!(off <= digits * 1.02, "{} {name}: {found:?}, expected {expected:?}", row.file);
            }
        }
        assert!(!report.has_errors(), "{}: {:?}", row.file, report.findings);
    }
}

#[test]
fn the_published_sock_and_foot_read() {
    let Some(reference) = yarnwise_tests::reference("the_published_sock_and_foot_read") else { return };
    let clips = reference.join("clips");
    let sock = obj::read(&clips.join("sock.obj")).unwrap();
    let topology = Topology::new(&sock);
    let ends = |h: u32| {
        let face = sock.faces()[h as usize / 3];
        [face[h as usize % 3], face[(h as usize + 1) % 3]]
    };
    let mut on_seams: Vec<u32> = topology.seams.iter().flat_map(|s| ends(s.half_edges[0])).collect();
    on_seams.sort_unstable();
    on_seams.dedup();
    let mut uvs_of_vertex = vec![Vec::new(); sock.positions().len()];
    for (vertex, uv) in sock.faces().as_flattened().iter().zip(sock.uv_faces().as_flattened()) {
        let uvs: &mut Vec<u32> = &mut uvs_of_vertex[*vertex as usize];
        if !uvs.contains(uv) {
            uvs.push(*uv);
        }
    }
    let split: Vec<u32> = (0..uvs_of_vertex.len() as u32).filter(|v| uvs_of_vertex[*v as usize].len() > 1).collect();
    assert_eq!(split.len(), 141, "split world vertices");
    assert!(split.iter().all(|v| on_seams.binary_search(v).is_ok()), "every split vertex lies on a seam");

    let foot = obj::read_surface(&clips.join("foot.obj")).unwrap();
    assert_eq!((foot.positions().len(), foot.faces().len()), (2366, 4728), "quads split in two");
    let error = obj::read(&clips.join("foot.obj")).unwrap_err().to_string();
    assert!(error.contains("has no UVs"), "{error}");
}
