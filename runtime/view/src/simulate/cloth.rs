//! From a cloth scene to a clip.

use super::check_picture;
use crate::cli::SimulateArgs;
use crate::{outputs, progress};
use anyhow::{Result, bail};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;
use yarnwise_program::number::count;
use yarnwise_program::{print_json, say};
use yarnwise_shared::mesh::clip::{Clip, binseq, pc2};
use yarnwise_shared::mesh::obj;
use yarnwise_solvers::cloth::Simulation;
use yarnwise_solvers::cloth::scene::{Output, Scene};
use yarnwise_viewer::files::simulation_files;
use yarnwise_viewer::gpu::Gpu;
use yarnwise_viewer::headless::picture_of_cloth;

/// What `simulate` has done.
#[derive(Debug, Default, Serialize)]
struct Report {
    particles: usize,
    /// Frames of the clip, with the one at the start.
    frames: usize,
    steps: usize,
    /// Steps that were rejected and repeated with a smaller one.
    rejected: usize,
    /// Iterations of the linear solver in all steps.
    iterations: usize,
    simulated_seconds: f64,
    /// Wall time of the simulation.
    seconds: f64,
    files: Vec<PathBuf>,
}

pub(super) fn run(args: &SimulateArgs) -> Result<()> {
    let format = Format::of(&args.output)?;
    let files = format.files(&args.output, args.picture.as_deref())?;
    outputs::check(&files, &simulation_files(&args.scene))?;
    let scene = Scene::read(&args.scene)?;
    let origin = args.scene.display().to_string();
    let built = scene.build(&origin, args.scene.parent().unwrap_or(Path::new("")))?;
    let mut simulation = built.simulation;
    // Before the simulation: a picture that cannot be drawn is no reason to lose it.
    let gpu = args.picture.as_ref().map(|_| Gpu::headless()).transpose()?;

    let (positions, mut report) = simulate(&mut simulation, &scene.output)?;
    let clip = Clip::new(&origin, built.mesh, 1.0 / scene.output.frames_per_second, positions)?;
    format.write(&clip, &args.output)?;
    if let (Some(gpu), Some(path)) = (&gpu, &args.picture) {
        picture_of_cloth(gpu, &simulation, args.size)?.save(path)?;
    }
    report.frames = clip.frame_count();
    report.files = files;
    if args.json { print_json(&report) } else { report.print() }
}

/// Positions of all frames, and what it took.
fn simulate(simulation: &mut Simulation, output: &Output) -> Result<(Vec<[f32; 3]>, Report)> {
    let mut positions: Vec<[f32; 3]> = simulation.positions_f32().collect();
    let mut report = Report { particles: positions.len(), ..Default::default() };
    let (start, bar) = (Instant::now(), progress::bar(output.frame_count(), "frame"));
    for _ in 0..output.frame_count() {
        let steps = simulation.advance(1.0 / output.frames_per_second)?;
        report.steps += steps.len();
        report.rejected += steps.iter().map(|r| r.rejected).sum::<usize>();
        report.iterations += steps.iter().map(|r| r.solve.iterations).sum::<usize>();
        positions.extend(simulation.positions_f32());
        bar.inc(1);
        bar.set_message(format!(", {:.2} s", simulation.time()));
    }
    bar.finish_and_clear();
    report.seconds = start.elapsed().as_secs_f64();
    report.simulated_seconds = simulation.time();
    Ok((positions, report))
}

impl Report {
    fn print(&self) -> Result<()> {
        let (frames, steps) = (count(self.frames, "frame", None), count(self.steps, "step", None));
        let per_step = self.iterations as f64 / self.steps.max(1) as f64;
        let (particles, rejected) = (count(self.particles, "particle", None), self.rejected);
        say!("{particles}, {frames}, {steps} ({rejected} rejected), {per_step:.1} iterations a step")?;
        let (simulated, seconds) = (self.simulated_seconds, self.seconds);
        say!("{simulated:.2} s simulated in {seconds:.2} s: {:.2} times real time", simulated / seconds)?;
        outputs::report(&self.files)
    }
}

/// What a clip is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Sequence,
    PointCache,
}

impl Format {
    pub(super) fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|e| e.to_str()) {
            Some("bin") => Ok(Format::Sequence),
            Some("pc2") => Ok(Format::PointCache),
            _ => bail!("{}: a clip's name ends in .bin or .pc2", path.display()),
        }
    }

    /// All files of a simulation: the clip, its mesh beside it, the picture.
    pub(super) fn files(self, output: &Path, picture: Option<&Path>) -> Result<Vec<PathBuf>> {
        let mut files = vec![output.to_owned()];
        if self == Format::PointCache {
            files.push(output.with_extension("obj"));
        }
        if let Some(path) = picture {
            check_picture(path)?;
            files.push(path.to_owned());
        }
        Ok(files)
    }

    pub(super) fn write(self, clip: &Clip, path: &Path) -> Result<()> {
        match self {
            Format::Sequence => Ok(binseq::write(clip, path)?),
            Format::PointCache => {
                obj::write(clip.mesh(), &path.with_extension("obj"))?;
                Ok(pc2::write(clip, path)?)
            }
        }
    }
}
