//! Shear (picture) frame [Cirio14, Fig. 4]: all ends of n × n yarns on a frame of side W = n L that is sheared by γ, slowly.
//!
//! The force is (dE/dγ) / W, from the forces that hold the ends, scaled to a frame of 25 cm. With F_n of the sheet at rest
//!
//!   slope = 4 Σ k_x(F_n) L / W,  loop = 2 · 4 Σ μ_φ F_n / W,   both times 25 cm / W
//!
//! and into the jam the affine force, Σ V'(φ) ∂φ/∂γ / W with φ = π/2 ± γ at every corner, plus half the loop.
//!
//! The slope is between γ = 0.1 and 0.3 of the sweep upward, the loop the distance of both sweeps at γ = 0.

mod frame;
mod jam;

use super::options::{DraftArgs, MaterialArgs, NamedDraft, file_part, percent, relative_error};
use super::stepping::Effort;
use crate::options::Output;
use crate::report::{Outcome, progress_of};
use anyhow::Result;
use frame::{Failure, Frame};
use indicatif::ProgressBar;
use jam::Jam;
use serde::Serialize;
use yarnwise_lab::plot::Plot;
use yarnwise_program::number::within;
use yarnwise_solvers::yarn::YarnMaterial;

/// Angles between which the slope is taken, radians; the amplitude must be larger.
const SLOPE: [f64; 2] = [0.1, 0.3];

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    #[command(flatten)]
    draft: DraftArgs,
    /// Yarns along a side [default: 12, with --jam 8]
    #[arg(long, value_parser = clap::value_parser!(u16).range(2..=500))]
    size: Option<u16>,
    /// Largest angle, radians [default: 0.6, with --jam 1.3]
    #[arg(long, value_name = "RAD", allow_negative_numbers = true)]
    amplitude: Option<f64>,
    /// Steps from 0 to the largest angle [default: 15, with --jam 52]
    #[arg(long, value_parser = clap::value_parser!(u16).range(4..=10_000))]
    steps: Option<u16>,
    /// Step, ms; how long the frame takes from one angle to the next
    #[arg(long, value_name = "MS", default_value_t = 200.0, allow_negative_numbers = true)]
    step: f64,
    /// Friction of yarn on yarn
    #[arg(long, value_name = "MU", default_value_t = 0.3, allow_negative_numbers = true)]
    friction: f64,
    /// Damping β of the strain rate, s; it is not a part of the force
    #[arg(long, value_name = "S", default_value_t = 0.05, allow_negative_numbers = true)]
    damping: f64,
    /// Damp as the paper does, -βK of the start of the step, in place of the change of strain
    #[arg(long)]
    lagged: bool,
    /// Shear once beyond the angle at which yarns jam and back, instead of a loop
    #[arg(long)]
    jam: bool,
    #[command(flatten)]
    material: MaterialArgs,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

impl Args {
    fn size(&self) -> usize {
        self.size.map_or(if self.jam { 8 } else { 12 }, usize::from)
    }

    fn amplitude(&self) -> f64 {
        self.amplitude.unwrap_or(if self.jam { 1.3 } else { 0.6 })
    }

    fn steps(&self) -> usize {
        self.steps.map_or(if self.jam { 52 } else { 15 }, usize::from)
    }
}

/// Loops, or ways into the jam.
#[derive(Serialize)]
pub(super) struct ShearFrame {
    size: usize,
    loops: Vec<Loop>,
    jams: Vec<Jam>,
}

#[derive(Serialize)]
struct Loop {
    draft: String,
    expected: Expected,
    /// N/rad.
    slope: f64,
    slope_error: f64,
    /// N, at γ = 0.
    height: f64,
    height_error: f64,
    effort: Effort,
    failed: Option<Failure>,
    /// Angle and force, rad and N.
    path: Vec<[f64; 2]>,
}

/// The closed form, from F_n of the sheet at rest.
#[derive(Clone, Copy, Serialize)]
struct Expected {
    /// N/rad.
    slope: f64,
    /// N.
    height: f64,
}

