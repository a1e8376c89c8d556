//! The patch test: the border of the sheet is strained uniformly; what is inside should be strained like it.

use super::options::{PreconditionerArg, RegionArg, TrianglesArg, model, stuck_sheet, undamped};
use crate::options::Output;
use crate::report::{Outcome, progress_of};
use anyhow::Result;
use nalgebra::Vector3;
use serde::Serialize;
use std::path::PathBuf;
use yarnwise_lab::plot::Plot;
use yarnwise_program::number::within;
use yarnwise_solvers::hybrid::{HybridOptions, HybridSimulation};

/// Length of the steps to equilibrium, seconds: so long that mass hardly counts.
const STEP: f64 = 0.5;
/// The most of them.
const STEPS: usize = 40;
/// Equilibrium is reached where nothing moves by more than this part of the spacing in a step.
const AT_REST: f64 = 1e-12;

/// How the border is strained.
#[derive(Clone, Copy, Debug, clap::ValueEnum, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    /// Along u
    Stretch,
    /// Along u and v
    Biaxial,
    /// v turned toward u
    Shear,
}

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    /// Crossings along a side [default: 60 for half, 80 otherwise]
    #[arg(long, value_parser = clap::value_parser!(u16).range(12..=400))]
    size: Option<u16>,
    /// Crossings along the side of a mesh square
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(4..=100))]
    cell: u16,
    /// Where cloth is yarns: half, island, or a file with numbers of faces; without it half and island are run
    #[arg(long, value_name = "half|island|FILE")]
    region: Option<RegionArg>,
    /// Strains, with commas between them
    #[arg(long, value_delimiter = ',', default_value = "0.01,0.1", allow_negative_numbers = true)]
    strain: Vec<f64>,
    /// Squares next to the border at v = 0 and at the end of v whose nodes are held. Hybrid vertices at the border cannot be held, and the pull on
    /// them spreads to nodes inside: with no squares a straight border is only good for stretch along u
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    margin: f64,
    /// How the border is strained, with commas between several
    #[arg(long, value_enum, value_delimiter = ',', default_value = "stretch,biaxial,shear")]
    mode: Vec<Mode>,
    /// What triangles are made of, with commas between several
    #[arg(long, value_enum, value_delimiter = ',', default_value = "matched")]
    triangles: Vec<TrianglesArg>,
    /// A parameters file of the kind membrane for `--triangles parameters`
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// Preconditioner
    #[arg(long, value_enum, default_value_t = PreconditionerArg::LinesCoarse)]
    preconditioner: PreconditionerArg,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

/// Errors of strain.
#[derive(Serialize)]
pub(super) struct Patches {
    patches: Vec<Patch>,
}

#[derive(Serialize)]
struct Patch {
    region: String,
    triangles: TrianglesArg,
    mode: Mode,
    strain: f64,
    dead_load: bool,
    /// Largest error of the strain as a part of it: in yarns, where their weight is above 0.3, and below.
    errors: [f64; 3],
    /// Largest displacement from the uniform state, spacings.
    displacement: f64,
    /// Largest motion of the last step, spacings: how near equilibrium is.
    last: f64,
}

pub(super) fn run(args: &Args) -> Result<Patches> {
    args.strain.iter().try_for_each(|s| within("--strain", *s, [1e-4, 0.5]).map(|_| ()))?;
    within("--margin", args.margin, [0.0, 100.0])?;
    let regions = match &args.region {
        Some(region) => vec![region.clone()],
        None => vec![RegionArg::Half, RegionArg::Island],
    };
    let bar =
        progress_of("equilibrium", 2 * regions.len() * args.triangles.len() * args.mode.len() * args.strain.len());
    let mut patches = Vec::new();
    for region in &regions {
        for triangles in &args.triangles {
            for mode in &args.mode {
                for strain in &args.strain {
                    for dead_load in [false, true] {
                        patches.push(patch(args, region, *triangles, *mode, *strain, dead_load)?);
                        bar.inc(1);
                    }
                }
            }
        }
    }
    bar.finish_and_clear();
    Ok(Patches { patches })
}

fn patch(
    args: &Args,
    region: &RegionArg,
    triangles: TrianglesArg,
    mode: Mode,
    strain: f64,
    dead_load: bool,
) -> Result<Patch> {
    let size = args.size.unwrap_or(if matches!(region, RegionArg::Half) { 60 } else { 80 });
    let mut sheet = stuck_sheet(size.into(), args.cell.into(), undamped())?;
    sheet.build.triangles = triangles.model(&sheet.build, args.parameters.as_deref())?;
    let model = model(&sheet, region)?;
    let l = sheet.build.material.spacing;
    let strained = |x: &Vector3<f64>| match mode {
        Mode::Stretch => Vector3::new(x.x * (1.0 + strain), x.y, x.z),
        Mode::Biaxial => Vector3::new(x.x * (1.0 + strain), x.y * (1.0 + strain), x.z),
        Mode::Shear => Vector3::new(x.x + strain * x.y, x.y, x.z),
    };
    let options = HybridOptions {
        step: STEP,
        newton_iterations: 30,
        newton_tolerance: 1e-9,
        tolerance: 1e-10,
        max_iterations: 20_000,
        preconditioner: args.preconditioner.kind(),
        dead_load,
        ..Default::default()
    };
    let mut simulation = HybridSimulation::new(model, options);
    simulation.gravity = Vector3::zeros();
    let mut state = simulation.state().clone();
    state.yarns.positions.iter_mut().for_each(|x| *x = strained(x));
    state.vertices.iter_mut().for_each(|x| *x = strained(x));
    simulation.set_state(state.clone());
    let [width, height] = sheet.extent();
    let border = |[u, v]: [f64; 2], margin: f64| u < margin || v < margin || u > width - margin || v > height - margin;
    let margin = args.margin * sheet.side();
    let beside = |[_, v]: [f64; 2]| v < margin || v > height - margin;
    hold(&mut simulation, &state, |uv| border(uv, l) || beside(uv), |uv| border(uv, 1e-6));
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        let before = simulation.state().yarns.positions.clone();
        simulation.step(STEP)?;
        last = largest(simulation.state().yarns.positions.iter().zip(&before)) / l;
        if last < AT_REST {
            break;
        }
    }
    let uniform = state.yarns.positions.iter();
    let displacement = largest(simulation.state().yarns.positions.iter().zip(uniform)) / l;
    Ok(Patch {
        region: region.to_string(),
        triangles,
        mode,
        strain,
        dead_load,
        errors: errors(&simulation, mode, strain),
        displacement,
        last,
    })
}

