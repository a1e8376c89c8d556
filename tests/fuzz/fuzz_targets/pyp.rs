//! Reads `.pyp` patterns.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = yarnwise_shared::pattern::pyp::parse(bytes, "fuzz");
});
