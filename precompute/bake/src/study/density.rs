//! `yarnwise-bake study density`: the same pattern baked on grids of several densities, and the sets compared.

use crate::bake::{check_memory, stop_on_interrupt};
use crate::compare::{Measures, Reports, print_comparison};
use crate::options::{self, MaterialOptions};
use crate::progress::Meter;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use yarnwise_lab::compare::{self, Comparison, Set};
use yarnwise_precompute::bake::{Bake, BakeOutcome, RunOptions, StartMode, journal_path, log_path};
use yarnwise_precompute::sampling::SamplingSettings;
use yarnwise_program::number::{Threads, count};
use yarnwise_program::{note, output, print_json};
use yarnwise_shared::file;
use yarnwise_shared::mesh::clip::Clip;
use yarnwise_shared::mesh::clip::make::{Animation, Motion, Sheet};
use yarnwise_shared::pattern::Pattern;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::table::database::{Encoding, Tolerance};
use yarnwise_shared::table::grid::StrainGrid;

#[derive(clap::Args)]
pub(crate) struct Command {
    /// The patterns: .yarn or .pyp files, relaxed
    #[arg(required = true, value_name = "PATTERN")]
    patterns: Vec<PathBuf>,
    /// The folder for databases, reports and pictures; databases that are already there are reused
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Samples along each axis of the published grids: 5, 9, 15, 31. How long a grid will take is printed before it begins;
    /// 31 takes about nine times as long as 15
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', default_value = "5,9,15")]
    grids: Vec<usize>,
    #[command(flatten)]
    yarn: MaterialOptions,
    #[command(flatten)]
    measures: Measures,
}

/// Endings of the reports of a pattern.
const REPORTS: [&str; 4] = [".txt", ".html", ".json", ".csv"];

impl Command {
    /// The grids, ascending.
    fn grids(&self) -> Result<Vec<usize>> {
        let mut grids = self.grids.clone();
        grids.sort_unstable();
        grids.dedup();
        for samples in &grids {
            StrainGrid::preset(*samples)?;
        }
        Ok(grids)
    }

    /// The database of a pattern on a grid.
    fn database(&self, pattern: &Path, samples: usize) -> PathBuf {
        self.output.join(format!("{}_{samples}.ydb", options::stem(pattern)))
    }

    /// Refuses outputs that cannot be written, that are inputs, or that two patterns share.
    fn check_outputs(&self, grids: &[usize]) -> Result<()> {
        output::check_folder(&self.output, &[])?;
        let mut outputs = Vec::new();
        for pattern in &self.patterns {
            outputs.extend(REPORTS.map(|ending| self.output.join(options::stem(pattern) + ending)));
            for database in grids.iter().map(|samples| self.database(pattern, *samples)) {
                outputs.extend([journal_path(&database), log_path(&database), database]);
            }
        }
        let outputs: Vec<&Path> = outputs.iter().map(PathBuf::as_path).collect();
        let inputs: Vec<&Path> = self.patterns.iter().map(PathBuf::as_path).collect();
        output::check_all(&outputs, &inputs)
    }
}

pub(crate) fn run(command: &Command, json: bool) -> Result<()> {
    let options = command.measures.options()?;
    let grids = command.grids()?;
    command.check_outputs(&grids)?;
    // Everything is read before anything is made.
    let material = command.yarn.material()?;
    let patterns = command.patterns.iter().map(|path| options::read_pattern(path)).collect::<Result<Vec<_>, _>>()?;
    for (path, pattern) in command.patterns.iter().zip(&patterns) {
        for samples in &grids {
            check_memory(&preset_bake(path, pattern, material, *samples)?, Threads::default().count())?;
        }
    }
    std::fs::create_dir_all(&command.output).with_context(|| command.output.display().to_string())?;
    let stop = stop_on_interrupt()?;
    let clip = motions()?;
    let mut comparisons = Vec::new();
    for (path, pattern) in command.patterns.iter().zip(&patterns) {
        let mut paths = Vec::new();
        let mut last = None;
        for samples in &grids {
            let output = command.database(path, *samples);
            run_bake(&preset_bake(path, pattern, material, *samples)?, &output, &mut last, &stop)?;
            paths.push(output);
        }
        let sets = Set::read_all(&paths, &crate::writing::tool())?;
        let clip = Some(("a sheet that is stretched, sheared and twisted", &clip));
        let comparison = compare::compare(&sets, clip, &options, &mut |what| note!("{what}"))?;
        write(&comparison, &command.output, &options::stem(path))?;
        if !json {
            print_comparison(&comparison, false)?;
        }
        comparisons.push(comparison);
    }
    if json { print_json(&comparisons) } else { Ok(()) }
}

