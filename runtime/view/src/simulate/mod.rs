//! `simulate`: from a scene of cloth, of yarns or of both to frames.

mod cloth;
#[cfg(feature = "yarn-level")]
mod energies;
#[cfg(feature = "yarn-level")]
mod hybrid;
#[cfg(feature = "yarn-level")]
mod yarn_frames;
#[cfg(feature = "yarn-level")]
mod yarns;

use crate::cli::SimulateArgs;
use crate::environment;
use anyhow::{Result, ensure};
use std::path::Path;
use std::process::ExitCode;
use yarnwise_viewer::scene_kind::{SceneKind, scene_kind};

pub(crate) fn run(args: &SimulateArgs) -> Result<ExitCode> {
    if args.picture.is_some() {
        environment::prepare_for_graphics();
    }
    args.threads.start()?;
    // What is wrong with the scene comes before what is wrong with the name of the output, which depends on it.
    let kind = scene_kind(&args.scene)?;
    if kind == SceneKind::Hybrid {
        return hybrid(args);
    }
    ensure!(args.clip.is_none(), "--clip: only a hybrid scene has both yarns and a mesh; use --output");
    ensure!(args.region.is_none(), "--region: only a hybrid scene has a region of yarns");
    if kind == SceneKind::Yarns {
        return yarns(args);
    }
    ensure!(!args.resume, "--resume: a scene of cloth is simulated at once, only one of yarns can be resumed");
    ensure!(args.energies.is_none(), "--energies: only a scene of yarns has energies to list");
    cloth::run(args).map(|()| ExitCode::SUCCESS)
}

#[cfg(feature = "yarn-level")]
fn yarns(args: &SimulateArgs) -> Result<ExitCode> {
    yarns::run(args)
}

#[cfg(feature = "yarn-level")]
fn hybrid(args: &SimulateArgs) -> Result<ExitCode> {
    hybrid::run(args)
}

#[cfg(not(feature = "yarn-level"))]
fn hybrid(args: &SimulateArgs) -> Result<ExitCode> {
    yarns(args)
}

#[cfg(not(feature = "yarn-level"))]
fn yarns(args: &SimulateArgs) -> Result<ExitCode> {
    anyhow::bail!(
        "{}: yarns that are simulated need the feature 'yarn-level', which this build leaves out (see NOTICE)",
        args.scene.display()
    )
}

/// Checks the name of a picture.
fn check_picture(path: &Path) -> Result<()> {
    ensure!(path.extension().is_some_and(|e| e == "png"), "{}: a picture's name ends in .png", path.display());
    Ok(())
}
