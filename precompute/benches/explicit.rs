//! What explicit yarns cost: `cargo bench -p yarnwise-precompute --bench explicit`.
//!
//! Plain weave of 1 x 1 to 8 x 8 periods (4 to 256 crossings): one evaluation of energy, forces and stiffness, and one equilibrium from rest,
//! a crossing, beside that of the smallest cell in the same run.
#![allow(clippy::print_stdout, reason = "a benchmark reports to its user")]

use nalgebra::Vector3;
use std::hint::black_box;
use std::time::Instant;
use yarnwise_precompute::newton::PointMatrix;
use yarnwise_precompute::spline::{Contacts, SplineCell, SplineSettings};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
use yarnwise_shared::pattern::{Pattern, VertexLine, pattern_of_vertices};
use yarnwise_shared::table::strain::Strain;

/// The same fabric with `n` x `n` periods in a period.
fn repeated(cell: &SplineCell, n: usize) -> Pattern {
    let place = cell.place(Strain::new(0.0, 0.0, 0.0));
    let mut lines = Vec::new();
    for curve in &cell.yarns.curves {
        let along = usize::from(curve.shift[0] == 0);
        for copy in 0..n {
            let mut shift = [0, 0];
            shift[1 - along] = copy as i32;
            let at = |k: usize| {
                let turns = (k / curve.count) as f64;
                let station = curve.station((k % curve.count) as f64);
                station.value(&place.turn(curve), &cell.rest) + place.turn(curve) * turns + place.translation(shift)
            };
            let count = n * curve.count;
            lines.push(VertexLine {
                positions: (0..count).map(at).collect(),
                rest_lengths: vec![curve.rest_speed; count],
                shift: curve.shift,
            });
        }
    }
    let period = cell.period.map(|p| p * n as f64);
    pattern_of_vertices(period, cell.yarns.radius, &lines, "repeated").expect("a repeated pattern is a pattern")
}

/// Seconds of the fastest of some runs.
fn seconds(mut run: impl FnMut()) -> f64 {
    let once = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..5).map(|_| once(&mut run)).fold(f64::INFINITY, f64::min)
}

fn evaluation(cell: &SplineCell) -> f64 {
    let strain = Strain::new(0.1, 0.0, 0.0);
    let place = cell.place(strain);
    let state = cell.solve(strain);
    let contacts =
        Contacts::find(&cell.yarns, &place, cell.yarns.contact_places(&place, &state.q), 0.8 * cell.yarns.radius);
    let mut pairs = Vec::new();
    cell.yarns.couplings(&contacts, &mut |a, b| pairs.push((a, b)));
    let mut matrix = PointMatrix::new(state.q.len(), pairs.into_iter());
    let mut gradient = vec![Vector3::zeros(); state.q.len()];
    seconds(|| {
        matrix.clear();
        gradient.fill(Vector3::zeros());
        black_box(cell.yarns.energy(&place, &state.q, &contacts));
        cell.yarns.add_gradient(&place, &state.q, &contacts, &cell.yarns.stiffness, &mut gradient);
        cell.yarns.add_stiffness(&place, &state.q, &contacts, &mut matrix);
    })
}

fn main() {
    let pattern = weave(&Draft::preset("plain").expect("a preset"), &WeaveOptions::default()).expect("a weave");
    let woven = YarnMaterial::preset("woven").expect("a preset");
    let settings = SplineSettings::default();
    let one = SplineCell::with_free_period(&pattern, &woven, &settings).expect("it comes to rest");
    let mut first = [0.0; 2];
    println!(
        "{:>8} {:>10} {:>10} {:>24} {:>24} {:>12}",
        "periods", "crossings", "unknowns", "evaluation, us/crossing", "equilibrium, ms/crossing", "steps"
    );
    for n in [1, 2, 4, 8] {
        let cell = SplineCell::new(&repeated(&one, n), &woven, &settings).expect("it is at rest");
        let crossings = cell.crossings as f64;
        let mut steps = 0;
        let solve = seconds(|| steps = black_box(cell.solve(Strain::new(0.1, 0.0, 0.0))).work.factorizations);
        let cost = [1e6 * evaluation(&cell) / crossings, 1e3 * solve / crossings];
        if n == 1 {
            first = cost;
        }
        println!(
            "{n:>8} {:>10} {:>10} {:>15.2} ({:>5.2} x) {:>15.3} ({:>5.2} x) {steps:>12}",
            cell.crossings,
            3 * cell.rest.len(),
            cost[0],
            cost[0] / first[0],
            cost[1],
            cost[1] / first[1]
        );
    }
}
