//! Stage `radius`: the yarn's radius from the stretch of its edges, so that its volume stays.
//!
//! Each edge has the factor sqrt(rest length / length), between 1/4 and 2; a vertex has the mean of its two edges'
//! factors weighted by rest length. At the end of a yarn the one edge counts.

use super::vector::{dot, sub};
use crate::gpu::constants::{MAX_THICKENING, MIN_LENGTH, MIN_THINNING};
use crate::gpu::{Patch, PatternVertex, YarnParams, YarnSite, YarnVertex, flags};

/// The radius of vertex `index`, meters, times its island's scale.
pub fn radius(
    params: &YarnParams,
    pattern: &[PatternVertex],
    patches: &[Patch],
    sites: &[YarnSite],
    vertices: &[YarnVertex],
    index: usize,
) -> f32 {
    let site = &sites[index];
    let scale = patches[site.face as usize].scale();
    let full = params.radius * scale;
    if params.flags & flags::VOLUME == 0 {
        return full;
    }
    let (mut sum, mut weights) = (0.0, 0.0);
    let mut add = |from: usize| {
        let rest = pattern[sites[from].pattern_vertex()].rest_length * scale;
        let edge = sub(vertices[from + 1].position, vertices[from].position);
        sum += rest * factor(rest, dot(edge, edge));
        weights += rest;
    };
    if site.pattern & YarnSite::FIRST == 0 {
        add(index - 1);
    }
    if site.pattern & YarnSite::LAST == 0 {
        add(index);
    }
    full * sum / weights
}

/// sqrt(rest / length) between 1/4 and 2, from the squared length.
pub fn factor(rest: f32, square: f32) -> f32 {
    (rest / square.sqrt().max(MIN_LENGTH)).sqrt().clamp(MIN_THINNING, MAX_THICKENING)
}
