//! The experiments of \[Boxerman03\], one command each; docs/cloth.md shows the results beside the thesis's.

mod aimex;
mod clock;
mod damping;
mod decomposition;
mod parameters;
mod plot;
mod preconditioner;
mod speed;
mod stability;

use anyhow::{Context, Result};
use std::path::PathBuf;

/// Which experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Name {
    /// Border of stability of forward-backward Euler (§4.1.3)
    Stability,
    /// Energies without, with plain and with projected damping (Figs. 4.4-4.6)
    Damping,
    /// Adaptive IMEX against the implicit scheme: speed, iterations, difference (§4.4.3, Table 4.1)
    Aimex,
    /// Iterations of three preconditioners, unconstrained and constrained (Figs. 5.3-5.10)
    Preconditioner,
    /// Cost and gain of decomposition (§6.4)
    Decomposition,
    /// Particles a second, and real time
    Speed,
}

/// Which experiment of the cloth solver, and how it is run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which one
    name: Name,
    #[command(flatten)]
    settings: Settings,
}

/// How to run an experiment.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Settings {
    /// Number of random parameter sets; each experiment has its own default
    #[arg(long)]
    pub(crate) runs: Option<usize>,
    /// Where random parameters start
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The thesis's 500 parameter sets, each to its end. On two cores: stability 2 minutes, preconditioner 15,
    /// decomposition 45, aimex 80; the others hardly take longer
    #[arg(long)]
    pub(crate) full: bool,
    /// Folder for the plots
    #[arg(short, long, default_value = "cloth-experiments")]
    pub(crate) output: PathBuf,
}

impl Settings {
    /// The number of runs: as asked, 500 as in the thesis, or what a small machine does in a few minutes.
    fn runs_or(&self, few: usize) -> usize {
        self.runs.unwrap_or(if self.full { 500 } else { few })
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let settings = &args.settings;
    std::fs::create_dir_all(&settings.output).with_context(|| settings.output.display().to_string())?;
    match args.name {
        Name::Stability => stability::run(settings),
        Name::Damping => damping::run(settings),
        Name::Aimex => aimex::run(settings),
        Name::Preconditioner => preconditioner::run(settings),
        Name::Decomposition => decomposition::run(settings),
        Name::Speed => speed::run(settings),
    }
}

/// A progress bar over the runs of an experiment.
fn progress(runs: usize) -> indicatif::ProgressBar {
    let style = indicatif::ProgressStyle::with_template("{bar:40} run {pos}/{len}, {eta} left");
    let bar = indicatif::ProgressBar::new(runs as u64);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Mean of some numbers, not a number where there are none.
fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = values.into_iter().fold((0.0, 0), |(sum, count), v| (sum + v, count + 1));
    sum / f64::from(count)
}

/// The value below which the part `q` of the numbers lies.
fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (q * (sorted.len() as f64 - 1.0)).round() as usize;
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

/// Slope of the best line through the logarithms of points: the exponent of growth.
fn exponent(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|p| p.map(f64::ln)).collect();
    let (mx, my) = (mean(logs.iter().map(|p| p[0])), mean(logs.iter().map(|p| p[1])));
    let cross: f64 = logs.iter().map(|p| (p[0] - mx) * (p[1] - my)).sum();
    cross / logs.iter().map(|p| (p[0] - mx).powi(2)).sum::<f64>()
}
