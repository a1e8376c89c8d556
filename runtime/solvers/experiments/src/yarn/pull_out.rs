//! A warp that is pulled out of a sheet whose other yarns are held.
//!
//! The force is held against a recursion along the warp, see `recursion`: once from the draft alone, with wefts that stay straight,
//! and once with the wefts as they lie at the end. Friction bows them; they get taut, which adds to F_n, and unevenly spaced.

mod recursion;
mod stick;

use super::options::{DraftArgs, MaterialArgs, NamedDraft, checked, file_part, percent, relative_error};
use super::stepping::{Effort, advance};
use crate::options::Output;
use crate::report::{Outcome, progress_of};
use anyhow::{Result, ensure};
use indicatif::ProgressBar;
use nalgebra::Vector3;
use recursion::{bowed_crossings, pulling_force, straight_crossings};
use serde::Serialize;
use stick::Stick;
use yarnwise_lab::plot::Plot;
use yarnwise_program::number::within;
use yarnwise_solvers::yarn::model::{Family, Sheet};
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnPin, YarnSimulation};

/// Friction and number of wefts where none are given.
const CASES: [(f64, usize); 5] = [(0.1, 10), (0.3, 5), (0.3, 10), (0.3, 16), (0.5, 10)];

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    #[command(flatten)]
    draft: DraftArgs,
    /// Friction of yarn on yarn, with commas between several [default: 0.3 where --wefts is given]
    #[arg(long, value_name = "MU", value_delimiter = ',', allow_negative_numbers = true)]
    friction: Vec<f64>,
    /// Wefts that the warp crosses, with commas between several [default: 10 where --friction is given]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=1000))]
    wefts: Vec<u16>,
    /// Warps of the sheet; the middle one is pulled
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    warps: u16,
    /// Speed of the pull, mm/s
    #[arg(long, value_name = "MM/S", default_value_t = 25.0, allow_negative_numbers = true)]
    speed: f64,
    /// Length that is pulled, mm; less than the tail
    #[arg(long, value_name = "MM", default_value_t = 3.9, allow_negative_numbers = true)]
    distance: f64,
    /// Free tail of the pulled warp behind the last weft, in spacings
    #[arg(long, value_name = "SPACINGS", default_value_t = 8.0, allow_negative_numbers = true)]
    tail: f64,
    /// Largest step, ms
    #[arg(long, value_name = "MS", default_value_t = 1.0, allow_negative_numbers = true)]
    step: f64,
    /// Damping β of the strain rate, s
    #[arg(long, value_name = "S", default_value_t = 0.002, allow_negative_numbers = true)]
    damping: f64,
    /// Also pull each below the force at which it slips, hold it for 1 s and release it
    #[arg(long)]
    stick: bool,
    #[command(flatten)]
    material: MaterialArgs,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

/// The force of each pull.
#[derive(Serialize)]
pub(super) struct PullOut {
    pulls: Vec<Pull>,
}

#[derive(Serialize)]
struct Pull {
    draft: String,
    friction: f64,
    wefts: usize,
    /// At the end, N.
    force: f64,
    /// Of the recursion with straight wefts, from the draft alone, N.
    recursion: f64,
    straight_error: f64,
    /// Of the recursion with the wefts as they lie at the end, N.
    bowed_recursion: f64,
    error: f64,
    /// Σ μ F_n of the pulled warp at the end, N.
    limits: f64,
    effort: Effort,
    stick: Option<Stick>,
    /// Pulled length and force, m and N.
    path: Vec<[f64; 2]>,
}

/// What is pulled, and how.
struct Case<'a> {
    args: &'a Args,
    draft: &'a NamedDraft,
    wefts: usize,
    material: YarnMaterial,
}

/// A sheet with its pulled warp.
struct Sample {
    sheet: Sheet,
    simulation: YarnSimulation,
    /// The end that is pulled.
    tip: u32,
    middle: usize,
}

