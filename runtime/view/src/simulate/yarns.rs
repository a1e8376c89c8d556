//! From a yarn scene to center lines, with checkpoints.

use super::check_picture;
use super::energies::{EnergyLog, FrameEnergies, print_table};
use super::yarn_frames::{Format, Sink, draw};
use crate::cli::SimulateArgs;
use crate::{outputs, progress};
use anyhow::{Context, Result, ensure};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use yarnwise_program::interrupt::{INTERRUPTED, stop_on_interrupt};
use yarnwise_program::number::count;
use yarnwise_program::{note, print_json, say};
use yarnwise_shared::file;
use yarnwise_solvers::yarn::checkpoint;
use yarnwise_solvers::yarn::scene::{Output, Scene};
use yarnwise_solvers::yarn::{YarnSimulation, YarnStepReport};
use yarnwise_viewer::files::yarn_scene_files;
use yarnwise_viewer::gpu::Gpu;
use yarnwise_viewer::strands::cache::CacheHeader;
use yarnwise_viewer::strands::live::strands;

/// What `simulate` has done.
#[derive(Debug, Default, Serialize)]
struct Report {
    yarns: usize,
    nodes: usize,
    /// With the one at the start.
    frames: usize,
    /// The frame after which an interrupted simulation was resumed.
    resumed_after: Option<usize>,
    steps: usize,
    /// Steps that were rejected and repeated with a smaller one.
    rejected: usize,
    /// Iterations of Newton's method in all steps.
    newton: usize,
    /// Iterations of the linear solver in all steps.
    iterations: usize,
    simulated_seconds: f64,
    /// Wall time of the simulation.
    seconds: f64,
    /// Of each frame, or of each since it was resumed.
    energies: Vec<FrameEnergies>,
    files: Vec<PathBuf>,
}

/// What Ctrl-C is answered with.
const STOPPING: &str = "stopping after this frame, with a checkpoint; press Ctrl-C again to stop at once";

pub(super) fn run(args: &SimulateArgs) -> Result<ExitCode> {
    let format = Format::of(&args.output, "")?;
    ensure!(!args.resume || format == Format::Cache, "--resume: only a cache (.ycache) has checkpoints");
    if let Some(picture) = &args.picture {
        check_picture(picture)?;
        ensure!(format == Format::Cache, "--picture: is drawn from a cache (.ycache); draw others with 'render'");
    }
    if let Some(energies) = &args.energies {
        let csv = energies.extension().is_some_and(|e| e == "csv");
        ensure!(csv, "{}: a file of energies ends in .csv", energies.display());
    }
    let scene = Scene::read(&args.scene)?;
    let files = format.files(&args.output, scene.output.frame_count() + 1);
    let all: Vec<PathBuf> = files.iter().chain(&args.picture).chain(&args.energies).cloned().collect();
    outputs::check(&all, &yarn_scene_files(&args.scene))?;
    let folder = args.scene.parent().unwrap_or(Path::new(""));
    let mut simulation = scene.build(&file::origin(&args.scene), folder)?;
    // Before the simulation: a picture that cannot be drawn is no reason to lose it.
    let gpu = args.picture.as_ref().map(|_| Gpu::headless()).transpose()?;

    // Without a checkpoint there is nothing to come to an end for.
    let keeps = format == Format::Cache && args.checkpoint > 0;
    let stop = keeps.then(|| stop_on_interrupt(STOPPING)).transpose()?;
    let Some(mut report) = simulate(args, format, &scene, &mut simulation, stop.as_deref())? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    if let (Some(gpu), Some(path)) = (gpu, &args.picture) {
        draw(gpu, args, report.frames - 1, path)?;
    }
    report.files = all;
    if args.json {
        print_json(&report)?
    } else {
        report.print()?
    }
    Ok(ExitCode::SUCCESS)
}

