//! `yarnwise-view`: the program of the run-time half; see [`yarnwise_viewer`].
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program talks to its user")]

mod cli;
mod lay;
mod simulate;
mod simulate_picture;

use anyhow::{Result, bail};
use clap::Parser;
use cli::{Cli, Command, ExportArgs, RenderArgs};
use std::process::ExitCode;
use std::time::Instant;
use yarnwise_viewer::frames::Frames;
use yarnwise_viewer::gpu::Gpu;
use yarnwise_viewer::headless::{PictureOptions, Studio};
use yarnwise_viewer::{export, files};

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Some(Command::Render(args)) => render(&args),
        Some(Command::Export(args)) => export_curves(&args),
        Some(Command::Lay(args)) => lay::run(&args),
        Some(Command::Simulate(args)) => simulate::run(&args.scene, &args.output, args.picture.as_deref()),
        None => window(&cli.window),
    }
}

#[cfg(feature = "window")]
fn window(args: &cli::WindowArgs) -> Result<()> {
    let options = yarnwise_viewer::app::WindowOptions { size: args.size, lose_device_after: args.lose_device_after };
    Ok(yarnwise_viewer::app::run(&args.files, &options)?)
}

#[cfg(not(feature = "window"))]
fn window(_: &cli::WindowArgs) -> Result<()> {
    bail!(
        "this build has no window: draw pictures with 'yarnwise-view render', or build it with its window: \
         cargo build --release -p yarnwise-view"
    )
}

fn render(args: &RenderArgs) -> Result<()> {
    let mut loaded = files::open(None, &args.files)?;
    if let Some(problem) = args.apply(&mut loaded.scene) {
        bail!(problem);
    }
    let frames = match (args.frame, args.frames) {
        (Some(frame), _) => Frames::one(frame),
        (_, Some(frames)) => frames,
        _ => Frames::one(loaded.scene.still),
    };
    let gpu = Gpu::headless()?;
    println!(
        "{} yarns with {} vertices on {}",
        loaded.fabric.layout.yarn_count(),
        loaded.fabric.layout.vertex_count(),
        gpu.name
    );
    let mut studio = Studio::new(gpu, loaded, PictureOptions { size: args.size, labels: !args.no_labels })?;
    let start = Instant::now();
    let mut count = 0;
    let files = studio.save(frames, &args.out, &mut |done, total| {
        count = done;
        if total > 1 {
            eprintln!("picture {done} of {total}");
        }
    })?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{count} pictures in {seconds:.2} s, cloth and files included");
    report(&files);
    Ok(())
}

fn export_curves(args: &ExportArgs) -> Result<()> {
    let loaded = files::open(None, &args.files)?;
    let done = export::export(loaded, args.frames, args.basis.into(), &args.out)?;
    println!("{} yarns with {} vertices", done.yarns, done.vertices);
    report(&done.files);
    Ok(())
}

fn report(files: &[std::path::PathBuf]) {
    match files {
        [] => {}
        [one] => println!("wrote {}", one.display()),
        [first, .., last] => println!("wrote {} files, {} to {}", files.len(), first.display(), last.display()),
    }
}
