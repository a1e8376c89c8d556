//! Reads parameters files, writes what was read, and evaluates sheets.
#![no_main]

use yarnwise_shared::parameters::{InPlane, Parameters, SheetEnergy};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = Parameters::parse(bytes, "fuzz") else { return };
    let text = read.to_json("fuzz").expect("what is read can be written");
    assert_eq!(Parameters::parse(text.as_bytes(), "fuzz").expect("what is written can be read"), read);
    let _ = (read.yarn("fuzz"), read.persistent("fuzz"));
    let Ok(sheet) = read.membrane("fuzz") else { return };
    let InPlane::Spline(spline) = sheet.in_plane else { return };
    let energy = SheetEnergy::new(&spline);
    for s in [[0.0; 3], [3.0, 0.5, -0.9], [-0.9, -1.0, 20.0]] {
        assert!(energy.at(s).value.is_finite());
    }
});