/// The bake of a pattern on a published grid.
fn preset_bake(path: &Path, pattern: &Pattern, material: YarnMaterial, samples: usize) -> Result<Bake> {
    Ok(Bake {
        name: format!("{} {samples}x{samples}x{samples}", options::stem(path)),
        origin: path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        tool: crate::writing::tool(),
        pattern: pattern.clone(),
        material,
        grid: StrainGrid::preset(samples)?,
        curvatures: None,
        start: StartMode::Continuation,
        settings: SamplingSettings::default(),
    })
}

/// Bakes unless the database is there. `last` is the core-seconds a sample took on the last grid.
fn run_bake(bake: &Bake, output: &Path, last: &mut Option<f64>, stop: &AtomicBool) -> Result<()> {
    let samples = bake.grid.sample_count();
    if output.exists() {
        let there = Set::read(output, &crate::writing::tool())?;
        if there.database.pattern() != &bake.pattern || there.database.material() != Some(&bake.material) {
            bail!("{}: is of another pattern or material; remove it or choose another folder", output.display());
        }
        note!("{}: is already there", output.display());
        *last = there.bake_seconds.map(|s| s / samples as f64).or(*last);
        return Ok(());
    }
    let threads = Threads::default().count();
    if let Some(seconds) = *last {
        let minutes = seconds * samples as f64 / threads as f64 / 60.0;
        note!(
            "{}: {samples} samples will take about {minutes:.1} minutes on {}",
            bake.name,
            count(threads, "thread", None)
        );
    }
    let options =
        RunOptions { threads, pool: None, restart: false, encoding: Encoding::Quantized(Tolerance::default()), stop };
    let mut meter = Meter::new();
    let outcome = bake.run(output, options, &mut |progress| meter.report(progress));
    meter.finish();
    match outcome? {
        BakeOutcome::Finished(summary) => {
            *last = Some(summary.solve_seconds / samples as f64);
            Ok(())
        }
        BakeOutcome::Stopped { .. } => bail!("stopped; run the same command again to resume"),
    }
}

/// One after the other: stretched along both axes, sheared, twisted.
fn motions() -> Result<Clip> {
    let mesh = Sheet { size: [0.16, 0.16], cells: [40, 40] }.mesh()?;
    let parts = [(Motion::StretchX, 0.7), (Motion::StretchY, 0.7), (Motion::Shear, 0.6), (Motion::Twist, 1.5)];
    let mut positions = Vec::new();
    let mut frame_time = 0.0;
    for (motion, amount) in parts {
        let part = Animation { motion, amount, frames: 21, ..Default::default() }.clip(mesh.clone())?;
        frame_time = part.frame_time();
        (0..part.frame_count()).for_each(|frame| positions.extend_from_slice(part.positions(frame)));
    }
    Ok(Clip::new("motions", mesh, frame_time, positions)?)
}

/// The reports and, beside them, the pictures that they hold.
fn write(comparison: &Comparison, folder: &Path, stem: &str) -> Result<()> {
    let named = |ending: &str| folder.join(format!("{stem}{ending}"));
    let text = compare::text(comparison);
    file::write_atomically(&named(".txt"), |w| w.write_all(text.as_bytes()))?;
    for set in &comparison.sets {
        if let Some(picture) = set.cloth.as_ref().and_then(|c| c.picture.as_ref()) {
            picture.save(&folder.join(format!("{}_error.png", set.cost.name)))?;
        }
    }
    let reports = Reports { html: Some(named(".html")), json_file: Some(named(".json")), csv: Some(named(".csv")) };
    reports.write(comparison)
}
