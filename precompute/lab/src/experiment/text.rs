//! Experiments as tables.

use std::fmt::Write;
use yarnwise_precompute::experiment::{Axis, Bent, Experiment, Load, Pull};
use yarnwise_precompute::fabric::Response;

/// What was measured, a line a state. Lengths are in radii of the yarn.
pub fn text(experiment: &Experiment) -> String {
    let r = experiment.radius;
    let mut out = String::new();
    let [px, py] = experiment.period.map(|p| p / r);
    // Writing into a string does not fail.
    let _ = writeln!(
        out,
        "{} of {}, model {}: radius {} mm, period {px:.4} x {py:.4} radii",
        experiment.experiment.name(),
        experiment.pattern,
        experiment.model,
        1e3 * r
    );
    states(&mut out, &experiment.states, r);
    if let Some(states) = &experiment.bent {
        bent(&mut out, states, r);
    }
    if let Some(pulls) = &experiment.pull_out {
        pull_out(&mut out, pulls, r, experiment.friction);
    }
    if let Some(loads) = &experiment.in_plane {
        in_plane(&mut out, loads, r);
    }
    out
}

/// A number or a dash.
fn maybe(value: Option<f64>, unit: f64) -> String {
    value.map_or_else(|| "-".to_owned(), |v| format!("{:.6}", v * unit))
}

fn states(out: &mut String, states: &[Response], r: f64) {
    if states.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "{:>8} {:>8} {:>8} {:>12} {:>12} {:>12} {:>12} {:>9} {:>9} {:>11}",
        "sx", "sa", "sy", "psi, J/m2", "sigma x, N/m", "tau, N/m", "sigma y, N/m", "height x", "height y", "N, mN"
    );
    for s in states {
        let stress = |k: usize| maybe(s.stress.map(|t| t[k]), 1.0);
        let height = |k: usize| maybe(s.heights.map(|h| h[k]), 1.0 / r);
        let _ = writeln!(
            out,
            "{:>8.4} {:>8.4} {:>8.4} {:>12.6} {:>12} {:>12} {:>12} {:>9} {:>9} {:>11}{}",
            s.strain[0],
            s.strain[1],
            s.strain[2],
            s.energy_density,
            stress(0),
            stress(1),
            stress(2),
            height(0),
            height(1),
            maybe(s.normal_force, 1e3),
            remark(s.converged, s.stable)
        );
    }
}

fn remark(converged: bool, stable: bool) -> &'static str {
    match (converged, stable) {
        (true, true) => "",
        (true, false) => "  not stable",
        (false, _) => "  did not converge",
    }
}

fn bent(out: &mut String, states: &[Bent], r: f64) {
    let _ = writeln!(
        out,
        "{:>8} {:>8} {:>6} {:>15} {:>12} {:>14} {:>14} {:>20}",
        "sx", "sy", "along", "curvature, 1/m", "times radius", "psi, J/m2", "moment, N", "over curvature, N m"
    );
    for s in states {
        let along = if s.axis == Axis::X { "x" } else { "y" };
        let number =
            |v: Option<f64>| v.filter(|v| v.is_finite()).map_or_else(|| "-".to_owned(), |v| format!("{v:.6e}"));
        let _ = writeln!(
            out,
            "{:>8.4} {:>8.4} {along:>6} {:>15.4} {:>12.5} {:>14.8} {:>14} {:>20}{}",
            s.strain[0],
            s.strain[2],
            s.curvature,
            s.curvature * r,
            s.energy_density,
            number(s.moment),
            number(s.moment.map(|m| m / s.curvature)),
            remark(s.converged, s.stable)
        );
    }
}

fn pull_out(out: &mut String, pulls: &[Pull], r: f64, friction: Option<f64>) {
    let _ = writeln!(
        out,
        "{:>12} {:>12} {:>14} {:>12} {:>9}",
        "pull, radii", "force, mN", "no friction, mN", "sum N, mN", "touching"
    );
    for p in pulls {
        let _ = writeln!(
            out,
            "{:>12.4} {:>12.6} {:>14} {:>12.6} {:>9}{}",
            p.displacement / r,
            1e3 * p.force,
            maybe(p.force_without_friction, 1e3),
            1e3 * p.normal_force_sum,
            p.touching,
            remark(p.converged, true)
        );
    }
    let ratio =
        pulls.last().and_then(|p| Some((p.force - p.force_without_friction?) / (friction? * p.normal_force_sum)));
    if let Some(ratio) = ratio.filter(|r| r.is_finite()) {
        let _ = writeln!(out, "(F - F without friction) / (mu sum N) at the end: {ratio:.4}");
    }
}

fn in_plane(out: &mut String, loads: &[Load], r: f64) {
    let _ = writeln!(out, "{:>8} {:>14} {:>14} {:>14}", "stretch", "force, N/m", "pulled height", "other height");
    for l in loads {
        let [a, b] = l.heights.map(|h| h / r);
        let _ =
            writeln!(out, "{:>8.4} {:>14.6} {a:>14.6} {b:>14.6}{}", l.stretch, l.edge_force, remark(l.converged, true));
    }
}
