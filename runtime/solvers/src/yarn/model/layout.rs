//! Garments: panels and seams.

use super::panel::{Attachment, Panel, PanelCrossing, Strand};
use super::seam::{Arrival, PanelEdge, Seam, SeamNode, seam_nodes};
use super::{Family, NodeKind, Slot, Weave, WeaveBuilder};
use crate::yarn::material::YarnMaterial;
use crate::{Error, Result};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Panels and the seams between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Garment {
    /// Pieces of cloth.
    pub panels: Vec<Panel>,
    /// What is sewn together.
    #[serde(default)]
    pub seams: Vec<Seam>,
}

/// A garment as nodes and yarns.
#[derive(Clone, Debug)]
pub struct GarmentLayout {
    /// Nodes and yarns.
    pub weave: Weave,
    /// The crossings of each panel, warp by warp.
    pub crossings: Vec<Vec<PanelCrossing>>,
    /// The nodes of each seam, in order along its first edge.
    pub seams: Vec<Vec<usize>>,
}

/// Sewn edges may be this many spacings apart in space.
const LARGEST_GAP: f64 = 2.0;

/// The most lines that a panel may have along its sides, multiplied.
const MAX_CROSSINGS: f64 = 2e7;

impl Garment {
    /// The first thing that makes no sense, with the panel or seam and the cure.
    pub fn fault(&self, material: &YarnMaterial) -> Option<String> {
        if self.panels.is_empty() {
            return Some("no panel: give at least one".into());
        }
        let panel = |(k, p): (usize, &Panel)| {
            let problem = p.fault(material).or_else(|| too_large(p, material.spacing))?;
            Some(format!("{}: {problem}", self.panel_name(k)))
        };
        let seam = |k: usize| Some(format!("seam {k}: {}", self.seam_fault(k, material.spacing)?));
        material
            .fault()
            .or_else(|| self.panels.iter().enumerate().find_map(panel))
            .or_else(|| (0..self.seams.len()).find_map(seam))
    }

    /// Nodes and yarns of the garment.
    pub fn weave(&self, material: YarnMaterial) -> Result<Weave> {
        Ok(self.layout(material)?.weave)
    }

    /// Nodes and yarns, and which of them belong to which panel and seam.
    pub fn layout(&self, material: YarnMaterial) -> Result<GarmentLayout> {
        if let Some(problem) = self.fault(&material) {
            return Err(Error::invalid("garment", problem));
        }
        let mut builder = WeaveBuilder::new(material);
        let (mut crossings, mut strands, mut arrivals) = (Vec::new(), Vec::new(), vec![Vec::new(); self.seams.len()]);
        for (k, panel) in self.panels.iter().enumerate() {
            let sewn: Vec<usize> = self.edges().filter(|e| e.panel == k).map(|e| e.edge).collect();
            let (own, laid) = panel.lay(&mut builder, material.spacing, &sewn)?;
            if own.is_empty() {
                let problem = "no warp and weft cross inside the outline: make it larger than the distance of yarns";
                return Err(Error::invalid("garment", format!("{}: {problem}", self.panel_name(k))));
            }
            for strand in laid {
                self.note_arrivals(k, strands.len(), &strand, &mut arrivals);
                strands.push(strand);
            }
            crossings.push(own);
        }
        let mut sewing = Sewing { builder, strands, joins: BTreeMap::new(), places: BTreeMap::new() };
        let mut seams = Vec::new();
        for (k, arrivals) in arrivals.into_iter().enumerate() {
            let problem = |p: String| Error::invalid("garment", format!("seam {k}: {p}"));
            seams.push(sewing.sew(self, k, arrivals, material.spacing).map_err(problem)?);
        }
        Ok(GarmentLayout { weave: sewing.finish(&seams)?, crossings, seams })
    }

    fn panel_name(&self, k: usize) -> String {
        match self.panels[k].name.as_str() {
            "" => format!("panel {k}"),
            name => format!("panel {k} ({name})"),
        }
    }

