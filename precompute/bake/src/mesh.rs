//! `yarnwise-bake mesh`: check, make and convert meshes and clips.

mod check;
mod coverage;
mod make;
mod pair;

use anyhow::Context;
use clap::{Args, Subcommand};
use pair::Pair;
use std::fmt;
use std::path::{Path, PathBuf};
use yarnwise_program::number::{self, count};
use yarnwise_program::{note, output, print_report};
use yarnwise_shared::mesh::clip::{Clip, ClipOptions};
use yarnwise_shared::mesh::{Mesh, MeshData};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Report what a mesh or clip holds, how far it stretches, and what is wrong with it
    ///
    /// Prints frames, vertices, faces, UV islands, seams and the range of strains over all frames, then what was found:
    /// each with the elements concerned and the cure. Warns of strains that a database does not cover. The exit code is
    /// not zero when there are errors.
    Check {
        #[command(flatten)]
        input: Input,
        /// Compare strains with what this database covers, instead of the default grid of a bake
        #[arg(long, value_name = "FILE")]
        database: Option<PathBuf>,
    },
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
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    scale: f32,
    /// Multiply UVs alone, along u and v, for UVs that are not in meters
    #[arg(long, value_name = "S or U,V", default_value = "1")]
    uv_scale: Pair<f32>,
    /// Frames a second of the animation; files do not say (a .pc2 says how many of them lie between its samples)
    #[arg(long, value_name = "N", default_value_t = 30.0)]
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
        let options = ClipOptions {
            scale: self.scale,
            uv_scale: self.uv_scale.0,
            frame_time: 1.0 / number::positive("--fps", self.fps)?,
            first_uvs: self.first_uvs,
            obj: self.obj.clone(),
            ..Default::default()
        };
        Ok(Clip::open_with(&self.file, &options)?)
    }

    /// The files and folders that it reads; a point cache has a mesh beside it.
    fn files(&self) -> Vec<PathBuf> {
        let beside = is_pc2(&self.file).then(|| self.file.with_extension("obj"));
        [Some(self.file.clone()), self.obj.clone().or(beside)].into_iter().flatten().collect()
    }
}

impl Output {
    /// Refuses names that cannot be written or that are inputs.
    fn check(&self, inputs: &[PathBuf]) -> anyhow::Result<()> {
        let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        let extension = self.output.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            None => output::check_folder(&self.output, &inputs).map(|_| ()),
            Some("pc2") => output::check_all(&[&self.output, &self.output.with_extension("obj")], &inputs),
            Some("obj" | "bin") => output::check(&self.output, &inputs).map(|_| ()),
            Some(_) => anyhow::bail!(
                "{}: is no format of clips: .obj, .bin, .pc2 or a folder (without extension) is expected",
                self.output.display()
            ),
        }
    }

    fn write(&self, clip: &Clip, json: bool) -> anyhow::Result<()> {
        clip.write(&self.output)?;
        let written = Written {
            file: self.output.clone(),
            mesh: is_pc2(&self.output).then(|| self.output.with_extension("obj")),
            frames: clip.frame_count(),
            vertices: clip.mesh().positions().len(),
            faces: clip.mesh().faces().len(),
        };
        print_report(&written, json)
    }
}

/// A clip that was written.
#[derive(serde::Serialize)]
struct Written {
    file: PathBuf,
    /// The mesh of a point cache.
    mesh: Option<PathBuf>,
    frames: usize,
    vertices: usize,
    faces: usize,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (frames, faces) = (count(self.frames, "frame", None), count(self.faces, "face", None));
        let vertices = count(self.vertices, "vertex", Some("vertices"));
        writeln!(f, "{}: {frames}, {vertices}, {faces}", self.file.display())?;
        match &self.mesh {
            Some(mesh) => writeln!(f, "{}: its mesh", mesh.display()),
            None => Ok(()),
        }
    }
}

pub(crate) fn run(command: Command, json: bool) -> anyhow::Result<()> {
    match command {
        Command::Check { input, database } => check::run(&input, database.as_deref(), json),
        Command::Make(shape) => shape.run(json),
        Command::Convert { input, frame, output } => {
            output.check(&input.files())?;
            let clip = input.open()?;
            let clip = match frame {
                Some(frame) => still(&clip, frame).with_context(|| input.file.display().to_string())?,
                None => clip,
            };
            if !clip.obstacles().is_empty() && !has_extension(&output.output, "bin") {
                let (n, are) = (clip.obstacles().len(), if clip.obstacles().len() == 1 { "is" } else { "are" });
                note!("note: {} {are} left out, only .bin files hold them", count(n, "obstacle", None));
            }
            output.write(&clip, json)
        }
    }
}

/// One frame of a clip.
fn still(clip: &Clip, frame: usize) -> anyhow::Result<Clip> {
    let frames = clip.frame_count();
    let are = if frames == 1 { "is 1 frame".to_owned() } else { format!("are {frames} frames") };
    anyhow::ensure!(frame < frames, "--frame {frame}: there {are}, counted from 0");
    let mesh = MeshData { positions: clip.positions(frame).to_vec(), ..clip.mesh().data().clone() };
    Ok(Clip::still(Mesh::new(mesh)?))
}

fn is_pc2(path: &Path) -> bool {
    has_extension(path, "pc2")
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}
