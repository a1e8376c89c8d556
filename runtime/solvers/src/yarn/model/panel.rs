//! A piece of woven cloth cut along an outline.

use super::outline::{self, Cut, bounds, distance_to_segment, inside};
use super::{Family, NodeKind, Slot, WeaveBuilder};
use crate::yarn::material::YarnMaterial;
use nalgebra::{Rotation2, Vector2, Vector3};
use serde::{Deserialize, Serialize};
use yarnwise_shared::pattern::weave::Draft;

/// A flat piece of cloth: an outline filled with warps and wefts at the distance of the material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// What messages and pins call it.
    #[serde(default)]
    pub name: String,
    /// Corners of a polygon, in either sense, concave ones allowed: meters.
    pub outline: Vec<[f64; 2]>,
    /// Which yarn is on top: the name of a preset (plain, twill, satin, basket), or rows of 1 (warp over weft) and 0 with `/` between
    /// them, the topmost weft first.
    #[serde(default = "plain")]
    pub draft: String,
    /// By how much the warps are turned from the panel's second axis, counterclockwise, radians.
    #[serde(default)]
    pub warp_angle: f64,
    /// Where the panel is in space.
    #[serde(default)]
    pub placement: Placement,
}

fn plain() -> String {
    "plain".into()
}

/// Where a panel is in space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Placement {
    /// Where (0, 0) of the outline is, meters.
    pub origin: [f64; 3],
    /// Direction of the outline's first axis.
    pub u: [f64; 3],
    /// Direction of its second axis, across the first. The front of the cloth looks along u × v.
    pub v: [f64; 3],
}

impl Default for Placement {
    fn default() -> Self {
        Placement { origin: [0.0; 3], u: [1.0, 0.0, 0.0], v: [0.0, 1.0, 0.0] }
    }
}

impl Placement {
    /// A point of the outline's plane in space, meters.
    pub fn point(&self, [a, b]: [f64; 2]) -> Vector3<f64> {
        let unit = |v: [f64; 3]| Vector3::from(v).normalize();
        Vector3::from(self.origin) + unit(self.u) * a + unit(self.v) * b
    }

    fn fault(&self) -> Option<String> {
        let [u, v] = [self.u, self.v].map(Vector3::from);
        let long = |v: &Vector3<f64>| v.norm() > 1e-9 && v.norm() < 1e9;
        if !(long(&u) && long(&v) && u.normalize().dot(&v.normalize()).abs() < 1e-6) {
            return Some(format!("placement: u {:?} and v {:?} must be directions across each other", self.u, self.v));
        }
        let far = !self.origin.iter().all(|c| c.abs() <= 1e5);
        far.then(|| format!("placement: the origin is {:?}, it must be finite", self.origin))
    }
}

/// An end of a strand on a sewn edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Attachment {
    /// Edge of the outline, by its first vertex.
    pub(super) edge: usize,
    /// Where on the edge, 0 to 1.
    pub(super) part: f64,
}

/// One yarn of a panel: its nodes with their slots and arc coordinates; ends on seams come later.
#[derive(Clone, Debug)]
pub(super) struct Strand {
    pub(super) family: Family,
    pub(super) nodes: Vec<(usize, Slot, f64)>,
    /// Where it begins and ends on a seam, if it does.
    pub(super) seams: [Option<Attachment>; 2],
}

/// A crossing of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PanelCrossing {
    /// Number of the warp, counted from the outline's bounding box.
    pub warp: usize,
    /// Number of the weft, likewise.
    pub weft: usize,
    /// Number of the node.
    pub node: usize,
}

/// Crossings nearer to a sewn edge than this part of the spacing are left out.
const NEAR_SEAM: f64 = 0.3;

impl Panel {
    /// The first thing that makes no sense, and why.
    pub fn fault(&self, material: &YarnMaterial) -> Option<String> {
        let turned = self.warp_angle.abs() <= 7.0;
        if !turned {
            return Some(format!("warp_angle is {}, it must be an angle in radians", self.warp_angle));
        }
        let draft = || self.draft().err().map(|e| e.to_string());
        self.placement.fault().or_else(draft).or_else(|| outline::fault(&self.outline, material.spacing))
    }

    fn draft(&self) -> crate::Result<Draft> {
        let rows = self.draft.contains(['0', '1']);
        Ok(if rows { Draft::parse(&self.draft)? } else { Draft::preset(&self.draft)? })
    }

    /// Lays the yarns: crossings warp by warp, then the free ends of warps, then those of wefts. `sewn` are the edges that have a seam.
    pub(super) fn lay(
        &self,
        builder: &mut WeaveBuilder,
        spacing: f64,
        sewn: &[usize],
    ) -> crate::Result<(Vec<PanelCrossing>, Vec<Strand>)> {
        let draft = self.draft()?;
        let grid = Grid::new(self, spacing);
        let mut nodes = vec![None; grid.counts[0] * grid.counts[1]];
        let mut crossings = Vec::new();
        for warp in 0..grid.counts[0] {
            for weft in (0..grid.counts[1]).filter(|weft| grid.has_crossing(sewn, warp, *weft)) {
                let kind = NodeKind::Crossing { warp_over: draft.warp_over(weft, warp) };
                let node = builder.node(grid.place(grid.coordinate(0, warp), grid.coordinate(1, weft)), kind);
                nodes[warp * grid.counts[1] + weft] = Some(node);
                crossings.push(PanelCrossing { warp, weft, node });
            }
        }
        let mut strands = Vec::new();
        for axis in 0..2 {
            for line in 0..grid.counts[axis] {
                for piece in &grid.pieces[axis][line] {
                    strands.extend(grid.strand(builder, &nodes, sewn, axis, line, piece));
                }
            }
        }
        Ok((crossings, strands))
    }
}