/// Simulates and writes all frames; nothing where `stop` says to stop, after a checkpoint.
fn simulate(
    args: &SimulateArgs,
    format: Format,
    scene: &Scene,
    simulation: &mut YarnSimulation,
    stop: Option<&AtomicBool>,
) -> Result<Option<Report>> {
    let saved = checkpoint_path(&args.output);
    let header = header(scene)?;
    let output = &scene.output;
    let mut report = Report::of(simulation);
    let energies = args.energies.as_deref();
    let (mut sink, mut log) = if args.resume {
        let frame = resume(&saved, &header, simulation, output)?;
        report.resumed_after = Some(frame);
        let log = EnergyLog::resume(energies, simulation, frame)?;
        (Sink::resume(&args.output, &header, frame + 1)?, log)
    } else {
        let mut sink = Sink::create(format, &args.output, &header)?;
        sink.push(&strands(simulation, args.points.into()))?;
        (sink, EnergyLog::new(energies, simulation))
    };
    let (start, bar) = (Instant::now(), progress::bar(output.frame_count(), "frame"));
    let first = sink.frame_count();
    bar.set_position(first as u64 - 1);
    for frame in first..=output.frame_count() {
        let steps = simulation.advance(1.0 / output.frames_per_second).with_context(|| format!("frame {frame}"))?;
        report.add(&steps);
        log.push(simulation);
        sink.push(&strands(simulation, args.points.into()))?;
        let stopped = stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let due = args.checkpoint > 0 && (stopped || frame % args.checkpoint == 0) && frame < output.frame_count();
        if due && format == Format::Cache {
            sink.flush()?;
            log.write()?;
            checkpoint::write(&saved, simulation, header.scene)?;
        }
        if stopped && due {
            bar.finish_and_clear();
            note!("stopped after frame {frame} of {}: run the same command with --resume", output.frame_count());
            return Ok(None);
        }
        bar.inc(1);
        bar.set_message(format!(", {:.3} s", simulation.time()));
    }
    bar.finish_and_clear();
    report.frames = sink.frame_count();
    sink.finish()?;
    log.write()?;
    report.energies = log.frames();
    // It has served its purpose; that there may be none matters not.
    let _ = std::fs::remove_file(&saved);
    report.seconds = start.elapsed().as_secs_f64();
    report.simulated_seconds = simulation.time();
    Ok(Some(report))
}

/// Puts a simulation where its checkpoint was; the frame that it was written after.
fn resume(saved: &Path, header: &CacheHeader, simulation: &mut YarnSimulation, output: &Output) -> Result<usize> {
    checkpoint::read(saved, simulation, header.scene)
        .context("--resume: without its checkpoint a simulation begins again: leave out --resume")?;
    Ok((simulation.time() * output.frames_per_second).round() as usize)
}

/// The checkpoint beside an unfinished cache.
fn checkpoint_path(output: &Path) -> PathBuf {
    let mut name = output.file_name().unwrap_or_default().to_owned();
    name.push(".checkpoint");
    output.with_file_name(name)
}

fn header(scene: &Scene) -> Result<CacheHeader> {
    // Another duration is no other scene: a simulation may be resumed to a later end.
    let same = Scene { output: Output { duration: 1.0, ..scene.output }, description: String::new(), ..scene.clone() };
    Ok(CacheHeader {
        frame_time: 1.0 / scene.output.frames_per_second,
        radius: scene.material.radius as f32,
        description: scene.description.clone(),
        bodies: scene.bodies.clone(),
        scene: checkpoint::checksum(&same)?,
        blended: false,
    })
}

impl Report {
    fn of(simulation: &YarnSimulation) -> Self {
        let weave = simulation.weave();
        Report { yarns: weave.yarns.len(), nodes: weave.node_count(), ..Report::default() }
    }

    fn add(&mut self, steps: &[YarnStepReport]) {
        self.steps += steps.len();
        self.rejected += steps.iter().map(|r| r.rejected).sum::<usize>();
        self.newton += steps.iter().map(|r| r.newton).sum::<usize>();
        self.iterations += steps.iter().map(|r| r.iterations).sum::<usize>();
    }

    fn print(&self) -> Result<()> {
        let (yarns, nodes) = (count(self.yarns, "yarn", None), count(self.nodes, "node", None));
        let (frames, steps) = (count(self.frames, "frame", None), count(self.steps, "step", None));
        let each = |n: usize| n as f64 / self.steps.max(1) as f64;
        let (newton, iterations, rejected) = (each(self.newton), each(self.iterations), self.rejected);
        say!("{yarns} with {nodes}, {frames}, {steps} ({rejected} rejected)")?;
        say!("{newton:.1} Newton iterations and {iterations:.0} linear ones a step")?;
        let (simulated, seconds) = (self.simulated_seconds, self.seconds);
        say!("{simulated:.3} s simulated in {seconds:.2} s")?;
        print_table(&self.energies)?;
        outputs::report(&self.files)
    }
}
