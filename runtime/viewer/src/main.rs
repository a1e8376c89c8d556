//! `yarnwise-view`: see [`yarnwise_view`].
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program talks to its user")]

use anyhow::{Result, bail};
use clap::Parser;
use std::process::ExitCode;
use std::time::Instant;
use yarnwise_view::cli::{Cli, Command, ExportArgs, RenderArgs};
use yarnwise_view::frames::Frames;
use yarnwise_view::gpu::Gpu;
use yarnwise_view::headless::{PictureOptions, Studio};
use yarnwise_view::{app, export, open};

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
        None => Ok(app::run(&cli.window)?),
    }
}

fn render(args: &RenderArgs) -> Result<()> {
    let mut stage = open::open(None, &args.files)?;
    if let Some(problem) = args.apply(&mut stage.scene) {
        bail!(problem);
    }
    let frames = match (args.frame, args.frames) {
        (Some(frame), _) => Frames::one(frame),
        (_, Some(frames)) => frames,
        _ => Frames::one(stage.scene.still),
    };
    let gpu = Gpu::headless()?;
    println!(
        "{} yarns with {} vertices on {}",
        stage.fabric.layout.yarn_count(),
        stage.fabric.layout.vertex_count(),
        gpu.name
    );
    let mut studio = Studio::new(gpu, stage, PictureOptions { size: args.size, labels: !args.no_labels })?;
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
    let stage = open::open(None, &args.files)?;
    let done = export::export(stage, args.frames, args.basis.into(), &args.out)?;
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
