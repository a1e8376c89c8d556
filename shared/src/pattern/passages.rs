//! Whether yarns pass through each other on the way from one shape of a pattern to another.
//!
//! Each vertex moves on a straight line, both shapes measured in periods of their own. If no two edges touch on the way, the
//! one shape has been deformed into the other, and both are the same fabric: a proof, whatever path was really taken. If
//! some do, this way is barred; when the shapes are far apart another one may still be free. A solver checks its steps.
//!
//! The edges p + s u and q + t v, which move with time, lie in one plane when the volume (q - p) . (u x v) is 0, a cubic
//! in time \[Provot97\]. They touch when at such a time their points nearest to each other coincide.

use super::broad_phase::BroadPhase;
use super::clearance::segment_distance;
use super::{Edge, Pattern};
use crate::{Error, Result};
use nalgebra::Vector3;

/// Edges that come nearer than this fraction of the yarn radius when they are in one plane touch.
const TOUCH: f64 = 1e-6;

/// Two edges that pass through each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passage {
    /// The edges, by the vertices they leave.
    pub edges: [usize; 2],
    /// The second edge is the copy this many periods away.
    pub shift: [i32; 2],
    /// When: 0 at the first shape, 1 at the second.
    pub time: f64,
}

/// The passages of yarns through each other from `before` to `after`, which must have the same edges.
///
/// Shapes may differ in period: the second one is stretched to the first one's period before, which moves no yarn through
/// another.
pub fn passages(before: &Pattern, after: &Pattern) -> Result<Vec<Passage>> {
    let edges = |p: &Pattern| p.vertices().iter().map(|v| v.edge).collect::<Vec<Edge>>();
    if edges(before) != edges(after) {
        return Err(Error::invalid("passages", "the two patterns have different edges and cannot be compared"));
    }
    let motion = PatternMotion::new(before, after);
    let sweep = |i: usize| {
        let ends = [0.0, 1.0].map(|time| motion.edge(i, [0, 0], time));
        [0, 1].map(|k| {
            let values = ends.iter().flat_map(|(p, u)| [p[k], p[k] + u[k]]);
            values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
        })
    };
    let reach = 2.0 * TOUCH * before.radius();
    let mut found = Vec::new();
    BroadPhase::of_boxes(before.period(), before.vertices().len(), reach, sweep)?.for_each_pair(|a, b, shift| {
        if !follow(before, a, b, shift) {
            found.extend(motion.passages(a, b, shift));
        }
    });
    found.sort_by(|a, b| a.time.total_cmp(&b.time).then_with(|| a.edges.cmp(&b.edges)));
    Ok(found)
}

/// Whether one edge follows the other on a strand: they touch in their vertex at all times.
fn follow(pattern: &Pattern, a: usize, b: usize, shift: [i32; 2]) -> bool {
    let leads =
        |from: usize, to: usize, shift: [i32; 2]| pattern.vertices()[from].edge == Edge { to: to as u32, shift };
    leads(a, b, shift) || leads(b, a, shift.map(|s| -s))
}

struct PatternMotion<'a> {
    before: &'a Pattern,
    /// Positions after, in the period of before.
    after: Vec<Vector3<f64>>,
}

impl<'a> PatternMotion<'a> {
    fn new(before: &'a Pattern, after: &Pattern) -> Self {
        let stretch = [0, 1].map(|k| before.period()[k] / after.period()[k]);
        let stretched = |p: [f64; 3]| Vector3::new(p[0] * stretch[0], p[1] * stretch[1], p[2]);
        PatternMotion { before, after: after.vertices().iter().map(|v| stretched(v.position)).collect() }
    }

    fn vertex(&self, i: usize, shift: [i32; 2], time: f64) -> Vector3<f64> {
        let [px, py] = self.before.period();
        let offset = Vector3::new(px * f64::from(shift[0]), py * f64::from(shift[1]), 0.0);
        Vector3::from(self.before.vertices()[i].position).lerp(&self.after[i], time) + offset
    }

    /// Beginning and vector of a copy of an edge.
    fn edge(&self, i: usize, shift: [i32; 2], time: f64) -> Segment {
        let edge = self.before.vertices()[i].edge;
        let begin = self.vertex(i, shift, time);
        let end = self.vertex(edge.to as usize, [shift[0] + edge.shift[0], shift[1] + edge.shift[1]], time);
        (begin, end - begin)
    }

