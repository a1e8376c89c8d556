//! The camera: it looks at a target from a distance, and moves relative to that distance.
//!
//! y is up. At yaw 0 and pitch 0 it looks along -z, as at the front of a sheet; yaw turns it to the right around the
//! target, pitch lifts it.

use nalgebra::{Matrix4, Perspective3, Point3, Vector3};
use std::f32::consts::FRAC_PI_2;

/// A box around things, meters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest coordinates.
    pub low: Vector3<f32>,
    /// Largest coordinates.
    pub high: Vector3<f32>,
}

impl Bounds {
    /// Around all points; none where there is no point.
    pub fn of<'a>(points: impl IntoIterator<Item = &'a [f32; 3]>) -> Option<Self> {
        let mut points = points.into_iter().map(|p| Vector3::from(*p));
        let first = points.next()?;
        let start = Bounds { low: first, high: first };
        Some(points.fold(start, |b, p| Bounds { low: b.low.inf(&p), high: b.high.sup(&p) }))
    }

    /// The middle.
    pub fn center(&self) -> Vector3<f32> {
        (self.low + self.high) / 2.0
    }

    /// Half of the diagonal: the radius of a ball around the box. Not zero.
    pub fn radius(&self) -> f32 {
        ((self.high - self.low).norm() / 2.0).max(1e-4)
    }

    /// The eight corners.
    fn corners(&self) -> impl Iterator<Item = Vector3<f32>> + '_ {
        (0..8).map(|i| {
            let pick = |k: usize| if i >> k & 1 == 0 { self.low[k] } else { self.high[k] };
            Vector3::new(pick(0), pick(1), pick(2))
        })
    }
}

/// Directions with a key of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Along -z.
    Front,
    /// Along +z.
    Back,
    /// Along -x, from the right.
    Side,
    /// Along -y, from above.
    Top,
}

/// Where the picture is taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// What it looks at, meters.
    pub target: Vector3<f32>,
    /// How far the target is, meters.
    pub distance: f32,
    /// Turned to the right around the target, radians.
    pub yaw: f32,
    /// Lifted above the horizon, radians.
    pub pitch: f32,
    /// Vertical angle of view, radians.
    pub fov: f32,
}

/// The target is never nearer than this, meters: a tenth of a thin yarn.
const NEAREST: f32 = 1e-5;
/// Nor farther than this, meters.
const FARTHEST: f32 = 1e5;
/// Looking straight down is allowed, over the head is not.
const STEEPEST: f32 = FRAC_PI_2;

impl Default for Camera {
    fn default() -> Self {
        Camera { target: Vector3::zeros(), distance: 1.0, yaw: 0.0, pitch: 0.0, fov: 0.6 }
    }
}

impl Camera {
    /// Directions to the right, up and back to the eye.
    pub fn axes(&self) -> [Vector3<f32>; 3] {
        let (sy, cy) = self.yaw.sin_cos();
        let (sp, cp) = self.pitch.sin_cos();
        [Vector3::new(cy, 0.0, -sy), Vector3::new(-sy * sp, cp, -cy * sp), Vector3::new(sy * cp, sp, cy * cp)]
    }

    /// Where the eye is, meters.
    pub fn eye(&self) -> Vector3<f32> {
        self.target + self.axes()[2] * self.distance
    }

    /// World to camera.
    pub fn view(&self) -> Matrix4<f32> {
        let [right, up, _] = self.axes();
        let eye = Point3::from(self.eye());
        // The camera's own up: the world's fails for a look straight down.
        let up_hint = if right.norm() > 0.0 { up } else { Vector3::y() };
        Matrix4::look_at_rh(&eye, &Point3::from(self.target), &up_hint)
    }

    /// Camera to clip space with depths from 0 (near) to 1 (far); `aspect` is width over height and `reach` how far
    /// behind the target there is something to see, meters.
    pub fn projection(&self, aspect: f32, reach: f32) -> Matrix4<f32> {
        let (near, far) = self.range(reach);
        // nalgebra's depths go from -1 to 1.
        let half = Matrix4::new(1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 0.5, 0.5, 0., 0., 0., 1.);
        half * Perspective3::new(aspect.max(1e-3), self.fov, near, far).to_homogeneous()
    }

