//! Speed of the bake: core-seconds a sample, where they go, and how they grow with the pattern.
//!
//! `cargo bench -p yarnwise-precompute --bench bake` samples the 9 x 9 x 9 grid, with large patterns a part of it; `-- --full` the
//! whole grid with them too. `-- bake` or `-- profile` runs one of the two tables alone. With YARNWISE_REFERENCE the published
//! patterns are measured, otherwise those of `data/patterns`.
#![allow(clippy::print_stdout, reason = "a benchmark reports to its user")]

use std::path::{Path, PathBuf};
use std::time::Instant;
use yarnwise_precompute::cell::Cell;
use yarnwise_precompute::cell::energy::Problem;
use yarnwise_precompute::equilibrium::descent::{Descent, Schedule, Step};
use yarnwise_precompute::equilibrium::settings::SolverSettings;
use yarnwise_precompute::equilibrium::{Solved, Start, solve};
use yarnwise_precompute::job::{Plan, Tasks};
use yarnwise_precompute::sampling::{Continuation, SamplingPlan, SamplingSettings};
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{self, Edge, Pattern, PatternData};
use yarnwise_shared::table::grid::{Axis, Grid, StrainGrid};
use yarnwise_shared::table::strain::Strain;

/// A pattern to measure, and the core-seconds a sample of the paper, where it has them.
struct Subject {
    name: &'static str,
    pattern: Pattern,
    material: &'static str,
    tolerance: f64,
    paper: Option<f64>,
}

/// Patterns with more vertices are measured on a part of the grid, unless the whole is asked for.
const SMALL: usize = 128;

fn main() {
    let wanted = |name: &str| std::env::args().any(|a| a == name);
    let subjects = subjects();
    if !wanted("profile") {
        println!("\ncore-seconds a sample, continuation with retries, one thread");
        println!(
            "{:14} {:>8} {:>8} {:>7} {:>7} {:>12} {:>8}",
            "", "vertices", "samples", "solves", "facts", "core-s", "paper"
        );
        subjects.iter().skip(1).for_each(|s| bake(s, wanted("--full")));
    }
    if !wanted("bake") {
        println!("\nwhere the time of a solve from a neighbor goes, in % (mean over 6 solves)");
        println!(
            "{:14} {:>8} {:>8} {:>6} {:>7} {:>8} {:>13} {:>6} {:>11} {:>8} {:>8} {:>8} {:>8} {:>8}",
            "",
            "vertices",
            "factor",
            "pairs",
            "rods",
            "contact",
            "factorization",
            "energy",
            "broad phase",
            "analysis",
            "ms/fact",
            "facts",
            "steps",
            "analyses"
        );
        subjects.iter().for_each(|s| profile(s.name, &s.pattern, s));
        profile("2 x 2 cells", &tiled(&subjects[2].pattern), &subjects[2]);
    }
}

fn subjects() -> Vec<Subject> {
    let subject = |name, path: PathBuf, material, tolerance, paper| Subject {
        name,
        pattern: pattern::read(&path).unwrap_or_else(|e| panic!("{e}")),
        material,
        tolerance,
        paper,
    };
    match std::env::var_os("YARNWISE_REFERENCE") {
        Some(folder) => {
            let path = |name: &str| Path::new(&folder).join("patterns").join(name);
            vec![
                subject("stocktiniest", path("stocktiniest.pyp"), "fine", 1e-6, None),
                subject("stockinette", path("stockinette.pyp"), "knit", 5e-5, Some(1.3)),
                subject("rib", path("cartridge_belt_rib.pyp"), "knit", 5e-5, Some(8.4)),
            ]
        }
        None => {
            println!("YARNWISE_REFERENCE is not set: our own patterns, which the paper's times are not for");
            let path = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/patterns").join(name);
            vec![
                subject("plain", path("plain.yarn"), "woven", 1e-6, None),
                subject("stockinette", path("stockinette.yarn"), "knit", 5e-5, None),
                subject("rib2x2", path("rib2x2.yarn"), "knit", 5e-5, None),
            ]
        }
    }
}

/// Two by two copies of a pattern as one.
fn tiled(one: &Pattern) -> Pattern {
    let [px, py] = one.period();
    let n = one.vertices().len();
    let mut vertices = Vec::with_capacity(4 * n);
    for (cx, cy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        for v in one.vertices() {
            let mut v = *v;
            v.position = [v.position[0] + px * f64::from(cx), v.position[1] + py * f64::from(cy), v.position[2]];
            let to = [cx + v.edge.shift[0], cy + v.edge.shift[1]];
            let copy = to[0].rem_euclid(2) + 2 * to[1].rem_euclid(2);
            v.edge = Edge { to: v.edge.to + (copy as usize * n) as u32, shift: to.map(|t| t.div_euclid(2)) };
            vertices.push(v);
        }
    }
    let data = PatternData { period: [2.0 * px, 2.0 * py], radius: one.radius(), vertices };
    Pattern::new(data).unwrap_or_else(|e| panic!("{e}"))
}

