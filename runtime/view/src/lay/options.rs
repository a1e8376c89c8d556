//! The arguments of `lay`.

use crate::arguments::{FrameArgs, within};
use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use yarnwise_program::number::Threads;
use yarnwise_runtime::{Error, FrameOptions, LayoutOptions};

/// Lays the yarns of a database on an animated mesh and writes frames as NumPy arrays and OBJ polylines.
///
/// The .npz file has, for each yarn vertex: position (m), twist (rad), director (unit; with --compat as long as the
/// inverse transpose makes it; with --gpu always unit, to 7e-5), radius (m), arc (rest arc length, m), pattern_vertex, triangle, barycentrics (of the
/// undisplaced vertex); yarn_starts (where each yarn begins, then the number of vertices) and closed_yarns; of the mesh:
/// mesh_positions, mesh_faces, material_faces, face_first and face_second, vertex_first and vertex_second (I11 I12 I22
/// and II11 II12 II22 of faces and of material vertices), face_normal, vertex_normal. With --compat also copy: the
/// number of each vertex among all tiled ones, as the reference program counts.
#[derive(Debug, Args)]
pub(crate) struct LayArgs {
    /// Database file (.ydb), or a published model folder (pyp, sxsasy/)
    pub(crate) model: PathBuf,
    /// Clip: .obj, folder of .obj files, .bin sequence or .pc2 point cache
    pub(crate) clip: PathBuf,
    /// Name of the files to write, without extension; several frames are numbered
    #[arg(short, long, value_name = "NAME", default_value = "yarns")]
    pub(crate) output: PathBuf,
    /// Which frames to write [default: the first]
    #[command(flatten)]
    pub(crate) frames: FrameArgs,
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Both)]
    pub(crate) format: Format,
    /// Factor of the mesh, in the world and in the UV plane
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true, value_parser = within([1e-6, 1e6]))]
    pub(crate) scale: f32,
    /// Compute on the graphics device instead of the processor
    #[arg(long)]
    pub(crate) gpu: bool,
    #[command(flatten)]
    pub(crate) threads: Threads,
    /// Print the figures as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Reproduce the choices of the reference program
    #[arg(long, help_heading = "Layout")]
    pub(crate) compat: bool,
    #[command(flatten)]
    pub(crate) layout: LayoutOptions,
    #[command(flatten)]
    pub(crate) options: FrameOptions,
}

impl LayArgs {
    /// An error that names the option whose number is out of range.
    pub(crate) fn check(&self) -> Result<()> {
        let checked = self.layout.check().and_then(|()| self.options.check());
        checked.map_err(|error| match error {
            Error::Parameter { name, value, range } => {
                let option = match name {
                    "scale" => "pattern-scale".to_owned(),
                    "min_yarn_length" => "min-length".to_owned(),
                    name => name.replace('_', "-"),
                };
                anyhow!("--{option} {value}: {range} is expected")
            }
            other => other.into(),
        })
    }
}

/// What is written.
#[derive(Clone, Copy, PartialEq, ValueEnum, Debug)]
pub(crate) enum Format {
    /// NumPy arrays
    Npz,
    /// Polylines
    Obj,
    /// Both of them
    Both,
}

impl Format {
    pub(crate) fn npz(self) -> bool {
        self != Format::Obj
    }

    pub(crate) fn obj(self) -> bool {
        self != Format::Npz
    }
}
