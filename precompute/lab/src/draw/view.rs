//! Orthographic views.

use nalgebra::{Matrix3, Vector3};

/// A direction to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Against z: x to the right, y up.
    Front,
    /// Along y, from below: x to the right, the front of the fabric up.
    Below,
    /// Against x, from the right: the front of the fabric to the left, y up.
    Right,
}

/// A rectangle seen from a side, and its scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// Rows: the picture's axes to the right, up and toward the viewer.
    axes: Matrix3<f64>,
    /// Lower left corner of the rectangle, in the picture's axes, meters.
    pub(super) low: [f64; 2],
    /// Upper right corner.
    pub(super) high: [f64; 2],
    /// Samples per meter.
    pub(super) scale: f64,
}

impl View {
    /// The view of the box from `low` to `high`, `scale` samples a meter.
    pub(super) fn new(side: Side, low: Vector3<f64>, high: Vector3<f64>, scale: f64) -> Self {
        let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
        let axes = match side {
            Side::Front => [x, y, z],
            Side::Below => [x, z, -y],
            Side::Right => [-z, y, x],
        };
        let axes = Matrix3::from_rows(&axes.map(|a| a.transpose()));
        View::turned(axes, axes * low, axes * high, scale)
    }

    /// The view along any axes (rows: right, up, toward the viewer) of the box from `a` to `b`, given in these axes.
    pub(super) fn turned(axes: Matrix3<f64>, a: Vector3<f64>, b: Vector3<f64>, scale: f64) -> Self {
        View { axes, low: [a.x.min(b.x), a.y.min(b.y)], high: [a.x.max(b.x), a.y.max(b.y)], scale }
    }

    /// Whether the fabric's plane is seen from the front.
    pub(super) fn shows_plane(&self) -> bool {
        self.axes[(2, 2)] == 1.0
    }

    /// Width and height in samples.
    pub(super) fn size(&self) -> [usize; 2] {
        [0, 1].map(|k| ((self.high[k] - self.low[k]) * self.scale).round().max(1.0) as usize)
    }

    /// A place in samples: to the right from the left border, down from the upper border, toward the viewer.
    pub(super) fn project(&self, point: Vector3<f64>) -> Vector3<f32> {
        let p = self.axes * point;
        let right = (p.x - self.low[0]) * self.scale;
        let down = (self.high[1] - p.y) * self.scale;
        Vector3::new(right as f32, down as f32, (p.z * self.scale) as f32)
    }

    /// A direction in the picture: right, down, toward the viewer.
    pub(super) fn turn(&self, direction: Vector3<f64>) -> Vector3<f32> {
        let d = self.axes * direction;
        Vector3::new(d.x as f32, -d.y as f32, d.z as f32)
    }
}