/// 80 samples around rest with the spacing of the 9 x 9 x 9 grid, in tension and compression as there.
fn part_of_the_grid() -> StrainGrid {
    let axis = |values: &[f64]| Axis::new("part", values.to_vec()).unwrap_or_else(|e| panic!("{e}"));
    let stretch = [-0.1, 0.0, 1.0 / 6.0, 1.0 / 3.0];
    Grid([axis(&stretch), axis(&[-0.35, -0.175, 0.0, 0.175, 0.35]), axis(&stretch)])
}

fn bake(subject: &Subject, full: bool) {
    let material = YarnMaterial::preset(subject.material).unwrap_or_else(|e| panic!("{e}"));
    let cell = Cell::new(&subject.pattern, &material).unwrap_or_else(|e| panic!("{e}"));
    let whole = StrainGrid::preset(9).unwrap_or_else(|e| panic!("{e}"));
    let grid = if full || cell.vertex_count() <= SMALL { whole } else { part_of_the_grid() };
    let solver = SolverSettings { tolerance: subject.tolerance, ..SolverSettings::default() };
    let settings = SamplingSettings { solver, ..SamplingSettings::default() };
    let mut course = Continuation::new(&cell, &grid, &settings).unwrap_or_else(|e| panic!("{e}"));
    let (begin, mut solves, mut factorizations) = (cpu_seconds(), 0, 0);
    loop {
        let tasks = course.next_wave();
        if tasks.is_empty() {
            break;
        }
        solves += tasks.len();
        let results: Vec<Solved> = tasks.iter().map(|t| course.run(t)).collect();
        factorizations += results.iter().map(|r| r.work.factorizations).sum::<usize>();
        course.accept(tasks, results);
    }
    let samples = course.finish().len();
    let seconds = (cpu_seconds() - begin) / samples as f64;
    let paper = subject.paper.map_or("-".to_owned(), |p| p.to_string());
    let vertices = cell.vertex_count();
    let name = subject.name;
    println!("{name:14} {vertices:8} {samples:8} {solves:7} {factorizations:7} {seconds:12.4} {paper:>8}");
}

/// Processor time of this process so far, s: blind to what else the machine does. Elsewhere than on Linux, time.
fn cpu_seconds() -> f64 {
    let ticks = |text: String| -> Option<f64> {
        let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
        Some(fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?)
    };
    match std::fs::read_to_string("/proc/self/stat").ok().and_then(ticks) {
        // A tick of /proc is a hundredth of a second on every Linux.
        Some(ticks) => ticks / 100.0,
        None => {
            static BEGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
            BEGIN.get_or_init(Instant::now).elapsed().as_secs_f64()
        }
    }
}

fn profile(name: &str, pattern: &Pattern, subject: &Subject) {
    let material = YarnMaterial::preset(subject.material).unwrap_or_else(|e| panic!("{e}"));
    let cell = Cell::new(pattern, &material).unwrap_or_else(|e| panic!("{e}"));
    let settings = SolverSettings { tolerance: subject.tolerance, ..SolverSettings::default() };
    let problem = |[sx, sa, sy]: [f64; 3]| Problem::planar(&cell, Strain::new(sx, sa, sy));
    let rest: Solved = solve(&problem([0.0; 3]), Start::Cold, &settings);
    let strains =
        [[0.1, 0.0, 0.0], [0.0, 0.175, 0.0], [0.0, 0.0, 0.1], [0.1, 0.175, 0.1], [-0.05, 0.0, 0.0], [0.0, -0.1, -0.05]];
    let (mut parts, mut factorizations, mut steps, mut analyses, mut sizes) = ([("", 0.0); 6], 0, 0, 0, (0, 0));
    for strain in strains {
        let problem = problem(strain);
        let state = problem.displaced_state(&rest.displacements);
        let mut descent = Descent::new(&problem, &settings, state, Schedule::warm(&settings));
        while !descent.converged() && descent.step() == Step::Taken {}
        for (sum, (name, seconds)) in parts.iter_mut().zip(descent.profile.parts()) {
            *sum = (name, sum.1 + seconds);
        }
        factorizations += descent.work.factorizations;
        steps += descent.work.steps;
        sizes = descent.sizes();
        analyses += descent.work.analyses;
    }
    let total: f64 = parts.iter().map(|p| p.1).sum();
    let share = |k: usize| 100.0 * parts[k].1 / total;
    let mean = |count: usize| count as f64 / strains.len() as f64;
    let (milliseconds, facts, steps) = (1e3 * total / factorizations as f64, mean(factorizations), mean(steps));
    println!(
        "{name:14} {:8} {:8} {:6} {:7.0} {:8.0} {:13.0} {:6.0} {:11.0} {:8.0} {milliseconds:8.3} {facts:8.1} {steps:8.1} {:8.1}",
        cell.vertex_count(),
        sizes.0,
        sizes.1,
        share(0),
        share(1),
        share(2),
        share(3),
        share(4),
        share(5),
        mean(analyses)
    );
}
