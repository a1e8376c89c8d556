//! Whether two segments pass through each other in one step of a solve. The test is that of whole patterns,
//! [`segments_pass`]: a step is to a solve what the way from one shape to another is to a pattern.

use super::pair::Segments;
use yarnwise_shared::pattern::passages::{Segment, segments_pass};

/// True when segments of yarns of this `radius` (m) cross each other as their ends move straight from `before` to `after`.
pub(crate) fn pass_through(before: &Segments, after: &Segments, radius: f64) -> bool {
    segments_pass(both(before), both(after), radius)
}

fn both(s: &Segments) -> [Segment; 2] {
    [(s.p[0], s.p[1] - s.p[0]), (s.q[0], s.q[1] - s.q[0])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn a_step_through_another_yarn_is_seen() {
        let v = Vector3::new;
        let before = Segments { p: [v(-1.0, 0.0, 0.0), v(1.0, 0.0, 0.0)], q: [v(0.1, -1.0, 0.2), v(0.1, 1.0, 0.25)] };
        let shifted = |d: Vector3<f64>| Segments { q: before.q.map(|x| x + d), ..before };
        assert!(pass_through(&before, &shifted(v(0.0, 0.0, -0.4)), 0.1));
        assert!(!pass_through(&before, &shifted(v(0.0, 0.0, -0.1)), 0.1));
        assert!(!pass_through(&shifted(v(2.0, 0.0, 0.0)), &shifted(v(2.0, 0.0, -0.4)), 0.1), "past its end");
        assert!(pass_through(&shifted(v(0.0, 0.0, -0.4)), &before, 0.1), "and back");
    }
}