    fn passages(&self, a: usize, b: usize, shift: [i32; 2]) -> Vec<Passage> {
        let at = |time: f64| [self.edge(a, [0, 0], time), self.edge(b, shift, time)];
        let times = passage_times(at, TOUCH * self.before.radius());
        times.map(|time| Passage { edges: [a, b], shift, time }).collect()
    }
}

/// A segment: its beginning and the vector to its end, m.
pub type Segment = (Vector3<f64>, Vector3<f64>);

/// Whether two segments whose ends move on straight lines pass through each other on the way from `before` to `after`. Yarns
/// of this `radius` (m): the segments have met when they come within a millionth of it.
pub fn segments_pass(before: [Segment; 2], after: [Segment; 2], radius: f64) -> bool {
    let mix = |k: usize, t: f64| (before[k].0.lerp(&after[k].0, t), before[k].1.lerp(&after[k].1, t));
    passage_times(|t| [mix(0, t), mix(1, t)], TOUCH * radius).next().is_some()
}

/// The times in [0, 1] at which two moving segments lie in one plane and are within `touch` meters of each other.
fn passage_times(at: impl Fn(f64) -> [Segment; 2], touch: f64) -> impl Iterator<Item = f64> {
    let volume = |time: f64| {
        let [(p, u), (q, v)] = at(time);
        (q - p).dot(&u.cross(&v))
    };
    let times = sign_changes(volume);
    times.into_iter().filter(move |time| {
        let [(p, u), (q, v)] = at(*time);
        segment_distance(p, u, q, v) <= touch
    })
}

/// Where the cubic `f` changes its sign between 0 and 1.
fn sign_changes(f: impl Fn(f64) -> f64) -> Vec<f64> {
    // The cubic through four values, as coefficients: f = d + c t + b t^2 + a t^3.
    let [y0, y1, y2, y3] = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(&f);
    let d = y0;
    let c = (-11.0 * y0 + 18.0 * y1 - 9.0 * y2 + 2.0 * y3) / 2.0;
    let b = (18.0 * y0 - 45.0 * y1 + 36.0 * y2 - 9.0 * y3) / 2.0;
    let a = (-9.0 * y0 + 27.0 * y1 - 27.0 * y2 + 9.0 * y3) / 2.0;
    let value = |t: f64| ((a * t + b) * t + c) * t + d;
    // Between its extrema the cubic is monotonic.
    let mut stops = vec![0.0];
    stops.extend(extrema(a, b, c).into_iter().filter(|t| (0.0..1.0).contains(t)));
    stops.push(1.0);
    stops.windows(2).filter_map(|pair| bisect(value, pair[0], pair[1])).collect()
}

/// Roots of 3 a t^2 + 2 b t + c in ascending order.
fn extrema(a: f64, b: f64, c: f64) -> Vec<f64> {
    let root = b * b - 3.0 * a * c;
    if root < 0.0 {
        return Vec::new();
    }
    // Both roots without cancellation: their product is c / 3 a.
    let q = -(b + root.sqrt().copysign(b));
    let mut roots: Vec<f64> = [q / (3.0 * a), c / q].into_iter().filter(|t| t.is_finite()).collect();
    roots.sort_by(f64::total_cmp);
    roots
}

