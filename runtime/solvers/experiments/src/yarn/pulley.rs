//! A yarn that runs over a fixed crossing, both ends hanging: δ = (ℓ1 − ℓ2)/2 grows as δ_0 cosh(√(2 g / (ℓ1 + ℓ2)) t).
//!
//! It needs the coupling of positions and arc coordinates in the mass, and gravity's force on arc coordinates.

use super::options::{DraftArgs, file_part, percent, relative_error, steps};
use super::stepping::advance;
use crate::options::Output;
use crate::report::{Outcome, progress_of};
use anyhow::{Result, ensure};
use nalgebra::Vector3;
use serde::Serialize;
use yarnwise_lab::plot::Plot;
use yarnwise_program::number::within;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_solvers::yarn::model::{Family, Sheet};
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnPin, YarnSimulation};

/// m/s².
const GRAVITY: f64 = 9.81;

#[derive(Clone, Debug, clap::Args, Serialize)]
pub(crate) struct Args {
    #[command(flatten)]
    draft: DraftArgs,
    /// Steps, ms, with commas between them
    #[arg(long, value_name = "MS", value_delimiter = ',', default_value = "1,0.5,0.1", allow_negative_numbers = true)]
    step: Vec<f64>,
    /// Hanging length of the first end, mm
    #[arg(long, value_name = "MM", default_value_t = 6.0, allow_negative_numbers = true)]
    left: f64,
    /// Hanging length of the second end, mm
    #[arg(long, value_name = "MM", default_value_t = 5.0, allow_negative_numbers = true)]
    right: f64,
    /// Simulated time, ms
    #[arg(long, value_name = "MS", default_value_t = 40.0, allow_negative_numbers = true)]
    time: f64,
    /// Young's modulus, Pa; the closed form is that of a yarn that does not stretch
    #[arg(long, value_name = "PA", default_value_t = 1e10, allow_negative_numbers = true)]
    young: f64,
    #[serde(skip)]
    #[command(flatten)]
    pub(super) output: Output,
}

/// How far the yarn has run at the end.
#[derive(Serialize)]
pub(super) struct Pulley {
    /// Meters.
    closed_form: f64,
    runs: Vec<Run>,
    #[serde(skip)]
    rate: Rate,
}

#[derive(Serialize)]
struct Run {
    draft: String,
    /// Seconds.
    step: f64,
    /// Meters.
    slid: f64,
    error: f64,
    /// Time and slid length, s and m.
    path: Vec<[f64; 2]>,
}

/// What the closed form depends on.
#[derive(Clone, Copy, Debug)]
struct Rate {
    /// δ_0, m.
    start: f64,
    /// 1/s.
    omega: f64,
    /// Simulated seconds.
    time: f64,
}

impl Rate {
    /// Meters that have run over the crossing after `t` seconds.
    fn slid(&self, t: f64) -> f64 {
        self.start * ((self.omega * t).cosh() - 1.0)
    }
}

pub(super) fn run(args: &Args) -> Result<Pulley> {
    let [left, right] = [("--left", args.left), ("--right", args.right)].map(|(o, v)| within(o, v, [0.5, 1e3]));
    let [left, right] = [1e-3 * left?, 1e-3 * right?];
    ensure!(left != right, "--left and --right are equal: the yarn stays where it is");
    let time = 1e-3 * within("--time", args.time, [0.1, 1e5])?;
    let rate = Rate { start: 0.5 * (left - right), omega: (2.0 * GRAVITY / (left + right)).sqrt(), time };
    let shorter = left.min(right);
    ensure!(
        rate.slid(time).abs() < 0.7 * shorter,
        "--time {}: the shorter end of {} mm would be gone; use a shorter time",
        args.time,
        1e3 * shorter
    );
    let steps = steps("--step", &args.step)?;
    let drafts = args.draft.read()?;
    let bar = progress_of("step", drafts.len() * steps.iter().map(|h| (time / h).ceil() as usize).sum::<usize>());
    let mut runs = Vec::new();
    for draft in &drafts {
        for h in &steps {
            let mut path = vec![[0.0, 0.0]];
            let mut simulation = simulation(&draft.draft, args.young, [left, right], *h)?;
            advance(&mut simulation, time, *h, &bar, |s| path.push([s.time(), s.state().arcs[0][0]]))?;
            let slid = simulation.state().arcs[0][0];
            let error = relative_error(slid, rate.slid(time));
            runs.push(Run { draft: draft.name.clone(), step: *h, slid, error, path });
        }
    }
    bar.finish_and_clear();
    Ok(Pulley { closed_form: rate.slid(time), runs, rate })
}