pub(super) fn run(args: &Args) -> Result<PullOut> {
    within("--speed", args.speed, [1e-3, 1e4])?;
    within("--step", args.step, [1e-3, 1e2])?;
    within("--tail", args.tail, [0.5, 1e4])?;
    within("--distance", args.distance, [1e-3, 1e4])?;
    let own = YarnMaterial { stiffness_damping: args.damping, ..Default::default() };
    let material = args.material.apply(own)?;
    let most = 1e3 * material.spacing * (args.tail - 0.5);
    ensure!(
        args.distance < most,
        "--distance {}: the free tail of {} spacings allows less than {most} mm; use a longer --tail",
        args.distance,
        args.tail
    );
    let drafts = args.draft.read()?;
    let cases = cases(args);
    let parts = (args.distance / args.speed * 1e3 / args.step).ceil() as usize;
    let bar = progress_of("step", drafts.len() * cases.len() * parts);
    let mut pulls = Vec::new();
    for draft in &drafts {
        for (friction, wefts) in &cases {
            let material = checked(YarnMaterial { friction: *friction, ..material })?;
            let case = Case { args, draft, wefts: *wefts, material };
            pulls.push(case.run(&bar)?);
        }
    }
    bar.finish_and_clear();
    Ok(PullOut { pulls })
}

/// Those of the results' page, or all combinations of what is given.
fn cases(args: &Args) -> Vec<(f64, usize)> {
    if args.friction.is_empty() && args.wefts.is_empty() {
        return CASES.to_vec();
    }
    let friction = if args.friction.is_empty() { vec![0.3] } else { args.friction.clone() };
    let wefts = if args.wefts.is_empty() { vec![10] } else { args.wefts.clone() };
    friction.iter().flat_map(|mu| wefts.iter().map(|n| (*mu, usize::from(*n)))).collect()
}

impl Case<'_> {
    fn run(&self, bar: &ProgressBar) -> Result<Pull> {
        let Args { distance, speed, step, stick, .. } = *self.args;
        let mut sample = self.sample()?;
        let middle = sample.middle;
        let recursion = self.recursion(middle);
        let (distance, speed) = (1e-3 * distance, 1e-3 * speed);
        let end = distance / speed;
        sample.pull_to(distance, end);
        let tip = sample.tip;
        let mut path = vec![[0.0, 0.0]];
        let effort = advance(&mut sample.simulation, end, 1e-3 * step, bar, |s| {
            path.push([s.time() * speed, force_at(s, tip)]);
        })?;
        let force = path[path.len() - 1][1];
        let nodes: Vec<usize> = sample.crossings().collect();
        let bowed = pulling_force(&self.material, speed, &bowed_crossings(&sample.simulation, &nodes, middle));
        Ok(Pull {
            draft: self.draft.name.clone(),
            friction: self.material.friction,
            wefts: self.wefts,
            force,
            recursion,
            straight_error: relative_error(force, recursion),
            bowed_recursion: bowed,
            error: relative_error(force, bowed),
            limits: self.material.friction * sample.compression().iter().sum::<f64>(),
            effort,
            stick: if stick { Some(Stick::measure(self)?) } else { None },
            path,
        })
    }

    /// At rest, every end held but those of the middle warp.
    fn sample(&self) -> Result<Sample> {
        let warps = usize::from(self.args.warps);
        let middle = warps / 2;
        let sheet = Sheet {
            tail: 1.0,
            tails: vec![(Family::Warp, middle, false, self.args.tail)],
            ..Sheet::new(warps, self.wefts, self.draft.draft.clone(), self.material)
        };
        let options = YarnOptions { step: 1e-3 * self.args.step, ..Default::default() };
        let mut simulation = YarnSimulation::new(sheet.weave()?, options);
        simulation.gravity = Vector3::zeros();
        let warps = (0..warps).filter(|i| *i != middle).map(|i| (Family::Warp, i));
        let yarns = warps.chain((0..self.wefts).map(|j| (Family::Weft, j)));
        let held = yarns.flat_map(|(family, yarn)| [false, true].map(|far| sheet.end(family, yarn, far) as u32));
        simulation.pins.push(YarnPin::still(held.collect()));
        let tip = sheet.end(Family::Warp, middle, true) as u32;
        Ok(Sample { sheet, simulation, tip, middle })
    }

    /// The force of the recursion at the end of the pull, if wefts stay straight, N.
    fn recursion(&self, middle: usize) -> f64 {
        let Args { warps, tail, distance, speed, .. } = *self.args;
        let (l, pulled) = (self.material.spacing, 1e-3 * distance);
        let size = [usize::from(warps), self.wefts, middle];
        let over = |weft: usize, warp: usize| self.draft.draft.warp_over(weft, warp);
        let crossings = straight_crossings(&self.material, over, size, [tail * l - pulled, l + pulled]);
        pulling_force(&self.material, 1e-3 * speed, &crossings)
    }
}

