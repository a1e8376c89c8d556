//! Reads the axes of tables and lists of curvatures.
#![no_main]

use yarnwise_shared::table::model_folder::{parse_axes, parse_curvatures};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = parse_axes::<3>(bytes, "fuzz");
    let _ = parse_axes::<4>(bytes, "fuzz");
    let _ = parse_curvatures(bytes, "fuzz");
});