/// One warp and one weft; the warp hangs down on both sides of its crossing.
fn simulation(draft: &Draft, young: f64, [left, right]: [f64; 2], h: f64) -> Result<YarnSimulation> {
    let material = super::options::checked(YarnMaterial {
        young,
        bending: 0.0,
        shear: 0.0,
        friction: 0.0,
        mass_damping: 0.0,
        stiffness_damping: 0.0,
        parallel_contact: 0.0,
        sliding_damping: 0.0,
        ..Default::default()
    })?;
    let tails = [(false, left), (true, right)].map(|(far, l)| (Family::Warp, 0, far, l / material.spacing));
    let sheet = Sheet { tails: tails.to_vec(), ..Sheet::new(1, 1, draft.clone(), material) };
    let mut weave = sheet.weave()?;
    // A hair apart: the direction of a yarn that folds back onto itself would be undefined.
    weave.positions[sheet.end(Family::Warp, 0, false)] = Vector3::new(-1e-6, -left, 0.0);
    weave.positions[sheet.end(Family::Warp, 0, true)] = Vector3::new(1e-6, -right, 0.0);
    let options = YarnOptions { step: h, newton_tolerance: 1e-9, tolerance: 1e-10, ..Default::default() };
    let mut simulation = YarnSimulation::new(weave, options);
    simulation.gravity = Vector3::new(0.0, -GRAVITY, 0.0);
    let weft = [false, true].map(|far| sheet.end(Family::Weft, 0, far) as u32);
    simulation.pins.push(YarnPin::still(weft.to_vec()));
    simulation.pins.push(YarnPin { sliding: true, ..YarnPin::still(vec![0]) });
    Ok(simulation)
}

impl Outcome for Pulley {
    fn table(&self) -> String {
        let mut text = format!(
            "slid after {} ms, closed form {:.4} mm\n  {:<12}{:>10}{:>14}{:>12}\n",
            1e3 * self.rate.time,
            1e3 * self.closed_form,
            "draft",
            "step, ms",
            "slid, mm",
            "error"
        );
        for r in &self.runs {
            let (h, slid) = (1e3 * r.step, 1e3 * r.slid);
            text += &format!("  {:<12}{h:>10}{slid:>14.4}{:>12}\n", r.draft, percent(r.error));
        }
        text
    }

    fn plots(&self) -> Vec<(String, Plot)> {
        let rate = &self.rate;
        let exact: Vec<[f64; 2]> =
            (0..=100).map(|k| rate.time * f64::from(k) / 100.0).map(|t| [1e3 * t, 1e3 * rate.slid(t)]).collect();
        let mut plot = Plot::new("Yarn over a fixed crossing", "time, ms", "slid, mm").line("closed form", &exact);
        let first = self.runs.first().map(|r| file_part(&r.draft));
        for r in self.runs.iter().filter(|r| Some(file_part(&r.draft)) == first) {
            let path: Vec<[f64; 2]> = r.path.iter().map(|[t, s]| [1e3 * t, 1e3 * s]).collect();
            plot = plot.points(&format!("step {} ms", 1e3 * r.step), &path);
        }
        vec![("pulley".into(), plot)]
    }
}
