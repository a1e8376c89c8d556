use super::{KnitChart, KnitOptions, PRESETS, Stitch, knit};
use crate::pattern::clearance::{closest_approach, tightest_bend};
use crate::pattern::crossings::crossings;
use crate::pattern::{self, MIN_CLEARANCE, Pattern, Vertex};
use proptest::prelude::*;
use std::path::Path;

/// What a yarn meets, going along it: over or under, which yarn, and which stitch of which copy of the chart there.
#[derive(Clone, Debug, PartialEq)]
struct Meeting {
    over: bool,
    /// Course and wale of the other loop, counted over all copies of the chart.
    loop_met: [i64; 2],
}

/// For each loop of the chart what it meets, in order along the yarn; sorted by course, then wale.
fn meetings(pattern: &Pattern, chart: &KnitChart, vertices_per_loop: usize) -> Vec<Vec<Meeting>> {
    // Yarns are the courses; a loop does not leave its wale where it meets others.
    let wale_width = pattern.period()[0] / chart.wales() as f64;
    let loop_of = |edge: usize, at: f64| {
        let x = pattern.vertices()[edge].position[0] + at * pattern.edge_vector(edge)[0];
        [edge / (vertices_per_loop * chart.wales()), (x / wale_width).floor() as usize]
    };
    let mut met: Vec<Vec<(f64, Meeting)>> = vec![Vec::new(); chart.wales() * chart.courses()];
    for crossing in crossings(pattern).unwrap() {
        for (own, other, sign) in [(0, 1, 1), (1, 0, -1)] {
            let [course, wale] = loop_of(crossing.edges[own], crossing.at[own]);
            let [other_course, other_wale] = loop_of(crossing.edges[other], crossing.at[other]);
            let place = crossing.edges[own] as f64 + crossing.at[own];
            let copy = crossing.shift.map(|s| i64::from(sign * s));
            let loop_met = [
                other_course as i64 + copy[1] * chart.courses() as i64,
                other_wale as i64 + copy[0] * chart.wales() as i64,
            ];
            met[course * chart.wales() + wale].push((place, Meeting { over: own == 0, loop_met }));
        }
    }
    met.into_iter()
        .map(|mut list| {
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            list.into_iter().map(|(_, meeting)| meeting).collect()
        })
        .collect()
}

/// What the loops of a chart must meet: this is what it means to be knitted.
///
/// Up the left leg: behind the upper leg of the loop below and in front of its head (a knit stitch comes out to the
/// front), then in front of the foot and behind the lower leg of the loop above (if that is a knit stitch); down the right
/// leg the same backwards. Feet meet the loop below in the same wale; so do they meet nothing else.
fn expected(chart: &KnitChart) -> Vec<Vec<Meeting>> {
    let mut all = Vec::new();
    for course in 0..chart.courses() {
        for wale in 0..chart.wales() {
            let front = |course: usize| chart.stitch(course, wale) == Stitch::Knit;
            let (own, above) = (front(course), front(course + 1));
            let below = |over: bool| Meeting { over, loop_met: [course as i64 - 1, wale as i64] };
            let next = |over: bool| Meeting { over, loop_met: [course as i64 + 1, wale as i64] };
            let left = [below(!own), below(own), next(above), next(!above)];
            let right = [next(!above), next(above), below(own), below(!own)];
            all.push(left.into_iter().chain(right).collect());
        }
    }
    all
}

fn knit_text(text: &str) -> (KnitChart, Pattern) {
    let chart = KnitChart::parse(text).unwrap();
    let pattern = knit(&chart, &KnitOptions::default()).unwrap();
    (chart, pattern)
}

fn changed(pattern: &Pattern, change: impl Fn(usize, &mut Vertex)) -> Pattern {
    let mut data = pattern.data().clone();
    data.vertices.iter_mut().enumerate().for_each(|(i, v)| change(i, v));
    Pattern::new(data).unwrap()
}

