//! The list of segments that may touch, and whether yarns pass through each other from one state to the next.

use super::period::stretched;
use crate::cell::energy::Problem;
use crate::cell::pairs::{Pair, Pairs};
use crate::contact::passage::pass_through;
use nalgebra::Vector3;

/// Pairs of segments are kept that may come into reach by one step and by moving this far besides, in radii.
const PAIR_DRIFT: f64 = 0.4;

/// Blocks are made for pairs that are this much further apart than they reach, in radii.
const BLOCK_MARGIN: f64 = 0.2;

/// Half the distance of pairs in the list, in radii: twice the thickness of a yarn at most.
const REACH: f64 = 2.0;

/// The pairs of segments that may touch in the current state or after the next step.
pub(super) struct TouchingPairs {
    /// The pairs.
    pub pairs: Pairs,
    /// Positions at which they were searched, carried along by what the period was stretched since, m.
    searched_at: Vec<Vector3<f64>>,
    /// By what fraction it was.
    stretched: f64,
    /// No vertex moves further in one step, m.
    travel: f64,
    /// Pairs are kept that are this much further apart than they reach, m.
    margin: f64,
    /// Of the yarn, m.
    radius: f64,
}

impl TouchingPairs {
    /// The pairs of `problem` with vertices at `x` for steps in which no vertex moves further than `travel`, m.
    pub(super) fn new(problem: &Problem, x: &[Vector3<f64>], travel: f64) -> Self {
        let margin = 2.0 * (travel + PAIR_DRIFT * problem.cell.radius());
        TouchingPairs {
            pairs: problem.pairs(x, margin),
            searched_at: x.to_vec(),
            stretched: 0.0,
            travel,
            margin,
            radius: problem.cell.radius(),
        }
    }

    /// Whether the next step from `x` might bring pairs into reach that the list does not hold.
    pub(super) fn are_stale(&self, x: &[Vector3<f64>]) -> bool {
        let moved = x.iter().zip(&self.searched_at).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        moved + REACH * self.radius * self.stretched + self.travel > 0.5 * self.margin
    }

    /// The period is stretched `by` these fractions.
    pub(super) fn stretch(&mut self, pairs: Pairs, by: [f64; 2]) {
        self.pairs = pairs;
        self.searched_at.iter_mut().for_each(|x| *x = stretched(x, by));
        self.stretched += by[0].abs().max(by[1].abs());
    }

    /// How far a stretch of the period by the fraction `by` moves either of two segments of yarns of this `radius` (m) that are
    /// in the list towards the other, m.
    pub(super) fn travel_of_stretch(by: f64, radius: f64) -> f64 {
        REACH * radius * by
    }

    /// Searches the pairs again.
    pub(super) fn search(&mut self, problem: &Problem, x: &[Vector3<f64>]) {
        self.pairs = problem.pairs(x, self.margin);
        self.stretched = 0.0;
        self.searched_at.clear();
        self.searched_at.extend_from_slice(x);
    }

    /// Which pairs are near enough to be given blocks in the matrix.
    pub(super) fn near(&self, problem: &Problem, x: &[Vector3<f64>]) -> Vec<bool> {
        let reach = (2.0 + BLOCK_MARGIN) * problem.cell.radius();
        let near = |p: &Pair| {
            let rule = problem.contact.rule(problem.cell, p.first as usize, p.second as usize);
            problem.segments(x, p, &self.pairs).nearest(&rule) < reach * reach
        };
        self.pairs.pairs.iter().map(near).collect()
    }

    /// Whether yarns pass through each other on the way from `before` to `after`, one step, with vertices in m and `pairs` as they
    /// are in `problem`. `touching` are the pairs in touch before, by their places in the list, with the squared distance of the
    /// nearest node of the first segment to the second one over 4r^2.
    pub(super) fn pass_through(
        &self,
        problem: &Problem,
        pairs: &Pairs,
        touching: &[(usize, f64)],
        [before, after]: [&[Vector3<f64>]; 2],
    ) -> bool {
        let diameter = 2.0 * self.radius;
        touching.iter().any(|(k, nearest)| {
            let pair = &pairs.pairs[*k];
            let segments = problem.segments(before, pair, pairs);
            let nodes = problem.contact.nodes[pair.first as usize] as f64;
            // Where the segments meet they were two steps apart at most, and a node of the first is half a spacing from there.
            let reach = 2.0 * self.travel + 0.5 * (segments.p[1] - segments.p[0]).norm() / (nodes - 1.0);
            nearest.sqrt() * diameter < reach
                && pass_through(&segments, &problem.segments(after, pair, pairs), self.radius)
        })
    }
}
