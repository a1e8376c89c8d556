//! The light on what is drawn.

use crate::{Error, Result};
use nalgebra::Vector3;

/// A distant lamp, and the light from everywhere else. Colors are sRGB, each lane 0 to 1, times a strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Direction to the lamp, of any length but 0.
    pub direction: [f32; 3],
    /// The lamp's color.
    pub color: [f32; 3],
    /// Its strength.
    pub strength: f32,
    /// Light from above.
    pub sky: [f32; 3],
    /// Light from below.
    pub ground: [f32; 3],
    /// Strength of the light from above and below.
    pub ambient: f32,
    /// Upwards.
    pub up: [f32; 3],
    /// How far the lamp reaches around into the shade, 0 to 1: fabric is soft.
    pub wrap: f32,
}

impl Default for Light {
    /// A warm lamp from the upper left, cool light from above, warm light from below; z is up.
    fn default() -> Self {
        Light {
            direction: [-0.45, 0.35, 0.8],
            color: [1.0, 0.95, 0.88],
            strength: 1.3,
            sky: [0.80, 0.88, 1.0],
            ground: [0.55, 0.48, 0.44],
            ambient: 0.45,
            up: [0.0, 0.0, 1.0],
            wrap: 0.35,
        }
    }
}

impl Light {
    pub(super) fn check(&self) -> Result<()> {
        for (name, v) in [("light direction", self.direction), ("up", self.up)] {
            let length = Vector3::from(v).norm();
            if !(length > 1e-20 && length.is_finite()) {
                return Err(Error::parameter(name, length, "a direction: finite and not 0"));
            }
        }
        let numbers = [self.color, self.sky, self.ground].into_iter().flatten().chain([self.strength, self.ambient]);
        match numbers.into_iter().find(|v| !(0.0..=1000.0).contains(v)) {
            Some(value) => Err(Error::parameter("light", value, "between 0 and 1000")),
            None => Ok(()),
        }
    }
}

pub(super) fn unit(v: [f32; 3]) -> [f32; 3] {
    Vector3::from(v).normalize().into()
}
