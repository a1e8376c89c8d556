//! Bodies: shapes that stand or move.

use super::Shape;
use crate::motion::Motion;
use nalgebra::{Isometry3, Point3, Vector3};
use serde::{Deserialize, Serialize};

/// Coulomb friction, without unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Friction {
    /// A particle at rest stays while the tangential force is at most this times the normal force.
    #[serde(rename = "static")]
    pub at_rest: f64,
    /// Tangential over normal force of a sliding particle.
    pub kinetic: f64,
}

impl Default for Friction {
    fn default() -> Self {
        Friction { at_rest: 0.4, kinetic: 0.3 }
    }
}

/// A solid that particles collide with.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its solid in its own coordinates.
    pub shape: Shape,
    /// Where the solid stands before it moves.
    pub placement: Isometry3<f64>,
    /// How it moves from there.
    pub motion: Motion,
    /// How it holds particles.
    pub friction: Friction,
}

impl Body {
    /// A body that stands at `position`.
    pub fn at(shape: Shape, position: Vector3<f64>, friction: Friction) -> Self {
        let placement = Isometry3::translation(position.x, position.y, position.z);
        Body { shape, placement, motion: Motion::default(), friction }
    }

    /// From the body's coordinates to the world, at a time.
    pub fn pose(&self, time: f64) -> Isometry3<f64> {
        if self.motion.keys.is_empty() { self.placement } else { self.motion.pose(time) * self.placement }
    }

    /// Signed distance of a world point and the outward normal there, at a time.
    pub fn distance(&self, point: &Vector3<f64>, time: f64) -> (f64, Vector3<f64>) {
        let pose = self.pose(time);
        let (distance, normal) = self.shape.distance(&local(&pose, point));
        (distance, pose.rotation * normal)
    }
}

/// World point to the body's coordinates.
pub(super) fn local(pose: &Isometry3<f64>, point: &Vector3<f64>) -> Vector3<f64> {
    pose.inverse_transform_point(&Point3::from(*point)).coords
}

/// A body's point to the world.
pub(super) fn world(pose: &Isometry3<f64>, point: &Vector3<f64>) -> Vector3<f64> {
    (pose * Point3::from(*point)).coords
}
