//! The published clips decode, and survive being written again byte for byte.

use std::path::PathBuf;
use yarnwise_shared::clip::{Clip, DEFAULT_FRAME_TIME, binseq};

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