    fn edges(&self) -> impl Iterator<Item = PanelEdge> + '_ {
        self.seams.iter().flat_map(|s| [s.a, s.b])
    }

    fn seam_fault(&self, k: usize, spacing: f64) -> Option<String> {
        let Seam { a, b, .. } = self.seams[k];
        for edge in [a, b] {
            let sides = self.panels.get(edge.panel).map_or(0, |p| p.outline.len());
            if edge.edge >= sides {
                return Some(format!("panel {} has no edge {}: edges are counted from 0", edge.panel, edge.edge));
            }
            if self.edges().filter(|e| *e == edge).count() > 1 {
                return Some(format!(
                    "edge {} of panel {} is sewn more than once: sew it to one edge",
                    edge.edge, edge.panel
                ));
            }
        }
        let gap = [0.0, 1.0].map(|t| self.gap(k, t)).into_iter().fold(0.0, f64::max);
        (gap > LARGEST_GAP * spacing * (1.0 + 1e-9)).then(|| {
            format!(
                "the edges are {gap:.3e} m apart at an end, at most {LARGEST_GAP} spacings are possible: place the panels so that sewn \
                 edges meet, or say 'reversed'"
            )
        })
    }

    fn edge_point(&self, edge: PanelEdge, part: f64) -> Vector3<f64> {
        let panel = &self.panels[edge.panel];
        let n = panel.outline.len();
        let (a, b) = (
            panel.placement.point(panel.outline[edge.edge]),
            panel.placement.point(panel.outline[(edge.edge + 1) % n]),
        );
        a + (b - a) * part
    }

    /// Whether the start of the seam's first edge meets the end of its second.
    fn reversed(&self, k: usize) -> bool {
        let Seam { a, b, reversed } = self.seams[k];
        let gap = |flip: bool| {
            [0.0, 1.0].map(|t| (self.edge_point(a, t) - self.edge_point(b, if flip { 1.0 - t } else { t })).norm())
        };
        let sum = |gap: [f64; 2]| gap[0] + gap[1];
        reversed.unwrap_or_else(|| sum(gap(true)) < sum(gap(false)))
    }

    /// The two points of a seam that are sewn together, `part` of the way along its first edge.
    fn seam_points(&self, k: usize, part: f64) -> [Vector3<f64>; 2] {
        let Seam { a, b, .. } = self.seams[k];
        [self.edge_point(a, part), self.edge_point(b, if self.reversed(k) { 1.0 - part } else { part })]
    }

    fn gap(&self, k: usize, part: f64) -> f64 {
        let [a, b] = self.seam_points(k, part);
        (a - b).norm()
    }

    fn seam_point(&self, k: usize, part: f64) -> Vector3<f64> {
        let [a, b] = self.seam_points(k, part);
        (a + b) * 0.5
    }

    fn seam_length(&self, k: usize) -> f64 {
        (self.seam_point(k, 1.0) - self.seam_point(k, 0.0)).norm()
    }

    /// Adds the ends of a strand to the seams that they are on.
    fn note_arrivals(&self, panel: usize, strand: usize, laid: &Strand, arrivals: &mut [Vec<Arrival>]) {
        for (ends, attachment) in [false, true].into_iter().zip(laid.seams) {
            let Some(Attachment { edge, part }) = attachment else { continue };
            let edge = PanelEdge { panel, edge };
            let Some(k) = self.seams.iter().position(|s| s.a == edge || s.b == edge) else { continue };
            let second = self.seams[k].b == edge;
            let part = if second && self.reversed(k) { 1.0 - part } else { part };
            arrivals[k].push(Arrival { at: part * self.seam_length(k), second, strand, ends });
        }
    }
}

fn too_large(panel: &Panel, spacing: f64) -> Option<String> {
    let [least, most] = super::outline::bounds(&panel.outline);
    let lines = (most[0] - least[0]).hypot(most[1] - least[1]) / spacing;
    (lines * lines > 2.0 * MAX_CROSSINGS)
        .then(|| format!("more than {MAX_CROSSINGS:e} crossings: use a larger spacing"))
}

