//! Reads campaigns and expands them. What they name is not there, so no more than the text is read.
#![no_main]

use std::path::Path;
use yarnwise_precompute::campaign::Campaign;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = Campaign::draft_of(bytes, Path::new("/nonexistent/fuzz.toml"));
});
