//! Clips: a mesh and its world positions frame by frame, loaded once, read in any order.
//!
//! Topology and UVs are those of the first frame and stay; only positions move. A clip is one of
//!
//! | path | what it is |
//! |---|---|
//! | `x.obj` | one frame ([`crate::mesh::obj`]) |
//! | a folder | an `.obj` file for each frame, in the order of their names, numbers counted as numbers |
//! | `x.bin` | the binary sequences of the reference data ([`binseq`]) |
//! | `x.pc2` | a point cache ([`pc2`]) on the mesh `x.obj` beside it, or on another one |
//!
//! The whole clip is in memory: 12 bytes for each vertex and frame, at most [`MAX_CLIP_BYTES`].

pub mod binseq;
mod bytes;
mod folder;
pub mod make;
mod obstacle;
pub mod pc2;
mod strains;
mod write;

use crate::mesh::report::Report;
use crate::mesh::{Mesh, MeshPlace, check_points, obj};
use crate::words::{count, vertices};
use crate::{Error, Result, file};
pub use obstacle::{Obstacle, Transform};
use std::path::{Path, PathBuf};
pub use strains::StrainRange;

/// Seconds between frames where a file does not say: 30 frames a second.
pub const DEFAULT_FRAME_TIME: f64 = 1.0 / 30.0;

/// The most bytes that the positions of a clip may take, and the largest `.bin` or `.pc2` file.
pub const MAX_CLIP_BYTES: u64 = 4 << 30;

/// How a clip is opened.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipOptions {
    /// Positions, UVs and obstacles are multiplied by this: a larger garment with more yarns, the same strains.
    pub scale: f32,
    /// UVs alone are multiplied by these, along u and v: for UVs that are not in meters.
    pub uv_scale: [f32; 2],
    /// Seconds that one frame of the animation takes; files do not say. In a point cache it is multiplied by the sample
    /// rate.
    pub frame_time: f64,
    /// Join UV vertices that an exporter has split for no reason ([`Mesh::weld_uvs`]).
    pub weld_uvs: bool,
    /// In a folder of OBJ files, use the first frame's UVs although later frames have others.
    pub first_uvs: bool,
    /// The mesh of a point cache; by default the `.obj` file of the same name beside it.
    pub obj: Option<PathBuf>,
}

impl Default for ClipOptions {
    fn default() -> Self {
        ClipOptions {
            scale: 1.0,
            uv_scale: [1.0; 2],
            frame_time: DEFAULT_FRAME_TIME,
            weld_uvs: true,
            first_uvs: false,
            obj: None,
        }
    }
}

/// A mesh and its world positions in each frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    mesh: Mesh,
    frame_time: f64,
    /// The different shapes, one after the other.
    positions: Vec<[f32; 3]>,
    /// For each frame its shape: a frame that repeats the one before it takes no memory. Never descends.
    shape_of_frame: Vec<u32>,
    obstacles: Vec<Obstacle>,
}

impl Clip {
    /// Opens a clip, whatever its kind.
    pub fn open(path: &Path) -> Result<Self> {
        Clip::open_with(path, &ClipOptions::default())
    }

