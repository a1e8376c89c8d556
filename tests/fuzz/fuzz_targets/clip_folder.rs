//! Reads folders of OBJ frames: the input is cut into two frames and a body at lines of `%%`.
#![no_main]

use std::fs;
use std::sync::OnceLock;

static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder")).path();
    fs::create_dir_all(folder.join("obs")).expect("a folder");
    let mut rest = bytes;
    for name in ["9.obj", "10.obj", "obs/body.obj"] {
        let end = rest.windows(4).position(|w| w == b"\n%%\n");
        let (part, after) = end.map_or((rest, &rest[rest.len()..]), |end| (&rest[..=end], &rest[end + 4..]));
        fs::write(folder.join(name), part).expect("a file");
        rest = after;
    }
    let _ = yarnwise_shared::mesh::clip::Clip::open(folder);
});