/// The sign change of `f`, which is monotonic from `low` to `high`.
fn bisect(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> Option<f64> {
    let rising = f(high) > 0.0;
    if (f(low) > 0.0) == rising {
        return None;
    }
    // Halved until neighboring numbers are reached.
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if (f(middle) > 0.0) == rising { high = middle } else { low = middle }
    }
    Some(0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::knit::{KnitChart, KnitOptions, knit};
    use crate::pattern::test_patterns::polygons;
    use proptest::prelude::*;

    fn moved(pattern: &Pattern, change: impl Fn(usize, [f64; 3]) -> [f64; 3]) -> Pattern {
        let mut data = pattern.data().clone();
        data.vertices.iter_mut().enumerate().for_each(|(i, v)| v.position = change(i, v.position));
        Pattern::new(data).unwrap()
    }

    #[test]
    fn a_yarn_lifted_through_another_is_seen() {
        let at = |z: f64| polygons([10.0, 10.0], &[(&[[0.0, 3.0, 0.0]], [1, 0]), (&[[4.0, 0.0, z]], [0, 1])]);
        let [passage] = passages(&at(-3.0), &at(1.0)).unwrap()[..] else { panic!("one passage is expected") };
        assert_eq!(passage.edges, [0, 1]);
        assert!((passage.time - 0.75).abs() < 1e-9);
        assert!(passages(&at(-3.0), &at(-1.0)).unwrap().is_empty());
    }

    #[test]
    fn a_segment_that_moves_through_another_is_seen() {
        let v = Vector3::new;
        let fixed = (v(-1.0, 0.0, 0.0), v(2.0, 0.0, 0.0));
        let shifted = |d: Vector3<f64>| [fixed, (v(0.1, -1.0, 0.2) + d, v(0.0, 2.0, 0.05))];
        let (here, below) = (shifted(v(0.0, 0.0, 0.0)), shifted(v(0.0, 0.0, -0.4)));
        assert!(segments_pass(here, below, 0.1));
        assert!(segments_pass(below, here, 0.1), "and back");
        assert!(!segments_pass(here, shifted(v(0.0, 0.0, -0.1)), 0.1));
        assert!(!segments_pass(shifted(v(2.0, 0.0, 0.0)), shifted(v(2.0, 0.0, -0.4)), 0.1), "past its end");
    }

    #[test]
    fn a_copy_across_the_border_counts() {
        // The yarn along y is far away in its own cell, but its copy is in the way.
        let at = |z: f64| polygons([10.0, 10.0], &[(&[[0.0, 3.0, 0.0]], [1, 0]), (&[[34.0, 0.0, z]], [0, 1])]);
        assert_eq!(passages(&at(-1.0), &at(1.0)).unwrap()[0].shift, [-3, 0]);
    }

    #[test]
    fn knitting_holds_until_a_loop_is_dropped() {
        let chart = KnitChart::parse("KPK/KKP").unwrap();
        let pattern = knit(&chart, &KnitOptions::default()).unwrap();
        // A wave that bends, stretches and shears all yarns alike.
        let [px, py] = pattern.period();
        let bent = moved(&pattern, |_, [x, y, z]| {
            let (u, v) = (std::f64::consts::TAU * x / px, std::f64::consts::TAU * y / py);
            [x + 1.5e-3 * v.sin(), y + 1.5e-3 * u.cos(), z + 2e-3 * (u + v).sin()]
        });
        assert!(passages(&pattern, &bent).unwrap().is_empty());
        let looser = knit(
            &chart,
            &KnitOptions { wales_per_meter: Some(90.0), courses_per_meter: Some(100.0), ..KnitOptions::default() },
        );
        assert!(passages(&pattern, &looser.unwrap()).unwrap().is_empty());
        // A loop pulled out of the one below; and stitches of another kind.
        let dropped = moved(&pattern, |i, [x, y, z]| [x, y, if (32..64).contains(&i) { z + 5e-3 } else { z }]);
        assert!(!passages(&pattern, &dropped).unwrap().is_empty());
        let other = knit(&KnitChart::parse("KPK/KPP").unwrap(), &KnitOptions::default()).unwrap();
        assert!(!passages(&pattern, &other).unwrap().is_empty());
    }

    #[test]
    fn only_shapes_of_one_pattern_are_compared() {
        let knitted = |text: &str| knit(&KnitChart::parse(text).unwrap(), &KnitOptions::default()).unwrap();
        let error = passages(&knitted("KK"), &knitted("K/K")).unwrap_err().to_string();
        assert!(error.contains("different edges"), "{error}");
    }

    proptest! {
        #[test]
        fn sign_changes_of_cubics_are_found(mut roots in [0.01..0.99f64, 0.01..0.99f64, 0.01..0.99f64], scale in -5.0..5.0f64) {
            roots.sort_by(f64::total_cmp);
            prop_assume!(scale.abs() > 0.1 && roots.windows(2).all(|r| r[1] - r[0] > 1e-3));
            let found = sign_changes(|t| scale * roots.iter().map(|r| t - r).product::<f64>());
            prop_assert_eq!(found.len(), 3);
            for (a, b) in found.iter().zip(&roots) {
                prop_assert!((a - b).abs() < 1e-7, "{} {}", a, b);
            }
        }

        #[test]
        fn lower_degrees_are_cubics_too(root in 0.01..0.99f64, slope in prop_oneof![-5.0..-0.1, 0.1..5.0]) {
            let found = sign_changes(|t| slope * (t - root));
            prop_assert_eq!(found.len(), 1);
            prop_assert!((found[0] - root).abs() < 1e-9);
            prop_assert!(sign_changes(|t| slope * (t - root) * (t - root) + slope * 0.1).is_empty());
        }
    }
}
