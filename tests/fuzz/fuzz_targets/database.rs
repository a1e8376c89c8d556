//! Reads databases, as they are and with their checksums made right.
#![no_main]

use yarnwise_shared::table::database::{inspect, parse, repair};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = parse(bytes, "fuzz");
    let repaired = repair(bytes.to_vec());
    let _ = inspect(&repaired, "fuzz");
    let _ = parse(&repaired, "fuzz");
});
