//! The path of a particle against a body, over one step.

use super::Body;
use super::body::{local, world};
use nalgebra::{Isometry3, Vector3};

/// Where a particle ends that would have entered a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// On the surface at the end of the step, meters.
    pub(crate) position: Vector3<f64>,
    /// Outward normal there.
    pub(crate) normal: Vector3<f64>,
    /// Velocity of the body's point there, m/s.
    pub(crate) body_velocity: Vector3<f64>,
}

/// More than a path of any sensible length needs: each step goes as far as the distance to the body.
const MAX_ADVANCES: usize = 200;

/// A body over one step.
pub(crate) struct BodyPath<'a> {
    pub(crate) body: &'a Body,
    start: Isometry3<f64>,
    end: Isometry3<f64>,
    k: f64,
}

impl<'a> BodyPath<'a> {
    /// From `time` to `time + k`, seconds.
    pub(crate) fn new(body: &'a Body, time: f64, k: f64) -> Self {
        BodyPath { body, start: body.pose(time), end: body.pose(time + k), k }
    }

    /// Walks from `from` at the start of the step to `to` at its end, in the body's coordinates, as far as the distance
    /// to the body allows at each point, so that nothing thin is jumped over. The surface is the body's, `thickness`
    /// thicker.
    pub(crate) fn sweep(&self, from: &Vector3<f64>, to: &Vector3<f64>, thickness: f64) -> Option<Hit> {
        let body = self.body;
        let (start, end) = (local(&self.start, from), local(&self.end, to));
        let entry = first_contact(body, &start, &end, thickness)?;
        let surface = resting_place(body, &entry, &end, thickness);
        let body_velocity = (world(&self.end, &surface) - world(&self.start, &surface)) / self.k;
        let normal = self.end.rotation * body.shape.distance(&surface).1;
        Some(Hit { position: world(&self.end, &surface), normal, body_velocity })
    }
}

/// The first point of the segment on the thickened surface, where the particle does not leave the body.
fn first_contact(body: &Body, start: &Vector3<f64>, end: &Vector3<f64>, thickness: f64) -> Option<Vector3<f64>> {
    let path = end - start;
    let length = path.norm();
    let near = 1e-3 * thickness.max(1e-6);
    let mut gap = body.shape.distance(start).0 - thickness;
    if gap > length {
        return None;
    }
    let end_gap = body.shape.distance(end).0 - thickness;
    if gap <= near {
        // Already there, a release or a body that caught up: a contact unless it moves out.
        return (end_gap < gap.min(0.0)).then_some(*start);
    }
    let mut walked = 0.0;
    for _ in 0..MAX_ADVANCES {
        walked += gap;
        if walked >= length {
            break;
        }
        let point = start + path * (walked / length);
        gap = body.shape.distance(&point).0 - thickness;
        if gap <= near {
            return Some(point);
        }
    }
    (end_gap < 0.0).then_some(*end)
}

/// The surface point that the particle comes to: below `end` where that is still the same side of the body, so that
/// sliding is not stopped, otherwise the point of entry.
fn resting_place(body: &Body, entry: &Vector3<f64>, end: &Vector3<f64>, thickness: f64) -> Vector3<f64> {
    let entry_normal = body.shape.distance(entry).1;
    for candidate in [end, entry] {
        let point = project(body, candidate, thickness);
        let (distance, normal) = body.shape.distance(&point);
        if normal.dot(&entry_normal) > 0.5 && distance >= 0.9 * thickness {
            return point;
        }
    }
    project(body, entry, thickness)
}

fn project(body: &Body, point: &Vector3<f64>, thickness: f64) -> Vector3<f64> {
    let mut point = *point;
    // One step is exact for true distances; sampled ones may need a few.
    for _ in 0..4 {
        let (distance, normal) = body.shape.distance(&point);
        if distance >= thickness {
            break;
        }
        point += normal * (thickness - distance);
    }
    point
}

#[cfg(test)]
mod tests {
    use super::super::{Friction, Shape};
    use super::*;
    use crate::motion::{Key, Motion};

    fn sweep(body: &Body, from: &Vector3<f64>, to: &Vector3<f64>, time: f64, k: f64, thickness: f64) -> Option<Hit> {
        BodyPath::new(body, time, k).sweep(from, to, thickness)
    }

    fn board() -> Body {
        let half = Vector3::new(0.5, 0.01, 0.5);
        Body::at(Shape::Box { half, rounding: 0.005 }, Vector3::zeros(), Friction::default())
    }

    #[test]
    fn a_thin_board_stops_a_fast_particle_on_its_own_side() {
        let hit =
            sweep(&board(), &Vector3::new(0.0, 0.3, 0.0), &Vector3::new(0.0, -0.4, 0.0), 0.0, 0.01, 0.004).unwrap();
        assert!((hit.position.y - 0.014).abs() < 1e-4, "stopped at {}", hit.position.y);
        assert!(hit.normal.y > 0.99);
        let beside = sweep(&board(), &Vector3::new(0.6, 0.3, 0.0), &Vector3::new(0.6, -0.4, 0.0), 0.0, 0.01, 0.004);
        assert_eq!(beside, None);
    }

    #[test]
    fn sliding_is_not_stopped() {
        let hit =
            sweep(&board(), &Vector3::new(0.0, 0.02, 0.0), &Vector3::new(0.05, 0.011, 0.0), 0.0, 0.01, 0.004).unwrap();
        assert!((hit.position - Vector3::new(0.05, 0.014, 0.0)).norm() < 1e-9);
    }

    #[test]
    fn a_moving_board_takes_a_resting_particle_along() {
        let keys = vec![Key::default(), Key { time: 1.0, shift: [0.0, 1.0, 0.0], ..Key::default() }];
        let body = Body { motion: Motion { keys, ..Motion::default() }, ..board() };
        let rest = Vector3::new(0.0, 0.52, 0.0);
        let hit = sweep(&body, &rest, &rest, 0.5, 0.02, 0.004).unwrap();
        let (gap, _) = body.distance(&hit.position, 0.52);
        assert!((gap - 0.004).abs() < 1e-9);
        assert!((hit.body_velocity.y - 1.5).abs() < 0.01);
    }

    #[test]
    fn leaving_is_free() {
        let leaving = sweep(&board(), &Vector3::new(0.0, 0.0139, 0.0), &Vector3::new(0.0, 0.02, 0.0), 0.0, 0.01, 0.004);
        assert_eq!(leaving, None);
    }
}
