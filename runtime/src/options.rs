//! How yarns follow a mesh: one struct for hosts, scene files, panels and command lines.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};
pub use yarnwise_shared::table::strain::Bending;

/// How yarns follow the mesh in a frame. Numbers have no unit unless one is named.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct FrameOptions {
    /// Factor of the looked-up displacement: 1 full, 0 naive embedding of the undeformed pattern
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().displacement, allow_negative_numbers = true, help_heading = "Frame"))]
    pub displacement: f32,
    /// How bending enters the look-up of displacements
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t = Self::default().bending, help_heading = "Frame"))]
    pub bending: Bending,
    /// How much of the bending counts, for blending: 1 all of it, 0 none
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().bending_amount, allow_negative_numbers = true, help_heading = "Frame"))]
    pub bending_amount: f32,
    /// Eigenvalues of the first fundamental form below this are raised to it, which keeps yarns from piling up under
    /// compression; 0 switches the clamp off (0.8 is a stretch of -0.106)
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().min_eigenvalue, allow_negative_numbers = true, help_heading = "Frame"))]
    pub min_eigenvalue: f32,
    /// Amount of Phong deformation: 0 flat triangles, 0.5 a surface that is exact for quadratic shapes
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().phong, allow_negative_numbers = true, help_heading = "Frame"))]
    pub phong: f32,
    /// A displaced vertex that leaves its triangle is mapped by the one it enters
    #[cfg_attr(feature = "clap", arg(long = "no-follow", action = clap::ArgAction::SetFalse, help = "Displaced vertices keep their triangle", help_heading = "Frame"))]
    pub follow_triangle: bool,
    /// Yarns become thinner where they stretch, so that their volume stays
    #[cfg_attr(feature = "clap", arg(long = "no-volume", action = clap::ArgAction::SetFalse, help = "Yarns keep their radius when they stretch", help_heading = "Frame"))]
    pub volume_preservation: bool,
    /// Factor of the yarn radius
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().radius_factor, allow_negative_numbers = true, help_heading = "Frame"))]
    pub radius_factor: f32,
}

impl Default for FrameOptions {
    fn default() -> Self {
        FrameOptions {
            displacement: 1.0,
            bending: Bending::Linearized,
            bending_amount: 1.0,
            min_eigenvalue: 0.8,
            phong: 0.5,
            follow_triangle: true,
            volume_preservation: true,
            radius_factor: 1.0,
        }
    }
}

impl FrameOptions {
    /// The naive embedding: nothing is displaced.
    pub fn naive(self) -> Self {
        FrameOptions { displacement: 0.0, ..self }
    }

    /// An error that names the first field that is out of range, with its range.
    pub fn check(&self) -> Result<()> {
        in_range("displacement", self.displacement, [-10.0, 10.0])?;
        in_range("bending_amount", self.bending_amount, [0.0, 1.0])?;
        in_range("min_eigenvalue", self.min_eigenvalue, [0.0, 100.0])?;
        in_range("phong", self.phong, [0.0, 1.0])?;
        in_range("radius_factor", self.radius_factor, [0.0, 1000.0])
    }
}

/// An error unless `value` is a number in the range, both ends included.
pub(crate) fn in_range<T: PartialOrd + std::fmt::Display>(
    name: &'static str,
    value: T,
    [low, high]: [T; 2],
) -> Result<()> {
    if (&low..=&high).contains(&&value) {
        return Ok(());
    }
    Err(Error::parameter(name, value, format!("a number between {low} and {high}")))
}
