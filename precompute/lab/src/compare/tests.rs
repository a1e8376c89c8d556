use super::set::Set;
use super::*;
use yarnwise_shared::mesh::clip::make::{Animation, Sheet};
use yarnwise_shared::pattern::{Edge, Pattern, PatternData, Vertex};
use yarnwise_shared::table::Table;
use yarnwise_shared::table::database::{Database, DatabaseData};
use yarnwise_shared::table::grid::{Axis, Grid, StrainGrid};

/// Two crossing straight yarns of eight vertices.
fn pattern(period: f64) -> Pattern {
    let n = 8;
    let vertex = |yarn: usize, i: usize| {
        let along = period * (i as f64 + 0.5) / n as f64;
        let last = i32::from(i + 1 == n);
        Vertex {
            position: if yarn == 0 { [along, 1e-3, 0.5e-3] } else { [3e-3, along, -0.5e-3] },
            twist: 0.0,
            edge: Edge { to: (yarn * n + (i + 1) % n) as u32, shift: if yarn == 0 { [last, 0] } else { [0, last] } },
            rest_length: period / n as f64,
            rest_curvature: [0.0; 2],
            rest_twist: 0.0,
            reference_director: [0.0, 0.0, 1.0],
            reference_twist: 0.0,
        }
    };
    let vertices = (0..2).flat_map(|yarn| (0..n).map(move |i| (yarn, i))).map(|(y, i)| vertex(y, i)).collect();
    Pattern::new(PatternData { period: [period; 2], radius: 0.4e-3, vertices }).unwrap()
}

/// `n` values from `low` to `high`.
fn axis(low: f64, high: f64, n: usize) -> Axis {
    Axis::new("test", (0..n).map(|i| low + (high - low) * i as f64 / (n - 1) as f64).collect()).unwrap()
}

fn cube(n: usize) -> StrainGrid {
    Grid([axis(-0.2, 0.8, n), axis(-0.5, 0.5, n), axis(-0.2, 0.8, n)])
}

fn set(name: &str, grid: StrainGrid, pattern: Pattern, value: impl Fn([f64; 3]) -> [f64; 3]) -> Set {
    let mut values = Vec::new();
    for sample in 0..grid.sample_count() {
        let [x, y, z] = value(grid.coordinates(sample)).map(|v| (v * 1e-3) as f32);
        values.extend(vec![[x, y, z, 0.0]; pattern.vertices().len()]);
    }
    let table = Table::new(grid, pattern.vertices().len(), values).unwrap();
    let database = Database::new(DatabaseData::imported(name, "test", "test", pattern, table)).unwrap();
    Set { name: name.to_owned(), path: name.into(), database, disk_bytes: 0, bake_seconds: None }
}

/// A smooth field, millimeters.
fn smooth([sx, sa, sy]: [f64; 3]) -> [f64; 3] {
    [0.3 * sx * sx, 0.1 * sa * sy, (2.0 * sx - sa).sin() * 0.2]
}

fn quick() -> CompareOptions {
    CompareOptions { strains: 300, held_out: 0, frames: 3, ..Default::default() }
}

fn clip() -> Clip {
    let sheet = Sheet { size: [0.05, 0.05], cells: [6, 6] };
    Animation { frames: 5, ..Default::default() }.clip(sheet.mesh().unwrap()).unwrap()
}

fn compared(sets: &[Set]) -> Comparison {
    compare(sets, Some(("clip", &clip())), &quick(), &mut |_| ()).unwrap()
}

#[test]
fn identical_sets_give_exactly_zero() {
    let sets = [set("a", cube(5), pattern(4e-3), smooth), set("b", cube(5), pattern(4e-3), smooth)];
    let comparison = compared(&sets);
    assert_eq!(comparison.reference, "b");
    let figures = &comparison.sets[0];
    for d in [figures.strains.as_ref().unwrap(), figures.cloth.as_ref().unwrap().distances.as_ref().unwrap()] {
        let all = d.all.unwrap();
        assert!(all.count > 1000);
        assert_eq!([all.mean, all.rms, all.median, all.percentile_95, all.largest], [0.0; 5]);
    }
    assert!(comparison.sets[1].strains.is_none(), "the reference is not compared with itself");
}

#[test]
fn a_shifted_copy_is_away_by_the_shift() {
    let moved = |s: [f64; 3]| smooth(s).iter().zip([0.0, 0.0, 0.1]).map(|(a, b)| a + b).collect::<Vec<_>>();
    let moved = |s| <[f64; 3]>::try_from(moved(s)).unwrap();
    let sets = [set("a", cube(5), pattern(4e-3), moved), set("b", cube(5), pattern(4e-3), smooth)];
    let figures = &compared(&sets).sets[0];
    // 0.1 mm along the normal is a quarter of the radius, whatever the strain.
    for d in [figures.strains.as_ref().unwrap(), figures.cloth.as_ref().unwrap().distances.as_ref().unwrap()] {
        let all = d.all.unwrap();
        for value in [all.mean, all.rms, all.median, all.percentile_95, all.largest] {
            assert!((value - 0.25).abs() < 2e-4, "{all:?}");
        }
    }
}

