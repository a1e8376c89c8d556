//! `yarnwise-bake mesh make`.

use super::{Output, Pair};
use clap::{Args, Subcommand, ValueEnum};
use std::f64::consts::{FRAC_PI_2, PI};
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::mesh::clip::Clip;
use yarnwise_shared::mesh::clip::make::{Animation, Sheet, Skirt, Tube};

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
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    amount: Option<f64>,
    /// Number of frames [default: 61, a still shape 1]
    #[arg(long, value_name = "N")]
    frames: Option<usize>,
    /// Frames a second
    #[arg(long, value_name = "N", default_value_t = 30.0, allow_negative_numbers = true)]
    fps: f64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Motion {
    /// One frame, at rest
    Still,
    /// Along x
    StretchX,
    /// Along y
    StretchY,
    /// x moves with y
    Shear,
    /// Around the y axis, the lower end against the upper
    Twist,
    /// Around an axis along y, without stretch
    Bend,
    /// Waves run down, as in cloth that hangs from its upper border
    Wave,
}

impl Shape {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let (mesh, moving, output) = match self {
            Shape::Sheet { size, cells, moving, output } => {
                (Sheet { size: size.0, cells: cells.0 }.mesh()?, moving, output)
            }
            Shape::Tube { radius, height, cells, moving, output } => {
                (Tube { radius, height, cells: cells.0 }.mesh()?, moving, output)
            }
            Shape::Skirt { waist, hem, length, cells, moving, output } => {
                let skirt = Skirt { waist, hem, length, cells: cells.0, ..Default::default() };
                (skirt.mesh()?, moving, output)
            }
        };
        output.write(&moving.clip(mesh)?)
    }
}

impl Moving {
    fn clip(&self, mesh: Mesh) -> anyhow::Result<Clip> {
        use yarnwise_shared::mesh::clip::make::Motion as Made;
        anyhow::ensure!(self.fps.is_finite() && self.fps > 0.0, "--fps {}: must be positive", self.fps);
        let (motion, amount, frames) = match self.motion {
            Motion::Still => (Made::Still, 0.0, 1),
            Motion::StretchX => (Made::StretchX, 0.5, 61),
            Motion::StretchY => (Made::StretchY, 0.5, 61),
            Motion::Shear => (Made::Shear, 0.5, 61),
            Motion::Twist => (Made::Twist, FRAC_PI_2, 61),
            Motion::Bend => (Made::Bend, PI, 61),
            Motion::Wave => (Made::Wave, 0.03, 61),
        };
        let animation = Animation {
            motion,
            amount: self.amount.unwrap_or(amount),
            frames: self.frames.unwrap_or(frames),
            frame_time: 1.0 / self.fps,
        };
        Ok(animation.clip(mesh)?)
    }
}
