use super::{Draft, MIN_SPACING, PRESETS, WeaveOptions, default_spacing, jammed_spacing, weave};
use crate::pattern::clearance::{closest_approach, tightest_bend};
use crate::pattern::crossings::crossings;
use crate::pattern::{self, MIN_CLEARANCE, Pattern};
use proptest::prelude::*;
use std::path::Path;

/// The draft that the crossings of a woven pattern show: rows from the top, `None` where it is not a weave.
fn draft_of(pattern: &Pattern, wefts: usize, warps: usize) -> Option<String> {
    let mut over = vec![None; wefts * warps];
    let yarn_of: Vec<usize> = {
        let mut yarn_of = vec![0; pattern.vertices().len()];
        for (y, yarn) in pattern.yarns().iter().enumerate() {
            yarn.vertices.iter().for_each(|v| yarn_of[*v as usize] = y);
        }
        yarn_of
    };
    for crossing in crossings(pattern).unwrap() {
        let [above, below] = crossing.edges.map(|e| yarn_of[e]);
        // Wefts come first.
        let (place, warp_over) = if above < wefts {
            (above * warps + below.checked_sub(wefts)?, false)
        } else {
            (below * warps + above - wefts, true)
        };
        // Each warp crosses each weft once.
        if over.get(place)?.is_some() {
            return None;
        }
        over[place] = Some(warp_over);
    }
    let row =
        |row: &[Option<bool>]| row.iter().map(|o| o.map(|o| if o { '1' } else { '0' })).collect::<Option<String>>();
    let rows: Option<Vec<String>> = over.chunks(warps).rev().map(row).collect();
    rows.map(|rows| rows.join("/"))
}

fn mirrored_in_z(pattern: &Pattern, scale: f64) -> Pattern {
    let mut data = pattern.data().clone();
    data.vertices.iter_mut().for_each(|v| v.position[2] *= scale);
    Pattern::new(data).unwrap()
}

#[test]
fn presets_go_over_and_under_as_drafted_and_do_not_overlap() {
    for preset in PRESETS {
        let draft = Draft::preset(preset.name).unwrap();
        let pattern = weave(&draft, &WeaveOptions::default()).unwrap();
        assert_eq!(draft_of(&pattern, draft.wefts(), draft.warps()).as_deref(), Some(preset.draft), "{}", preset.name);
        let approach = closest_approach(&pattern, 4e-3).unwrap().unwrap();
        assert!(approach.distance >= 2e-3, "{}: {approach:?}", preset.name);
        // No tighter than the yarn's radius; a plain weave follows arcs of twice its radius.
        let bend = if preset.name == "plain" { 2e-3 } else { 1e-3 };
        assert!(tightest_bend(&pattern).0 > bend, "{}: {:?}", preset.name, tightest_bend(&pattern));
        assert!(draft.loose_threads().is_empty());
        let segments = pattern.vertices().iter().map(|v| v.rest_length);
        let (shortest, longest) = segments.fold((f64::MAX, 0.0f64), |(a, b), l| (a.min(l), b.max(l)));
        assert!(longest < 1.06 * shortest, "{}: segments from {shortest} to {longest}", preset.name);
    }
}

#[test]
fn the_files_in_data_are_the_presets() {
    for preset in PRESETS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../data/patterns/{}.yarn", preset.name));
        let made = weave(&Draft::preset(preset.name).unwrap(), &WeaveOptions::default()).unwrap();
        assert_eq!(pattern::read(&path).unwrap(), made, "make {} again", path.display());
    }
}

#[test]
fn the_reading_of_crossings_can_fail() {
    let pattern = weave(&Draft::preset("twill").unwrap(), &WeaveOptions::default()).unwrap();
    let draft = draft_of(&pattern, 4, 4).unwrap();
    // From the back, over is under.
    let inverted: String = draft
        .chars()
        .map(|c| match c {
            '0' => '1',
            '1' => '0',
            c => c,
        })
        .collect();
    assert_eq!(draft_of(&mirrored_in_z(&pattern, -1.0), 4, 4), Some(inverted));
    // One thread lifted over all others is another weave; a flat one overlaps.
    let mut data = pattern.data().clone();
    data.vertices[..16].iter_mut().for_each(|v| v.position[2] = 5e-3);
    assert_ne!(draft_of(&Pattern::new(data).unwrap(), 4, 4), Some(draft));
    let flat = mirrored_in_z(&pattern, 0.1);
    assert!(closest_approach(&flat, 4e-3).unwrap().unwrap().distance < 2e-3 * MIN_CLEARANCE);
}

