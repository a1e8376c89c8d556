//! The camera of a view.

use crate::{Error, Result};
use nalgebra::{Matrix4, Point3, Vector3, Vector4};

/// Where the viewer is and what of the world is on screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// World (meters) to clip space as wgpu expects it (x to the right, y up, depth 0 to 1), column after column. The view
    /// is not mirrored: fronts stay fronts.
    pub view_proj: [[f32; 4]; 4],
    /// Position of the eye with 1 in the last lane, or for a parallel projection the direction to the viewer and 0.
    pub eye: [f32; 4],
    /// Width and height of the target, pixels.
    pub viewport: [f32; 2],
}

impl Camera {
    /// A perspective camera at `eye` that looks at `target`. `fov_y` is the angle between the lower and the upper border,
    /// radians; what is nearer than `depth[0]` or farther than `depth[1]` meters is not seen.
    pub fn perspective(
        eye: [f32; 3],
        target: [f32; 3],
        up: [f32; 3],
        fov_y: f32,
        depth: [f32; 2],
        viewport: [f32; 2],
    ) -> Self {
        let f = 1.0 / (0.5 * fov_y).tan();
        let [near, far] = depth;
        let k = far / (near - far);
        let size = [f * viewport[1] / viewport[0], f];
        let projection = projection(size, [k, near * k], [-1.0, 0.0]);
        let view_proj = (projection * view(eye, target, up)).into();
        Camera { view_proj, eye: [eye[0], eye[1], eye[2], 1.0], viewport }
    }

    /// A camera with parallel rays that looks from `eye` to `target`; the picture is `height` meters high.
    pub fn orthographic(
        eye: [f32; 3],
        target: [f32; 3],
        up: [f32; 3],
        height: f32,
        depth: [f32; 2],
        viewport: [f32; 2],
    ) -> Self {
        let y = 2.0 / height;
        let [near, far] = depth;
        let k = 1.0 / (near - far);
        let size = [y * viewport[1] / viewport[0], y];
        let projection = projection(size, [k, near * k], [0.0, 1.0]);
        let back = (Vector3::from(eye) - Vector3::from(target)).normalize();
        Camera { view_proj: (projection * view(eye, target, up)).into(), eye: [back.x, back.y, back.z, 0.0], viewport }
    }

    /// Pixels per meter where clip space's w is 1.
    pub(super) fn pixel_scale(&self) -> f32 {
        let row = [0, 1, 2].map(|k| self.view_proj[k][1]);
        0.5 * self.viewport[1] * Vector3::from(row).norm()
    }

    /// The middle of the picture at the depth of `p`, and from there to a corner, meters. None behind the viewer.
    pub(super) fn window_at(&self, p: [f32; 3]) -> Option<([f32; 3], f32)> {
        let matrix = Matrix4::from(self.view_proj);
        let clip = matrix * Point3::from(p).to_homogeneous();
        let inverse = matrix.try_inverse().filter(|_| clip.w > 0.0)?;
        let at = |x: f32, y: f32| Point3::from_homogeneous(inverse * Vector4::new(x, y, clip.z / clip.w, 1.0));
        let (middle, corner) = (at(0.0, 0.0)?, at(1.0, 1.0)?);
        Some((middle.coords.into(), (corner - middle).norm()))
    }

    pub(super) fn check(&self) -> Result<()> {
        let numbers = self.view_proj.iter().flatten().chain(&self.eye).chain(&self.viewport);
        let bad = numbers.copied().find(|v| !v.is_finite());
        let empty = self.viewport.iter().copied().find(|v| *v <= 0.0);
        match bad.map(|v| (v, "finite")).or(empty.map(|v| (v, "of a viewport of at least a pixel"))) {
            Some((value, range)) => Err(Error::parameter("camera", value, range)),
            None => Ok(()),
        }
    }
}

/// Scales x and y; depth and w come from z, each by a factor and a constant.
fn projection(size: [f32; 2], depth: [f32; 2], w: [f32; 2]) -> Matrix4<f32> {
    let mut out = Matrix4::from_diagonal(&Vector4::new(size[0], size[1], depth[0], w[1]));
    out[(2, 3)] = depth[1];
    out[(3, 2)] = w[0];
    out
}

/// World to view space, looking along -z. A camera that looks along its own `up` picks another one.
pub(super) fn view(eye: [f32; 3], target: [f32; 3], up: [f32; 3]) -> Matrix4<f32> {
    let forward = Vector3::from(target) - Vector3::from(eye);
    let mut up = Vector3::from(up);
    if forward.cross(&up).norm() <= 1e-4 * forward.norm() * up.norm() {
        up = if forward.y.abs() < 0.9 * forward.norm() { Vector3::y() } else { Vector3::z() };
    }
    Matrix4::look_at_rh(&Point3::from(eye), &Point3::from(target), &up)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clip(camera: &Camera, p: [f32; 3]) -> [f32; 3] {
        let q = Matrix4::from(camera.view_proj) * Vector4::new(p[0], p[1], p[2], 1.0);
        [q.x / q.w, q.y / q.w, q.z / q.w]
    }

    /// Right is right, up is up, near has depth 0 and far depth 1.
    #[test]
    fn clip_space_is_that_of_wgpu() {
        let (eye, target, up) = ([0.0, 0.0, 2.0], [0.0; 3], [0.0, 1.0, 0.0]);
        let perspective = Camera::perspective(eye, target, up, 0.5, [0.5, 4.0], [200.0, 100.0]);
        let orthographic = Camera::orthographic(eye, target, up, 1.0, [0.5, 4.0], [200.0, 100.0]);
        for camera in [perspective, orthographic] {
            assert!(clip(&camera, [0.1, 0.0, 0.0])[0] > 0.0 && clip(&camera, [0.0, 0.1, 0.0])[1] > 0.0);
            assert!(clip(&camera, [0.0, 0.0, 1.5])[2].abs() < 1e-5);
            assert!((clip(&camera, [0.0, 0.0, -2.0])[2] - 1.0).abs() < 1e-5);
        }
        assert!((orthographic.pixel_scale() - 100.0).abs() < 1e-3);
        let at_target = perspective.pixel_scale() / 2.0;
        assert!((at_target - 100.0 / (4.0 * 0.25f32.tan())).abs() < 1e-2, "{at_target}");
    }

    #[test]
    fn a_camera_that_looks_along_its_up_still_sees() {
        let camera = Camera::orthographic([0.0, 0.0, 1.0], [0.0; 3], [0.0, 0.0, 1.0], 1.0, [0.1, 2.0], [10.0, 10.0]);
        camera.check().unwrap();
        let broken = Camera { viewport: [0.0, 10.0], ..camera };
        assert!(broken.check().is_err());
    }
}