    /// Opens a clip, whatever its kind.
    pub fn open_with(path: &Path, options: &ClipOptions) -> Result<Self> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let mut clip = match extension.as_str() {
            _ if path.is_dir() => folder::read(path, options)?,
            "obj" => {
                let mesh = obj::read(path)?;
                let positions = mesh.positions().to_vec();
                Clip::new(&file::origin(path), mesh, options.frame_time, positions)?
            }
            "bin" => binseq::read(path, options.frame_time)?,
            "pc2" => open_pc2(path, options)?,
            _ => {
                let problem = "is no clip: an .obj file, a folder of .obj files, a .bin sequence or a .pc2 point cache is expected";
                return Err(if path.exists() {
                    Error::invalid(file::origin(path), problem)
                } else {
                    Error::io(path, std::io::ErrorKind::NotFound.into())
                });
            }
        };
        if options.weld_uvs {
            clip.mesh = clip.mesh.weld_uvs();
        }
        let origin = file::origin(path);
        if options.uv_scale != [1.0; 2] {
            clip.mesh =
                clip.mesh.with_scaled_uvs(options.uv_scale).map_err(|fault| Error::invalid(&origin, fault.problem))?;
        }
        if options.scale == 1.0 { Ok(clip) } else { clip.scaled(options.scale, &origin) }
    }

    /// A clip of `positions`, frame after frame, each with a position for every vertex of `mesh`.
    ///
    /// `frame_time` is in seconds. `origin` names the clip in messages.
    pub fn new(origin: &str, mesh: Mesh, frame_time: f64, positions: Vec<[f32; 3]>) -> Result<Self> {
        let n = mesh.positions().len();
        let frames = positions.len() / n;
        if frames == 0 || positions.len() != frames * n || u32::try_from(frames).is_err() {
            let problem = format!(
                "{} are not a whole number of frames of {}, and there must be a frame",
                count(positions.len(), "position", None),
                vertices(n)
            );
            return Err(Error::invalid(origin, problem));
        }
        let shape_of_frame = (0..frames as u32).collect();
        Clip { mesh, frame_time, positions, shape_of_frame, obstacles: Vec::new() }.checked(origin)
    }

    /// A still clip: one frame, the positions of `mesh`.
    pub fn still(mesh: Mesh) -> Self {
        let positions = mesh.positions().to_vec();
        Clip { mesh, frame_time: DEFAULT_FRAME_TIME, positions, shape_of_frame: vec![0], obstacles: Vec::new() }
    }

    /// Checks the numbers, where the counts are known to be right.
    fn checked(self, origin: &str) -> Result<Self> {
        let time = self.frame_time;
        if !(time.is_finite() && time > 0.0) {
            let problem = format!("the time between frames is {time}, it must be a positive number of seconds");
            return Err(Error::invalid(origin, problem));
        }
        for (shape, positions) in self.shapes().enumerate() {
            check_points("vertex", positions, MeshPlace::Position).map_err(|fault| {
                let frame = self.shape_of_frame.partition_point(|s| (*s as usize) < shape);
                Error::invalid(origin, format!("frame {frame}: {fault}"))
            })?;
        }
        Ok(self)
    }

    /// The clip `factor` times larger, in the world and in the UV plane, obstacles included.
    pub fn scaled(mut self, factor: f32, origin: &str) -> Result<Self> {
        if !(factor.is_finite() && factor > 0.0) {
            return Err(Error::invalid(origin, format!("the scale is {factor}, it must be positive")));
        }
        self.mesh =
            self.mesh.scaled(factor).map_err(|fault| Error::invalid(origin, format!("scaled by {factor}: {fault}")))?;
        self.positions.as_flattened_mut().iter_mut().for_each(|c| *c *= factor);
        self.obstacles.iter_mut().for_each(|obstacle| obstacle.scale(factor));
        self.checked(origin)
    }

    /// Topology, UVs and, where the format has one, the rest shape; otherwise the shape of the first frame.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Number of frames, at least one.
    pub fn frame_count(&self) -> usize {
        self.shape_of_frame.len()
    }

    /// Seconds from one frame to the next.
    pub fn frame_time(&self) -> f64 {
        self.frame_time
    }

    /// World positions in a frame, meters, one for each vertex of the mesh.
    ///
    /// # Panics
    /// When there is no such frame.
    pub fn positions(&self, frame: usize) -> &[[f32; 3]] {
        let n = self.mesh.positions().len();
        let shape = self.shape_of_frame[frame] as usize;
        &self.positions[shape * n..(shape + 1) * n]
    }

    /// The different shapes in the order they appear.
    fn shapes(&self) -> impl Iterator<Item = &[[f32; 3]]> {
        self.positions.chunks_exact(self.mesh.positions().len())
    }

    /// Examines the mesh and its shape in every frame.
    pub fn report(&self) -> Report {
        Report::new(&self.mesh, (0..self.frame_count()).map(|frame| self.positions(frame)))
    }

    /// The bodies that the cloth collides with, where the format has them.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }
}

/// Opens a point cache and the mesh that it moves.
fn open_pc2(path: &Path, options: &ClipOptions) -> Result<Clip> {
    let mesh_path = options.obj.clone().unwrap_or_else(|| path.with_extension("obj"));
    if !mesh_path.is_file() {
        let problem = format!(
            "a point cache needs its mesh, and there is no {}: put the OBJ file there or name it",
            mesh_path.display()
        );
        return Err(Error::invalid(file::origin(path), problem));
    }
    pc2::read(path, obj::read(&mesh_path)?, options.frame_time)
}

#[cfg(test)]
mod tests;
