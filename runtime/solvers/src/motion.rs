//! Prescribed rigid motion of pins and bodies.

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// A rigid motion through key poses, smooth between them and still before the first and after the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Motion {
    /// Direction of the axis of rotation.
    pub axis: [f64; 3],
    /// A point on the axis of rotation at the start, meters.
    pub center: [f64; 3],
    /// The poses, with ascending times.
    pub keys: Vec<Key>,
    /// Whether the motion begins and ends gently at every key; otherwise its speed is constant between keys.
    pub smooth: bool,
}

/// One pose.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Key {
    /// Seconds.
    pub time: f64,
    /// Angle about the motion's axis, radians.
    pub angle: f64,
    /// Shift, meters.
    pub shift: [f64; 3],
}

impl Default for Motion {
    fn default() -> Self {
        Motion { axis: [0.0, 1.0, 0.0], center: [0.0; 3], keys: Vec::new(), smooth: true }
    }
}

impl Motion {
    /// The pose at a time: where a point at rest at time zero has gone is `pose * point`.
    pub fn pose(&self, time: f64) -> Isometry3<f64> {
        let (angle, shift) = self.angle_and_shift(time);
        let center = Vector3::from(self.center);
        let rotation = match Unit::try_new(Vector3::from(self.axis), 1e-12) {
            Some(axis) => UnitQuaternion::from_axis_angle(&axis, angle),
            None => UnitQuaternion::identity(),
        };
        Isometry3::from_parts(Translation3::from(shift + center - rotation * center), rotation)
    }

    /// Whether nothing ever moves.
    pub fn is_still(&self) -> bool {
        self.keys.iter().all(|k| k.angle == 0.0 && k.shift == [0.0; 3])
    }

    /// What is wrong with the motion, if anything.
    pub fn fault(&self) -> Option<String> {
        let numbers = self.axis.iter().chain(&self.center);
        let mut keys = self.keys.iter().flat_map(|k| [k.time, k.angle, k.shift[0], k.shift[1], k.shift[2]]);
        if !(numbers.copied().all(fits) && keys.all(fits)) {
            return Some("holds a number that is not finite or beyond 1e6".into());
        }
        if self.keys.iter().any(|k| k.angle != 0.0) && Vector3::from(self.axis).norm() < 1e-9 {
            return Some("turns about an axis of length zero: give 'axis' a direction".into());
        }
        let backwards = self.keys.windows(2).position(|w| w[1].time <= w[0].time);
        backwards.map(|i| format!("key {} is not later than key {i}: times must ascend", i + 1))
    }

    fn angle_and_shift(&self, time: f64) -> (f64, Vector3<f64>) {
        let after = self.keys.partition_point(|k| k.time <= time);
        let pose = |k: &Key| (k.angle, Vector3::from(k.shift));
        match (after.checked_sub(1).and_then(|i| self.keys.get(i)), self.keys.get(after)) {
            (None, None) => (0.0, Vector3::zeros()),
            (None, Some(k)) | (Some(k), None) => pose(k),
            (Some(a), Some(b)) => {
                let u = (time - a.time) / (b.time - a.time);
                // Zero speed at the keys: a jerk would be felt as a shock wave in the cloth.
                let u = if self.smooth { u * u * (3.0 - 2.0 * u) } else { u };
                let ((angle_a, shift_a), (angle_b, shift_b)) = (pose(a), pose(b));
                (angle_a + u * (angle_b - angle_a), shift_a.lerp(&shift_b, u))
            }
        }
    }
}

/// Whether a number is one a motion may hold.
fn fits(v: f64) -> bool {
    (-1e6..=1e6).contains(&v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    #[test]
    fn poses_are_met_and_held() {
        let keys = vec![
            Key { time: 1.0, ..Key::default() },
            Key { time: 2.0, angle: std::f64::consts::FRAC_PI_2, shift: [0.0, 0.0, 3.0] },
        ];
        let motion = Motion { axis: [0.0, 0.0, 2.0], center: [1.0, 0.0, 0.0], keys, smooth: true };
        assert_eq!(motion.fault(), None);
        let at = |t| motion.pose(t) * Point3::new(2.0, 0.0, 0.0);
        assert!((at(0.0) - Point3::new(2.0, 0.0, 0.0)).norm() < 1e-12);
        assert!((at(2.0) - Point3::new(1.0, 1.0, 3.0)).norm() < 1e-12);
        assert!((at(9.0) - at(2.0)).norm() < 1e-12);
        let early = (at(1.001) - at(1.0)).norm();
        assert!(early < 1e-4, "starts with a jerk: {early}");
        let steady = Motion { smooth: false, ..motion };
        let at = |t| steady.pose(t) * Point3::new(1.0, 0.0, 0.0);
        assert!((at(1.25) - Point3::new(1.0, 0.0, 0.75)).norm() < 1e-12);
    }

    #[test]
    fn faults_are_named() {
        let key = |time| Key { time, angle: 1.0, ..Key::default() };
        let backwards = Motion { keys: vec![key(1.0), key(1.0)], ..Motion::default() };
        assert!(backwards.fault().unwrap().contains("key 1 is not later than key 0"));
        let no_axis = Motion { axis: [0.0; 3], keys: vec![key(0.0)], ..Motion::default() };
        assert!(no_axis.fault().unwrap().contains("axis"));
        let nan = Motion { keys: vec![key(f64::NAN)], ..Motion::default() };
        assert!(nan.fault().is_some());
    }
}
