//! Bodies that a clip's cloth collides with.

use nalgebra::{Rotation3, Unit, Vector3};

/// A similarity: x -> scale R x + translation, with R the rotation by `angle` about `axis`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Uniform scale.
    pub scale: f32,
    /// Meters.
    pub translation: [f32; 3],
    /// Degrees, as in the files.
    pub angle: f32,
    /// Axis of the rotation; need not be of unit length. The zero vector means no rotation.
    pub axis: [f32; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Transform { scale: 1.0, translation: [0.0; 3], angle: 0.0, axis: [0.0, 1.0, 0.0] }
    }
}

impl Transform {
    /// The image of a point.
    pub fn apply(&self, point: [f32; 3]) -> [f32; 3] {
        let p = Vector3::from(point);
        let rotated = match Unit::try_new(Vector3::from(self.axis), f32::MIN_POSITIVE) {
            Some(axis) => Rotation3::from_axis_angle(&axis, self.angle.to_radians()) * p,
            None => p,
        };
        (rotated * self.scale + Vector3::from(self.translation)).into()
    }
}

/// A body: its faces, its shape in each frame and how that shape is placed.
///
/// Shapes and places are kept from the frame they begin at: a body at rest takes no memory per frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    faces: Vec<[u32; 3]>,
    shapes: Vec<(usize, Vec<[f32; 3]>)>,
    transforms: Vec<(usize, Transform)>,
}

impl Obstacle {
    /// A body that keeps its shape and place unless moved.
    pub(crate) fn new(surface: crate::mesh::Surface) -> Self {
        let (positions, faces) = surface.into_parts();
        Obstacle { faces, shapes: vec![(0, positions)], transforms: vec![(0, Transform::default())] }
    }

    /// Corners of each face as indices into [`Obstacle::shape`].
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The body's own positions in a frame, before [`Obstacle::transform`], meters.
    pub fn shape(&self, frame: usize) -> &[[f32; 3]] {
        &at(&self.shapes, frame).1
    }

    /// Where the body stands in a frame.
    pub fn transform(&self, frame: usize) -> Transform {
        at(&self.transforms, frame).1
    }

    /// The body in the world in a frame, meters.
    pub fn positions(&self, frame: usize) -> Vec<[f32; 3]> {
        let transform = self.transform(frame);
        self.shape(frame).iter().map(|p| transform.apply(*p)).collect()
    }

    /// Whether a new shape begins at `frame`.
    pub(super) fn shape_begins(&self, frame: usize) -> bool {
        at(&self.shapes, frame).0 == frame
    }

    /// From `frame` on the body has this shape; frames come in order.
    pub(super) fn set_shape(&mut self, frame: usize, shape: Vec<[f32; 3]>) {
        set(&mut self.shapes, frame, shape);
    }

    /// From `frame` on the body stands here; frames come in order.
    pub(super) fn set_transform(&mut self, frame: usize, transform: Transform) {
        if at(&self.transforms, frame).1 != transform {
            set(&mut self.transforms, frame, transform);
        }
    }

    /// The same body in a world `factor` times larger.
    pub(super) fn scale(&mut self, factor: f32) {
        for (_, transform) in &mut self.transforms {
            transform.scale *= factor;
            transform.translation = transform.translation.map(|c| c * factor);
        }
    }
}

/// The entry that holds at `frame`; the first one begins at frame 0.
fn at<T>(entries: &[(usize, T)], frame: usize) -> &(usize, T) {
    &entries[entries.partition_point(|(begin, _)| *begin <= frame) - 1]
}

fn set<T>(entries: &mut Vec<(usize, T)>, frame: usize, value: T) {
    match entries.last_mut() {
        Some((begin, last)) if *begin == frame => *last = value,
        _ => entries.push((frame, value)),
    }
}
