//! Which segments may touch: a sweep over the cell and its periodic copies.
//!
//! Patterns have a broad phase of their own (`yarnwise_shared::pattern`, behind `clearance`), a grid of bins over the rectangle of
//! one period. Here copies lie on a sheared lattice or are turned about the axis of a cylinder, a list is searched again
//! every few steps of a solve, and its order decides about the last bits of sums: a sweep over copies suits that. A test
//! holds both together where both apply, at rest.

use super::Cell;
use super::kinematics::{Image, LargeScale};
use super::state::{Edge, Links};
use crate::contact::pair::{PairRule, Segments};
use crate::contact::quadrature::{Rule, node_count, rule_of};
use nalgebra::Vector3;

/// More copies than this on one side of the cell are never in reach of a sane pattern.
const MAX_COPIES: i32 = 16;

/// A segment of the cell and a segment of one of its copies. Each unordered pair appears once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Segment (edge) in the cell.
    pub first: u32,
    /// Segment in the copy.
    pub second: u32,
    /// Index of the copy in [`Pairs::images`].
    pub image: u32,
}

/// Segments of a cell that may touch.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// The pairs, in an order that depends on positions only.
    pub pairs: Vec<Pair>,
    /// The copies they refer to.
    pub images: Vec<Image>,
}

/// Quadrature and exclusion of a cell in one affine state; they stay as it relaxes.
#[derive(Clone, Debug)]
pub struct ContactModel {
    /// Number of quadrature nodes of each segment.
    pub nodes: Vec<usize>,
    /// Segments of the same yarn up to this index difference do not touch.
    pub exclusion: usize,
    /// kc, N/m: the cell's, unless a search begins softer.
    pub stiffness: f64,
    /// For each segment the later ones on its yarn (segment, shift) that it does not touch.
    excluded: Vec<Vec<(u32, [i32; 2])>>,
}

impl ContactModel {
    /// The model for a cell whose edges in the affine state are `affine`.
    pub fn new(cell: &Cell, affine: &[Edge]) -> Self {
        let exclusion = exclusion(cell, affine);
        let nodes = affine.iter().map(|e| node_count(e.length, cell.radius())).collect();
        let excluded = (0..cell.vertex_count()).map(|i| walk(cell, i, exclusion)).collect();
        ContactModel { nodes, exclusion, stiffness: cell.stiffness.contact, excluded }
    }

    fn excludes(&self, first: usize, second: usize, shift: [i32; 2]) -> bool {
        let back = [-shift[0], -shift[1]];
        self.excluded[first].contains(&(second as u32, shift)) || self.excluded[second].contains(&(first as u32, back))
    }

    /// What the energy of a pair of segments needs.
    pub(crate) fn rule(&self, cell: &Cell, first: usize, second: usize) -> PairRule<'static> {
        let nodes = |i: usize| -> &'static Rule { rule_of(self.nodes[i]) };
        let diameter = 2.0 * cell.radius();
        PairRule {
            first: nodes(first),
            second: nodes(second),
            factor: self.stiffness * cell.rest_length[first] * cell.rest_length[second],
            inverse_diameter2: 1.0 / (diameter * diameter),
        }
    }
}

/// How far along the same yarn two segments must be apart to touch: index differences up to this are left out.
///
/// k = ceil(3 r / shortest edge + 1.1), in the affine state.
fn exclusion(cell: &Cell, affine: &[Edge]) -> usize {
    let shortest = affine.iter().map(|e| e.length).fold(f64::INFINITY, f64::min);
    let k = (3.0 * cell.radius() / shortest + 1.1).ceil();
    // An absurdly short edge would exclude everything; the yarn's own length is the natural bound.
    (k as usize).min(cell.vertex_count())
}

/// The segments up to `steps` after `start` on its yarn, each with the period shift to it.
fn walk(cell: &Cell, start: usize, steps: usize) -> Vec<(u32, [i32; 2])> {
    let mut shift = [0, 0];
    let mut at = start;
    let mut out = Vec::with_capacity(steps);
    for _ in 0..steps {
        let s = cell.shift[at];
        shift = [shift[0] + s[0], shift[1] + s[1]];
        at = cell.next[at];
        out.push((at as u32, shift));
    }
    out
}

