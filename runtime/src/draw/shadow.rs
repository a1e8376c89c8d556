//! Shadows of yarns on yarns, from a depth map that the lamp sees.

use super::camera::Camera;
use super::light::{Light, unit};
use crate::{Error, Result};
use yarnwise_shaders::gpu::TubeView;

/// The part of the world that has shadows: a ball. What is outside of it casts none and receives none.
///
/// A tight ball gives fine shadows: around what is on screen, not around the garment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shadow {
    /// Its center, meters.
    pub center: [f32; 3],
    /// Its radius, meters.
    pub radius: f32,
    /// How much of the lamp's light is missing in shadows, 0 to 1.
    pub amount: f32,
    /// How far the borders of shadows are blurred, in yarn radii.
    pub softness: f32,
}

impl Default for Shadow {
    fn default() -> Self {
        Shadow { center: [0.0; 3], radius: 1.0, amount: 0.85, softness: 0.4 }
    }
}

impl Shadow {
    /// Around the part of a scene that a camera sees, with a margin; the scene is in a ball around `center`.
    pub fn seen_by(camera: &Camera, center: [f32; 3], radius: f32) -> Self {
        let whole = Shadow { center, radius, ..Default::default() };
        match camera.window_at(center) {
            Some((center, half)) if 1.2 * half < radius => Shadow { center, radius: 1.2 * half, ..whole },
            _ => whole,
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let name = "shadow";
        if !self.center.iter().all(|c| c.is_finite()) {
            return Err(Error::parameter(name, f32::NAN, "around a finite center"));
        }
        let limits = [(self.radius, 1e-9, 1e9), (self.amount, 0.0, 1.0), (self.softness, 0.0, 100.0)];
        match limits.into_iter().find(|(v, low, high)| !(low..=high).contains(&v)) {
            Some((value, ..)) => {
                let range = "of a positive radius, an amount from 0 to 1 and a softness from 0 to 100";
                Err(Error::parameter(name, value, range))
            }
            None => Ok(()),
        }
    }

    /// Writes the lamp's camera into a view, for a map of `size` texels; yarns have `radius` meters at rest.
    pub(super) fn set(&self, view: &mut TubeView, light: &Light, size: u32, radius: f32) {
        let to_light = unit(light.direction);
        let eye = std::array::from_fn(|k| self.center[k] + 2.0 * self.radius * to_light[k]);
        let depth = [self.radius, 3.0 * self.radius];
        let camera = Camera::orthographic(eye, self.center, light.up, 2.0 * self.radius, depth, [1.0, 1.0]);
        view.shadow_proj = camera.view_proj;
        view.light[3] = self.amount;
        // At least a texel, or texels become visible at the borders.
        let texel = 2.0 * self.radius / size.max(1) as f32;
        view.sky[3] = (self.softness * radius).max(1.2 * texel);
        view.counts[3] = 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shadows_are_around_what_is_seen_of_a_scene() {
        let camera = |height| {
            Camera::orthographic([0.3, 0.0, 1.0], [0.3, 0.0, 0.0], [0.0, 1.0, 0.0], height, [0.1, 2.0], [80.0, 60.0])
        };
        let near = Shadow::seen_by(&camera(0.12), [0.0; 3], 0.5);
        assert!((near.radius - 0.12).abs() < 1e-4 && (near.center[0] - 0.3).abs() < 1e-4, "{near:?}");
        let far = Shadow::seen_by(&camera(5.0), [0.0; 3], 0.5);
        assert_eq!((far.center, far.radius), ([0.0; 3], 0.5));
    }
}