    /// Nearest and farthest visible distance, meters.
    pub fn range(&self, reach: f32) -> (f32, f32) {
        let near = (self.distance - 1.5 * reach).max(0.02 * self.distance);
        (near, (self.distance + 4.0 * reach).max(2.0 * self.distance))
    }

    /// Meters at the target's distance that one pixel shows.
    pub fn meters_per_pixel(&self, height: f32) -> f32 {
        2.0 * self.distance * (0.5 * self.fov).tan() / height.max(1.0)
    }

    /// Turns around the target by a mouse movement in pixels; a drag over the picture's height is half a turn.
    pub fn orbit(&mut self, dx: f32, dy: f32, height: f32) {
        let per_pixel = std::f32::consts::PI / height.max(1.0);
        self.yaw = (self.yaw - dx * per_pixel).rem_euclid(std::f32::consts::TAU);
        self.pitch = (self.pitch + dy * per_pixel).clamp(-STEEPEST, STEEPEST);
    }

    /// Moves target and eye so that what is at the target's distance follows the mouse.
    pub fn pan(&mut self, dx: f32, dy: f32, height: f32) {
        let [right, up, _] = self.axes();
        self.target += (up * dy - right * dx) * self.meters_per_pixel(height);
    }

    /// Nearer by `steps` notches of a wheel (farther, if negative): each an eighth of the distance.
    pub fn zoom(&mut self, steps: f32) {
        self.distance = (self.distance * 0.875_f32.powf(steps)).clamp(NEAREST, FARTHEST);
    }

    /// Turns to one of the [`View`]s.
    pub fn look(&mut self, view: View) {
        (self.yaw, self.pitch) = match view {
            View::Front => (0.0, 0.0),
            View::Back => (std::f32::consts::PI, 0.0),
            View::Side => (FRAC_PI_2, 0.0),
            View::Top => (0.0, FRAC_PI_2),
        };
    }

    /// Moves so that the box fills the picture, without turning.
    pub fn frame(&mut self, bounds: &Bounds, aspect: f32) {
        self.target = bounds.center();
        let [right, up, back] = self.axes();
        let tan = (0.5 * self.fov).tan();
        let needed = |corner: Vector3<f32>| {
            let p = corner - self.target;
            let across = (p.dot(&right).abs() / aspect.max(1e-3)).max(p.dot(&up).abs());
            across / tan + p.dot(&back)
        };
        let distance = bounds.corners().map(needed).fold(0.0, f32::max);
        self.distance = (1.05 * distance).clamp(NEAREST.max(0.1 * bounds.radius()), FARTHEST);
    }

    /// The ray through a point of the picture, given from -1 (left, bottom) to 1 (right, top): origin and unit direction.
    pub fn ray(&self, x: f32, y: f32, aspect: f32) -> (Vector3<f32>, Vector3<f32>) {
        let [right, up, back] = self.axes();
        let tan = (0.5 * self.fov).tan();
        (self.eye(), (right * (x * tan * aspect) + up * (y * tan) - back).normalize())
    }

