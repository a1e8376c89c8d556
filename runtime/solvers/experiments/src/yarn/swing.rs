//! A sheet that swings from the horizontal, held by two corners: its end must not depend on the step.
//!
//! Stiffness damping as [Cirio14, §4.4] has it brakes rotation, the more the longer the step; damping of strain does not.

use super::options::{DraftArgs, MaterialArgs, NamedDraft, file_part, steps};
use super::stepping::{Effort, advance};
use crate::options::Output;
use crate::report::{Outcome, progress_of};
use anyhow::Result;
use indicatif::ProgressBar;
use nalgebra::Vector3;
use serde::Serialize;
use yarnwise_lab::plot::Plot;
use yarnwise_program::number::within;
use yarnwise_solvers::yarn::model::Sheet;
use yarnwise_solvers::yarn::{Damping, YarnMaterial, YarnOptions, YarnPin, YarnSimulation};

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    #[command(flatten)]
    draft: DraftArgs,
    /// Yarns along a side
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(2..=1000))]
    size: u16,
    /// Steps, ms, with commas between them
    #[arg(long, value_name = "MS", value_delimiter = ',', default_value = "1,4,10", allow_negative_numbers = true)]
    step: Vec<f64>,
    /// Gravity, in that of the earth
    #[arg(long, value_name = "G", default_value_t = 12.0, allow_negative_numbers = true)]
    gravity: f64,
    /// Simulated time, s
    #[arg(long, value_name = "S", default_value_t = 0.2, allow_negative_numbers = true)]
    time: f64,
    /// Damping β, s
    #[arg(long, value_name = "S", default_value_t = 0.05, allow_negative_numbers = true)]
    damping: f64,
    /// Friction of yarn on yarn
    #[arg(long, value_name = "MU", default_value_t = 0.3, allow_negative_numbers = true)]
    friction: f64,
    #[command(flatten)]
    material: MaterialArgs,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

/// Where the free edge ends.
#[derive(Serialize)]
pub(super) struct Swing {
    time: f64,
    runs: Vec<Run>,
    spreads: Vec<Spread>,
}

#[derive(Serialize)]
struct Run {
    draft: String,
    damping: Damping,
    /// Seconds.
    step: f64,
    /// Height of the middle of the free edge at the end, in spacings.
    end: f64,
    effort: Effort,
    /// Time and height, s and spacings.
    path: Vec<[f64; 2]>,
}

/// How far the ends of several steps are apart.
#[derive(Serialize)]
struct Spread {
    draft: String,
    damping: Damping,
    /// In spacings.
    spread: f64,
}

pub(super) fn run(args: &Args) -> Result<Swing> {
    within("--gravity", args.gravity, [0.0, 1e4])?;
    within("--time", args.time, [1e-3, 1e3])?;
    let own = YarnMaterial { friction: args.friction, stiffness_damping: args.damping, ..Default::default() };
    let material = args.material.apply(own)?;
    let steps = steps("--step", &args.step)?;
    let drafts = args.draft.read()?;
    let parts: usize = steps.iter().map(|h| (args.time / h).ceil() as usize).sum();
    let bar = progress_of("step", 2 * drafts.len() * parts);
    let (mut runs, mut spreads) = (Vec::new(), Vec::new());
    for draft in &drafts {
        for damping in [Damping::Strain, Damping::Lagged] {
            let of = |h: &f64| Run::measure(args, draft, &material, damping, *h, &bar);
            let all: Vec<Run> = steps.iter().map(of).collect::<Result<_>>()?;
            let ends = || all.iter().map(|r| r.end);
            let spread = ends().fold(f64::MIN, f64::max) - ends().fold(f64::MAX, f64::min);
            spreads.push(Spread { draft: draft.name.clone(), damping, spread });
            runs.extend(all);
        }
    }
    bar.finish_and_clear();
    Ok(Swing { time: args.time, runs, spreads })
}

impl Run {
    fn measure(
        args: &Args,
        draft: &NamedDraft,
        material: &YarnMaterial,
        damping: Damping,
        h: f64,
        bar: &ProgressBar,
    ) -> Result<Self> {
        let n = usize::from(args.size);
        let sheet = Sheet { up: Vector3::z(), ..Sheet::new(n, n, draft.draft.clone(), *material) };
        let options = YarnOptions { step: h, damping, ..Default::default() };
        let mut simulation = YarnSimulation::new(sheet.weave()?, options);
        simulation.gravity = Vector3::new(0.0, -9.81 * args.gravity, 0.0);
        let corners = [0, n - 1].map(|i| sheet.crossing(i, n - 1) as u32);
        simulation.pins.push(YarnPin { sliding: true, ..YarnPin::still(corners.to_vec()) });
        let edge = sheet.crossing(n / 2, 0);
        let height = |s: &YarnSimulation| s.state().positions[edge].y / material.spacing;
        let mut path = vec![[0.0, 0.0]];
        let effort = advance(&mut simulation, args.time, h, bar, |s| path.push([s.time(), height(s)]))?;
        let end = height(&simulation);
        Ok(Run { draft: draft.name.clone(), damping, step: h, end, effort, path })
    }
}

fn name(damping: Damping) -> &'static str {
    match damping {
        Damping::Strain => "strain",
        Damping::Lagged => "lagged",
    }
}

impl Outcome for Swing {
    fn table(&self) -> String {
        let mut text = format!(
            "height of the free edge after {} s\n  {:<12}{:<10}{:>10}{:>12}{:>14}{:>10}\n",
            self.time, "draft", "damping", "step, ms", "height, L", "Newton/step", "halved"
        );
        for r in &self.runs {
            text += &format!(
                "  {:<12}{:<10}{:>10}{:>12.4}{:>14.2}{:>10}\n",
                r.draft,
                name(r.damping),
                1e3 * r.step,
                r.end,
                r.effort.newton_per_step(),
                r.effort.halved
            );
        }
        for s in &self.spreads {
            text += &format!("  {}, {} damping: ends differ by {:.4} L\n", s.draft, name(s.damping), s.spread);
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let plot = |s: &Spread| {
            let mut plot = Plot::new(
                &format!("Swing, {}, {} damping", s.draft, name(s.damping)),
                "time, s",
                "height of the free edge, L",
            );
            for r in self.runs.iter().filter(|r| r.draft == s.draft && r.damping == s.damping) {
                plot = plot.line(&format!("step {} ms", 1e3 * r.step), &r.path);
            }
            (format!("swing-{}-{}", file_part(&s.draft), name(s.damping)), plot)
        };
        self.spreads.iter().map(plot).collect()
    }
}
