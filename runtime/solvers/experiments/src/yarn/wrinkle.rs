//! A patch that is stretched by two opposite corners and released: with shear friction a wrinkle along the pull stays, without
//! it the patch is flat again [Cirio14, Fig. 7].

mod shape;

use super::options::{DraftArgs, MaterialArgs, NamedDraft, file_part};
use super::stepping::{Effort, advance};
use crate::options::Output;
use crate::report::{Outcome, progress_of};
use anyhow::Result;
use indicatif::ProgressBar;
use nalgebra::Vector3;
use serde::Serialize;
use shape::Shape;
use yarnwise_lab::plot::Plot;
use yarnwise_program::number::within;
use yarnwise_solvers::motion::{Key, Motion};
use yarnwise_solvers::yarn::model::Sheet;
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnPin, YarnSimulation};

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    #[command(flatten)]
    draft: DraftArgs,
    /// Yarns along a side
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(8..=1000))]
    size: u16,
    /// How much longer the diagonal is pulled, as a part of its length
    #[arg(long, value_name = "PART", default_value_t = 0.1, allow_negative_numbers = true)]
    pull: f64,
    /// Seconds of the pull, at the end of which the corners are released
    #[arg(long, value_name = "S", default_value_t = 0.3, allow_negative_numbers = true)]
    time: f64,
    /// Seconds from the release to the measurement
    #[arg(long, value_name = "S", default_value_t = 1.0, allow_negative_numbers = true)]
    rest: f64,
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

/// What stays of wrinkles.
#[derive(Serialize)]
pub(super) struct Wrinkle {
    size: usize,
    pull: f64,
    rest: f64,
    patches: Vec<Patch>,
}

/// A patch with or without shear friction.
#[derive(Serialize)]
struct Patch {
    draft: String,
    /// Friction of turning crossings, in μ R / 6.
    shear_friction: f64,
    /// At the end of the pull.
    pulled: Shape,
    /// At the end of the rest.
    left: Shape,
    /// Fastest crossing at the end, spacings a second.
    speed: f64,
    effort: Effort,
    /// Time and height over the best plane, s and spacings.
    heights: Vec<[f64; 2]>,
    /// Across the pull through the middle at the end: place and height, spacings.
    profile: Vec<[f64; 2]>,
}

pub(super) fn run(args: &Args) -> Result<Wrinkle> {
    within("--pull", args.pull, [0.0, 0.4])?;
    within("--time", args.time, [1e-3, 1e3])?;
    within("--rest", args.rest, [1e-3, 1e3])?;
    within("--step", args.step, [1e-3, 1e3])?;
    let own = YarnMaterial { friction: args.friction, stiffness_damping: args.damping, ..Default::default() };
    let material = args.material.apply(own)?;
    let drafts = args.draft.read()?;
    let steps = (1e3 * (args.time + args.rest) / args.step).ceil() as usize;
    let bar = progress_of("step", 2 * drafts.len() * steps);
    let mut patches = Vec::new();
    for draft in &drafts {
        for shear_friction in [material.shear_friction, 0.0] {
            patches.push(Patch::measure(args, draft, &YarnMaterial { shear_friction, ..material }, &bar)?);
        }
    }
    bar.finish_and_clear();
    Ok(Wrinkle { size: usize::from(args.size), pull: args.pull, rest: args.rest, patches })
}

impl Patch {
    fn measure(args: &Args, draft: &NamedDraft, material: &YarnMaterial, bar: &ProgressBar) -> Result<Self> {
        let n = usize::from(args.size);
        let sheet = Sheet::new(n, n, draft.draft.clone(), *material);
        let h = 1e-3 * args.step;
        let mut simulation = patch(&sheet, args, h)?;
        let mut heights = vec![[0.0, Shape::of(&sheet, &simulation).height]];
        let mut look = |s: &YarnSimulation| heights.push([s.time(), Shape::of(&sheet, s).height]);
        let mut effort = advance(&mut simulation, args.time, h, bar, &mut look)?;
        let pulled = Shape::of(&sheet, &simulation);
        effort.join(&advance(&mut simulation, args.time + args.rest, h, bar, &mut look)?);
        Ok(Patch {
            draft: draft.name.clone(),
            shear_friction: material.shear_friction,
            pulled,
            left: Shape::of(&sheet, &simulation),
            speed: shape::speed(&simulation),
            effort,
            heights,
            profile: shape::profile(&sheet, &simulation),
        })
    }

