//! The command line.

use clap::{Args, ValueEnum};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use yarnwise_runtime::{FrameParams, LayoutOptions, Placement};
use yarnwise_shared::table::strain::BendingModel;

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
    /// Drop yarns shorter than this many radii
    #[arg(long, default_value_t = 16.0, help_heading = "Layout")]
    min_length: f64,
    /// Average over the faces around a vertex with equal weights
    #[arg(long, help_heading = "Layout")]
    no_shepard: bool,
    /// Direction of the pattern's x axis in the UV plane, degrees
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true, help_heading = "Layout")]
    angle: f64,
    /// How much larger than baked the pattern is
    #[arg(long, default_value_t = 1.0, help_heading = "Layout")]
    pattern_scale: f64,
    /// Where the pattern's origin lies in the UV plane, meters: U,V
    #[arg(long, default_value = "0,0", value_parser = pair, allow_hyphen_values = true, help_heading = "Layout")]
    offset: [f64; 2],
    /// Placement on one island, may be repeated: ISLAND:ANGLE,SCALE,U,V
    #[arg(long, value_parser = island, help_heading = "Layout")]
    island: Vec<(usize, Placement)>,
    /// The most vertices that may be tiled
    #[arg(long, default_value_t = 400_000_000, help_heading = "Layout")]
    max_vertices: usize,

    /// Factor of the looked-up displacement; 0 is the naive embedding
    #[arg(long, default_value_t = 1.0, allow_hyphen_values = true, help_heading = "Frame")]
    displacement: f32,
    /// How bending enters the look-up
    #[arg(long, value_enum, default_value = "linearized", help_heading = "Frame")]
    bending: Bending,
    /// How much of the bending counts, 0 to 1
    #[arg(long, default_value_t = 1.0, help_heading = "Frame")]
    bending_amount: f32,
    /// Eigenvalues of the first fundamental form are raised to this; 0 switches the clamp off
    #[arg(long, default_value_t = 0.8, help_heading = "Frame")]
    min_eigenvalue: f32,
    /// Amount of Phong deformation, 0 to 1
    #[arg(long, default_value_t = 0.5, help_heading = "Frame")]
    phong: f32,
    /// Displaced vertices keep their triangle
    #[arg(long, help_heading = "Frame")]
    no_follow: bool,
    /// Yarns keep their radius when they stretch
    #[arg(long, help_heading = "Frame")]
    no_volume: bool,
    /// Factor of the yarn radius
    #[arg(long, default_value_t = 1.0, help_heading = "Frame")]
    radius_factor: f32,
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

#[derive(Clone, Copy, PartialEq, ValueEnum, Debug)]
enum Bending {
    /// Not at all
    None,
    /// I(h) = I - 2 h II
    Linearized,
    /// I(h) with its quadratic term
    Quadratic,
    /// By the database's bending tables
    Tables,
}

fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let parsed: Result<Vec<f64>, _> = text.split(',').map(|n| n.trim().parse()).collect();
    let parsed = parsed.map_err(|e| e.to_string())?;
    parsed
        .try_into()
        .map_err(|p: Vec<f64>| format!("{N} numbers with commas between them are expected, not {}", p.len()))
}

fn pair(text: &str) -> Result<[f64; 2], String> {
    numbers(text)
}

fn island(text: &str) -> Result<(usize, Placement), String> {
    let (number, rest) = text.split_once(':').ok_or("ISLAND:ANGLE,SCALE,U,V is expected")?;
    let number = number.trim().parse().map_err(|_| format!("'{number}' is not the number of an island"))?;
    let [angle, scale, u, v] = numbers(rest)?;
    Ok((number, Placement { angle: angle.to_radians(), scale, offset: [u, v] }))
}

impl Cli {
    pub(crate) fn layout_options(&self) -> LayoutOptions {
        LayoutOptions {
            placement: Placement { angle: self.angle.to_radians(), scale: self.pattern_scale, offset: self.offset },
            islands: self.island.iter().copied().collect::<BTreeMap<_, _>>(),
            min_yarn_length: self.min_length,
            shepard_weights: !self.no_shepard,
            max_vertices: self.max_vertices,
            compat: self.compat,
        }
    }

    pub(crate) fn frame_params<'a>(&self, positions: &'a [[f32; 3]]) -> FrameParams<'a> {
        FrameParams {
            positions,
            displacement: self.displacement,
            bending: match self.bending {
                Bending::None => BendingModel::None,
                Bending::Quadratic => BendingModel::Quadratic,
                Bending::Linearized | Bending::Tables => BendingModel::Linearized,
            },
            bending_amount: self.bending_amount,
            bending_tables: self.bending == Bending::Tables,
            min_eigenvalue: self.min_eigenvalue,
            phong: self.phong,
            follow_triangle: !self.no_follow,
            volume_preservation: !self.no_volume,
            radius_factor: self.radius_factor,
        }
    }
}
