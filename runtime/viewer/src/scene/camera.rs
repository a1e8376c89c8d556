//! Where a scene's picture is taken from.

use super::range;
use crate::camera::{Bounds, Camera};
use serde::{Deserialize, Serialize};

/// The camera: by default it looks at the front of the cloth and the cloth fills the picture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CameraSpec {
    /// Turned to the right around the target, degrees.
    pub yaw: f32,
    /// Lifted above the horizon, degrees.
    pub pitch: f32,
    /// Vertical angle of view, degrees.
    pub fov: f32,
    /// How much nearer than where the cloth, in the frame the picture shows, fills the picture.
    pub zoom: f32,
    /// What it looks at, meters; the middle of the cloth where not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<[f32; 3]>,
    /// How far the target is, meters, instead of `zoom`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f32>,
}

impl Default for CameraSpec {
    fn default() -> Self {
        CameraSpec { yaw: 0.0, pitch: 0.0, fov: 35.0, zoom: 1.0, target: None, distance: None }
    }
}

impl CameraSpec {
    /// What `yaw` may be, degrees.
    pub const YAW: [f32; 2] = [-360.0, 360.0];
    /// What `pitch` may be, degrees.
    pub const PITCH: [f32; 2] = [-90.0, 90.0];
    /// What `zoom` may be.
    pub const ZOOM: [f32; 2] = [1e-3, 1e4];

    /// The camera for cloth within `bounds` in a picture `aspect` times as wide as high.
    pub fn camera(&self, bounds: &Bounds, aspect: f32) -> Camera {
        let (yaw, pitch, fov) = (self.yaw.to_radians(), self.pitch.to_radians(), self.fov.to_radians());
        let mut camera = Camera { yaw, pitch, fov, ..Camera::default() };
        camera.frame(bounds, aspect);
        camera.distance /= self.zoom;
        if let Some(target) = self.target {
            camera.target = target.into();
        }
        if let Some(distance) = self.distance {
            camera.distance = distance;
        }
        camera
    }

    /// Writes down where a camera is.
    pub fn of(camera: &Camera) -> Self {
        CameraSpec {
            yaw: camera.yaw.to_degrees(),
            pitch: camera.pitch.to_degrees(),
            fov: camera.fov.to_degrees(),
            zoom: 1.0,
            target: Some(camera.target.into()),
            distance: Some(camera.distance),
        }
    }

    pub(super) fn fault(&self) -> Option<String> {
        let target = self.target.into_iter().flatten().find_map(|c| range("camera.target", c, [-1e5, 1e5]));
        range("camera.yaw", self.yaw, Self::YAW)
            .or_else(|| range("camera.pitch", self.pitch, Self::PITCH))
            .or_else(|| range("camera.fov", self.fov, [1.0, 120.0]))
            .or_else(|| range("camera.zoom", self.zoom, Self::ZOOM))
            .or_else(|| self.distance.and_then(|d| range("camera.distance", d, [1e-4, 1e5])))
            .or(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_survives_being_written_down() {
        let bounds = Bounds::of(&[[0.0; 3], [1.0, 2.0, 0.5]]).unwrap();
        let spec = CameraSpec { yaw: 30.0, pitch: 20.0, zoom: 2.0, ..CameraSpec::default() };
        let camera = spec.camera(&bounds, 1.5);
        let again = CameraSpec::of(&camera).camera(&Bounds::of(&[[9.0; 3]]).unwrap(), 0.5);
        assert!((again.eye() - camera.eye()).norm() < 1e-5 && (again.fov - camera.fov).abs() < 1e-6);
    }
}