    fn name(&self) -> &'static str {
        if self.shear_friction > 0.0 { "with" } else { "without" }
    }
}

/// The patch, nearly flat, with a tenth of its yarns at two opposite corners held until they are released.
fn patch(sheet: &Sheet, args: &Args, h: f64) -> Result<YarnSimulation> {
    let (n, l) = (sheet.warps, sheet.material.spacing);
    let mut weave = sheet.weave()?;
    // A breath of waves without a common symmetry, or a patch in a plane would never leave it.
    let width = n as f64 * l;
    for x in &mut weave.positions {
        let (a, b) = (x.x / width, x.y / width);
        x.z = 0.1 * l * ((17.0 * a + 5.0 * b).sin() + (11.0 * b - 9.0 * a + 1.0).sin()) / 2.0;
    }
    let mut simulation = YarnSimulation::new(weave, YarnOptions { step: h, ..Default::default() });
    simulation.gravity = Vector3::zeros();
    let side = (n / 10).max(2);
    for (corner, sign) in [(0, -1.0), (n - side, 1.0)] {
        let held = (corner..corner + side).flat_map(|i| (corner..corner + side).map(move |j| (i, j)));
        let nodes = held.map(|(i, j)| sheet.crossing(i, j) as u32).collect();
        let reach = sign * 0.5 * args.pull * (n - 1) as f64 * l;
        let motion = pull(args.time, [reach, reach, 0.0]);
        simulation.pins.push(YarnPin { nodes, motion, until: Some(args.time), sliding: false });
    }
    Ok(simulation)
}

/// A shift in `time` seconds.
fn pull(time: f64, shift: [f64; 3]) -> Motion {
    Motion { keys: vec![Key::default(), Key { time, angle: 0.0, shift }], ..Motion::default() }
}

impl Outcome for Wrinkle {
    fn table(&self) -> String {
        let mut text = format!(
            "{0} x {0} yarns, diagonal pulled by {1} %, {2} s after the release; heights over the best plane in L\n",
            self.size,
            100.0 * self.pull,
            self.rest
        );
        text += &format!(
            "  {:<12}{:>14}{:>10}{:>10}{:>14}{:>14}{:>12}   effort\n",
            "draft", "shear friction", "pulled", "left", "slope across", "slope along", "speed, 1/s"
        );
        for p in &self.patches {
            text += &format!(
                "  {:<12}{:>14}{:>10.4}{:>10.4}{:>14.5}{:>14.5}{:>12.1e}   {}\n",
                p.draft,
                p.shear_friction,
                p.pulled.height,
                p.left.height,
                p.left.slope_across,
                p.left.slope_along,
                p.speed,
                p.effort.text()
            );
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        self.patches.chunks(2).flat_map(|pair| [height_plot(pair), profile_plot(pair)]).collect()
    }
}

fn height_plot(pair: &[Patch]) -> (String, Plot) {
    let title = format!("Wrinkle, {}, shear friction", pair[0].draft);
    let empty = Plot::new(&title, "time, s", "height over the best plane, L");
    let plot = pair.iter().fold(empty, |plot, p| plot.line(p.name(), &p.heights));
    (format!("wrinkle-height-{}", file_part(&pair[0].draft)), plot)
}

fn profile_plot(pair: &[Patch]) -> (String, Plot) {
    let title = format!("What stays of a wrinkle, {}, shear friction", pair[0].draft);
    let empty = Plot::new(&title, "across the pull, L", "height, L");
    let plot = pair.iter().fold(empty, |plot, p| plot.line(p.name(), &p.profile));
    (format!("wrinkle-profile-{}", file_part(&pair[0].draft)), plot)
}
