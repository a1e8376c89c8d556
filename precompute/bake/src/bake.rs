//! `yarnwise-bake bake`: a database from a pattern.

use crate::options::{self, MaterialOptions};
use crate::progress::Meter;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use yarnwise_precompute::bake::{
    Bake, BakeOutcome, BendingSummary, RunOptions, StartMode, Summary, default_curvatures, journal_path, log_path,
};
use yarnwise_precompute::equilibrium::settings::SolverSettings;
use yarnwise_precompute::sampling::SamplingSettings;
use yarnwise_shared::table::database;
use yarnwise_shared::table::grid::AXIS_NAMES;
use yarnwise_shared::table::region::Region;

#[derive(clap::Args)]
pub(crate) struct Command {
    /// The pattern: a .yarn or .pyp file
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    pattern: Option<PathBuf>,
    /// The database to write, usually ending in .ydb
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The strains: a published grid (5, 9, 15 or 31 samples along each axis), or a file with three lines of ascending
    /// numbers (sx, sa, sy), each with a 0
    #[arg(long, value_name = "SAMPLES|FILE", default_value = "9")]
    grid: String,
    /// Bend the fabric too, along x and along y, at these curvatures in 1/m: a file with one line of ascending numbers,
    /// or numbers with commas between them, one of them 0; by itself five that suit the pattern. Solves the grid of strains
    /// twice for each curvature other than 0
    #[arg(long, value_name = "FILE|NUMBERS", num_args = 0..=1, require_equals = true, default_missing_value = "",
        conflicts_with = "from")]
    bending: Option<String>,
    /// Where samples start: at a neighbor's equilibrium, or each at the affine state
    #[arg(long, value_enum, default_value_t = Start::Continuation)]
    start: Start,
    #[command(flatten)]
    material: MaterialOptions,
    #[command(flatten)]
    solver: SolverOptions,
    #[command(flatten)]
    precision: crate::db::Precision,
    /// How many samples are solved at a time; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Begin anew, and discard what an interrupted bake left beside the output
    #[arg(long)]
    restart: bool,
    /// Solve nothing: take the samples of --subset from this database
    #[arg(long, value_name = "DATABASE", requires = "subset")]
    from: Option<PathBuf>,
    /// The strains to take with --from, as for --grid
    #[arg(long, value_name = "SAMPLES|FILE", requires = "from", conflicts_with = "grid")]
    subset: Option<String>,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Solver")]