fn largest<'a>(pairs: impl Iterator<Item = (&'a Vector3<f64>, &'a Vector3<f64>)>) -> f64 {
    pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Holds nodes and vertices where the strained state has them.
fn hold(
    simulation: &mut HybridSimulation,
    state: &yarnwise_solvers::hybrid::HybridState,
    nodes: impl Fn([f64; 2]) -> bool,
    vertices: impl Fn([f64; 2]) -> bool,
) {
    let nodes = simulation.points_in(nodes).nodes;
    let vertices = simulation.points_in(vertices).vertices;
    let targets = nodes.iter().map(|n| (*n, state.yarns.positions[*n as usize])).collect();
    let place = |v: &u32| simulation.model().active_vertices().iter().position(|a| a == v);
    let vertices = vertices.iter().filter_map(place).map(|p| (p as u32, state.vertices[p])).collect();
    simulation.hold_at(targets, vertices);
}

/// The largest errors of strain as a part of it.
fn errors(simulation: &HybridSimulation, mode: Mode, strain: f64) -> [f64; 3] {
    let (weave, positions) = (simulation.model().weave(), &simulation.state().yarns.positions);
    let weights = &simulation.model().blend().weights;
    let mut worst = [0.0_f64; 3];
    let mut add = |weight: f32, error: f64| {
        let class = if weight >= 1.0 {
            0
        } else if weight > 0.3 {
            1
        } else {
            2
        };
        worst[class] = worst[class].max(error.abs() / strain);
    };
    for i in 0..weave.node_count() {
        let neighbor = |port: usize| weave.links[i][port].node().map(|n| positions[n] - positions[i]);
        if mode == Mode::Shear {
            for corner in 0..4 {
                let (Some(a), Some(b)) = (neighbor(corner / 2), neighbor(2 + corner % 2)) else { continue };
                let sign = if (corner / 2 == 1) == (corner % 2 == 1) { 1.0 } else { -1.0 };
                let angle = a.angle(&b);
                add(weights[i].corners[corner], sign * (std::f64::consts::FRAC_PI_2 - angle) - strain.atan());
            }
            continue;
        }
        // Wefts, in slot 1, run along u.
        let slots: &[usize] = if mode == Mode::Stretch { &[1] } else { &[0, 1] };
        for slot in slots {
            if let Some(d) = neighbor(2 * slot + 1) {
                let ahead = weave.links[i][2 * slot + 1].get();
                let rest = ahead.map_or(1.0, |(n, back)| weave.arcs[n][back.slot().index()] - weave.arcs[i][*slot]);
                add(weights[i].segments[*slot], d.norm() / rest - 1.0 - strain);
            }
        }
    }
    worst
}

impl Outcome for Patches {
    fn table(&self) -> String {
        let mut text = format!(
            "largest errors of strain as a part of it: in yarns, at weights above 0.3, below\n  {:<10}{:<22}{:<10}{:>7}{:>11}{:>11}{:>11}{:>11}{:>12}{:>10}\n",
            "region", "triangles", "mode", "strain", "dead load", "yarns", "ring", "outside", "moved, L", "last, L"
        );
        for p in &self.patches {
            let [a, b, c] = p.errors;
            text += &format!(
                "  {:<10}{:<22}{:<10}{:>7}{:>11}{:>10.3} %{:>9.3} %{:>9.3} %{:>12.1e}{:>10.0e}\n",
                p.region,
                format!("{:?}", p.triangles),
                format!("{:?}", p.mode).to_lowercase(),
                p.strain,
                if p.dead_load { "yes" } else { "no" },
                100.0 * a,
                100.0 * b,
                100.0 * c,
                p.displacement,
                p.last
            );
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let mut plot = Plot::new("Errors of strain in yarns, as a part of it", "case", "error");
        for (dead_load, name) in [(false, "without dead load"), (true, "with dead load")] {
            let of = self.patches.iter().filter(|p| p.dead_load == dead_load).enumerate();
            plot = plot.line_with_points(name, &of.map(|(k, p)| [k as f64, p.errors[0]]).collect::<Vec<_>>());
        }
        vec![("patch".into(), plot)]
    }
}
