//! Reads patterns in the `.yarn` format.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = yarnwise_shared::pattern::yarn::parse(bytes, "fuzz");
});
