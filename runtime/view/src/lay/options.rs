//! The command line.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;
use yarnwise_runtime::{FrameOptions, LayoutOptions};

/// Lays the yarns of a database on an animated mesh and writes frames as NumPy arrays and OBJ polylines.
///
/// The .npz file has, for each yarn vertex: position (m), twist (rad), director (unit; with --compat as long as the
/// inverse transpose makes it; with --gpu always unit, to 7e-5), radius (m), arc (rest arc length, m), pattern_vertex, triangle, barycentrics (of the
/// undisplaced vertex); yarn_starts (where each yarn begins, then the number of vertices) and closed_yarns; of the mesh:
/// mesh_positions, mesh_faces, material_faces, face_first and face_second, vertex_first and vertex_second (I11 I12 I22
/// and II11 II12 II22 of faces and of material vertices), face_normal, vertex_normal. With --compat also copy: the
/// number of each vertex among all tiled ones, as the reference program counts.
#[derive(Debug, Args)]
pub(crate) struct Cli {
    /// Database file (.ydb), or a published model folder (pyp, sxsasy/)
    pub(crate) model: PathBuf,
    /// Clip: .obj, folder of .obj files, .bin sequence or .pc2 point cache
    pub(crate) clip: PathBuf,
    /// Name of the files to write, without extension; several frames are numbered
    #[arg(short, long, default_value = "yarns")]
    pub(crate) out: PathBuf,
    /// Which frame to write: a number from 0, or `all`
    #[arg(short, long, default_value = "0")]
    pub(crate) frame: Frames,
    /// What to write
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) format: Format,
    /// Factor of the mesh, in the world and in the UV plane
    #[arg(long, default_value_t = 1.0)]
    pub(crate) scale: f32,
    /// Compute on the graphics device instead of the processor
    #[arg(long)]
    pub(crate) gpu: bool,
    /// Threads to use; all processors unless given
    #[arg(long)]
    pub(crate) threads: Option<usize>,

    /// Reproduce the choices of the reference program
    #[arg(long, help_heading = "Layout")]
    pub(crate) compat: bool,
    #[command(flatten)]
    pub(crate) layout: LayoutOptions,
    #[command(flatten)]
    pub(crate) options: FrameOptions,
}

/// Which frames to write.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frames {
    All,
    One(usize),
}

impl FromStr for Frames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Frames::All);
        }
        text.parse().map(Frames::One).map_err(|_| "a frame's number from 0, or 'all', is expected".to_owned())
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum, Debug)]
pub(crate) enum Format {
    Npz,
    Obj,
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