#[test]
fn errors_of_interpolation_fall_with_the_square_of_the_spacing() {
    let sets = [5, 9, 33].map(|n| set(&n.to_string(), cube(n), pattern(4e-3), smooth));
    let comparison = compared(&sets);
    let error = |i: usize| comparison.sets[i].strains.as_ref().unwrap().all.unwrap().rms;
    let ratio = error(0) / error(1);
    assert!((3.2..5.0).contains(&ratio), "{} and {}: {ratio}", error(0), error(1));
    let on_cloth = |i: usize| comparison.sets[i].cloth.as_ref().unwrap().distances.as_ref().unwrap().all.unwrap().rms;
    assert!(on_cloth(0) > 2.0 * on_cloth(1), "{} {}", on_cloth(0), on_cloth(1));
    let expected = comparison.sets[0].suggestion.expected_error.unwrap();
    let true_error = comparison.sets[0].strains.as_ref().unwrap().all.unwrap().percentile_95;
    assert!((0.3..3.0).contains(&(expected / true_error)), "{expected} is not about {true_error}");
}

#[test]
fn sets_that_cannot_be_compared_are_refused_with_the_reason() {
    let a = set("a.ydb", cube(3), pattern(4e-3), smooth);
    let refuse = |b: Set| fit::check(&[a.clone(), b]).unwrap_err().to_string();
    let other = refuse(set("b.ydb", cube(3), pattern(5e-3), smooth));
    assert!(other.contains("b.ydb") && other.contains("period is 0.005"), "{other}");
    let far = Grid([axis(0.9, 2.0, 3), axis(-0.5, 0.5, 3), axis(-0.2, 0.8, 3)]);
    let apart = refuse(set("c.ydb", far, pattern(4e-3), smooth));
    assert!(apart.contains("c.ydb") && apart.contains("axis sx goes from 0.9 to 2"), "{apart}");
    assert!(fit::check(&[]).unwrap_err().to_string().contains("nothing to compare"));
    let narrow = Grid([axis(0.0, 0.5, 3), axis(-0.5, 0.5, 3), axis(-0.2, 0.8, 3)]);
    let range = fit::check(&[a.clone(), set("d", narrow, pattern(4e-3), smooth)]).unwrap();
    assert_eq!(range[0], [0.0, 0.5]);
}

#[test]
fn the_axis_that_bends_most_is_the_one_to_refine() {
    let bent = |[_, sa, _]: [f64; 3]| [0.0, 0.0, sa * sa];
    let figures = suggest::suggest(
        &set("a", cube(9), pattern(4e-3), bent),
        &strains::random([[-0.2, 0.8], [-0.5, 0.5], [-0.2, 0.8]], 200, 3),
        &CompareOptions { error: 1e-3, min_eigenvalue: 0.0, ..quick() },
    );
    assert_eq!(figures.refine, Some("sa"));
    // Along sx and sy nothing bends: three samples (ends and rest) or two are enough, along sa all are needed.
    assert_eq!(figures.smallest[1].len(), 9);
    assert!(figures.smallest[0].len() <= 3 && figures.smallest[2].len() <= 3, "{:?}", figures.smallest);
}

#[test]
fn popping_sees_a_jump_and_the_clamp_hides_what_lies_in_compression() {
    let range = [[-0.2, 0.8], [-0.5, 0.5], [-0.2, 0.8]];
    let ramp = |set: &Set, name: &str| {
        let figures = popping::figures(set, range, 0.8);
        let found = figures.ramps.iter().find(|r| r.name == name).unwrap().clone();
        (found.unclamped, found.clamped)
    };
    let still = set("still", cube(11), pattern(4e-3), |_| [0.0, 0.0, 0.1]);
    assert!(ramp(&still, "stretch x").0 < 1e-12);
    // Up by 1 mm beyond a compression of 0.15, further than the clamp (a stretch of -0.106) lets the look-up go.
    let jump = set("jump", cube(21), pattern(4e-3), |[sx, _, _]| [0.0, 0.0, if sx < -0.16 { 1.0 } else { 0.0 }]);
    let (unclamped, clamped) = ramp(&jump, "compress x");
    assert!(unclamped > 1e-3, "{unclamped}");
    assert!(clamped < 1e-12, "{clamped}");
}

#[test]
fn reports_hold_every_set_and_the_page_stands_alone() {
    let sets = [set("coarse <3>", cube(3), pattern(4e-3), smooth), set("dense", cube(5), pattern(4e-3), smooth)];
    let comparison = compared(&sets);
    let text = text::text(&comparison);
    assert!(text.contains("coarse <3>") && text.contains("Suggestions"), "{text}");
    let page = html::html(&comparison).unwrap();
    assert!(page.contains("coarse &lt;3&gt;") && page.contains("data:image/png;base64,"));
    assert!(!page.contains("coarse <3>") && !page.contains("src=\"http") && !page.contains("href="));
    let csv = csv::csv(&comparison);
    assert!(csv.lines().all(|l| l.split(',').count() >= 4));
    assert!(csv.contains("Sets at random strains,coarse <3>: tension,largest,"), "{csv}");
    let json = serde_json::to_value(&comparison).unwrap();
    assert_eq!(json["sets"][0]["cost"]["samples"], 27);
}

#[test]
fn without_a_material_the_physics_cannot_be_asked_and_it_says_so() {
    let a = set("a", cube(3), pattern(4e-3), |_| [0.0; 3]);
    let options = CompareOptions { held_out: 1, ..quick() };
    let reason =
        compare(std::slice::from_ref(&a), None, &options, &mut |_| ()).unwrap().sets[0].held_out.clone().unwrap_err();
    assert!(reason.contains("--material"), "{reason}");
    let material = Some(YarnMaterial::preset("woven").unwrap());
    let solved = compare(&[a], None, &CompareOptions { material, ..options }, &mut |_| ()).unwrap();
    let held_out = solved.sets[0].held_out.as_ref().unwrap();
    assert_eq!(held_out.solved + held_out.failed, 4, "one in each region");
}
