//! Reads model folders: the input is cut into the folder's three files at lines of `%%`.
#![no_main]

use std::fs;
use std::sync::OnceLock;

static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a temporary folder")).path();
    fs::create_dir_all(folder.join("sxsasy")).expect("a folder");
    let mut rest = bytes;
    for name in ["pyp", "sxsasy/axes.txt", "sxsasy/data.npy"] {
        let end = rest.windows(4).position(|w| w == b"\n%%\n");
        let (part, after) = end.map_or((rest, &rest[rest.len()..]), |end| (&rest[..=end], &rest[end + 4..]));
        fs::write(folder.join(name), part).expect("a file");
        rest = after;
    }
    let _ = yarnwise_shared::table::model_folder::read(folder, "fuzz");
});
