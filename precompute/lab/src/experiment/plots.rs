//! Experiments as plots.

use crate::plot::Plot;
use yarnwise_precompute::experiment::{Axis, Experiment, Kind};
use yarnwise_precompute::fabric::Response;

/// What was measured over what was done.
pub fn plot(experiment: &Experiment) -> Plot {
    let title = format!("{}, model {}", experiment.pattern, experiment.model);
    match experiment.experiment {
        Kind::PullOut => pull_out(experiment, &title),
        Kind::InPlane => in_plane(experiment, &title),
        Kind::Shear => by_load(experiment, &title),
        Kind::Bent => by_curvature(experiment, &title),
        _ => by_stretch(experiment, &title),
    }
}

/// Lines of stress over one strain, a line for each value of what `other` gives.
fn lines(
    mut plot: Plot,
    states: &[Response],
    along: usize,
    stress: usize,
    other: impl Fn(&Response) -> f64,
    name: &str,
) -> Plot {
    let mut others: Vec<f64> = states.iter().map(&other).collect();
    others.sort_by(f64::total_cmp);
    others.dedup();
    for value in others {
        let own = states.iter().filter(|s| other(s) == value);
        let points: Vec<[f64; 2]> = own.filter_map(|s| Some([s.strain[along], s.stress?[stress]])).collect();
        plot = plot.line_with_points(&format!("{name} {value}"), &points);
    }
    plot
}

fn by_stretch(experiment: &Experiment, title: &str) -> Plot {
    if experiment.experiment == Kind::Uniaxial {
        let points = |k: usize| -> Vec<[f64; 2]> {
            experiment.states.iter().filter_map(|s| Some([s.strain[0], [s.stress?[0], s.strain[2]][k]])).collect()
        };
        let plot = Plot::new(&format!("Free width: {title}"), "sx", "sigma x, N/m; sy");
        return plot.line_with_points("sigma x", &points(0)).line_with_points("sy", &points(1));
    }
    let plot = Plot::new(&format!("Stress under stretch: {title}"), "sx", "sigma x, N/m");
    lines(plot, &experiment.states, 0, 0, |s| s.strain[2], "sy")
}

fn by_load(experiment: &Experiment, title: &str) -> Plot {
    let plot = Plot::new(&format!("Shear stress: {title}"), "sa", "d psi / d sa, N/m");
    lines(plot, &experiment.states, 1, 1, |s| s.strain[0], "sx = sy =")
}

fn by_curvature(experiment: &Experiment, title: &str) -> Plot {
    let states = experiment.bent.as_deref().unwrap_or_default();
    let mut strains: Vec<[f64; 3]> = Vec::new();
    states.iter().filter(|s| s.is_sound()).for_each(|s| {
        if !strains.contains(&s.strain) {
            strains.push(s.strain);
        }
    });
    let mut plot = Plot::new(&format!("Moment under bending: {title}"), "curvature, 1/m", "d psi / d lambda, N");
    for (axis, name) in [(Axis::X, "x"), (Axis::Y, "y")] {
        for strain in &strains {
            let own = states.iter().filter(|s| s.axis == axis && s.strain == *strain && s.is_sound());
            let points: Vec<[f64; 2]> = own.filter_map(|s| Some([s.curvature, s.moment?])).collect();
            if !points.is_empty() {
                plot = plot.line_with_points(&format!("along {name}, sx {} sy {}", strain[0], strain[2]), &points);
            }
        }
    }
    plot
}

fn pull_out(experiment: &Experiment, title: &str) -> Plot {
    let pulls = experiment.pull_out.as_deref().unwrap_or_default();
    let points = |value: &dyn Fn(usize) -> Option<f64>| -> Vec<[f64; 2]> {
        (0..pulls.len()).filter_map(|i| Some([pulls[i].displacement / experiment.radius, 1e3 * value(i)?])).collect()
    };
    let friction = experiment.friction.unwrap_or(0.0);
    Plot::new(&format!("Pull-out: {title}"), "pull, radii", "force, mN")
        .line_with_points("force", &points(&|i| Some(pulls[i].force)))
        .line("without friction", &points(&|i| pulls[i].force_without_friction))
        .line("mu times sum of normal forces", &points(&|i| Some(friction * pulls[i].normal_force_sum)))
}

fn in_plane(experiment: &Experiment, title: &str) -> Plot {
    let loads = experiment.in_plane.as_deref().unwrap_or_default();
    let points =
        |k: usize| -> Vec<[f64; 2]> { loads.iter().map(|l| [l.stretch, l.heights[k] / experiment.radius]).collect() };
    Plot::new(&format!("Heights of a pulled patch: {title}"), "stretch", "height, radii")
        .line_with_points("pulled yarns", &points(0))
        .line_with_points("yarns across", &points(1))
}
