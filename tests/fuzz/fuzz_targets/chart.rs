//! Reads knit charts and weave drafts.
#![no_main]

use yarnwise_shared::pattern::{knit::KnitChart, weave::Draft};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = KnitChart::parse(text);
    let _ = Draft::parse(text);
});
