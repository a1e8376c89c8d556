//! `yarnwise-bake mesh make`.

use super::{Output, Pair};
use clap::{Args, Subcommand};
use std::f64::consts::{FRAC_PI_2, PI};
use yarnwise_program::memory;
use yarnwise_program::number::{self, count};
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::mesh::clip::make::{Animation, Motion, Sheet, Skirt, Tube};

#[derive(Subcommand)]
pub(crate) enum Shape {
    /// A flat rectangle, upright, facing +z
    Sheet {
        /// Width and height, meters
        #[arg(long, value_name = "W,H", default_value_t = Pair(Sheet::default().size))]
        size: Pair<f64>,
        /// Cells across and up, two triangles each
        #[arg(long, value_name = "N,M", default_value_t = Pair(Sheet::default().cells))]
        cells: Pair<usize>,
        #[command(flatten)]
        moving: Moving,
        #[command(flatten)]
        output: Output,
    },
    /// A tube around the y axis: one panel, sewn to itself along a seam
    Tube {
        /// Meters
        #[arg(long, default_value_t = Tube::default().radius)]
        radius: f64,
        /// Meters
        #[arg(long, default_value_t = Tube::default().height)]
        height: f64,
        /// Cells around and up, two triangles each
        #[arg(long, value_name = "N,M", default_value_t = Pair(Tube::default().cells))]
        cells: Pair<usize>,
        #[command(flatten)]
        moving: Moving,
        #[command(flatten)]
        output: Output,
    },
    /// A skirt of two panels, front and back, sewn along both sides
    Skirt {
        /// Around the waist, meters
        #[arg(long, default_value_t = Skirt::default().waist)]
        waist: f64,
        /// Around the hem, meters
        #[arg(long, default_value_t = Skirt::default().hem)]
        hem: f64,
        /// From waist to hem along the cloth, meters
        #[arg(long, default_value_t = Skirt::default().length)]
        length: f64,
        /// Cells across each panel and up, two triangles each
        #[arg(long, value_name = "N,M", default_value_t = Pair(Skirt::default().cells))]
        cells: Pair<usize>,
        #[command(flatten)]
        moving: Moving,
        #[command(flatten)]
        output: Output,
    },
}

/// How the shape moves.
#[derive(Args)]
pub(crate) struct Moving {
    /// From rest to --amount half way and back, so that it loops
    #[arg(long, value_enum, default_value_t = Motion::Still)]
    motion: Motion,
    /// How far: a strain (stretch), the tangent of an angle (shear), radians (twist, bend) or meters (wave)
    /// [default: 0.5, twist 90 degrees, bend 180 degrees, wave 0.03]
    #[arg(long, value_name = "X")]
    amount: Option<f64>,
    /// Number of frames [default: 61, a still shape 1]
    #[arg(long, value_name = "N")]
    frames: Option<usize>,
    /// Frames a second
    #[arg(long, value_name = "N", default_value_t = 30.0)]
    fps: f64,
}

impl Shape {
    pub(super) fn run(self, json: bool) -> anyhow::Result<()> {
        let (cells, moving, output) = match &self {
            Shape::Sheet { cells, moving, output, .. }
            | Shape::Tube { cells, moving, output, .. }
            | Shape::Skirt { cells, moving, output, .. } => (cells.0, moving, output),
        };
        output.check(&[])?;
        check_memory(cells, moving.animation()?.frames)?;
        output.write(&moving.animation()?.clip(self.mesh()?)?, json)
    }

    fn mesh(&self) -> anyhow::Result<Mesh> {
        Ok(match *self {
            Shape::Sheet { size, cells, .. } => Sheet { size: size.0, cells: cells.0 }.mesh()?,
            Shape::Tube { radius, height, cells, .. } => Tube { radius, height, cells: cells.0 }.mesh()?,
            Shape::Skirt { waist, hem, length, cells, .. } => {
                Skirt { waist, hem, length, cells: cells.0, ..Default::default() }.mesh()?
            }
        })
    }
}

/// Bytes of a vertex in a mesh while it is made and checked: position, UV, two faces twice over, and what finds neighbors.
const VERTEX_BYTES: u64 = 400;

/// Bytes of a vertex in a frame: its position, made and kept.
const FRAME_BYTES: u64 = 24;

fn check_memory([n, m]: [usize; 2], frames: usize) -> anyhow::Result<()> {
    let vertices = (n as u64).saturating_add(1).saturating_mul((m as u64).saturating_add(1)).saturating_mul(2);
    let each = VERTEX_BYTES.saturating_add(FRAME_BYTES.saturating_mul(frames as u64));
    let what = format!("{n} x {m} cells in {}", count(frames, "frame", None));
    let (bytes, cure) = (vertices.saturating_mul(each), "choose fewer cells or frames");
    memory::check(&memory::Work { what: &what, bytes, threads: 0, cure })
}

impl Moving {
    fn animation(&self) -> anyhow::Result<Animation> {
        let frame_time = 1.0 / number::positive("--fps", self.fps)?;
        let (amount, frames) = match self.motion {
            Motion::Still => (0.0, 1),
            Motion::StretchX | Motion::StretchY | Motion::Shear => (0.5, 61),
            Motion::Twist => (FRAC_PI_2, 61),
            Motion::Bend => (PI, 61),
            Motion::Wave => (0.03, 61),
        };
        Ok(Animation {
            motion: self.motion,
            amount: self.amount.unwrap_or(amount),
            frames: self.frames.unwrap_or(frames),
            frame_time,
        })
    }
}
