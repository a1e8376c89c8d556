//! Reads NumPy arrays.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = yarnwise_shared::npy::parse(bytes, "fuzz");
});