/// A segment's bounding ball.
#[derive(Clone, Copy)]
struct Ball {
    center: Vector3<f64>,
    radius: f64,
}

impl Pairs {
    /// The same pairs where the period is stretched `by` these fractions, in the plane.
    pub(crate) fn stretched(&self, by: [f64; 2]) -> Self {
        let mut out = self.clone();
        for image in &mut out.images {
            image.translation.x *= 1.0 + by[0];
            image.translation.y *= 1.0 + by[1];
        }
        out
    }

    /// All pairs with a quadrature node nearer to the other segment than one diameter plus `margin` (m).
    pub fn find(
        cell: &Cell,
        model: &ContactModel,
        deformation: &LargeScale,
        links: &Links,
        x: &[Vector3<f64>],
        margin: f64,
    ) -> Self {
        let reach = 2.0 * cell.radius() + margin;
        let edges = links.edges(cell, x);
        let ball = |i: usize| Ball { center: x[i] + edges[i].vector * 0.5, radius: 0.5 * edges[i].length };
        let balls: Vec<Ball> = (0..x.len()).map(ball).collect();
        let mut out = Pairs::default();
        let near = |shift: &[i32; 2]| deformation.is_around(*shift);
        for shift in half_of(copies_in_reach(cell, deformation, &balls, reach)).filter(near) {
            let image = if shift == [0, 0] { Image::IDENTITY } else { deformation.image(shift) };
            let index = out.images.len() as u32;
            let before = out.pairs.len();
            sweep(&balls, &image, reach, |first, second| {
                if shift == [0, 0] && first >= second || model.excludes(first, second, shift) {
                    return;
                }
                let segments = segments(x, &edges, first, second, &image);
                if segments.nearest(&model.rule(cell, first, second)) < reach * reach {
                    out.pairs.push(Pair { first: first as u32, second: second as u32, image: index });
                }
            });
            if out.pairs.len() > before {
                // The order of the sweep depends on rounding; this one does not.
                out.pairs[before..].sort_unstable_by_key(|p| (p.first, p.second));
                out.images.push(image);
            }
        }
        out
    }
}

fn segments(x: &[Vector3<f64>], edges: &[Edge], first: usize, second: usize, image: &Image) -> Segments {
    let end = |i: usize| x[i] + edges[i].vector;
    Segments { p: [x[first], end(first)], q: [image.point(&x[second]), image.point(&end(second))] }
}

/// Calls `each(first, second)` for segments whose bounding balls come within `reach`.
fn sweep(balls: &[Ball], image: &Image, reach: f64, mut each: impl FnMut(usize, usize)) {
    let largest = balls.iter().map(|b| b.radius).fold(0.0, f64::max);
    let centers: Vec<Vector3<f64>> = balls.iter().map(|b| image.point(&b.center)).collect();
    if apart(balls, &centers, 2.0 * largest + reach) {
        return;
    }
    let mut copies: Vec<(f64, usize)> = centers.iter().map(|c| c.x).zip(0..).collect();
    copies.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (first, ball) in balls.iter().enumerate() {
        let width = ball.radius + largest + reach;
        let begin = copies.partition_point(|c| c.0 < ball.center.x - width);
        for (at, second) in &copies[begin..] {
            if *at > ball.center.x + width {
                break;
            }
            let other = &balls[*second];
            let near = ball.radius + other.radius + reach;
            if (centers[*second] - ball.center).norm_squared() < near * near {
                each(first, *second);
            }
        }
    }
}

/// Whether the boxes around the centers of the cell and of its copy are further apart than `distance` along some axis.
fn apart(balls: &[Ball], copies: &[Vector3<f64>], distance: f64) -> bool {
    let limits = |points: &mut dyn Iterator<Item = Vector3<f64>>| {
        let infinite = Vector3::repeat(f64::INFINITY);
        points.fold((infinite, -infinite), |(low, high), p| (low.inf(&p), high.sup(&p)))
    };
    let (low, high) = limits(&mut balls.iter().map(|b| b.center));
    let (copy_low, copy_high) = limits(&mut copies.iter().copied());
    (0..3).any(|k| copy_low[k] > high[k] + distance || copy_high[k] < low[k] - distance)
}