#[test]
fn yarns_run_along_x_and_y_around_the_midsurface() {
    let pattern = weave(&Draft::parse("110/011").unwrap(), &WeaveOptions::default()).unwrap();
    let shifts: Vec<[i32; 2]> = pattern.yarns().iter().map(|y| y.shift).collect();
    assert_eq!(shifts, [[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]);
    assert_eq!(pattern.period().map(|p| (p * 1e6).round()), [10_309.0, 8e3]);
    let sum: f64 = pattern.vertices().iter().map(|v| v.position[2]).sum();
    assert!((sum / pattern.vertices().len() as f64).abs() < 1e-9);
}

#[test]
fn the_default_spacing_follows_from_floats() {
    let spacing = |text: &str| default_spacing(&Draft::parse(text).unwrap()).map(|s| (100.0 * s).round());
    assert_eq!(spacing("10/01"), [400.0, 400.0]);
    assert_eq!(spacing("0110/0011/1001/1100"), [315.0, 315.0], "two passages and two floats");
    assert_eq!(spacing("1100/1100/0011/0011"), [315.0, 315.0]);
    assert_eq!(spacing("11110/11011/01111/11101/10111"), [310.0, 310.0], "no thread bends tighter than its radius");
    assert_eq!(spacing("1010/0101/1100"), [400.0, 344.0], "the thread that passes most decides");
    let [warps, wefts] = jammed_spacing(&Draft::parse("110/011/101").unwrap());
    assert!((warps - (2.0 * MIN_SPACING + 2.0) / 3.0).abs() < 1e-12 && warps == wefts);
}

#[test]
fn a_gauge_denser_than_the_jammed_cloth_is_refused_and_the_message_says_what_fits() {
    let at = |threads: f64| {
        let options =
            WeaveOptions { warps_per_meter: Some(threads), wefts_per_meter: Some(threads), ..WeaveOptions::default() };
        weave(&Draft::preset("twill").unwrap(), &options)
    };
    assert!(at(320.0).is_ok(), "3.13 radii");
    let message = at(380.0).unwrap_err().to_string();
    assert!(message.contains("overlap") && message.contains("at most at 3.226 and 3.226"), "{message}");
}

#[test]
fn threads_per_meter_set_the_period() {
    let options = WeaveOptions { warps_per_meter: Some(100.0), wefts_per_meter: Some(200.0), ..Default::default() };
    let pattern = weave(&Draft::preset("plain").unwrap(), &options).unwrap();
    assert_eq!(pattern.period(), [0.02, 0.01]);
}

#[test]
fn impossible_wishes_are_one_clear_error() {
    let plain = || Draft::preset("plain").unwrap();
    let message = |options: WeaveOptions| weave(&plain(), &options).unwrap_err().to_string();
    let with = |change: fn(&mut WeaveOptions)| {
        let mut options = WeaveOptions::default();
        change(&mut options);
        message(options)
    };
    assert!(with(|o| o.radius = f64::NAN).contains("the yarn radius is NaN, it must be a positive number"));
    assert!(with(|o| o.radius = -1.0).contains("the yarn radius is -1"));
    assert!(with(|o| o.radius = 1e9).contains("period"));
    assert!(with(|o| o.warps_per_meter = Some(0.0)).contains("warps per meter is 0"));
    assert!(with(|o| o.wefts_per_meter = Some(f64::INFINITY)).contains("wefts per meter is inf"));
    assert!(with(|o| o.vertices_per_crossing = 0).contains("0 vertices per crossing"));
    assert!(with(|o| o.vertices_per_crossing = usize::MAX).contains("a pattern may have"));
    let crowded = with(|o| o.warps_per_meter = Some(400.0));
    assert!(crowded.contains("overlap") && crowded.contains("has room at 2.5"), "{crowded}");
    assert!(Draft::parse("10/0").unwrap_err().to_string().contains("row 2 has 1 crossings, row 1 has 2"));
    assert!(Draft::parse("10/0x").unwrap_err().to_string().contains("row 2: 'x' is not known here, use 1 (warp over"));
    assert!(Draft::parse(" \n/").unwrap_err().to_string().contains("is empty"));
    assert!(Draft::preset("denim").unwrap_err().to_string().contains("known are: plain, twill, satin, basket"));
}

#[test]
fn threads_that_nothing_holds_are_named() {
    let loose = Draft::parse("110/111").unwrap().loose_threads();
    assert_eq!(loose, ["weft 1 from the bottom", "warp 1 from the left", "warp 2 from the left"]);
}

fn any_draft() -> impl Strategy<Value = String> {
    (1..6usize, 1..6usize).prop_flat_map(|(wefts, warps)| {
        let row = prop::collection::vec(any::<bool>(), warps);
        prop::collection::vec(row.prop_map(|r| r.iter().map(|o| if *o { '1' } else { '0' }).collect()), wefts)
            .prop_map(|rows: Vec<String>| rows.join("/"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_draft_is_woven_as_it_says(text in any_draft(), vertices in 3..9usize, sparse in 1.0..3.0f64) {
        let draft = Draft::parse(&text).unwrap();
        let options = WeaveOptions { vertices_per_crossing: vertices, warps_per_meter: Some(250.0 / sparse), ..Default::default() };
        let pattern = weave(&draft, &options).unwrap();
        prop_assert_eq!(draft_of(&pattern, draft.wefts(), draft.warps()), Some(text));
    }
}