pub(super) fn run(args: &Args) -> Result<ShearFrame> {
    within("--amplitude", args.amplitude(), [0.35, 1.5])?;
    within("--step", args.step, [1e-2, 1e6])?;
    let own = YarnMaterial { friction: args.friction, stiffness_damping: args.damping, ..Default::default() };
    let material = args.material.apply(own)?;
    let drafts = args.draft.read()?;
    let bar = progress_of("step", drafts.len() * args.steps() * if args.jam { 2 } else { 5 });
    let (mut loops, mut jams) = (Vec::new(), Vec::new());
    for draft in &drafts {
        if args.jam {
            jams.push(Jam::measure(args, draft, &material, &bar)?);
        } else {
            loops.push(Loop::measure(args, draft, &material, &bar)?);
        }
    }
    bar.finish_and_clear();
    Ok(ShearFrame { size: args.size(), loops, jams })
}

impl Loop {
    fn measure(args: &Args, draft: &NamedDraft, material: &YarnMaterial, bar: &ProgressBar) -> Result<Self> {
        let mut frame = Frame::new(args, draft, material)?;
        let expected = frame.expected();
        let (top, n) = (args.amplitude(), args.steps());
        let mut path = frame.sweep([0.0, top], n, bar);
        let down = frame.sweep([top, -top], 2 * n, bar);
        let up = frame.sweep([-top, top], 2 * n, bar);
        let slope = (at(&up, SLOPE[1]) - at(&up, SLOPE[0])) / (SLOPE[1] - SLOPE[0]);
        let height = at(&up, 0.0) - at(&down, 0.0);
        path.extend(down);
        path.extend(up);
        Ok(Loop {
            draft: draft.name.clone(),
            expected,
            slope,
            slope_error: relative_error(slope, expected.slope),
            height,
            height_error: relative_error(height, expected.height),
            effort: frame.effort,
            failed: frame.failed,
            path,
        })
    }
}

/// The force at an angle, between points of a sweep.
fn at(path: &[[f64; 2]], angle: f64) -> f64 {
    let between = |p: &&[[f64; 2]]| (p[0][0] - angle) * (p[1][0] - angle) <= 0.0;
    path.windows(2).find(between).map_or(f64::NAN, |p| {
        let t = (angle - p[0][0]) / (p[1][0] - p[0][0]);
        p[0][1] + t * (p[1][1] - p[0][1])
    })
}

impl Outcome for ShearFrame {
    fn table(&self) -> String {
        let mut text = format!("frame of {0} x {0} yarns, forces scaled to 25 cm\n", self.size);
        if !self.loops.is_empty() {
            text += &format!(
                "  {:<12}{:>14}{:>14}{:>10}{:>10}{:>14}{:>10}   {}\n",
                "draft", "slope, N/rad", "closed form", "error", "loop, N", "closed form", "error", "effort"
            );
        }
        for l in &self.loops {
            text += &format!(
                "  {:<12}{:>14.4}{:>14.4}{:>10}{:>10.4}{:>14.4}{:>10}   {}\n",
                l.draft,
                l.slope,
                l.expected.slope,
                percent(l.slope_error),
                l.height,
                l.expected.height,
                percent(l.height_error),
                l.effort.text()
            );
            text += &l.failed.as_ref().map_or(String::new(), Failure::line);
        }
        text + &self.jams.iter().map(Jam::table).collect::<String>()
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let mut plots: Vec<(String, Plot)> = self.jams.iter().map(Jam::plot).collect();
        if !self.loops.is_empty() {
            let empty = Plot::new("Shear frame, scaled to 25 cm", "angle, rad", "force, N");
            let plot = self.loops.iter().fold(empty, |plot, l| plot.line(&l.draft, &l.path));
            let name = self.loops.iter().map(|l| file_part(&l.draft)).collect::<Vec<_>>().join("-");
            plots.push((format!("shear-frame-{}", file_part(&name)), plot));
        }
        plots
    }
}
