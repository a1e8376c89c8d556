//! The center line of a knitted course, loop by loop.
//!
//! With t from 0 to 2 pi along one loop, from the middle of the sinker (the low arc between two loops) over the head (the
//! high arc, t = pi) to the next sinker:
//!
//!   x = w t / 2 pi + a1 sin 2t + a2 sin 4t + a3 sin 6t        w = wale width
//!   y = -(h1 cos t + h2 cos 3t + h3 cos 5t)
//!
//! The first terms alone are the classic omega-shaped loop; the others round it. The height z follows the side on which
//! the yarn must be at its four crossings with the loops below and above (going up the left leg; the right leg mirrors it):
//!
//! | place | crosses | side for a knit stitch |
//! |---|---|---|
//! | foot | upper leg of the loop below | behind |
//! | lower leg | head of the loop below | in front |
//! | upper leg | foot of the loop above | in front, if the stitch *above* is knit |
//! | head | lower leg of the loop above | behind, if the stitch *above* is knit |
//!
//! and the other way round for a purl stitch: foot and lower leg follow the stitch itself, upper leg and head the one
//! pulled through it. Where a knit and a purl wale adjoin, the sinker passes through the fabric between them.
//!
//! The constants were found by minimizing length, bending and thickness subject to a clearance of one yarn diameter between
//! segments (32 vertices a loop), once for charts of one stitch and once for all neighborhoods of knit and purl. The
//! length of the uniform loop, 34 r, agrees with what is measured on knitted fabric: sqrt(19 w c) = 35 r (Munden).

use std::f64::consts::{PI, TAU};

/// Which side of the fabric: +1 the front, -1 the back.
pub(super) type Side = f64;

/// Shape of a loop; lengths in yarn radii, t in radians.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopShape {
    /// Width w of a wale.
    pub(super) wale: f64,
    /// Height c of a course.
    pub(super) course: f64,
    /// a1, a2, a3.
    across: [f64; 3],
    /// h1, h2, h3.
    along: [f64; 3],
    /// Height of the yarn in front of the midsurface and depth behind it.
    depth: f64,
    /// The yarn passes between foot and lower leg, and between upper leg and head, around this t (or pi - t) ...
    passage: f64,
    /// ... within this much before and after.
    passage_half_width: f64,
    /// Between a knit and a purl wale the sinker passes through the fabric within this much of t = 0.
    sinker_half_width: f64,
}

/// Charts of one stitch.
const UNIFORM: [LoopShape; 2] = [
    LoopShape {
        wale: 9.0,
        course: 7.0,
        across: [2.1649, -0.0223, 0.1358],
        along: [5.5999, -0.1134, 0.0465],
        depth: 1.034,
        passage: 0.7593,
        passage_half_width: 0.5599,
        sinker_half_width: 0.2672,
    },
    LoopShape {
        wale: 7.5,
        course: 6.0,
        across: [1.699, -0.1074, 0.0359],
        along: [5.6489, -0.1555, -0.0263],
        depth: 1.5967,
        passage: 0.859,
        passage_half_width: 0.4231,
        sinker_half_width: 0.2543,
    },
];

/// Charts with knit and purl stitches in any arrangement.
const MIXED: [LoopShape; 2] = [
    LoopShape {
        wale: 9.0,
        course: 7.0,
        across: [1.972, -0.1114, 0.0153],
        along: [5.9159, -0.1409, -0.002],
        depth: 1.2751,
        passage: 0.8134,
        passage_half_width: 0.5106,
        sinker_half_width: 0.2769,
    },
    LoopShape {
        wale: 8.0,
        course: 6.4,
        across: [1.8238, -0.1147, 0.02],
        along: [5.6035, -0.117, -0.001],
        depth: 1.7342,
        passage: 0.8714,
        passage_half_width: 0.4616,
        sinker_half_width: 0.2507,
    },
];

impl LoopShape {
    /// The default shape, with wale width and course height at which yarns just do not touch.
    pub(super) fn default_for(uniform: bool) -> LoopShape {
        if uniform { UNIFORM[0] } else { MIXED[0] }
    }

    /// The shape for a wale width and course height in radii: the default one stretched where there is more room (which
    /// only takes yarns further apart), a tighter and thicker one where there is less.
    pub(super) fn fit(uniform: bool, wale: f64, course: f64) -> LoopShape {
        let [loose, tight] = if uniform { UNIFORM } else { MIXED };
        let lack_x = (loose.wale - wale) / (loose.wale - tight.wale);
        let lack_y = (loose.course - course) / (loose.course - tight.course);
        let shape = loose.blend(&tight, lack_x.max(lack_y).clamp(0.0, 1.0));
        shape.stretch(wale / shape.wale, course / shape.course)
    }

    fn blend(&self, other: &LoopShape, weight: f64) -> LoopShape {
        let mix = |a: f64, b: f64| a + weight * (b - a);
        let mix3 = |a: [f64; 3], b: [f64; 3]| [mix(a[0], b[0]), mix(a[1], b[1]), mix(a[2], b[2])];
        LoopShape {
            wale: mix(self.wale, other.wale),
            course: mix(self.course, other.course),
            across: mix3(self.across, other.across),
            along: mix3(self.along, other.along),
            depth: mix(self.depth, other.depth),
            passage: mix(self.passage, other.passage),
            passage_half_width: mix(self.passage_half_width, other.passage_half_width),
            sinker_half_width: mix(self.sinker_half_width, other.sinker_half_width),
        }
    }

    fn stretch(&self, x: f64, y: f64) -> LoopShape {
        LoopShape {
            wale: self.wale * x,
            course: self.course * y,
            across: self.across.map(|a| a * x),
            along: self.along.map(|h| h * y),
            ..*self
        }
    }

    /// The point at `t` of a loop whose sinker begins at x = 0 and whose course is at y = 0.
    ///
    /// `own` is the front for a knit stitch, the back for purl; `above` the same of the stitch above, `beside` of the
    /// stitch left (t < pi) or right of it.
    pub(super) fn point(&self, t: f64, own: Side, above: Side, beside: Side) -> [f64; 3] {
        let [a1, a2, a3] = self.across;
        let [h1, h2, h3] = self.along;
        let x = self.wale * t / TAU + a1 * (2.0 * t).sin() + a2 * (4.0 * t).sin() + a3 * (6.0 * t).sin();
        let y = -(h1 * t.cos() + h2 * (3.0 * t).cos() + h3 * (5.0 * t).cos());
        [x, y, self.depth * self.side(t.min(TAU - t), own, above, beside)]
    }

    /// The height in units of the depth; `t` in 0 (sinker) to pi (head).
    fn side(&self, t: f64, own: Side, above: Side, beside: Side) -> f64 {
        let passed = |t: f64| smooth_step((t - self.passage) / (2.0 * self.passage_half_width) + 0.5);
        let end = self.passage + self.passage_half_width;
        let leg = mix(own, above, smooth_step((t - end) / (PI - 2.0 * end)));
        if t < PI / 2.0 {
            let foot = mix(-beside, -own, smooth_step(0.5 + 0.5 * t / self.sinker_half_width));
            mix(foot, leg, passed(t))
        } else {
            mix(-above, leg, passed(PI - t))
        }
    }
}

fn mix(a: f64, b: f64, weight: f64) -> f64 {
    a + weight * (b - a)
}

/// Rises from 0 to 1 while `x` does, without a kink.
fn smooth_step(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}
