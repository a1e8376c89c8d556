//! `yarnwise-bake relax`: the rest state of a pattern.

use crate::options::{self, MaterialOptions, Residual};
use anyhow::bail;
use std::fmt;
use std::path::PathBuf;
use yarnwise_precompute::gauge::Gauge;
use yarnwise_precompute::relax::{Period, Relaxed, relax};
use yarnwise_program::number::vertices;
use yarnwise_program::{note, output, print_report};
use yarnwise_shared::pattern::{self, Pattern};

#[derive(clap::Args)]
pub(crate) struct Command {
    /// The pattern: a .yarn or .pyp file
    pattern: PathBuf,
    /// The relaxed pattern to write: *.yarn or *.pyp
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Whether the period takes the size at which the fabric pulls in no direction, or stays
    #[arg(long, value_enum, default_value_t = PeriodMode::Free)]
    period: PeriodMode,
    #[command(flatten)]
    residual: Residual,
    #[command(flatten)]
    material: MaterialOptions,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum PeriodMode {
    Free,
    Fixed,
}

pub(crate) fn run(command: Command, json: bool) -> anyhow::Result<()> {
    let output = output::check(&command.output, &[&command.pattern])?;
    let material = command.material.material()?;
    let solver = command.residual.solver()?;
    let given = options::read_pattern(&command.pattern)?;
    yarnwise_precompute::bake::check_pattern(&given, &command.pattern.display().to_string())?;
    let period = match command.period {
        PeriodMode::Free => Period::Free,
        PeriodMode::Fixed => Period::Fixed,
    };
    let name = options::stem(&command.pattern);
    note!("{name}: {}, {}", vertices(given.vertices().len()), options::describe(&material));
    let relaxed = relax(&given, &material, period, &solver)?;
    if relaxed.passed_through {
        bail!(
            "{}: yarns passed through each other on the way to rest, the result would be another fabric; nothing is \
             written. Move the yarns apart where they overlap, or relax with --period fixed first",
            command.pattern.display()
        );
    }
    pattern::write(&relaxed.pattern, &output)?;
    if !relaxed.converged {
        let residual = relaxed.residual;
        note!("warning: not at rest yet (unbalanced force {residual:.1e}): relax {} again", output.display());
    }
    print_report(&Report::new(&given, &relaxed, output), json)
}

/// Energy, period and gauge before and after.
#[derive(serde::Serialize)]
struct Report {
    file: PathBuf,
    converged: bool,
    /// Unbalanced force as a fraction of the forces that balance.
    residual: f64,
    before: Figures,
    at_rest: Figures,
    /// What is counted along x and along y.
    threads: [&'static str; 2],
}

/// Figures of a pattern in one state.
#[derive(serde::Serialize)]
struct Figures {
    /// Energies of a cell by kind, J.
    stretch_energy: f64,
    bend_energy: f64,
    twist_energy: f64,
    contact_energy: f64,
    energy: f64,
    /// J/m^2.
    energy_density: f64,
    /// m.
    period: [f64; 2],
    /// Threads or loops per meter.
    gauge: [f64; 2],
}

impl Report {
    fn new(given: &Pattern, relaxed: &Relaxed, file: PathBuf) -> Self {
        let figures = |pattern: &Pattern, energy: &yarnwise_precompute::cell::energy::Energy| {
            let (period, gauge) = (pattern.period(), Gauge::of(pattern));
            Figures {
                stretch_energy: energy.stretch,
                bend_energy: energy.bend,
                twist_energy: energy.twist,
                contact_energy: energy.contact,
                energy: energy.total(),
                energy_density: energy.total() / (period[0] * period[1]),
                period,
                gauge: [gauge.x, gauge.y],
            }
        };
        Report {
            file,
            converged: relaxed.converged,
            residual: relaxed.residual,
            before: figures(given, &relaxed.energy_before),
            at_rest: figures(&relaxed.pattern, &relaxed.energy_after),
            threads: Gauge::of(given).names(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{:<28} {:>14} {:>14}", "", "before", "at rest")?;
        let mut row = |name: &str, unit: f64, value: &dyn Fn(&Figures) -> f64| {
            let [a, b] = [&self.before, &self.at_rest].map(|figures| unit * value(figures));
            writeln!(f, "{name:<28} {a:>14.6} {b:>14.6}")
        };
        row("stretch energy, uJ a cell", 1e6, &|s| s.stretch_energy)?;
        row("bend energy, uJ a cell", 1e6, &|s| s.bend_energy)?;
        row("twist energy, uJ a cell", 1e6, &|s| s.twist_energy)?;
        row("contact energy, uJ a cell", 1e6, &|s| s.contact_energy)?;
        row("energy, uJ a cell", 1e6, &|s| s.energy)?;
        row("energy density, J/m2", 1.0, &|s| s.energy_density)?;
        row("period x, mm", 1e3, &|s| s.period[0])?;
        row("period y, mm", 1e3, &|s| s.period[1])?;
        let [x, y] = self.threads;
        row(&format!("gauge x, {x} per cm"), 0.01, &|s| s.gauge[0])?;
        row(&format!("gauge y, {y} per cm"), 0.01, &|s| s.gauge[1])?;
        writeln!(f, "{:<28} {:>29.1e}", "unbalanced force", self.residual)?;
        writeln!(f, "written    {}", self.file.display())
    }
}