/// The lines of a panel in a frame turned with its warps: coordinate 0 numbers warps, coordinate 1 wefts.
struct Grid<'a> {
    panel: &'a Panel,
    spacing: f64,
    polygon: Vec<[f64; 2]>,
    least: [f64; 2],
    counts: [usize; 2],
    /// Pieces inside the outline, by axis and line.
    pieces: [Vec<Vec<[Cut; 2]>>; 2],
}

impl<'a> Grid<'a> {
    fn new(panel: &'a Panel, spacing: f64) -> Self {
        let turn = Rotation2::new(-panel.warp_angle);
        let polygon: Vec<[f64; 2]> = panel.outline.iter().map(|p| (turn * Vector2::from(*p)).into()).collect();
        let [least, most] = bounds(&polygon);
        // The first line is half a spacing inside; lines on the far side of the bounding box as well, up to rounding.
        let counts =
            std::array::from_fn(|axis| ((most[axis] - least[axis]) / spacing + 1e-9).floor().max(1.0) as usize);
        let mut grid = Grid { panel, spacing, polygon, least, counts, pieces: Default::default() };
        for axis in 0..2 {
            let lines = (0..counts[axis]).map(|line| inside(&grid.polygon, axis, grid.coordinate(axis, line)));
            grid.pieces[axis] = lines.collect();
        }
        grid
    }

    /// Of a warp (axis 0) or weft (axis 1) in the turned frame, meters.
    fn coordinate(&self, axis: usize, line: usize) -> f64 {
        self.least[axis] + (line as f64 + 0.5) * self.spacing
    }

    /// A point of the turned frame in space, meters.
    fn place(&self, a: f64, b: f64) -> Vector3<f64> {
        let p = Rotation2::new(self.panel.warp_angle) * Vector2::new(a, b);
        self.panel.placement.point([p.x, p.y])
    }

    /// Whether two lines cross inside the outline, and not too near to a seam.
    fn has_crossing(&self, sewn: &[usize], warp: usize, weft: usize) -> bool {
        let p = [self.coordinate(0, warp), self.coordinate(1, weft)];
        let on = |axis: usize, line: usize| {
            self.pieces[axis][line].iter().any(|[a, b]| a.at < p[1 - axis] && p[1 - axis] < b.at)
        };
        let n = self.polygon.len();
        let near = |edge: &usize| {
            let distance = distance_to_segment(p, self.polygon[*edge], self.polygon[(edge + 1) % n]);
            distance < NEAR_SEAM * self.spacing * (1.0 + 1e-6)
        };
        on(0, warp) && on(1, weft) && !sewn.iter().any(near)
    }

    /// The yarn of a piece of a line, if it has a crossing; free ends stick out by half a spacing.
    fn strand(
        &self,
        builder: &mut WeaveBuilder,
        nodes: &[Option<usize>],
        sewn: &[usize],
        axis: usize,
        line: usize,
        piece: &[Cut; 2],
    ) -> Option<Strand> {
        let (slot, family) = if axis == 0 { (Slot::U, Family::Warp) } else { (Slot::V, Family::Weft) };
        let index =
            |other: usize| if axis == 0 { line * self.counts[1] + other } else { other * self.counts[1] + line };
        let within = |other: &usize| {
            let at = self.coordinate(1 - axis, *other);
            piece[0].at < at && at < piece[1].at
        };
        let inner = (0..self.counts[1 - axis]).filter(within).filter_map(|k| Some((k, nodes[index(k)]?)));
        let inner: Vec<_> = inner.collect();
        let (first, last) = (inner.first()?.0, inner.last()?.0);
        let mut chain: Vec<_> = inner.iter().map(|(k, n)| (*n, slot, (k - first) as f64 * self.spacing)).collect();
        let seams = piece.map(|cut| sewn.contains(&cut.edge).then_some(Attachment { edge: cut.edge, part: cut.part }));
        let level = self.coordinate(axis, line);
        let mut end = |other: usize, shift: f64| {
            let along = self.coordinate(1 - axis, other) + shift * self.spacing;
            let place = if axis == 0 { self.place(level, along) } else { self.place(along, level) };
            (builder.node(place, NodeKind::End), slot)
        };
        if seams[0].is_none() {
            let (node, slot) = end(first, -0.5);
            chain.insert(0, (node, slot, -0.5 * self.spacing));
        }
        if seams[1].is_none() {
            let (node, slot) = end(last, 0.5);
            chain.push((node, slot, ((last - first) as f64 + 0.5) * self.spacing));
        }
        Some(Strand { family, nodes: chain, seams })
    }
}
