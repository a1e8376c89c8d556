//! Reads viewer scenes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = yarnwise_viewer::scene::Scene::parse(bytes, "fuzz");
});
