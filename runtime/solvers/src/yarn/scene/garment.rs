//! Garments of a scene: panels with outlines, and the seams between them.

use super::DraftSpec;
use crate::scene::check::listed;
use crate::yarn::material::YarnMaterial;
use crate::yarn::model::{Garment, Panel, PanelCrossing, PanelEdge, Placement, Seam, Weave};
use crate::{Error, Result};
use nalgebra::Vector3;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::Path;
use yarnwise_shared::words::count;

/// The most panels and the most seams of a garment.
const MAX_PARTS: usize = 1000;

/// Pieces of cloth and the seams between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GarmentSpec {
    /// Pieces of cloth.
    pub panels: Vec<PanelSpec>,
    /// What is sewn together.
    #[serde(default)]
    pub seams: Vec<SeamSpec>,
}

/// A flat piece of cloth: an outline filled with warps and wefts at the distance of the material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanelSpec {
    /// What messages, seams and pins call it.
    #[serde(default)]
    pub name: String,
    /// Corners of a polygon, in either sense, concave ones allowed: meters.
    pub outline: Vec<[f64; 2]>,
    /// Which yarn is on top at each crossing.
    #[serde(default)]
    pub draft: DraftSpec,
    /// By how much the warps are turned from the panel's second axis, counterclockwise, radians.
    #[serde(default)]
    pub warp_angle: f64,
    /// Where the panel is in space.
    #[serde(default)]
    pub placement: Placement,
}

/// Two edges that are sewn together; they must meet in space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeamSpec {
    /// One edge.
    pub a: EdgeSpec,
    /// The other one.
    pub b: EdgeSpec,
    /// Whether the start of one edge meets the end of the other; where none, the ends that are nearer in space meet.
    #[serde(default)]
    pub reversed: Option<bool>,
}

/// An edge of a panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeSpec {
    /// Which panel.
    pub panel: PanelId,
    /// Number of the edge's first vertex, from 0.
    pub edge: usize,
}

/// A panel, by what it is called or by its number from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum PanelId {
    /// From 0.
    Number(usize),
    /// What it is called.
    Name(String),
}

