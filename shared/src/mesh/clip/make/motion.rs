//! Motions of meshes from formulas.

use crate::mesh::Mesh;
use crate::mesh::clip::{Clip, DEFAULT_FRAME_TIME, MAX_CLIP_BYTES};
use crate::{Error, Result};
use std::f64::consts::{PI, TAU};

/// How a shape moves. Everything begins at rest, is furthest half way and at rest again at the end, so that it loops;
/// `amount` is what is reached half way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Motion {
    /// One frame, at rest.
    Still,
    /// Along x.
    ///
    /// `amount` is the strain.
    StretchX,
    /// Along y.
    ///
    /// `amount` is the strain.
    StretchY,
    /// x moves with y.
    ///
    /// `amount` is the tangent of the angle of shear.
    Shear,
    /// Around the y axis, the lower end against the upper.
    ///
    /// `amount` in radians.
    Twist,
    /// Around an axis along y, without stretch.
    ///
    /// `amount` is the angle in radians that the width of a sheet spans.
    Bend,
    /// Waves run down, as in cloth that hangs from its upper border.
    ///
    /// `amount` is the height of the lowest wave in meters; waves are larger further down.
    Wave,
}

/// A motion, how far it goes and how long it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Animation {
    /// How the shape moves.
    pub motion: Motion,
    /// How far, in the units of the motion.
    pub amount: f64,
    /// Number of frames, at least one.
    pub frames: usize,
    /// Seconds between frames.
    pub frame_time: f64,
}

impl Default for Animation {
    fn default() -> Self {
        Animation { motion: Motion::StretchX, amount: 0.5, frames: 61, frame_time: DEFAULT_FRAME_TIME }
    }
}

/// Waves over the height of a shape at one time; a quarter more than a whole, so that the lower end is furthest half way.
const WAVES: f64 = 1.25;

impl Animation {
    /// The clip of `mesh` moving.
    pub fn clip(&self, mesh: Mesh) -> Result<Clip> {
        let n = mesh.positions().len();
        if self.frames == 0 || self.frames.saturating_mul(12 * n) as u64 > MAX_CLIP_BYTES {
            let problem =
                format!("{} frames of {n} vertices: there must be a frame, and they must fit memory", self.frames);
            return Err(Error::invalid("animation", problem));
        }
        if !self.amount.is_finite() {
            return Err(Error::invalid("animation", format!("the amount is {}, which is not finite", self.amount)));
        }
        let bounds = Bounds::of(&mesh);
        let last = (self.frames - 1).max(1) as f64;
        let positions = (0..self.frames).flat_map(|frame| {
            let phase = frame as f64 / last;
            let moved = mesh.positions().iter().map(|p| self.moved(p.map(f64::from), phase, &bounds).map(|c| c as f32));
            moved.collect::<Vec<_>>()
        });
        let positions = positions.collect();
        Clip::new("animation", mesh, self.frame_time, positions)
    }

    /// Where a point is at `phase`, from 0 at the first to 1 at the last frame.
    fn moved(&self, [x, y, z]: [f64; 3], phase: f64, bounds: &Bounds) -> [f64; 3] {
        let a = self.amount * (PI * phase).sin().powi(2);
        match self.motion {
            Motion::Still => [x, y, z],
            Motion::StretchX => [x * (1.0 + a), y, z],
            Motion::StretchY => [x, y * (1.0 + a), z],
            Motion::Shear => [x + a * y, y, z],
            Motion::Twist => {
                let (sin, cos) = (a * (0.5 - bounds.up(y))).sin_cos();
                [cos * x + sin * z, y, cos * z - sin * x]
            }
            Motion::Bend => {
                // The sheet's middle stays; a bend by nothing is the limit of large radii.
                let curvature = a / bounds.width.max(f64::MIN_POSITIVE);
                let angle = curvature * x;
                let sinc = if angle.abs() < 1e-9 { 1.0 } else { angle.sin() / angle };
                let half = angle / 2.0;
                let half_sinc = if half.abs() < 1e-9 { 1.0 } else { half.sin() / half };
                [x * sinc + z * angle.sin(), y, z * angle.cos() - x * half * half_sinc * half_sinc]
            }
            Motion::Wave => {
                let down = 1.0 - bounds.up(y);
                let wave = (TAU * (WAVES * down - 2.0 * phase)).sin();
                [x, y, z + a * down * wave]
            }
        }
    }
}

/// The sizes of a mesh that motions go by.
struct Bounds {
    width: f64,
    bottom: f64,
    height: f64,
}

impl Bounds {
    fn of(mesh: &Mesh) -> Self {
        let range = |k: usize| {
            let values = mesh.positions().iter().map(|p| f64::from(p[k]));
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |r, v| [r[0].min(v), r[1].max(v)])
        };
        let ([left, right], [bottom, top]) = (range(0), range(1));
        Bounds { width: right - left, bottom, height: top - bottom }
    }

    /// From 0 at the bottom to 1 at the top.
    fn up(&self, y: f64) -> f64 {
        if self.height > 0.0 { (y - self.bottom) / self.height } else { 0.0 }
    }
}
