//! `yarnwise-bake bake`: a database from a pattern.

mod job;
mod sharing;

pub(crate) use job::Job;
pub(crate) use sharing::Little;
use sharing::{Part, Sharing};

use crate::options::{self, MaterialOptions, Residual};
use crate::writing::{self, Precision, subset};
use anyhow::Context;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use yarnwise_precompute::bake::{Bake, BendingSummary, StartMode, Summary, default_curvatures, journal_path, log_path};
use yarnwise_precompute::sampling::{MOST_ROUNDS, SamplingSettings};
use yarnwise_program::interrupt;
use yarnwise_program::number::{Threads, count};
use yarnwise_program::{memory, number, output};
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
    /// or numbers with commas between them, one of them 0. Without a value: five that suit the pattern. Solves the grid of
    /// strains twice for each curvature other than 0
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
    precision: Precision,
    #[command(flatten)]
    threads: Threads,
    /// Start over, and discard what an interrupted bake left beside the output
    #[arg(long)]
    restart: bool,
    #[command(flatten)]
    sharing: Sharing,
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
    #[command(flatten)]
    residual: Residual,
    /// The most rounds that retry samples from their neighbors' states, 0 for first solves alone; they end by themselves
    #[arg(long, value_name = "N", default_value_t = MOST_ROUNDS as u16,
        value_parser = clap::value_parser!(u16).range(..=MOST_ROUNDS as i64))]
    rounds: u16,
    /// Retry a sample where the logarithm of the energy half way to a neighbor stands out by this much; less takes longer and may
    /// find better states
    #[arg(long, value_name = "LN", default_value_t = SamplingSettings::default().gain)]
    gain: f64,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Start {
    Continuation,
    Cold,
}

impl SolverOptions {
    fn settings(&self) -> anyhow::Result<SamplingSettings> {
        let gain = number::positive("--gain", self.gain)?;
        Ok(SamplingSettings { solver: self.residual.solver()?, rounds: usize::from(self.rounds), gain })
    }
}

impl Command {
    /// The files that it reads.
    fn inputs(&self) -> Vec<&Path> {
        let named = [&self.pattern, &self.from].into_iter().flatten().map(PathBuf::as_path);
        let perhaps = [Some(&self.grid), self.subset.as_ref(), self.bending.as_ref()];
        let named = named.chain(self.sharing.journals().iter().map(PathBuf::as_path));
        named.chain(perhaps.into_iter().flatten().filter_map(|text| options::as_file(text))).collect()
    }
}

pub(crate) fn run(command: Command, json: bool) -> anyhow::Result<ExitCode> {
    let (output, inputs) = (&command.output, command.inputs());
    let encoding = command.precision.encoding()?;
    if let (Some(from), Some(axes)) = (&command.from, &command.subset) {
        output::check(output, &inputs)?;
        subset(from, axes, output, &encoding, json)?;
        return Ok(ExitCode::SUCCESS);
    }
    output::check_all(&[output, &journal_path(output), &log_path(output)], &inputs)?;
    let bake = bake(&command)?;
    bake.check()?;
    let threads = command.threads.count();
    command.sharing.pin()?;
    check_memory(&bake, threads)?;
    command.threads.start()?;
    let job = Job { bake: &bake, output, encoding, restart: command.restart, threads, json };
    match command.sharing.part() {
        Part::Whole => job.whole(),
        Part::Shard(shard) => job.shard(shard),
        Part::Merge { journals, seconds } => job.merge(journals, seconds),
    }
}

/// Refuses a bake that does not fit into memory.
pub(crate) fn check_memory(bake: &Bake, threads: usize) -> anyhow::Result<()> {
    let what = format!("{} samples of {}", bake.table_samples(), number::vertices(bake.pattern.vertices().len()));
    let bytes = bake.memory(threads);
    let cure = match bake.curvatures {
        Some(_) => "choose a smaller --grid, fewer curvatures (--bending) or fewer --threads",
        None => "choose a smaller --grid or fewer --threads",
    };
    // Besides those that solve, as many choose among states, one listens for Ctrl-C, and one is there already.
    memory::check(&memory::Work { what: &what, bytes, threads: 2 * threads + 1, cure })
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
    Ok(Bake {
        name: Bake::name_of(path, &grid),
        origin: Bake::origin_of(path),
        tool: writing::tool(),
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

/// Ctrl-C lets the samples in flight finish: the journal bears either.
pub(crate) fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    interrupt::stop_on_interrupt(
        "stopping when the samples in flight are done; press Ctrl-C again to stop at once (nothing else is lost)",
    )
}

/// What a finished bake prints.
#[derive(serde::Serialize)]
struct Report<'a> {
    file: &'a Path,
    log: PathBuf,
    threads: usize,
    #[serde(flatten)]
    summary: &'a Summary,
}

/// How many samples there are and how many are equilibria.
fn counts(samples: usize, converged: usize, passed_through: usize) -> String {
    let failed = match samples - converged {
        0 => String::new(),
        failed if passed_through == 0 => format!(", {failed} not"),
        failed => format!(", {failed} not (in {passed_through} yarns passed through each other)"),
    };
    format!("{}, {converged} converged{failed}", count(samples, "sample", None))
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let s = self.summary;
        writeln!(f, "{}: {}", self.file.display(), counts(s.samples, s.converged, s.passed_through))?;
        let mut all = s.samples;
        if let Some(BendingSummary { samples, converged, passed_through }) = s.bending {
            // Without curvature nothing is solved again.
            all += samples - 2 * s.samples;
            writeln!(f, "bending     {}", counts(samples, converged, passed_through))?;
            writeln!(f, "pullback    to {:.1e} radii", s.largest_pullback)?;
        }
        let (threads, retries) = (count(self.threads, "thread", None), s.retries);
        let (per_sample, solves) = (s.solve_seconds / all as f64, count(s.solves, "solve", None));
        let each = format!("{per_sample:.3} core-seconds a sample ({solves}, of which {retries} retried)");
        writeln!(f, "time        {:.1} s on {threads}, {each}", s.seconds)?;
        writeln!(f, "residual    at most {:.1e} where converged", s.largest_residual)?;
        writeln!(f, "file        {}", writing::summary(&s.file))?;
        let rough = s.smoothness.roughness.iter().zip(Region::ALL);
        let rough: Vec<String> =
            rough.filter_map(|(share, r)| Some(format!("{} {:.2}", r.name(), share.as_ref()?))).collect();
        writeln!(f, "roughness   {} (share of samples that bend by over 0.5 r along sa)", rough.join(", "))?;
        let jumps = s.smoothness.jumps.iter().zip(AXIS_NAMES);
        let jumps: Vec<String> = jumps.map(|(j, name)| format!("{name} {:.2} ({:.2})", j.median, j.largest)).collect();
        writeln!(f, "jumps       {} r between neighbors, median (largest)", jumps.join(", "))?;
        writeln!(f, "log         {}", self.log.display())
    }
}
