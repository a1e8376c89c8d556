//! What the mouse holds.

use nalgebra::Vector3;

/// A particle in the hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Held {
    /// Which one.
    pub(super) particle: usize,
    /// Where the pointer is at the particle's depth, meters.
    pub(super) pointer: Vector3<f32>,
    /// From there to where the particle is led, meters: it need not be under the pointer.
    pub(super) offset: Vector3<f32>,
}

impl Held {
    /// A particle at `place`, taken with the pointer at `pointer`, meters.
    pub(super) fn new(particle: usize, place: Vector3<f32>, pointer: Vector3<f32>) -> Self {
        Held { particle, pointer, offset: place - pointer }
    }

    /// Where the particle is led, meters.
    pub(super) fn target(&self) -> Vector3<f32> {
        self.pointer + self.offset
    }
}
