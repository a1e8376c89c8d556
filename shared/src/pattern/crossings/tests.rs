use super::{Crossing, crossings};
use crate::pattern::Pattern;
use crate::pattern::knit::{KnitChart, KnitOptions, knit};
use crate::pattern::test_patterns::polygons;

/// A square of straight yarns, one along x (edge 0) and one along y (edge 1), the latter at height `z`.
fn cross(z: f64) -> Pattern {
    polygons([10.0, 10.0], &[(&[[0.0, 3.0, 0.0]], [1, 0]), (&[[4.0, 0.0, z]], [0, 1])])
}

#[test]
fn the_yarn_with_the_larger_z_is_above() {
    let [crossing] = crossings(&cross(2.5)).unwrap()[..] else { panic!("one crossing is expected") };
    assert_eq!((crossing.edges, crossing.sign), ([1, 0], -1));
    assert!((crossing.height - 2.5).abs() < 1e-12);
    assert!((crossing.at[0] - 0.3).abs() < 1e-5 && (crossing.at[1] - 0.4).abs() < 1e-5);
    let [crossing] = crossings(&cross(-2.5)).unwrap()[..] else { panic!("one crossing is expected") };
    assert_eq!((crossing.edges, crossing.sign), ([0, 1], 1));
}

#[test]
fn copies_are_found_where_they_are() {
    // The yarn along y is drawn two cells to the right and one up.
    let pattern = polygons([10.0, 10.0], &[(&[[0.0, 3.0, 0.0]], [1, 0]), (&[[24.0, 10.0, 1.0]], [0, 1])]);
    let [crossing] = crossings(&pattern).unwrap()[..] else { panic!("one crossing is expected") };
    assert_eq!((crossing.edges, crossing.shift), ([1, 0], [2, 1]));
}

#[test]
fn a_crossing_in_a_vertex_of_both_yarns_counts_once() {
    let pattern = polygons(
        [10.0, 10.0],
        &[
            (&[[0.0, 5.0, 0.0], [5.0, 5.0, 0.0]], [1, 0]),
            (&[[5.0, 0.0, 2.0], [5.0, 5.0, 2.0]], [0, 1]),
            (&[[0.0, 0.0, -2.0], [5.0, 5.0, -2.0]], [1, 1]),
        ],
    );
    let found = crossings(&pattern).unwrap();
    let over = |a: usize, b: usize| found.iter().filter(|c| c.edges.map(|e| e / 2) == [a, b]).count();
    assert_eq!((found.len(), over(1, 0), over(0, 2), over(1, 2)), (3, 1, 1, 1));
}

#[test]
fn edges_that_span_many_periods_cross_their_copies() {
    // Slope 1/3: once around it crosses a yarn along x once and one along y three times.
    let pattern = polygons(
        [1.0, 1.0],
        &[(&[[0.0, 0.2, 0.0]], [3, 1]), (&[[0.1, 0.5, 3.0]], [1, 0]), (&[[0.4, 0.0, -3.0]], [0, 1])],
    );
    let count = |a: usize, b: usize| crossings(&pattern).unwrap().iter().filter(|c| c.edges == [a, b]).count();
    assert_eq!((count(1, 0), count(0, 2), count(1, 2)), (1, 3, 1));
}

#[test]
fn rotating_the_start_of_the_period_changes_no_crossing() {
    let pattern = knit(&KnitChart::parse("KPK/PPK").unwrap(), &KnitOptions::default()).unwrap();
    let [px, py] = pattern.period();
    let mut data = pattern.data().clone();
    // Each vertex moves into the cell (0, 0); shifts follow.
    let cell: Vec<[i32; 2]> = data
        .vertices
        .iter()
        .map(|v| [(v.position[0] / px).floor() as i32, (v.position[1] / py).floor() as i32])
        .collect();
    assert!(cell.iter().any(|c| c[1] != 0));
    for (i, v) in data.vertices.iter_mut().enumerate() {
        let to = cell[v.edge.to as usize];
        v.position[0] -= f64::from(cell[i][0]) * px;
        v.position[1] -= f64::from(cell[i][1]) * py;
        v.edge.shift = [v.edge.shift[0] + to[0] - cell[i][0], v.edge.shift[1] + to[1] - cell[i][1]];
    }
    let key = |c: &Crossing| (c.edges, c.sign);
    let before: Vec<_> = crossings(&pattern).unwrap().iter().map(key).collect();
    let after: Vec<_> = crossings(&Pattern::new(data).unwrap()).unwrap().iter().map(key).collect();
    assert_eq!(before.len(), 4 * 6);
    assert_eq!(before, after);
}

#[test]
fn absurd_shifts_are_refused_and_not_counted_for_ever() {
    let yarn = |x: f64| [[x, 0.0, 0.0]];
    let yarns: Vec<[[f64; 3]; 1]> = (0..60).map(|i| yarn(f64::from(i) * 0.01)).collect();
    let yarns: Vec<(&[[f64; 3]], [i32; 2])> = yarns.iter().map(|y| (y.as_slice(), [600, 601])).collect();
    let error = crossings(&polygons([1.0, 1.0], &yarns)).unwrap_err().to_string();
    assert!(error.contains("is the period right?"), "{error}");
}