/// How many copies on each side, along both periods, can reach the cell.
fn copies_in_reach(cell: &Cell, deformation: &LargeScale, balls: &[Ball], reach: f64) -> [i32; 2] {
    let (mut low, mut high) = (balls[0].center, balls[0].center);
    for b in balls {
        low = low.inf(&b.center.add_scalar(-b.radius));
        high = high.sup(&b.center.add_scalar(b.radius));
    }
    let extent = (high - low).norm() + reach;
    let height = cell.material_position.iter().map(|x| x.z.abs()).fold(0.0, f64::max) + cell.radius();
    deformation.periods_within(extent, height).map(|copies| (copies.min(f64::from(MAX_COPIES)) as i32) + 1)
}

/// One of each pair of opposite shifts, and no shift.
fn half_of([nx, ny]: [i32; 2]) -> impl Iterator<Item = [i32; 2]> {
    (0..=nx).flat_map(move |x| (-ny..=ny).map(move |y| [x, y])).filter(|[x, y]| *x > 0 || *y >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::energy::Problem;
    use std::collections::BTreeSet;
    use yarnwise_shared::pattern::Pattern;
    use yarnwise_shared::pattern::clearance::for_each_approach;
    use yarnwise_shared::pattern::knit::{KnitChart, KnitOptions, knit};
    use yarnwise_shared::pattern::material::YarnMaterial;
    use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
    use yarnwise_shared::table::strain::Strain;

    /// Edge, edge, and the copy that the second one lies in; one of both ways to say it.
    type Named = (usize, usize, [i32; 2]);

    fn named(a: usize, b: usize, shift: [i32; 2]) -> Named {
        (a, b, shift).min((b, a, shift.map(|s| -s)))
    }

    fn found(problem: &Problem, margin: f64) -> BTreeSet<Named> {
        let period = problem.cell.pattern.period();
        let pairs = problem.pairs(&problem.affine, margin);
        let name = |p: &Pair| {
            let t = pairs.images[p.image as usize].translation;
            named(p.first as usize, p.second as usize, [0, 1].map(|k| (t[k] / period[k]).round() as i32))
        };
        let names: BTreeSet<Named> = pairs.pairs.iter().map(name).collect();
        assert_eq!(names.len(), pairs.pairs.len(), "each pair once");
        names
    }

    /// The pairs of the sweep are those of the patterns' broad phase: all whose nodes are near and that are not excluded, and no
    /// others.
    fn assert_agrees(pattern: &Pattern) {
        let cell = Cell::new(pattern, &YarnMaterial::preset("knit").unwrap()).unwrap();
        let problem = Problem::planar(&cell, Strain::new(0.0, 0.0, 0.0));
        let reach = 2.5 * pattern.radius();
        let mine = found(&problem, reach - 2.0 * pattern.radius());
        let edges = problem.links.edges(&cell, &problem.affine);
        let is_near = |a: usize, b: usize, shift: [i32; 2]| {
            let s = segments(&problem.affine, &edges, a, b, &problem.deformation.image(shift));
            s.nearest(&problem.contact.rule(&cell, a, b)) < reach * reach
        };
        let mut near = BTreeSet::new();
        let mut required = 0;
        for_each_approach(pattern, reach, |approach| {
            let ([a, b], shift) = (approach.edges, approach.shift);
            near.insert(named(a, b, shift));
            let touches = is_near(a, b, shift) && is_near(b, a, shift.map(|s| -s));
            if touches && !problem.contact.excludes(a, b, shift) {
                required += 1;
                assert!(mine.contains(&named(a, b, shift)), "edges {a} and {b}, copy {shift:?}");
            }
        })
        .unwrap();
        assert!(required > pattern.vertices().len(), "a test of nothing proves nothing");
        let yarn = |edge: usize| pattern.yarns().iter().position(|y| y.vertices.contains(&(edge as u32)));
        for pair in mine.difference(&near) {
            assert_eq!(yarn(pair.0), yarn(pair.1), "only neighbors on one yarn are left out there: {pair:?}");
        }
    }

    #[test]
    fn the_sweep_finds_what_the_broad_phase_of_patterns_finds() {
        assert_agrees(&knit(&KnitChart::preset("stockinette").unwrap(), &KnitOptions::default()).unwrap());
        assert_agrees(&weave(&Draft::preset("basket").unwrap(), &WeaveOptions::default()).unwrap());
    }
}
