//! Reads databases, as they are and with their checksums made right.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = yarnwise_shared::table::database::parse(bytes, "fuzz");
    let _ = yarnwise_shared::table::database::parse(&yarnwise_shared::table::database::repair(bytes.to_vec()), "fuzz");
});
