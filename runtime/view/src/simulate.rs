//! `simulate`: from a scene to a clip.

use crate::simulate_picture as picture;
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::time::Instant;
use yarnwise_shared::mesh::clip::{Clip, binseq, pc2};
use yarnwise_shared::mesh::obj;
use yarnwise_solvers::cloth::scene::Scene;

pub(crate) fn run(scene_path: &Path, output: &Path, picture: Option<&Path>) -> Result<()> {
    let write = writer(output)?;
    let scene = Scene::read(scene_path)?;
    let origin = scene_path.display().to_string();
    let folder = scene_path.parent().unwrap_or(Path::new(""));
    let built = scene.build(&origin, folder)?;
    let mut cloth = built.simulation;

    let frames = scene.output.frame_count();
    let frame_time = 1.0 / scene.output.frames_per_second;
    let bar = ProgressBar::new(frames as u64)
        .with_style(ProgressStyle::with_template("{bar:40} frame {pos}/{len}, {msg}, {eta} left")?);
    let mut positions: Vec<[f32; 3]> = cloth.positions_f32().collect();
    let (mut steps, mut rejected, mut iterations) = (0, 0, 0);
    let start = Instant::now();
    for _ in 0..frames {
        let reports = cloth.advance(frame_time)?;
        steps += reports.len();
        rejected += reports.iter().map(|r| r.rejected).sum::<usize>();
        iterations += reports.iter().map(|r| r.solve.iterations).sum::<usize>();
        positions.extend(cloth.positions_f32());
        bar.inc(1);
        bar.set_message(format!("{:.2} s", cloth.time()));
    }
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();

    let clip = Clip::new(&origin, built.mesh, frame_time, positions)?;
    write(&clip, output)?;
    if let Some(path) = picture {
        picture::draw(&cloth, path).with_context(|| path.display().to_string())?;
    }
    println!(
        "{}: {} particles, {} frames, {steps} steps ({rejected} taken back), {:.1} iterations a step",
        output.display(),
        cloth.positions().len(),
        clip.frame_count(),
        iterations as f64 / steps.max(1) as f64
    );
    println!("{:.2} s simulated in {seconds:.2} s: {:.2} times real time", cloth.time(), cloth.time() / seconds);
    Ok(())
}

type Writer = fn(&Clip, &Path) -> Result<()>;

/// How to write a clip of this name; asked first, so that a wrong name costs no simulation.
fn writer(path: &Path) -> Result<Writer> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("bin") => Ok(|clip, path| Ok(binseq::write(clip, path)?)),
        Some("pc2") => Ok(|clip, path| {
            obj::write(clip.mesh(), &path.with_extension("obj"))?;
            Ok(pc2::write(clip, path)?)
        }),
        _ => bail!("{}: a clip's name ends in .bin or .pc2", path.display()),
    }
}