impl<'de> Deserialize<'de> for PanelId {
    // Derived, an untagged enum would say only that no variant fits.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = PanelId;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the number of a panel, from 0, or its name")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<PanelId, E> {
                Ok(PanelId::Number(usize::try_from(number).unwrap_or(usize::MAX)))
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<PanelId, E> {
                Ok(PanelId::Name(name.to_owned()))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl GarmentSpec {
    /// Crossings can hardly be more: those of the rectangles around the outlines, turned in any way.
    pub fn most_crossings(&self, spacing: f64) -> f64 {
        self.panels.iter().map(|p| 0.5 * (p.diagonal() / spacing).powi(2)).sum()
    }

    /// What is wrong, if anything; drafts in files are not read.
    pub(super) fn fault(&self, material: &YarnMaterial) -> Option<String> {
        if self.panels.is_empty() {
            return Some("no panel: give at least one".into());
        }
        let few = self.panels.len() <= MAX_PARTS && self.seams.len() <= MAX_PARTS;
        if !few {
            return Some(format!("more than {MAX_PARTS} panels or seams: use fewer"));
        }
        if let Some(fault) = self.name_fault().or_else(|| listed("panel", self.panels.iter().map(|p| p.draft.fault())))
        {
            return Some(fault);
        }
        let typed = |panel: &PanelSpec| Ok(panel.draft.typed().unwrap_or("plain").to_owned());
        // Panels first: what a seam says about an edge is of no use where the outline is wrong.
        let mut garment = match self.panels(typed) {
            Ok(panels) => Garment { panels, seams: Vec::new() },
            Err(problem) => return Some(problem),
        };
        garment.fault(material).or_else(|| match self.seams() {
            Ok(seams) => {
                garment.seams = seams;
                garment.fault(material)
            }
            Err(problem) => Some(problem),
        })
    }

    fn name_fault(&self) -> Option<String> {
        let names = || self.panels.iter().map(|p| p.name.as_str());
        let twice = |(k, name): (usize, &str)| !name.is_empty() && names().take(k).any(|other| other == name);
        let (k, name) = names().enumerate().find(|panel| twice(*panel))?;
        Some(format!("panel {k}: another panel is called '{name}' too: give each its own name"))
    }

    /// The garment with its drafts, which may be files in `folder`.
    pub(super) fn garment(&self, origin: &str, folder: &Path) -> Result<Garment> {
        let problem = |problem: String| Error::invalid(origin, format!("cloth: {problem}"));
        let panels = self.panels(|panel| panel.draft.text(folder).map_err(|e| e.to_string())).map_err(problem)?;
        Ok(Garment { panels, seams: self.seams().map_err(problem)? })
    }

    fn panels(&self, draft: impl Fn(&PanelSpec) -> Result<String, String>) -> Result<Vec<Panel>, String> {
        let panel = |(k, p): (usize, &PanelSpec)| {
            let draft = draft(p).map_err(|e| format!("panel {k}: {e}"))?;
            let PanelSpec { name, outline, warp_angle, placement, .. } = p.clone();
            Ok(Panel { name, outline, draft, warp_angle, placement })
        };
        self.panels.iter().enumerate().map(panel).collect()
    }

    fn seams(&self) -> Result<Vec<Seam>, String> {
        let seam = |(k, s): (usize, &SeamSpec)| {
            let edge = |edge: &EdgeSpec| self.edge(edge).map_err(|e| format!("seam {k} {e}"));
            Ok(Seam { a: edge(&s.a)?, b: edge(&s.b)?, reversed: s.reversed })
        };
        self.seams.iter().enumerate().map(seam).collect()
    }

    /// The edge that is meant, or that there is no such panel or edge.
    fn edge(&self, EdgeSpec { panel, edge }: &EdgeSpec) -> Result<PanelEdge, String> {
        let found = match panel {
            PanelId::Number(k) => (*k < self.panels.len()).then_some(*k),
            PanelId::Name(name) => self.panels.iter().position(|p| p.name == *name),
        };
        let Some(k) = found else {
            let names: Vec<&str> = self.panels.iter().map(|p| p.name.as_str()).filter(|n| !n.is_empty()).collect();
            let known = if names.is_empty() { String::new() } else { format!(", called {}", names.join(", ")) };
            let wanted = match panel {
                PanelId::Number(k) => k.to_string(),
                PanelId::Name(name) => format!("'{name}'"),
            };
            let panels = count(self.panels.len(), "panel", None);
            return Err(format!("names panel {wanted}, but the garment has {panels}{known}"));
        };
        let edges = self.panels[k].outline.len();
        if *edge < edges {
            return Ok(PanelEdge { panel: k, edge: *edge });
        }
        Err(format!("names edge {edge} of panel {k}, but there are only {edges}, counted from 0"))
    }
}

impl PanelSpec {
    /// Of the rectangle around the outline, meters.
    fn diagonal(&self) -> f64 {
        let side = |axis: usize| {
            let along = || self.outline.iter().map(|p| p[axis]);
            along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
        };
        side(0).hypot(side(1)).max(0.0)
    }
}

/// A garment that is woven: what pins may name.
#[derive(Debug)]
pub(super) struct WovenGarment {
    pub(super) spec: GarmentSpec,
    /// The crossings of each panel.
    pub(super) crossings: Vec<Vec<PanelCrossing>>,
    /// The nodes of each seam.
    pub(super) seams: Vec<Vec<usize>>,
}

/// Crossings along an edge: those that are farther from it than the nearest one by less than this, in spacings.
const ALONG: f64 = 0.75;

impl WovenGarment {
    /// The outermost crossings along an edge of a panel.
    pub(super) fn along(&self, weave: &Weave, edge: &EdgeSpec) -> Result<Vec<usize>, String> {
        let PanelEdge { panel, edge } = self.spec.edge(edge)?;
        let PanelSpec { outline, placement, .. } = &self.spec.panels[panel];
        let [a, b] = [edge, (edge + 1) % outline.len()].map(|vertex| placement.point(outline[vertex]));
        let distance = |c: &PanelCrossing| distance_to_segment(&weave.positions[c.node], &a, &b);
        let nearest = self.crossings[panel].iter().map(distance).fold(f64::INFINITY, f64::min);
        let near = |c: &&PanelCrossing| distance(c) < nearest + ALONG * weave.material.spacing;
        Ok(self.crossings[panel].iter().filter(near).map(|c| c.node).collect())
    }

    /// The nodes of a seam, without the free ends of its yarn.
    pub(super) fn seam(&self, k: usize) -> Result<Vec<usize>, String> {
        let nodes = self.seams.get(k);
        let nodes = nodes.ok_or_else(|| format!("names seam {k}, but there are only {}", self.seams.len()))?;
        Ok(nodes[1..nodes.len() - 1].to_vec())
    }
}

fn distance_to_segment(p: &Vector3<f64>, a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    let d = b - a;
    let t = ((p - a).dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
    (p - a - d * t).norm()
}
