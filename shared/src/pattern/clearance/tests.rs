use super::{closest_approach, closest_points, segment_distance, tightest_bend};
use crate::pattern::Pattern;
use crate::pattern::knit::{KnitChart, KnitOptions, knit};
use crate::pattern::test_patterns::polygons;
use nalgebra::Vector3;
use proptest::prelude::*;

#[test]
fn distances_are_those_between_center_lines_of_all_copies() {
    // Two yarns along x: 3 apart within the cell, but 10 - 7.5 = 2.5 across its border.
    let far = polygons([10.0, 10.0], &[(&[[0.0, 1.0, 0.0]], [1, 0]), (&[[0.0, 8.5, 0.0]], [1, 0])]);
    let approach = closest_approach(&far, 4.0).unwrap().unwrap();
    assert!((approach.distance - 2.5).abs() < 1e-12, "{approach:?}");
    assert_eq!((approach.edges, approach.shift), ([0, 1], [0, -1]));
    assert_eq!(closest_approach(&far, 2.4).unwrap(), None);
}

#[test]
fn a_yarn_does_not_come_near_itself_but_its_copies_do() {
    // Straight along x, one period 1.5 radii high: neighbors along the yarn do not count, the copy above does.
    let points: Vec<[f64; 3]> = (0..20).map(|i| [f64::from(i), 0.0, 0.0]).collect();
    let pattern = polygons([20.0, 1.5], &[(&points, [1, 0])]);
    let approach = closest_approach(&pattern, 2.0).unwrap().unwrap();
    assert!((approach.distance - 1.5).abs() < 1e-12);
    assert_eq!(approach.shift[1].abs(), 1);
}

#[test]
fn a_yarn_that_returns_to_itself_counts_within_a_period_and_from_one_to_the_next() {
    // Up along one leg and down along another, in steps of 1.
    let legs = |up: f64, down: f64| -> Vec<[f64; 3]> {
        let rise = (0..=8).map(|i| [up, f64::from(i), 0.0]);
        rise.chain((0..=8).rev().map(|i| [down, f64::from(i), 0.0])).collect()
    };
    let within = polygons([20.0, 20.0], &[(&legs(2.0, 3.2), [1, 0])]);
    let approach = closest_approach(&within, 2.0).unwrap().unwrap();
    assert!((approach.distance - 1.2).abs() < 1e-12, "{approach:?}");
    let next = polygons([20.0, 20.0], &[(&legs(2.0, 20.8), [1, 0])]);
    let approach = closest_approach(&next, 2.0).unwrap().unwrap();
    assert!((approach.distance - 1.2).abs() < 1e-12 && approach.shift[0].abs() == 1, "{approach:?}");
}

#[test]
fn a_small_ring_is_not_near_itself() {
    // A ring of circumference 6: opposite sides have less than pi radii of yarn between them, both ways around.
    let ring: Vec<[f64; 3]> = (0..12)
        .map(|i| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / 12.0).sin_cos();
            [5.0 + cos * 6.0 / std::f64::consts::TAU, 5.0 + sin * 6.0 / std::f64::consts::TAU, 0.0]
        })
        .collect();
    assert_eq!(closest_approach(&polygons([20.0, 20.0], &[(&ring, [0, 0])]), 2.0).unwrap(), None);
    let bend = tightest_bend(&polygons([20.0, 20.0], &[(&ring, [0, 0])])).0;
    assert!((bend - 0.95).abs() < 0.05, "{bend}");
}

/// The same by brute force over all pairs and many copies.
fn slow(pattern: &Pattern, reach: f64) -> f64 {
    let n = pattern.vertices().len();
    let [px, py] = pattern.period();
    let yarn_of = |i: usize| pattern.yarns().iter().position(|y| y.vertices.contains(&(i as u32))).unwrap();
    let lengths: Vec<f64> = (0..n).map(|i| Vector3::from(pattern.edge_vector(i)).norm()).collect();
    let mut closest = reach;
    for a in 0..n {
        for b in 0..n {
            for x in -2..=2 {
                for y in -2..=2 {
                    // Generated yarns lie whole in one cell row: the same strand is the copy along x.
                    let same = yarn_of(a) == yarn_of(b) && y == 0;
                    let first = *pattern.yarns()[yarn_of(a)].vertices.first().unwrap() as usize;
                    let total: f64 = pattern.yarns()[yarn_of(a)].vertices.iter().map(|i| lengths[*i as usize]).sum();
                    let arc = |i: usize| lengths[first..i].iter().sum::<f64>();
                    let begin = arc(b.max(first)) + f64::from(x) * total;
                    let gap = (begin - arc(a) - lengths[a]).max(arc(a) - begin - lengths[b]);
                    if same && gap < std::f64::consts::PI * pattern.radius() {
                        continue;
                    }
                    let from = |i: usize| Vector3::from(pattern.vertices()[i].position);
                    let copy = from(b) + Vector3::new(px * f64::from(x), py * f64::from(y), 0.0);
                    let d =
                        segment_distance(from(a), pattern.edge_vector(a).into(), copy, pattern.edge_vector(b).into());
                    closest = closest.min(d);
                }
            }
        }
    }
    closest
}

#[test]
fn the_search_agrees_with_brute_force() {
    for chart in ["K", "KP", "P/K"] {
        let pattern = knit(&KnitChart::parse(chart).unwrap(), &KnitOptions::default()).unwrap();
        for reach in [2.5e-3, 8e-3] {
            let fast = closest_approach(&pattern, reach).unwrap().unwrap().distance;
            // The same pair from the other side, or another copy of it: equal but for rounding.
            assert!((fast - slow(&pattern, reach)).abs() < 1e-15, "{chart}");
        }
    }
}

fn vector() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(prop_oneof![-1.0..1.0f64, Just(0.0), Just(1.0)]).prop_map(Vector3::from)
}

proptest! {
    #[test]
    fn no_sampled_pair_of_points_is_nearer(p in vector(), u in vector(), q in vector(), v in vector()) {
        prop_assume!(u.norm() > 1e-3 && v.norm() > 1e-3);
        let [s, t] = closest_points(p, u, q, v);
        prop_assert!((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t));
        let found = segment_distance(p, u, q, v);
        for i in 0..=20 {
            for j in 0..=20 {
                let sampled = (p + u * (f64::from(i) / 20.0) - q - v * (f64::from(j) / 20.0)).norm();
                prop_assert!(found <= sampled + 1e-12, "{found} {sampled}");
            }
        }
    }
}
