//! Reads PNG pictures.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(picture) = yarnwise_picture::Picture::parse(bytes, "fuzz") {
        assert_eq!(picture.pixels.len(), picture.width as usize * picture.height as usize * 4);
    }
});
