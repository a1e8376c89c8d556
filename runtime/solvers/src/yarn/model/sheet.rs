//! Rectangular sheets.

use super::{Family, NodeKind, Slot, Weave, WeaveBuilder};
use crate::Result;
use crate::yarn::material::YarnMaterial;
use nalgebra::Vector3;
use yarnwise_shared::pattern::weave::Draft;

/// A rectangular sheet: warps along `up`, wefts along `across`, flat.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Number of warps.
    pub warps: usize,
    /// Number of wefts.
    pub wefts: usize,
    /// Which yarn is on top at each crossing.
    pub draft: Draft,
    /// What the yarns are made of.
    pub material: YarnMaterial,
    /// The first crossing, meters.
    pub origin: Vector3<f64>,
    /// Unit direction of the wefts.
    pub across: Vector3<f64>,
    /// Unit direction of the warps.
    pub up: Vector3<f64>,
    /// How far free ends stick out beyond the last crossing, in spacings.
    pub tail: f64,
    /// Other lengths for single ends: family, number of the yarn, whether its far end, length in spacings.
    pub tails: Vec<(Family, usize, bool, f64)>,
}

impl Sheet {
    /// In the plane z = 0 with its first crossing at the origin; ends stick out by half a spacing.
    pub fn new(warps: usize, wefts: usize, draft: Draft, material: YarnMaterial) -> Self {
        Sheet {
            warps,
            wefts,
            draft,
            material,
            origin: Vector3::zeros(),
            across: Vector3::x(),
            up: Vector3::y(),
            tail: 0.5,
            tails: Vec::new(),
        }
    }

    /// Number of the crossing of a warp and a weft among the nodes of the weave.
    pub fn crossing(&self, warp: usize, weft: usize) -> usize {
        warp * self.wefts + weft
    }

    /// Number of an end node: the near or far end of a yarn.
    pub fn end(&self, family: Family, yarn: usize, far: bool) -> usize {
        let crossings = self.warps * self.wefts;
        let before = if family == Family::Warp { 0 } else { 2 * self.warps };
        crossings + before + 2 * yarn + usize::from(far)
    }

    /// The weave. Nodes are the crossings warp by warp, then the ends of the warps, then those of the wefts.
    pub fn weave(&self) -> Result<Weave> {
        let l = self.material.spacing;
        let at = |i: f64, j: f64| self.origin + self.across * (i * l) + self.up * (j * l);
        let mut builder = WeaveBuilder::new(self.material);
        for i in 0..self.warps {
            for j in 0..self.wefts {
                let warp_over = self.draft.warp_over(j, i);
                builder.node(at(i as f64, j as f64), NodeKind::Crossing { warp_over });
            }
        }
        let tail = |family: Family, yarn: usize, far: bool| {
            let own = self.tails.iter().find(|(f, y, e, _)| (*f, *y, *e) == (family, yarn, far));
            own.map_or(self.tail, |(.., tail)| *tail)
        };
        let place = |count: usize, far: bool, tail: f64| if far { (count as f64 - 1.0) + tail } else { -tail };
        let mut end = |family: Family, yarn: usize, far: bool, count: usize| {
            let along = place(count, far, tail(family, yarn, far));
            let position = match family {
                Family::Warp => at(yarn as f64, along),
                _ => at(along, yarn as f64),
            };
            (builder.node(position, NodeKind::End), along * l)
        };
        let mut ends = Vec::with_capacity(self.warps + self.wefts);
        for i in 0..self.warps {
            ends.push([false, true].map(|far| end(Family::Warp, i, far, self.wefts)));
        }
        for j in 0..self.wefts {
            ends.push([false, true].map(|far| end(Family::Weft, j, far, self.warps)));
        }
        let chain = |slot: Slot, [near, far]: [(usize, f64); 2], crossings: Vec<usize>| {
            let inner = crossings.into_iter().enumerate().map(|(k, n)| (n, slot, k as f64 * l));
            let mut nodes = vec![(near.0, slot, near.1)];
            nodes.extend(inner);
            nodes.push((far.0, slot, far.1));
            nodes
        };
        for i in 0..self.warps {
            let crossings = (0..self.wefts).map(|j| self.crossing(i, j)).collect();
            builder.yarn(Family::Warp, &chain(Slot::U, ends[i], crossings));
        }
        for j in 0..self.wefts {
            let crossings = (0..self.warps).map(|i| self.crossing(i, j)).collect();
            builder.yarn(Family::Weft, &chain(Slot::V, ends[self.warps + j], crossings));
        }
        builder.finish("sheet")
    }
}