/// Panel yarns that become one where they share a seam node.
struct Sewing {
    builder: WeaveBuilder,
    strands: Vec<Strand>,
    /// The strand that continues a yarn where another strand ends.
    joins: BTreeMap<usize, usize>,
    /// Seam node of the beginning (false) or end (true) of a strand.
    places: BTreeMap<(usize, bool), usize>,
}

impl Sewing {
    /// Makes the nodes of a seam; returns them with the free ends of the seam yarn around them.
    fn sew(
        &mut self,
        garment: &Garment,
        k: usize,
        arrivals: Vec<Arrival>,
        spacing: f64,
    ) -> std::result::Result<Vec<usize>, String> {
        let length = garment.seam_length(k);
        let joins = &mut self.joins;
        let nodes = seam_nodes(arrivals, length, spacing, |ending, beginning| {
            // A ring of yarn has no arc coordinate that ascends: it stays open.
            let open = last_of(joins, beginning) != ending;
            if open {
                joins.insert(ending, beginning);
            }
            open
        })?;
        let point = |at: f64| garment.seam_point(k, at / length);
        let (first, last) = (nodes[0].at, nodes[nodes.len() - 1].at);
        let mut made = vec![self.builder.node(point(first - 0.5 * spacing), NodeKind::End)];
        for SeamNode { at, arrivals } in nodes {
            let node = self.builder.node(point(at), NodeKind::Seam);
            self.places.extend(arrivals.iter().map(|a| ((a.strand, a.ends), node)));
            made.push(node);
        }
        made.push(self.builder.node(point(last + 0.5 * spacing), NodeKind::End));
        Ok(made)
    }

    /// Lays all yarns: those of the panels, then one along each seam.
    fn finish(mut self, seams: &[Vec<usize>]) -> Result<Weave> {
        let continued: BTreeSet<usize> = self.joins.values().copied().collect();
        let firsts: Vec<usize> = (0..self.strands.len()).filter(|s| !continued.contains(s)).collect();
        for first in firsts {
            let nodes = self.chain(first);
            self.builder.yarn(self.strands[first].family, &nodes);
        }
        for seam in seams {
            let nodes = self.measured(&seam.iter().map(|n| (*n, Slot::U)).collect::<Vec<_>>());
            self.builder.yarn(Family::Seam, &nodes);
        }
        self.builder.finish("garment")
    }

    /// The nodes of a strand and of those that continue it. Pieces to a seam have the length that they have in space.
    fn chain(&self, first: usize) -> Vec<(usize, Slot, f64)> {
        let mut out: Vec<(usize, Slot, f64)> = Vec::new();
        let mut next = Some(first);
        while let Some(strand) = next {
            let own = &self.strands[strand].nodes;
            if out.is_empty()
                && let Some(node) = self.places.get(&(strand, false))
            {
                out.push((*node, Slot::V, 0.0));
            }
            let start = match out.last() {
                Some((node, _, s)) => s + self.distance(*node, own[0].0),
                None => own[0].2,
            };
            out.extend(own.iter().map(|(n, slot, s)| (*n, *slot, start + s - own[0].2)));
            if let (Some(node), Some((last, _, s))) = (self.places.get(&(strand, true)), out.last().copied()) {
                out.push((*node, Slot::V, s + self.distance(last, *node)));
            }
            next = self.joins.get(&strand).copied();
        }
        out
    }

    fn measured(&self, nodes: &[(usize, Slot)]) -> Vec<(usize, Slot, f64)> {
        let mut s = 0.0;
        let mut last = nodes[0].0;
        let place = |(node, slot): &(usize, Slot)| {
            s += self.distance(last, *node);
            last = *node;
            (*node, *slot, s)
        };
        nodes.iter().map(place).collect()
    }

    fn distance(&self, a: usize, b: usize) -> f64 {
        (self.builder.position(a) - self.builder.position(b)).norm()
    }
}

/// The last strand of the yarn that a strand is in.
fn last_of(joins: &BTreeMap<usize, usize>, mut strand: usize) -> usize {
    while let Some(next) = joins.get(&strand) {
        strand = *next;
    }
    strand
}