    /// The point on that ray at the depth of `point`: where a dragged thing goes.
    pub fn at_depth_of(&self, point: &Vector3<f32>, x: f32, y: f32, aspect: f32) -> Vector3<f32> {
        let (eye, direction) = self.ray(x, y, aspect);
        let back = self.axes()[2];
        let depth = (eye - point).dot(&back);
        eye + direction * (depth / -direction.dot(&back))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a point is in the picture, from -1 to 1, and its depth.
    fn seen(camera: &Camera, p: Vector3<f32>, aspect: f32, reach: f32) -> Vector3<f32> {
        (camera.projection(aspect, reach) * camera.view()).transform_point(&Point3::from(p)).coords
    }

    fn turned() -> Camera {
        Camera { target: Vector3::new(0.3, -0.2, 0.1), distance: 2.0, yaw: 0.7, pitch: 0.4, ..Camera::default() }
    }

    #[test]
    fn the_target_is_in_the_middle_and_up_is_up() {
        let camera = turned();
        let middle = seen(&camera, camera.target, 1.5, 1.0);
        assert!(middle.x.abs() < 1e-5 && middle.y.abs() < 1e-5 && (0.0..1.0).contains(&middle.z), "{middle}");
        let above = seen(&camera, camera.target + Vector3::y() * 0.1, 1.5, 1.0);
        assert!(above.y > 0.01 && above.x.abs() < 1e-5);
        assert!((camera.eye() - camera.target).norm() - 2.0 < 1e-5 && camera.eye().y > camera.target.y);
    }

    #[test]
    fn the_named_views_look_along_the_axes() {
        for (view, toward) in [
            (View::Front, -Vector3::z()),
            (View::Back, Vector3::z()),
            (View::Side, -Vector3::x()),
            (View::Top, -Vector3::y()),
        ] {
            let mut camera = turned();
            camera.look(view);
            assert!((camera.axes()[2] + toward).norm() < 1e-6, "{view:?}");
            assert!(seen(&camera, camera.target, 1.0, 1.0).iter().all(|c| c.is_finite()), "{view:?}");
        }
    }

    #[test]
    fn panning_keeps_what_is_at_the_target_under_the_mouse() {
        let (mut camera, height, aspect) = (turned(), 400.0, 1.5);
        let p = camera.target;
        camera.pan(30.0, -20.0, height);
        let at = seen(&camera, p, aspect, 1.0);
        let expected = [30.0 / (height * aspect) * 2.0, 20.0 / height * 2.0];
        assert!((at.x - expected[0]).abs() < 1e-4 && (at.y - expected[1]).abs() < 1e-4, "{at} {expected:?}");
    }

    #[test]
    fn zooming_is_relative_to_the_distance_and_can_be_undone() {
        let mut camera = turned();
        camera.zoom(3.0);
        let near = camera.distance;
        assert!(near < 2.0 * 0.7);
        camera.zoom(-3.0);
        assert!((camera.distance - 2.0).abs() < 1e-4);
        camera.zoom(1e6);
        assert!(camera.distance >= NEAREST);
        camera.zoom(-1e6);
        assert!(camera.distance <= FARTHEST && camera.distance.is_finite());
    }

    #[test]
    fn orbiting_cannot_go_over_the_head() {
        let mut camera = turned();
        camera.orbit(0.0, 1e6, 400.0);
        assert_eq!(camera.pitch, FRAC_PI_2);
        camera.orbit(1234.5, -1e6, 400.0);
        assert_eq!(camera.pitch, -FRAC_PI_2);
        assert!((0.0..std::f32::consts::TAU + 1e-3).contains(&camera.yaw));
    }

    #[test]
    fn a_framed_box_is_wholly_in_the_picture_and_fills_it() {
        let bounds = Bounds { low: Vector3::new(-1.0, 0.0, -0.1), high: Vector3::new(2.0, 1.0, 0.3) };
        for (aspect, yaw, pitch) in [(1.0, 0.0, 0.0), (2.0, 0.7, 0.4), (0.5, 3.0, -1.0), (1.6, 1.6, 1.57)] {
            let mut camera = Camera { yaw, pitch, ..Camera::default() };
            camera.frame(&bounds, aspect);
            let corners: Vec<_> = bounds.corners().map(|c| seen(&camera, c, aspect, bounds.radius())).collect();
            let reach = corners.iter().map(|c| c.x.abs().max(c.y.abs())).fold(0.0, f32::max);
            assert!((0.9..=1.0).contains(&reach), "aspect {aspect}: {reach}");
            assert!(corners.iter().all(|c| (0.0..=1.0).contains(&c.z)), "aspect {aspect}: cut off by depth");
        }
    }

    #[test]
    fn a_ray_goes_through_the_point_it_was_asked_for() {
        let (camera, aspect) = (turned(), 1.4);
        let p = camera.target + Vector3::new(0.2, 0.1, -0.3);
        let at = seen(&camera, p, aspect, 1.0);
        let (eye, direction) = camera.ray(at.x, at.y, aspect);
        assert!(((p - eye).normalize() - direction).norm() < 1e-4);
        assert!((camera.at_depth_of(&p, at.x, at.y, aspect) - p).norm() < 1e-4);
    }

    #[test]
    fn bounds_are_tight_and_of_nothing_there_are_none() {
        assert!(Bounds::of(&[]).is_none());
        let bounds = Bounds::of(&[[0.0, 1.0, 2.0], [-1.0, 3.0, 2.0]]).unwrap();
        assert_eq!((bounds.low, bounds.high), (Vector3::new(-1.0, 1.0, 2.0), Vector3::new(0.0, 3.0, 2.0)));
        assert!(Bounds::of(&[[1.0; 3]]).unwrap().radius() > 0.0);
    }
}
