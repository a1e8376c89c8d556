//! From a hybrid scene to center lines of its yarns, a clip of its mesh, or both.

use super::{check_picture, cloth, yarn_frames};
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
use yarnwise_shared::mesh::clip::Clip;
use yarnwise_solvers::hybrid::region::Class;
use yarnwise_solvers::hybrid::scene::{Output, RegionSpec, Scene};
use yarnwise_solvers::hybrid::{HybridCloth, HybridEffort, HybridEnergies};
use yarnwise_viewer::files::yarn_scene_files;
use yarnwise_viewer::gpu::Gpu;
use yarnwise_viewer::strands::cache::CacheHeader;
use yarnwise_viewer::strands::hybrid::{HybridLook, POINTS_PER_SEGMENT};

/// The first line of a file of energies.
const HEADER: &str =
    "time_s,kinetic_J,stretch_J,bend_J,shear_J,parallel_contact_J,membrane_J,hinges_J,weight_J,total_J";

/// What Ctrl-C is answered with.
const STOPPING: &str = "stopping after this frame, the frames so far are kept; press Ctrl-C again to stop at once";

/// What `simulate` has done.
#[derive(Debug, Default, Serialize)]
struct Report {
    triangles: usize,
    /// Triangles that are yarns, and those that are both.
    yarn_triangles: usize,
    hybrid_triangles: usize,
    /// Simulated ones.
    nodes: usize,
    /// With the one at the start.
    frames: usize,
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
    files: Vec<PathBuf>,
}

/// What is written, and how.
struct Outputs {
    yarns: Option<(yarn_frames::Format, PathBuf)>,
    clip: Option<(cloth::Format, PathBuf)>,
}

impl Outputs {
    fn of(args: &SimulateArgs) -> Result<Self> {
        let is_clip = |path: &Path| path.extension().is_some_and(|e| e == "bin" || e == "pc2");
        let clip = |path: &PathBuf| Ok::<_, anyhow::Error>((cloth::Format::of(path)?, path.clone()));
        let second = args.clip.as_ref().map(clip).transpose()?;
        if is_clip(&args.output) {
            ensure!(second.is_none(), "--clip: --output is a clip already; give the yarns' file there");
            return Ok(Outputs { yarns: None, clip: Some(clip(&args.output)?) });
        }
        let format = yarn_frames::Format::of(&args.output, ", or the mesh to NAME.bin or NAME.pc2")?;
        Ok(Outputs { yarns: Some((format, args.output.clone())), clip: second })
    }

    fn files(&self, frames: usize) -> Result<Vec<PathBuf>> {
        let mut files = self.yarns.as_ref().map_or(Vec::new(), |(format, path)| format.files(path, frames));
        if let Some((format, path)) = &self.clip {
            files.extend(format.files(path, None)?);
        }
        Ok(files)
    }
}

pub(super) fn run(args: &SimulateArgs) -> Result<ExitCode> {
    ensure!(!args.resume, "--resume: a hybrid scene is simulated at once, only one of yarns can be resumed");
    let outputs = Outputs::of(args)?;
    if let Some(picture) = &args.picture {
        check_picture(picture)?;
        let cached = matches!(&outputs.yarns, Some((yarn_frames::Format::Cache, _)));
        ensure!(cached, "--picture: is drawn from a cache (.ycache); draw others with 'render'");
    }
    if let Some(energies) = &args.energies {
        let csv = energies.extension().is_some_and(|e| e == "csv");
        ensure!(csv, "{}: a file of energies ends in .csv", energies.display());
    }
    let mut scene = Scene::read(&args.scene)?;
    let mut inputs = yarn_scene_files(&args.scene);
    if let Some(name) = &args.region {
        scene.region = region(name)?;
        inputs.extend(matches!(scene.region, RegionSpec::File(_)).then(|| name.clone()));
    }
    let files = |frames: usize| -> Result<Vec<PathBuf>> {
        let others = args.picture.iter().chain(&args.energies).cloned();
        Ok(outputs.files(frames)?.into_iter().chain(others).collect())
    };
    outputs::check(&files(scene.output.frame_count() + 1)?, &inputs)?;
    let folder = args.scene.parent().unwrap_or(Path::new(""));
    let cloth = scene.build(&file::origin(&args.scene), folder)?;
    // Before the simulation: a picture that cannot be drawn is no reason to lose it.
    let gpu = args.picture.as_ref().map(|_| Gpu::headless()).transpose()?;
    let stop = stop_on_interrupt(STOPPING)?;
    let points = POINTS_PER_SEGMENT.max(args.points.into());
    let look = HybridLook::new(&scene, cloth.model(), folder, points)?;
    let (mut report, whole) = simulate(args, &outputs, &scene, cloth, look, &stop)?;
    if let (Some(gpu), Some(path)) = (gpu, &args.picture) {
        yarn_frames::draw(gpu, args, report.frames - 1, path)?;
    }
    report.files = files(report.frames)?;
    if args.json {
        print_json(&report)?
    } else {
        report.print()?
    }
    Ok(if whole { ExitCode::SUCCESS } else { ExitCode::from(INTERRUPTED) })
}

/// The region that `--region` names. A file is looked for where the program runs, not in the folder of the scene.
fn region(name: &Path) -> Result<RegionSpec> {
    match name.to_str().and_then(RegionSpec::named) {
        Some(region) => Ok(region),
        None => {
            ensure!(name.exists(), "--region: {}: is no file, and none of all, none and half", name.display());
            Ok(RegionSpec::File(std::path::absolute(name)?))
        }
    }
}

