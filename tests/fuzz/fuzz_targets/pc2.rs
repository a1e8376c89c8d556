//! Reads PC2 point caches.
#![no_main]

const SQUARE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mesh = yarnwise_shared::mesh::obj::parse(SQUARE, "square").expect("a valid mesh");
    let _ = yarnwise_shared::mesh::clip::pc2::parse(bytes, "fuzz", mesh, 0.1);
});
