//! Reads OBJ meshes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = yarnwise_shared::mesh::obj::parse(bytes, "fuzz");
    let _ = yarnwise_shared::mesh::obj::parse_surface(bytes, "fuzz");
});
