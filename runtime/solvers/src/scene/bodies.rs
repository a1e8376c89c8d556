//! The bodies of a scene.

use super::check::{PLACE, all_between, between, direction, positive};
use crate::Result;
use crate::contact::{Body, DistanceGrid, Friction, Shape};
use crate::motion::Motion;
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yarnwise_shared::mesh::obj;

/// A solid that stands or moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodySpec {
    /// Its shape in its own coordinates.
    pub shape: ShapeSpec,
    /// Where its origin stands, meters.
    #[serde(default)]
    pub position: [f64; 3],
    /// How it is turned about its origin.
    #[serde(default)]
    pub rotation: Rotation,
    /// How it holds cloth.
    #[serde(default)]
    pub friction: Friction,
    /// How it moves.
    #[serde(default)]
    pub motion: Motion,
}

/// A shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ShapeSpec {
    /// A ball about the origin.
    Sphere {
        /// Meters.
        radius: f64,
    },
    /// A box about the origin.
    Box {
        /// Outer size in x, y, z, meters.
        size: [f64; 3],
        /// Radius of the edges, meters.
        #[serde(default)]
        rounding: f64,
    },
    /// All that is below the plane y = 0.
    Plane {},
    /// A rounded rod along y about the origin.
    Capsule {
        /// Between the centers of its ends, meters.
        length: f64,
        /// Meters.
        radius: f64,
    },
    /// A closed surface.
    Mesh {
        /// An OBJ file in meters, relative to the scene's folder.
        file: PathBuf,
        /// Cells along the longest side of the distance grid.
        #[serde(default = "default_resolution")]
        resolution: usize,
    },
}

fn default_resolution() -> usize {
    64
}

/// A rotation by an angle (radians) about an axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rotation {
    /// Direction.
    pub axis: [f64; 3],
    /// Radians.
    pub angle: f64,
}

impl Default for Rotation {
    fn default() -> Self {
        Rotation { axis: [0.0, 1.0, 0.0], angle: 0.0 }
    }
}

impl BodySpec {
    /// The body; surfaces are read from `folder`.
    pub fn build(&self, folder: &Path) -> Result<Body> {
        let rotation = Unit::try_new(Vector3::from(self.rotation.axis), 1e-12)
            .map_or(UnitQuaternion::identity(), |axis| UnitQuaternion::from_axis_angle(&axis, self.rotation.angle));
        let placement = Isometry3::from_parts(Translation3::from(Vector3::from(self.position)), rotation);
        let shape = self.shape.build(folder)?;
        Ok(Body { shape, placement, motion: self.motion.clone(), friction: self.friction })
    }

    /// The file that it is read from, relative to the scene's folder.
    pub(crate) fn file(&self) -> Option<&Path> {
        match &self.shape {
            ShapeSpec::Mesh { file, .. } => Some(file),
            _ => None,
        }
    }

    /// What is wrong with the body, if anything.
    pub(crate) fn fault(&self) -> Option<String> {
        all_between("position", &self.position, PLACE)
            .or_else(|| direction("rotation.axis", &self.rotation.axis))
            .or_else(|| between("rotation.angle", self.rotation.angle, PLACE))
            .or_else(|| between("friction.static", self.friction.at_rest, [0.0, 100.0]))
            .or_else(|| between("friction.kinetic", self.friction.kinetic, [0.0, 100.0]))
            .or_else(|| self.shape.fault())
            .or_else(|| self.motion.fault().map(|f| format!("motion {f}")))
    }
}

impl ShapeSpec {
    fn build(&self, folder: &Path) -> Result<Shape> {
        Ok(match self {
            ShapeSpec::Sphere { radius } => Shape::Sphere { radius: *radius },
            ShapeSpec::Box { size, rounding } => Shape::Box { half: Vector3::from(*size) * 0.5, rounding: *rounding },
            ShapeSpec::Plane {} => Shape::Plane,
            ShapeSpec::Capsule { length, radius } => Shape::Capsule { half_length: 0.5 * length, radius: *radius },
            ShapeSpec::Mesh { file, resolution } => {
                let path = folder.join(file);
                let surface = obj::read_surface(&path)?;
                Shape::Mesh(Arc::new(DistanceGrid::new(&surface, *resolution, &path.display().to_string())?))
            }
        })
    }

    fn fault(&self) -> Option<String> {
        match self {
            ShapeSpec::Sphere { radius } => positive("radius", *radius, 1e6),
            ShapeSpec::Box { size, rounding } => {
                let smallest = size.iter().copied().fold(f64::INFINITY, f64::min);
                (size.iter().enumerate().find_map(|(i, s)| positive(&format!("size[{i}]"), *s, 1e6)))
                    .or_else(|| between("rounding", *rounding, [0.0, 0.5 * smallest]))
            }
            ShapeSpec::Capsule { length, radius } => {
                positive("radius", *radius, 1e6).or_else(|| between("length", *length, [0.0, 1e6]))
            }
            ShapeSpec::Plane {} | ShapeSpec::Mesh { .. } => None,
        }
    }
}
