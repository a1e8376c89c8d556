//! `yarnwise-bake relax`: the rest state of a pattern.

use crate::options::{self, MaterialOptions};
use anyhow::bail;
use std::path::PathBuf;
use yarnwise_precompute::equilibrium::settings::SolverSettings;
use yarnwise_precompute::gauge::Gauge;
use yarnwise_precompute::relax::{Period, Relaxed, relax};
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
    material: MaterialOptions,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum PeriodMode {
    Free,
    Fixed,
}

pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    let output = options::check_output(&command.output)?;
    let material = command.material.material()?;
    let given = options::read_pattern(&command.pattern)?;
    yarnwise_precompute::bake::check_pattern(&given, &command.pattern.display().to_string())?;
    let period = match command.period {
        PeriodMode::Free => Period::Free,
        PeriodMode::Fixed => Period::Fixed,
    };
    eprintln!(
        "{}: {} vertices, {}",
        options::stem(&command.pattern),
        given.vertices().len(),
        options::describe(&material)
    );
    let relaxed = relax(&given, &material, period, &SolverSettings::default())?;
    if relaxed.passed_through {
        bail!(
            "{}: yarns passed through each other on the way to rest, the result would be another fabric; nothing is \
             written. Move the yarns apart where they overlap, or relax with --period fixed first",
            command.pattern.display()
        );
    }
    pattern::write(&relaxed.pattern, &output)?;
    crate::db::print(&report(&given, &relaxed))?;
    if !relaxed.converged {
        let residual = relaxed.residual;
        eprintln!("warning: not at rest yet (unbalanced force {residual:.1e}): relax {} again", output.display());
    }
    crate::db::print(&format!("written    {}\n", output.display()))
}

/// Energy, period and gauge before and after.
fn report(given: &Pattern, relaxed: &Relaxed) -> String {
    let before = &relaxed.energy_before;
    let after = &relaxed.energy_after;
    let area = |p: &Pattern| p.period()[0] * p.period()[1];
    let mut out = format!("{:<28} {:>14} {:>14}\n", "", "before", "at rest");
    let mut row = |name: &str, a: f64, b: f64| out += &format!("{name:<28} {a:>14.6} {b:>14.6}\n");
    for (name, a, b) in [
        ("stretch energy, uJ a cell", before.stretch, after.stretch),
        ("bend energy, uJ a cell", before.bend, after.bend),
        ("twist energy, uJ a cell", before.twist, after.twist),
        ("contact energy, uJ a cell", before.contact, after.contact),
        ("energy, uJ a cell", before.total(), after.total()),
    ] {
        row(name, 1e6 * a, 1e6 * b);
    }
    row("energy density, J/m2", before.total() / area(given), after.total() / area(&relaxed.pattern));
    for (k, name) in ["x", "y"].into_iter().enumerate() {
        let [a, b] = [given, &relaxed.pattern].map(|p| p.period()[k]);
        row(&format!("period {name}, mm"), 1e3 * a, 1e3 * b);
    }
    let [a, b] = [given, &relaxed.pattern].map(Gauge::of);
    let [x, y] = a.names();
    row(&format!("gauge x, {x} per cm"), 0.01 * a.x, 0.01 * b.x);
    row(&format!("gauge y, {y} per cm"), 0.01 * a.y, 0.01 * b.y);
    out + &format!("{:<28} {:>29.1e}\n", "unbalanced force", relaxed.residual)
}