#[test]
fn presets_interlock_stitch_by_stitch_and_do_not_overlap() {
    for preset in PRESETS {
        let (chart, pattern) = knit_text(preset.chart);
        assert_eq!(meetings(&pattern, &chart, 32), expected(&chart), "{}", preset.name);
        let approach = closest_approach(&pattern, 4e-3).unwrap().unwrap();
        assert!(approach.distance >= 0.99 * 2e-3, "{}: {approach:?}", preset.name);
        assert!(tightest_bend(&pattern).0 > 1e-3);
        let segments = pattern.vertices().iter().map(|v| v.rest_length);
        let (shortest, longest) = segments.fold((f64::MAX, 0.0f64), |(a, b), l| (a.min(l), b.max(l)));
        assert!(longest < 1.12 * shortest, "{}: segments from {shortest} to {longest}", preset.name);
        assert!(pattern.yarns().iter().all(|y| y.shift == [1, 0] && y.vertices.len() == 32 * chart.wales()));
        assert_eq!(pattern.yarns().len(), chart.courses());
    }
}

#[test]
fn the_files_in_data_are_the_presets() {
    for preset in PRESETS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../data/patterns/{}.yarn", preset.name));
        assert_eq!(pattern::read(&path).unwrap(), knit_text(preset.chart).1, "make {} again", path.display());
    }
}

#[test]
fn purl_is_the_mirror_image_of_knit() {
    let swapped = |text: &str| -> String {
        text.chars()
            .map(|c| match c {
                'K' => 'P',
                'P' => 'K',
                c => c,
            })
            .collect()
    };
    for text in ["K", "KKP/PKP", "P/K"] {
        let (chart, pattern) = knit_text(text);
        let (mirrored_chart, purled) = knit_text(&swapped(text));
        let mirrored = changed(&pattern, |_, v| v.position[2] = -v.position[2]);
        for (a, b) in mirrored.vertices().iter().zip(purled.vertices()) {
            assert!((0..3).all(|k| (a.position[k] - b.position[k]).abs() < 1e-15), "{text}");
        }
        assert_eq!(meetings(&mirrored, &chart, 32), expected(&mirrored_chart));
        assert_ne!(expected(&mirrored_chart), expected(&chart));
    }
}

#[test]
fn wrong_knitting_is_noticed() {
    let (chart, pattern) = knit_text("KKKK/KKKK");
    let right = expected(&chart);
    assert_eq!(meetings(&pattern, &chart, 32), right);
    // A loop laid over the one below instead of being pulled through it.
    let dropped = changed(&pattern, |i, v| {
        if (64..96).contains(&i) {
            v.position[2] += 5e-3;
        }
    });
    assert_ne!(meetings(&dropped, &chart, 32), right);
    // A loop too short to reach the one above.
    let short = changed(&pattern, |i, v| {
        if (64..96).contains(&i) {
            v.position[1] = v.position[1].min(3.5e-3);
        }
    });
    assert_ne!(meetings(&short, &chart, 32), right);
    // Flattened: still the same crossings, but the yarns overlap.
    let flat = changed(&pattern, |_, v| v.position[2] *= 0.5);
    assert_eq!(meetings(&flat, &chart, 32), right);
    assert!(closest_approach(&flat, 4e-3).unwrap().unwrap().distance < 2e-3 * MIN_CLEARANCE);
    // A knit fabric is no purl fabric.
    assert_ne!(right, expected(&KnitChart::parse("KKKK/KPKK").unwrap()));
}

#[test]
fn between_knit_and_purl_wales_the_yarn_passes_through_the_fabric() {
    let (_, rib) = knit_text("KP");
    let z = |i: usize| rib.vertices()[i % 64].position[2];
    // The sinkers are in the middle of the fabric, the feet beside them behind the knit wale, before the purl wale.
    assert!(z(0).abs() < 1e-9 && z(32).abs() < 1e-9);
    assert!((1..=3).all(|i| z(i) < -0.5e-3 && z(32 - i) < -0.5e-3 && z(32 + i) > 0.5e-3 && z(64 - i) > 0.5e-3));
    let (_, plain) = knit_text("KK");
    assert!((0..=1).all(|i| plain.vertices()[32 + i].position[2] < -0.5e-3));
}

#[test]
fn charts_read_as_they_look() {
    let chart = KnitChart::parse("kkp # top\n P P K\n\nKKK").unwrap();
    assert_eq!((chart.wales(), chart.courses()), (3, 3));
    assert_eq!(chart.stitch(0, 2), Stitch::Knit);
    assert_eq!((chart.stitch(1, 0), chart.stitch(1, 2)), (Stitch::Purl, Stitch::Knit));
    assert_eq!((chart.stitch(2, 0), chart.stitch(2, 2)), (Stitch::Knit, Stitch::Purl));
    assert_eq!(chart.stitch(3, 4), chart.stitch(0, 1));
    assert_eq!(KnitChart::parse("KP/PK").unwrap(), KnitChart::parse("KP\r\nPK\r\n").unwrap());
}

