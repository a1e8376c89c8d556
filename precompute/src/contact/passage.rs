//! Whether two segments pass through each other as their ends move along straight lines.
//!
//! They meet where the four ends are coplanar, a cubic in time \[Provot97\]; the segments must also cross in that plane.

use super::pair::Segments;
use nalgebra::Vector3;

/// Time is cut in this many pieces to separate the roots of the cubic; a step is a fraction of a radius.
const PIECES: usize = 8;

/// True when the segments cross each other on the way from `before` to `after`.
pub fn pass_through(before: &Segments, after: &Segments) -> bool {
    let volume = |t: f64| {
        let s = at(before, after, t);
        (s.p[1] - s.p[0]).cross(&(s.q[1] - s.q[0])).dot(&(s.q[0] - s.p[0]))
    };
    (0..PIECES).any(|k| {
        let (mut low, mut high) = (k as f64 / PIECES as f64, (k + 1) as f64 / PIECES as f64);
        let below = volume(low) < 0.0;
        if below == (volume(high) < 0.0) {
            return false;
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            *if (volume(middle) < 0.0) == below { &mut low } else { &mut high } = middle;
        }
        cross_in_plane(&at(before, after, high))
    })
}

fn at(before: &Segments, after: &Segments, t: f64) -> Segments {
    let mix = |a: &[Vector3<f64>; 2], b: &[Vector3<f64>; 2]| [a[0].lerp(&b[0], t), a[1].lerp(&b[1], t)];
    Segments { p: mix(&before.p, &after.p), q: mix(&before.q, &after.q) }
}

/// Whether two coplanar segments cross: the ends of each lie on both sides of the other.
fn cross_in_plane(s: &Segments) -> bool {
    let normal = (s.p[1] - s.p[0]).cross(&(s.q[1] - s.q[0]));
    let side = |a: &[Vector3<f64>; 2], point: &Vector3<f64>| (a[1] - a[0]).cross(&(point - a[0])).dot(&normal);
    side(&s.p, &s.q[0]) * side(&s.p, &s.q[1]) <= 0.0 && side(&s.q, &s.p[0]) * side(&s.q, &s.p[1]) <= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_that_moves_through_another_is_seen() {
        let v = Vector3::new;
        let before = Segments { p: [v(-1.0, 0.0, 0.0), v(1.0, 0.0, 0.0)], q: [v(0.1, -1.0, 0.2), v(0.1, 1.0, 0.25)] };
        let shifted = |d: Vector3<f64>| Segments { q: before.q.map(|x| x + d), ..before };
        assert!(pass_through(&before, &shifted(v(0.0, 0.0, -0.4))));
        assert!(!pass_through(&before, &shifted(v(0.0, 0.0, -0.1))));
        assert!(!pass_through(&shifted(v(2.0, 0.0, 0.0)), &shifted(v(2.0, 0.0, -0.4))), "past its end");
        assert!(pass_through(&shifted(v(0.0, 0.0, -0.4)), &before), "and back");
    }
}
