//! Reads binary sequences.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = yarnwise_shared::mesh::clip::binseq::parse(bytes, "fuzz", 0.1);
});
