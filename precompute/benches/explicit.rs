//! What explicit yarns cost: `cargo bench -p yarnwise-precompute --bench explicit`.
//!
//! Plain weave of 1 x 1 to 8 x 8 periods (4 to 256 crossings): processor time a crossing of an equilibrium from rest and of the parts of
//! its steps, beside that of the smallest cell in the same run.
#![allow(clippy::print_stdout, reason = "a benchmark reports to its user")]

use cpu_time::ThreadTime;
use nalgebra::Vector3;
use std::hint::black_box;
use yarnwise_precompute::newton::{Holds, PointMatrix};
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

/// Seconds of processor time of the fastest of some runs.
fn seconds(mut run: impl FnMut()) -> f64 {
    let once = |run: &mut dyn FnMut()| {
        let start = ThreadTime::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..7).map(|_| once(&mut run)).fold(f64::INFINITY, f64::min)
}

/// What a step is made of.
const PARTS: [&str; 7] =
    ["energy", "forces, stiffness", "contact search", "what is coupled", "analysis", "factorization", "solution"];

/// Microseconds a crossing of the parts of a step, and entries of the factor and multiplications, in thousands a crossing.
fn parts(cell: &SplineCell) -> ([f64; 7], [f64; 2]) {
    let strain = Strain::new(0.1, 0.0, 0.0);
    let place = cell.place(strain);
    let state = cell.solve(strain);
    let yarns = &cell.yarns;
    let find = || Contacts::find(yarns, &place, yarns.contact_places(&place, &state.q), 0.8 * yarns.radius);
    let contacts = &state.contacts;
    let couplings = || {
        let mut pairs = Vec::new();
        yarns.couplings(contacts, &mut |a, b| pairs.push((a, b)));
        pairs
    };
    let mut matrix = PointMatrix::new(&state.q, couplings().into_iter());
    let mut gradient = vec![Vector3::zeros(); state.q.len()];
    let unit = yarns.stiffness.stretch / yarns.radius;
    let times = [
        seconds(|| {
            black_box(yarns.energy(&place, &state.q, contacts));
        }),
        seconds(|| {
            matrix.clear();
            gradient.fill(Vector3::zeros());
            yarns.add_derivatives(&place, &state.q, contacts, &mut gradient, &mut matrix);
        }),
        seconds(|| {
            black_box(find());
        }),
        seconds(|| {
            black_box(couplings());
        }),
        seconds(|| {
            black_box(PointMatrix::new(&state.q, couplings().into_iter()));
        }),
        seconds(|| assert!(matrix.factorize(1e-2 * unit), "it is definite")),
        seconds(|| {
            black_box(matrix.solve(&Holds::default(), &gradient));
        }),
    ];
    let crossings = cell.crossings as f64;
    let counts = [matrix.factor_entries() as f64, matrix.factor_work()];
    (times.map(|t| 1e6 * t / crossings), counts.map(|c| 1e-3 * c / crossings))
}

fn main() {
    let pattern = weave(&Draft::preset("plain").expect("a preset"), &WeaveOptions::default()).expect("a weave");
    let woven = YarnMaterial::preset("woven").expect("a preset");
    let settings = SplineSettings::default();
    let one = SplineCell::with_free_period(&pattern, &woven, &settings).expect("it comes to rest");
    let mut first = None;
    for n in [1, 2, 4, 8] {
        let cell = SplineCell::new(&repeated(&one, n), &woven, &settings).expect("it is at rest");
        let mut work = None;
        let solve = seconds(|| work = Some(black_box(cell.solve(Strain::new(0.1, 0.0, 0.0))).work));
        let work = work.expect("it was solved");
        let solve = 1e6 * solve / cell.crossings as f64;
        let (times, [entries, multiplications]) = parts(&cell);
        let (solve_first, times_first) = *first.get_or_insert((solve, times));
        println!(
            "{n} x {n} periods, {} crossings, {} unknowns: {} steps, {} factorizations, {} analyses; a crossing: {entries:.1} thousand entries of \
             the factor, {multiplications:.0} thousand multiplications",
            cell.crossings,
            3 * cell.rest.len(),
            work.steps,
            work.factorizations,
            work.analyses
        );
        let row = |name: &str, time: f64, first: f64| {
            println!("  {name:<20} {time:>9.1} us a crossing {:>6.2} x", time / first)
        };
        row("equilibrium", solve, solve_first);
        let evaluation = |t: &[f64; 7]| t[0] + t[1];
        row("evaluation", evaluation(&times), evaluation(&times_first));
        for (part, name) in PARTS.iter().enumerate() {
            row(name, times[part], times_first[part]);
        }
    }
}