#[test]
fn the_gauge_sets_the_period() {
    let chart = KnitChart::parse("KP/PK").unwrap();
    let period = |wales: Option<f64>, courses: Option<f64>| {
        let options = KnitOptions { wales_per_meter: wales, courses_per_meter: courses, ..Default::default() };
        knit(&chart, &options).unwrap().period().map(|p| (p * 1e6).round())
    };
    assert_eq!(period(Some(100.0), Some(125.0)), [20e3, 16e3]);
    assert_eq!(period(Some(100.0), None), [20e3, 15_556.0]);
    assert_eq!(period(None, Some(100.0)), [25_714.0, 20e3]);
    assert_eq!(period(None, None), [18e3, 14e3]);
}

#[test]
fn size_does_not_matter() {
    let chart = KnitChart::preset("seed").unwrap();
    let large = knit(&chart, &KnitOptions::default()).unwrap();
    let small = knit(&chart, &KnitOptions { radius: 1e-5, ..Default::default() }).unwrap();
    for (a, b) in large.vertices().iter().zip(small.vertices()) {
        assert!((0..3).all(|k| (a.position[k] - 100.0 * b.position[k]).abs() < 2e-9));
    }
}

#[test]
fn impossible_wishes_are_one_clear_error() {
    let with = |change: fn(&mut KnitOptions)| {
        let mut options = KnitOptions::default();
        change(&mut options);
        knit(&KnitChart::preset("rib2x2").unwrap(), &options).unwrap_err().to_string()
    };
    assert!(with(|o| o.radius = f64::NAN).contains("the yarn radius is NaN, it must be a positive number"));
    assert!(with(|o| o.radius = 0.0).contains("the yarn radius is 0"));
    assert!(with(|o| o.radius = 1e300).contains("period px"));
    assert!(with(|o| o.radius = 1e-320).contains("knit pattern"));
    assert!(with(|o| o.wales_per_meter = Some(-4.0)).contains("wales per meter is -4"));
    assert!(with(|o| o.courses_per_meter = Some(f64::NAN)).contains("courses per meter is NaN"));
    assert!(with(|o| o.vertices_per_loop = 0).contains("0 vertices per loop: at least"));
    assert!(with(|o| o.vertices_per_loop = usize::MAX).contains("a pattern may have 1048576"));
    let crowded = with(|o| o.wales_per_meter = Some(200.0));
    assert!(crowded.contains("overlap") && crowded.contains("1.111 wales and 1.429 courses per cm"), "{crowded}");
    let parse = |text: &str| KnitChart::parse(text).unwrap_err().to_string();
    assert!(parse("KP/PXK").contains("row 2: 'X' is not known here, use K (knit) and P (purl)"));
    assert!(parse("KP/PKK").contains("row 2 has 3 stitches, row 1 has 2: all rows must be equally long"));
    assert!(parse("").contains("is empty"));
    assert!(parse(&"K".repeat(2_000_000)).contains("more than 1048576 stitches"));
    let wide = KnitChart::parse(&"K".repeat(1_000_000)).unwrap();
    assert!(knit(&wide, &KnitOptions::default()).unwrap_err().to_string().contains("would have 32000000 vertices"));
    assert!(KnitChart::preset("cable").unwrap_err().to_string().contains("known are: stockinette, garter, rib1x1"));
}

fn any_chart() -> impl Strategy<Value = String> {
    (1..5usize, 1..5usize).prop_flat_map(|(courses, wales)| {
        let course = prop::collection::vec(any::<bool>(), wales);
        prop::collection::vec(course.prop_map(|c| c.iter().map(|k| if *k { 'K' } else { 'P' }).collect()), courses)
            .prop_map(|rows: Vec<String>| rows.join("/"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_chart_is_knitted_as_it_says(text in any_chart(), vertices in 28..48usize, loose in [0.95..2.0f64, 0.95..2.0f64]) {
        let chart = KnitChart::parse(&text).unwrap();
        let options = KnitOptions {
            wales_per_meter: Some(1e3 / 9.0 / loose[0]),
            courses_per_meter: Some(1e3 / 7.0 / loose[1]),
            vertices_per_loop: vertices,
            ..Default::default()
        };
        let pattern = knit(&chart, &options).unwrap();
        prop_assert_eq!(meetings(&pattern, &chart, vertices), expected(&chart));
    }
}
