//! Yarns that slide along themselves [Sperl21, Fig. 5].
#![allow(clippy::print_stdout, reason = "says how near the energies are")]

use super::*;
use crate::equilibrium::Solved;
use yarnwise_shared::pattern::clearance::closest_approach;
use yarnwise_shared::pattern::knit::{KnitChart, KnitOptions, knit};

fn knitted() -> Pattern {
    let loops = knit(&KnitChart::preset("stockinette").unwrap(), &KnitOptions::default()).unwrap();
    relax(&loops, &soft(), Period::Free, &SolverSettings::default()).unwrap().pattern
}

fn soft() -> YarnMaterial {
    YarnMaterial::preset("knit").unwrap()
}

fn free() -> SolverSettings {
    SolverSettings { hold_sliding: false, ..SolverSettings::default() }
}

/// Material displacements of the state in which every vertex is where the one `steps` further on was.
fn slid(cell: &Cell, solved: &Solved, steps: usize) -> Vec<[f64; 4]> {
    let period = cell.pattern.period();
    let vertices = cell.pattern.vertices();
    let slide = |i: usize| {
        let (mut at, mut shift) = (i, [0, 0]);
        for _ in 0..steps {
            (0..2).for_each(|k| shift[k] += cell.shift[at][k]);
            at = cell.next[at];
        }
        let offset = [period[0] * f64::from(shift[0]), period[1] * f64::from(shift[1]), 0.0];
        let to = |k: usize| vertices[at].position[k] + offset[k] + solved.displacements[at][k];
        let [x, y, z] = [0, 1, 2].map(|k| to(k) - vertices[i].position[k]);
        [x, y, z, solved.displacements[i][3]]
    };
    (0..vertices.len()).map(slide).collect()
}

fn mean(a: &[[f64; 4]], b: &[[f64; 4]]) -> Vec<[f64; 4]> {
    a.iter().zip(b).map(|(p, q)| std::array::from_fn(|k| 0.5 * (p[k] + q[k]))).collect()
}

fn moved(pattern: &Pattern, delta: &[[f64; 4]]) -> Pattern {
    let mut data = pattern.data().clone();
    for (v, d) in data.vertices.iter_mut().zip(delta) {
        (0..3).for_each(|k| v.position[k] += d[k]);
    }
    Pattern::new(data).unwrap()
}

/// Nearest approach of center lines in radii, 2 where yarns just touch.
fn clearance(pattern: &Pattern) -> f64 {
    closest_approach(pattern, 4.0 * RADIUS).unwrap().map_or(4.0, |a| a.distance / RADIUS)
}

#[test]
fn holding_against_sliding_hardly_costs_energy() {
    let weave = Cell::new(&plain_weave(8), &material()).unwrap();
    let knit = Cell::new(&knitted(), &soft()).unwrap();
    for (cell, name, limit) in [(&weave, "plain weave", 1e-6), (&knit, "stockinette", 1e-2)] {
        for (sx, sa, sy) in [(0.2, 0.1, 0.1), (0.4, 0.0, 0.0), (0.0, 0.3, 0.2)] {
            let problem = planar(cell, sx, sa, sy);
            let held = solve(&problem, Start::Cold, &SolverSettings::default());
            let free = solve(&problem, Start::Cold, &free());
            assert!(held.converged && free.converged);
            let excess = held.energy.total() / free.energy.total() - 1.0;
            println!("{name} at {sx} {sa} {sy}: held against sliding, its energy differs by {excess:.1e}");
            assert!(excess.abs() < limit, "{name}: {excess}");
        }
    }
}

#[test]
fn without_the_constraint_neighbors_cannot_be_interpolated() {
    let cell = Cell::new(&knitted(), &soft()).unwrap();
    let here = solve(&planar(&cell, 0.0, 0.0, 0.0), Start::Cold, &SolverSettings::default());
    let near = planar(&cell, 0.05, 0.0, 0.0);
    let held = solve(&near, Start::From(&here.displacements), &SolverSettings::default());
    // The same neighbor, found from where the yarns had slid: nothing brings them back.
    let start = slid(&cell, &here, 16);
    let other = solve(&near, Start::From(&start.into()), &free());
    assert!(held.converged && other.converged);
    let energies = other.energy.total() / held.energy.total() - 1.0;
    println!("slid by half a loop, the energy differs by {energies:.1e}");
    assert!(energies.abs() < 1e-2, "to the energy both are the same: {energies}");
    let slid_by = other.displacements.iter().zip(&held.displacements).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]));
    assert!(slid_by.fold(0.0, nan_or_larger) > 2.0 * RADIUS, "it stays slid");
    let middle = planar(&cell, 0.025, 0.0, 0.0);
    let true_energy = solve(&middle, Start::From(&here.displacements), &SolverSettings::default()).energy.total();
    let between = |other: &Solved| {
        let delta = mean(&here.displacements, &other.displacements);
        let state = middle.displaced_state(&delta);
        (energy(&middle, &state).total() / true_energy, clearance(&moved(&cell.pattern, &delta)))
    };
    let (good, bad) = (between(&held), between(&other));
    println!("half way between neighbors: (energy over that of the equilibrium, center lines apart in radii)");
    println!("with the constraint {good:?}, without {bad:?}");
    assert!(good.0 < 1.5 && good.1 > 1.7, "{good:?}");
    assert!(bad.0 > 100.0, "the shape half way is none of this fabric: {bad:?}");
}