struct SolverOptions {
    /// A sample is an equilibrium when the unbalanced force is below this fraction of the forces that balance
    #[arg(long, value_name = "FRACTION", allow_negative_numbers = true)]
    residual: Option<f64>,
    /// The most sweeps that try samples again from other neighbors and keep the better state; a second one also tries
    /// the affine state, takes about as long again and finds lower energies in compression
    #[arg(long, value_name = "N")]
    sweeps: Option<usize>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Start {
    Continuation,
    Cold,
}

impl SolverOptions {
    fn settings(&self) -> anyhow::Result<SamplingSettings> {
        let mut settings = SamplingSettings::default();
        if let Some(residual) = self.residual {
            settings.solver = SolverSettings::with_tolerance("--residual", residual)?;
        }
        settings.sweeps = self.sweeps.unwrap_or(settings.sweeps);
        Ok(settings)
    }
}

pub(crate) fn run(command: Command) -> anyhow::Result<ExitCode> {
    let output = options::check_output(&command.output)?;
    if let (Some(from), Some(axes)) = (&command.from, &command.subset) {
        subset(from, axes, &output, &command.precision)?;
        return Ok(ExitCode::SUCCESS);
    }
    let bake = bake(&command)?;
    bake.check()?;
    eprintln!("{}: {} vertices, {}", bake.name, bake.pattern.vertices().len(), options::describe(&bake.material));
    let stop = stop_on_interrupt()?;
    let threads = command.threads.map_or_else(all_cores, usize::from);
    let options = RunOptions { threads, restart: command.restart, encoding: command.precision.encoding(), stop: &stop };
    let mut meter = Meter::new();
    let outcome = bake.run(&output, options, &mut |progress| meter.tell(progress));
    meter.finish();
    match outcome? {
        BakeOutcome::Finished(summary) => {
            crate::db::print(&report(&summary, &output, threads))?;
            Ok(ExitCode::SUCCESS)
        }
        BakeOutcome::Stopped { solves } => {
            eprintln!(
                "stopped: {solves} solves are safe in {}; run the same command again to go on",
                journal_path(&output).display()
            );
            // What shells report for a program that Ctrl-C ended.
            Ok(ExitCode::from(130))
        }
    }
}

fn bake(command: &Command) -> anyhow::Result<Bake> {
    let path = command.pattern.as_deref().context("a pattern is needed")?;
    let grid = options::strain_grid(&command.grid)?;
    let pattern = options::read_pattern(path)?;
    let curvatures = match command.bending.as_deref() {
        None => None,
        Some("") => Some(default_curvatures(&pattern, &grid)?),
        Some(text) => Some(options::curvatures(text)?),
    };
    let sizes = grid.0.each_ref().map(|axis| axis.len().to_string()).join("x");
    Ok(Bake {
        name: format!("{} {sizes}", options::stem(path)),
        origin: path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        tool: crate::db::tool(),
        pattern,
        material: command.material.material()?,
        grid,
        curvatures,
        start: match command.start {
            Start::Continuation => StartMode::Continuation,
            Start::Cold => StartMode::Cold,
        },
        settings: command.solver.settings()?,
    })
}

pub(crate) fn all_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The first Ctrl-C (or SIGTERM, as schedulers send it) lets the samples in flight finish, a second one ends at once:
/// the journal bears either.
pub(crate) fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let mut first: Option<Instant> = None;
    ctrlc::set_handler(move || {
        flag.store(true, Ordering::Relaxed);
        if let Some(first) = first {
            // `timeout` and schedulers signal a process twice at once, by itself and in its group.
            if first.elapsed() > Duration::from_secs(1) {
                std::process::exit(130);
            }
            return;
        }
        first = Some(Instant::now());
        eprintln!(
            "\nstopping when the samples at work are done; press Ctrl-C again to stop at once (nothing else is lost)"
        );
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

/// The database on fewer samples, nothing solved.
pub(crate) fn subset(from: &Path, axes: &str, output: &Path, precision: &crate::db::Precision) -> anyhow::Result<()> {
    let grid = options::strain_grid(axes)?;
    let dense = database::read(from)?;
    let subset = dense.subset(&grid).with_context(|| format!("a subset of {}", from.display()))?;
    let info = database::write(&subset, output, &precision.encoding())?;
    let samples = subset.samples().len();
    crate::db::print(&format!("{}: {samples} samples, {}\n", output.display(), crate::db::summary(&info)))
}

/// How many samples there are and how many are equilibria.
fn counts(samples: usize, converged: usize, passed_through: usize) -> String {
    let failed = match samples - converged {
        0 => String::new(),
        failed if passed_through == 0 => format!(", {failed} not"),
        failed => format!(", {failed} not (in {passed_through} yarns passed through each other)"),
    };
    format!("{samples} samples, {converged} converged{failed}\n")
}

fn report(s: &Summary, output: &Path, threads: usize) -> String {
    let mut out = format!("{}: {}", output.display(), counts(s.samples, s.converged, s.passed_through));
    let mut all = s.samples;
    if let Some(BendingSummary { samples, converged, passed_through }) = s.bending {
        // Without curvature nothing is solved again.
        out += &format!("bending     {}", counts(samples, converged, passed_through));
        out += &format!("pullback    to {:.1e} radii\n", s.largest_pullback);
        all += samples - 2 * s.samples;
    }
    let per_sample = s.solve_seconds / all as f64;
    out += &format!(
        "time        {:.1} s on {threads} threads, {per_sample:.3} core-seconds a sample ({} solves, {} of them retries)\n",
        s.seconds, s.solves, s.retries
    );
    out += &format!("residual    at most {:.1e} where converged\n", s.largest_residual);
    out += &format!("file        {}\n", crate::db::summary(&s.file));
    let rough =
        s.smoothness.roughness.iter().zip(Region::ALL).filter_map(|(share, r)| Some((share.as_ref()?, r.name())));
    let rough: Vec<String> = rough.map(|(share, name)| format!("{name} {share:.2}")).collect();
    out += &format!("roughness   {} (share of samples that bend by over 0.5 r along sa)\n", rough.join(", "));
    let jumps = s.smoothness.jumps.iter().zip(AXIS_NAMES);
    let jumps: Vec<String> = jumps.map(|(j, name)| format!("{name} {:.2} ({:.2})", j.median, j.largest)).collect();
    out += &format!("jumps       {} r between neighbors, median (largest)\n", jumps.join(", "));
    out + &format!("log         {}\n", log_path(output).display())
}
