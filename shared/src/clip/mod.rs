//! Clips: a mesh and its world positions frame by frame, loaded once, read in any order.
//!
//! Topology and UVs are those of the first frame and stay; only positions move.

mod obstacle;

use crate::mesh::{Mesh, Place, check_points};
use crate::{Error, Result};
pub use obstacle::{Obstacle, Transform};

/// Seconds between frames where a file does not say: 30 frames a second.
pub const DEFAULT_FRAME_TIME: f64 = 1.0 / 30.0;

/// The most bytes that the positions of a clip may take.
pub const MAX_CLIP_BYTES: u64 = 4 << 30;

/// A mesh and its world positions in each frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    mesh: Mesh,
    frame_time: f64,
    positions: Vec<[f32; 3]>,
    obstacles: Vec<Obstacle>,
}

impl Clip {
    /// A clip of `positions`, frame after frame, each with a position for every vertex of `mesh`.
    ///
    /// `frame_time` is in seconds. `origin` names the clip in messages.
    pub fn new(origin: &str, mesh: Mesh, frame_time: f64, positions: Vec<[f32; 3]>) -> Result<Self> {
        if !(frame_time.is_finite() && frame_time > 0.0) {
            let problem = format!("the time between frames is {frame_time}, it must be a positive number of seconds");
            return Err(Error::invalid(origin, problem));
        }
        let n = mesh.positions().len();
        if positions.is_empty() || !positions.len().is_multiple_of(n) {
            let problem = format!(
                "{} positions are not a whole number of frames of {n} vertices, and there must be a frame",
                positions.len()
            );
            return Err(Error::invalid(origin, problem));
        }
        for (frame, positions) in positions.chunks_exact(n).enumerate() {
            check_points("vertex", positions, Place::Position)
                .map_err(|fault| Error::invalid(origin, format!("frame {frame}: {fault}")))?;
        }
        Ok(Clip { mesh, frame_time, positions, obstacles: Vec::new() })
    }

    /// A still clip: one frame, the positions of `mesh`.
    pub fn still(mesh: Mesh) -> Self {
        let positions = mesh.positions().to_vec();
        Clip { mesh, frame_time: DEFAULT_FRAME_TIME, positions, obstacles: Vec::new() }
    }

    /// Topology, UVs and, where the format has one, the rest shape; otherwise the shape of the first frame.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Number of frames, at least one.
    pub fn frame_count(&self) -> usize {
        self.positions.len() / self.mesh.positions().len()
    }

    /// Seconds from one frame to the next.
    pub fn frame_time(&self) -> f64 {
        self.frame_time
    }

    /// World positions in a frame, metres, one for each vertex of the mesh.
    ///
    /// # Panics
    /// When there is no such frame.
    pub fn positions(&self, frame: usize) -> &[[f32; 3]] {
        let n = self.mesh.positions().len();
        &self.positions[frame * n..(frame + 1) * n]
    }

    /// The bodies that the cloth collides with, where the format has them.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }
}
