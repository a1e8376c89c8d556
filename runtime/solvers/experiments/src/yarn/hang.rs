//! A sheet that hangs from two corners: how far its edges sag, by weave [Cirio14, Fig. 3].

use super::options::{DraftArgs, MaterialArgs, NamedDraft};
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
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnPin, YarnSimulation};

/// Where none are given.
const WEAVES: [&str; 5] = ["plain", "twill-2-1", "twill", "satin", "satin-8"];

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    #[command(flatten)]
    draft: DraftArgs,
    /// Yarns along a side; 250 for the sheet of 25 cm of the paper
    #[arg(long, default_value_t = 14, value_parser = clap::value_parser!(u16).range(2..=2000))]
    size: u16,
    /// Gravity, in that of the earth; more stands for a larger sheet
    #[arg(long, value_name = "G", default_value_t = 17.0, allow_negative_numbers = true)]
    gravity: f64,
    /// Simulated time, s
    #[arg(long, value_name = "S", default_value_t = 0.5, allow_negative_numbers = true)]
    time: f64,
    /// Largest step, ms
    #[arg(long, value_name = "MS", default_value_t = 4.0, allow_negative_numbers = true)]
    step: f64,
    /// Friction of yarn on yarn
    #[arg(long, value_name = "MU", default_value_t = 0.3, allow_negative_numbers = true)]
    friction: f64,
    /// Damping β of the strain rate, s
    #[arg(long, value_name = "S", default_value_t = 0.05, allow_negative_numbers = true)]
    damping: f64,
    #[command(flatten)]
    material: MaterialArgs,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

/// How far sheets sag.
#[derive(Serialize)]
pub(super) struct Hang {
    size: usize,
    gravity: f64,
    time: f64,
    sheets: Vec<Hung>,
}

/// Lengths in spacings.
#[derive(Serialize)]
struct Hung {
    draft: String,
    /// How far the middle of the top edge is below its corners.
    top: f64,
    /// How far the lowest crossing of the bottom edge is below where it began.
    bottom: f64,
    /// Depth of the sheet, out of its plane.
    depth: f64,
    /// Width of the bottom edge.
    width: f64,
    /// The farthest that a yarn has slid.
    slid: f64,
    /// Fastest crossing at the end, spacings a second.
    speed: f64,
    effort: Effort,
    /// x and height of the edges' crossings.
    top_edge: Vec<[f64; 2]>,
    bottom_edge: Vec<[f64; 2]>,
}

pub(super) fn run(args: &Args) -> Result<Hang> {
    within("--gravity", args.gravity, [0.0, 1e4])?;
    within("--time", args.time, [1e-3, 1e3])?;
    within("--step", args.step, [1e-3, 1e3])?;
    let own = YarnMaterial { friction: args.friction, stiffness_damping: args.damping, ..Default::default() };
    let material = args.material.apply(own)?;
    let drafts = args.draft.read_or(&WEAVES)?;
    let bar = progress_of("step", drafts.len() * (1e3 * args.time / args.step).ceil() as usize);
    let sheets = drafts.iter().map(|d| Hung::measure(args, d, &material, &bar)).collect::<Result<_>>()?;
    bar.finish_and_clear();
    Ok(Hang { size: usize::from(args.size), gravity: args.gravity, time: args.time, sheets })
}

impl Hung {
    fn measure(args: &Args, draft: &NamedDraft, material: &YarnMaterial, bar: &ProgressBar) -> Result<Self> {
        let n = usize::from(args.size);
        let sheet = Sheet::new(n, n, draft.draft.clone(), *material);
        let mut weave = sheet.weave()?;
        // A breath of a wave, or a sheet in a plane would never leave it.
        let width = n as f64 * material.spacing;
        weave.positions.iter_mut().for_each(|x| x.z = 0.02 * material.radius * (40.0 * x.x / width).sin());
        let h = 1e-3 * args.step;
        let mut simulation = YarnSimulation::new(weave, YarnOptions { step: h, ..Default::default() });
        simulation.gravity = Vector3::new(0.0, -9.81 * args.gravity, 0.0);
        let corners = [0, n - 1].map(|i| sheet.crossing(i, n - 1) as u32);
        simulation.pins.push(YarnPin::still(corners.to_vec()));
        let effort = advance(&mut simulation, args.time, h, bar, |_| ())?;
        Ok(Self::of(&sheet, &simulation, draft.name.clone(), effort))
    }

    fn of(sheet: &Sheet, simulation: &YarnSimulation, draft: String, effort: Effort) -> Self {
        let (n, l) = (sheet.warps, sheet.material.spacing);
        let state = simulation.state();
        let edge = |weft: usize| -> Vec<[f64; 2]> {
            let at = |i: usize| state.positions[sheet.crossing(i, weft)] / l;
            (0..n).map(|i| [at(i).x, at(i).y]).collect()
        };
        let (top_edge, bottom_edge) = (edge(n - 1), edge(0));
        let span = |values: &mut dyn Iterator<Item = f64>| {
            let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
            high - low
        };
        let start = &simulation.weave().arcs;
        let slid = state.arcs.iter().flatten().zip(start.iter().flatten()).map(|(a, b)| (a - b).abs());
        let speed = |v: &[f64; 5]| Vector3::new(v[0], v[1], v[2]).norm();
        Hung {
            draft,
            top: (n - 1) as f64 - top_edge[n / 2][1],
            bottom: -bottom_edge.iter().map(|p| p[1]).fold(f64::MAX, f64::min),
            depth: span(&mut state.positions.iter().map(|x| x.z)) / l,
            width: span(&mut bottom_edge.iter().map(|p| p[0])),
            slid: slid.fold(0.0, f64::max) / l,
            speed: state.velocities.iter().map(speed).fold(0.0, f64::max) / l,
            effort,
            top_edge,
            bottom_edge,
        }
    }
}

impl Outcome for Hang {
    fn table(&self) -> String {
        let mut text = format!(
            "{0} x {0} yarns at {1} g after {2} s, in spacings\n  {3:<12}{4:>10}{5:>10}{6:>10}{7:>14}{8:>10}{9:>12}   effort\n",
            self.size,
            self.gravity,
            self.time,
            "draft",
            "top sag",
            "bottom",
            "depth",
            "bottom width",
            "slid",
            "speed, 1/s"
        );
        for s in &self.sheets {
            text += &format!(
                "  {:<12}{:>10.4}{:>10.4}{:>10.3}{:>14.3}{:>10.4}{:>12.4}   {}\n",
                s.draft,
                s.top,
                s.bottom,
                s.depth,
                s.width,
                s.slid,
                s.speed,
                s.effort.text()
            );
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        type Edge = fn(&Hung) -> &Vec<[f64; 2]>;
        let edges: [(&str, Edge); 2] = [("top", |s| &s.top_edge), ("bottom", |s| &s.bottom_edge)];
        let plot = |(name, of): (&str, Edge)| {
            let empty = Plot::new(&format!("Hanging sheets, {name} edge"), "x, L", "height, L");
            let plot = self.sheets.iter().fold(empty, |plot, s| plot.line(&s.draft, of(s)));
            (format!("hang-{name}"), plot)
        };
        edges.map(plot).into()
    }
}
