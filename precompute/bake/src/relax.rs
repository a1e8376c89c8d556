//! `yarnwise-bake relax`: the rest state of a pattern.

mod meter;

use crate::options::{self, MaterialOptions, Residual};
use anyhow::bail;
use meter::Meter;
use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use yarnwise_lab::report::trace::Trace;
use yarnwise_precompute::equilibrium::{Follower, Seen};
use yarnwise_precompute::gauge::Gauge;
use yarnwise_precompute::relax::{Ended, MAX_STEPS, Period, Relaxed, Watch, relax_watched};
use yarnwise_program::interrupt::{INTERRUPTED, stop_on_interrupt};
use yarnwise_program::number::{count, vertices};
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
    /// The search is given up after this many steps, taken or not; what it found is written all the same
    #[arg(long, value_name = "N", default_value_t = MAX_STEPS, value_parser = parse_steps)]
    max_steps: usize,
    /// Write energy, unbalanced force, regularization and contacts of every step to this file; 'db inspect' draws it
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
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

fn parse_steps(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|steps| *steps > 0).ok_or_else(|| "a number of steps is expected, at least 1".to_owned())
}

pub(crate) fn run(command: Command, json: bool) -> anyhow::Result<ExitCode> {
    let output = output::check(&command.output, &[&command.pattern])?;
    if let Some(trace) = &command.trace {
        output::check_all(&[&command.output, trace], &[&command.pattern])?;
    }
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
    let stop = stop_on_interrupt("stopping after this step; the best state so far is written")?;
    let trace = Rc::new(RefCell::new(Trace::new(&name)));
    let watch =
        Watch { max_steps: command.max_steps, stop: Some(&stop), follower: Some(follower(&trace, command.max_steps)) };
    let relaxed = relax_watched(&given, &material, period, &solver, &watch)?;
    drop(watch);
    if let Some(path) = &command.trace {
        trace.borrow().write(path)?;
    }
    if relaxed.passed_through {
        bail!(
            "{}: yarns passed through each other on the way to rest, the result would be another fabric; nothing is \
             written. Move the yarns apart where they overlap, or relax with --period fixed first",
            command.pattern.display()
        );
    }
    pattern::write(&relaxed.pattern, &output)?;
    if let Some(advice) = advice(&relaxed, period, command.max_steps, &output) {
        note!("warning: {}: not at rest (unbalanced force {:.1e}): {advice}", output.display(), relaxed.residual);
    }
    let stopped = relaxed.ended == Ended::Stopped;
    print_report(&Report::new(&given, &relaxed, output), json)?;
    Ok(if stopped { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// Shows how far the search is, and keeps its trace.
fn follower(trace: &Rc<RefCell<Trace>>, max_steps: usize) -> Follower {
    let trace = trace.clone();
    let mut meter = Meter::new(max_steps);
    Rc::new(RefCell::new(move |seen: &Seen| {
        meter.report(seen);
        trace.borrow_mut().add(seen);
    }))
}

/// Why a pattern is not at rest, and what to try; none where it is.
fn advice(relaxed: &Relaxed, period: Period, max_steps: usize, output: &Path) -> Option<String> {
    let file = output.display();
    let fixed = match period {
        Period::Free => ", or keep the period with --period fixed",
        Period::Fixed => "",
    };
    Some(match relaxed.ended {
        Ended::AtRest => return None,
        Ended::Stopped => format!("it was stopped; relax {file} to continue"),
        Ended::OutOfSteps => format!(
            "{} were not enough; relax {file} to continue{fixed}, or make the pattern with another gauge or more vertices",
            count(max_steps, "step", None)
        ),
        Ended::Stuck => format!(
            "no step lowers its energy; make the pattern with more room between its yarns or with more vertices{fixed}, or take \
             a larger --residual"
        ),
        Ended::Unsettled => format!(
            "it moves a little each time contact is laid out anew; take a larger --residual, or make the pattern with more \
             vertices{fixed}"
        ),
    })
}

/// Energy, period and gauge before and after.
#[derive(serde::Serialize)]
struct Report {
    file: PathBuf,
    converged: bool,
    ended: Ended,
    /// Steps that were tried.
    steps: usize,
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
            converged: relaxed.converged(),
            ended: relaxed.ended,
            steps: relaxed.work.factorizations,
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
        writeln!(f, "{:<28} {:>29}", "steps", self.steps)?;
        writeln!(f, "written    {}", self.file.display())
    }
}
