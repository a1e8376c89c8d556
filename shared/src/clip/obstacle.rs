//! Bodies that a clip's cloth collides with.

/// A similarity: x -> scale R x + translation, with R the rotation by `angle` about `axis`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Uniform scale.
    pub scale: f32,
    /// Metres.
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
        let p = nalgebra::Vector3::from(point);
        let axis = nalgebra::Vector3::from(self.axis);
        let rotated = match nalgebra::Unit::try_new(axis, f32::MIN_POSITIVE) {
            Some(axis) => nalgebra::Rotation3::from_axis_angle(&axis, self.angle.to_radians()) * p,
            None => p,
        };
        (rotated * self.scale + nalgebra::Vector3::from(self.translation)).into()
    }
}

/// A body: its faces, its shape in each frame and how that shape is placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Corners of each face as indices into the positions.
    pub(super) faces: Vec<[u32; 3]>,
    /// The different shapes, metres; a rigid body has one.
    pub(super) shapes: Vec<Vec<[f32; 3]>>,
    /// For each frame the index of its shape.
    pub(super) shape_of_frame: Vec<u32>,
    /// For each frame where the shape stands.
    pub(super) transforms: Vec<Transform>,
}

impl Obstacle {
    /// Corners of each face as indices into [`Obstacle::shape`].
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The body's own positions in a frame, before [`Obstacle::transform`], metres.
    ///
    /// # Panics
    /// When the clip has no such frame.
    pub fn shape(&self, frame: usize) -> &[[f32; 3]] {
        &self.shapes[self.shape_of_frame[frame] as usize]
    }

    /// Where the body stands in a frame.
    ///
    /// # Panics
    /// When the clip has no such frame.
    pub fn transform(&self, frame: usize) -> Transform {
        self.transforms[frame]
    }
}
