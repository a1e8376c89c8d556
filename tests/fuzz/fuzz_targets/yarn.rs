//! Reads patterns in the `.yarn` format, and patterns whose format is found by their first line.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = yarnwise_shared::pattern::yarn::parse(bytes, "fuzz");
    let _ = yarnwise_shared::pattern::parse(bytes, "fuzz");
});