/// Simulates and writes all frames, or those until `stop` says to stop; whether these are all.
fn simulate(
    args: &SimulateArgs,
    outputs: &Outputs,
    scene: &Scene,
    mut cloth: HybridCloth,
    mut look: HybridLook,
    stop: &AtomicBool,
) -> Result<(Report, bool)> {
    let output = &scene.output;
    let mut report = Report::of(&cloth);
    let sink =
        |(format, path): &(yarn_frames::Format, PathBuf)| yarn_frames::Sink::create(*format, path, &header(scene));
    let mut sink = outputs.yarns.as_ref().map(sink).transpose()?;
    let start = Instant::now();
    let recorded = match record(args, outputs, output, &mut cloth, &mut look, sink.as_mut(), stop) {
        Ok(recorded) => recorded,
        Err(error) => {
            // Half a cache is of no use; why it was not finished is what is reported.
            let _ = sink.map(yarn_frames::Sink::discard);
            return Err(error);
        }
    };
    report.seconds = start.elapsed().as_secs_f64();
    report.simulated_seconds = cloth.time();
    report.frames = recorded.energies.len();
    let effort = recorded.effort;
    (report.steps, report.rejected, report.newton, report.iterations) =
        (effort.steps, effort.rejected, effort.newton, effort.iterations);
    if let Some(sink) = sink {
        sink.finish()?;
    }
    if let Some((format, path)) = &outputs.clip {
        let mesh = cloth.model().mesh().clone();
        let clip = Clip::new(&file::origin(&args.scene), mesh, 1.0 / output.frames_per_second, recorded.positions)?;
        format.write(&clip, path)?;
    }
    if let Some(path) = &args.energies {
        let lines = std::iter::once(HEADER).chain(recorded.energies.iter().map(String::as_str));
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        file::write_atomically(path, |w| w.write_all(text.as_bytes()))?;
    }
    let whole = report.frames == output.frame_count() + 1;
    Ok((report, whole))
}

/// What is kept of all frames.
#[derive(Default)]
struct Recorded {
    /// Of the mesh, frame by frame, where there is a clip.
    positions: Vec<[f32; 3]>,
    /// One line a frame.
    energies: Vec<String>,
    effort: HybridEffort,
}

/// Simulates frame by frame until the end, or until `stop` says to stop.
fn record(
    args: &SimulateArgs,
    outputs: &Outputs,
    output: &Output,
    cloth: &mut HybridCloth,
    look: &mut HybridLook,
    mut sink: Option<&mut yarn_frames::Sink>,
    stop: &AtomicBool,
) -> Result<Recorded> {
    let mut recorded = Recorded::default();
    let bar = progress::bar(output.frame_count(), "frame");
    for frame in 0..=output.frame_count() {
        if frame > 0 {
            let place = || format!("{}: frame {frame}", file::origin(&args.scene));
            recorded.effort += cloth.advance(1.0 / output.frames_per_second).with_context(place)?;
            bar.inc(1);
            bar.set_message(format!(", {:.3} s", cloth.time()));
        }
        if let Some(sink) = &mut sink {
            sink.push(&look.strands(cloth)?)?;
        }
        if outputs.clip.is_some() {
            recorded.positions.extend(cloth.mesh_positions().iter().map(|p| <[f32; 3]>::from(p.cast::<f32>())));
        }
        recorded.energies.push(line(cloth.time(), &cloth.energies()));
        if stop.load(Ordering::Relaxed) && frame < output.frame_count() {
            bar.suspend(|| note!("stopped after frame {frame} of {}", output.frame_count()));
            break;
        }
    }
    bar.finish_and_clear();
    Ok(recorded)
}

/// The energies of a frame.
fn line(time: f64, e: &HybridEnergies) -> String {
    let y = &e.yarns;
    let weight = y.gravitational + e.vertex_gravitational;
    let values = [e.kinetic(), y.stretch, y.bend, y.shear, y.parallel, e.membrane, e.hinges, weight, e.total()];
    format!("{time:e},{}", values.map(|v| format!("{v:e}")).join(","))
}

fn header(scene: &Scene) -> CacheHeader {
    CacheHeader {
        frame_time: 1.0 / scene.output.frames_per_second,
        radius: scene.material.radius as f32,
        description: scene.description.clone(),
        bodies: scene.bodies.clone(),
        scene: 0,
        blended: true,
    }
}

impl Report {
    fn of(cloth: &HybridCloth) -> Self {
        let region = cloth.model().region();
        Report {
            triangles: region.triangles.len(),
            yarn_triangles: region.count(Class::Yarns),
            hybrid_triangles: region.count(Class::Hybrid),
            nodes: cloth.node_positions().len(),
            ..Report::default()
        }
    }

    fn print(&self) -> Result<()> {
        let (triangles, nodes) = (count(self.triangles, "triangle", None), count(self.nodes, "yarn node", None));
        let (frames, steps) = (count(self.frames, "frame", None), count(self.steps, "step", None));
        let each = |n: usize| n as f64 / self.steps.max(1) as f64;
        let (newton, iterations, rejected) = (each(self.newton), each(self.iterations), self.rejected);
        let (yarns, both) = (self.yarn_triangles, self.hybrid_triangles);
        say!("{triangles}, {yarns} of them yarns and {both} both, with {nodes}")?;
        say!("{frames}, {steps} ({rejected} rejected)")?;
        say!("{newton:.1} Newton iterations and {iterations:.0} linear ones a step")?;
        say!("{:.3} s simulated in {:.2} s", self.simulated_seconds, self.seconds)?;
        outputs::report(&self.files)
    }
}