/// The force along the pulled warp with which its end is held, N.
fn force_at(simulation: &YarnSimulation, tip: u32) -> f64 {
    simulation.reactions().iter().find(|r| r.node == tip).map_or(0.0, |r| r.force.y)
}

impl Sample {
    /// Moves the tip evenly to `distance` meters from its start, where it is at the time `arrival`.
    fn pull_to(&mut self, distance: f64, arrival: f64) {
        let start = self.simulation.weave().positions[self.tip as usize];
        self.simulation.guide(vec![(self.tip, start + Vector3::y() * distance)], arrival);
    }

    /// The crossings of the pulled warp.
    fn crossings(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.sheet.wefts).map(|j| self.sheet.crossing(self.middle, j))
    }

    /// F_n of the pulled warp's crossings, N.
    fn compression(&self) -> Vec<f64> {
        self.crossings().map(|i| self.simulation.state().compression[i]).collect()
    }
}

impl Outcome for PullOut {
    fn table(&self) -> String {
        let mut text = String::from("recursion with straight wefts, and with wefts bowed as they end\n");
        text += &format!(
            "  {:<12}{:>6}{:>8}{:>12}{:>14}{:>10}{:>14}{:>10}{:>14}{:>12}{:>9}\n",
            "draft",
            "μ",
            "wefts",
            "force, N",
            "straight, N",
            "error",
            "bowed, N",
            "error",
            "Σ μ F_n, N",
            "Newton/step",
            "halved"
        );
        for p in &self.pulls {
            text += &format!(
                "  {:<12}{:>6}{:>8}{:>12.5}{:>14.5}{:>10}{:>14.5}{:>10}{:>14.5}{:>12.2}{:>9}\n",
                p.draft,
                p.friction,
                p.wefts,
                p.force,
                p.recursion,
                percent(p.straight_error),
                p.bowed_recursion,
                percent(p.error),
                p.limits,
                p.effort.newton_per_step(),
                p.effort.halved
            );
        }
        text + &self.pulls.iter().filter_map(|p| Some(p.stick.as_ref()?.line(&p.draft, p.wefts))).collect::<String>()
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let plot = |p: &Pull| {
            let title = format!("Pull-out, {}, friction {}, {} wefts", p.draft, p.friction, p.wefts);
            let path: Vec<[f64; 2]> = p.path.iter().map(|[s, f]| [1e3 * s, *f]).collect();
            let end = path[path.len() - 1][0];
            let plot = Plot::new(&title, "pulled, mm", "force, N")
                .line("simulated", &path)
                .line("recursion, straight wefts", &[[0.0, p.recursion], [end, p.recursion]])
                .line("recursion, wefts as they end", &[[0.0, p.bowed_recursion], [end, p.bowed_recursion]]);
            (file_part(&format!("pull-out-{}-{}-{}", p.draft, p.friction, p.wefts)), plot)
        };
        self.pulls.iter().map(plot).collect()
    }
}
