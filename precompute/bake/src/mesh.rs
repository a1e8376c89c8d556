//! `yarnwise-bake mesh`: check, make and convert meshes and clips.

mod check;
mod make;
mod pair;

use anyhow::Context;
use clap::{Args, Subcommand};
use pair::Pair;
use std::path::{Path, PathBuf};
use yarnwise_shared::mesh::clip::{Clip, ClipOptions};
use yarnwise_shared::mesh::{Mesh, MeshData};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Say what a mesh or clip holds, how far it stretches, and what is wrong with it
    ///
    /// Prints frames, vertices, faces, UV islands, seams and the range of strains over all frames, then what was found:
    /// each with the elements concerned and the cure. The exit code is not zero when there are errors.
    Check(Input),
    /// Make a mesh, at rest or moving, from a formula
    #[command(subcommand)]
    Make(make::Shape),
    /// Write a mesh or clip in another format
    Convert {
        #[command(flatten)]
        input: Input,
        /// Write this frame alone (counted from 0)
        #[arg(long, value_name = "N")]
        frame: Option<usize>,
        #[command(flatten)]
        output: Output,
    },
}

/// What to read.
#[derive(Args)]
pub(crate) struct Input {
    /// An .obj file, a folder of .obj frames, a .bin sequence or a .pc2 point cache
    file: PathBuf,
    /// The mesh of a .pc2 point cache [default: the .obj file of the same name beside it]
    #[arg(long, value_name = "FILE")]
    obj: Option<PathBuf>,
    /// Multiply positions and UVs: a larger piece of cloth, the same strains
    #[arg(long, value_name = "S", default_value_t = 1.0, allow_negative_numbers = true)]
    scale: f32,
    /// Multiply UVs alone, along u and v, for UVs that are not in meters
    #[arg(long, value_name = "S or U,V", default_value = "1")]
    uv_scale: Pair<f32>,
    /// Frames a second of the animation; files do not say (a .pc2 says how many of them lie between its samples)
    #[arg(long, value_name = "N", default_value_t = 30.0, allow_negative_numbers = true)]
    fps: f64,
    /// In a folder of .obj files, use the first frame's UVs although later frames have others
    #[arg(long)]
    first_uvs: bool,
}

/// Where to write.
#[derive(Args)]
pub(crate) struct Output {
    /// A .obj (one frame), .bin or .pc2 file (with its .obj beside it), or, without extension, a folder of .obj frames
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

impl Input {
    fn open(&self) -> anyhow::Result<Clip> {
        anyhow::ensure!(self.fps.is_finite() && self.fps > 0.0, "--fps {}: must be positive", self.fps);
        let options = ClipOptions {
            scale: self.scale,
            uv_scale: self.uv_scale.0,
            frame_time: 1.0 / self.fps,
            first_uvs: self.first_uvs,
            obj: self.obj.clone(),
            ..Default::default()
        };
        Ok(Clip::open_with(&self.file, &options)?)
    }
}

impl Output {
    fn write(&self, clip: &Clip) -> anyhow::Result<()> {
        clip.write(&self.output)?;
        println!("{}: {}", self.output.display(), summary(clip));
        if is_pc2(&self.output) {
            println!("{}: its mesh", self.output.with_extension("obj").display());
        }
        Ok(())
    }
}

pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Check(input) => check::run(&input),
        Command::Make(shape) => shape.run(),
        Command::Convert { input, frame, output } => {
            let clip = input.open()?;
            let clip = match frame {
                Some(frame) => still(&clip, frame).with_context(|| input.file.display().to_string())?,
                None => clip,
            };
            if !clip.obstacles().is_empty() && !has_extension(&output.output, "bin") {
                eprintln!("note: {} obstacles are left out, only .bin files hold them", clip.obstacles().len());
            }
            output.write(&clip)
        }
    }
}

/// One frame of a clip.
fn still(clip: &Clip, frame: usize) -> anyhow::Result<Clip> {
    anyhow::ensure!(frame < clip.frame_count(), "--frame {frame}: there are {} frames", clip.frame_count());
    let mesh = MeshData { positions: clip.positions(frame).to_vec(), ..clip.mesh().data().clone() };
    Ok(Clip::still(Mesh::new(mesh)?))
}

/// A clip in one line.
fn summary(clip: &Clip) -> String {
    let (frames, faces) = (clip.frame_count(), clip.mesh().faces().len());
    let plural = if frames == 1 { "" } else { "s" };
    format!("{frames} frame{plural}, {} vertices, {faces} faces", clip.mesh().positions().len())
}

fn is_pc2(path: &Path) -> bool {
    has_extension(path, "pc2")
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}
