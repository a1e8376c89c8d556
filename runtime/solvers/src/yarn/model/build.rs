//! Weaves from yarns that are laid one by one.

use super::{Family, Link, NodeKind, Slot, Weave, Yarn, interlaced};
use crate::yarn::material::YarnMaterial;
use crate::{Error, Result};
use nalgebra::Vector3;

/// A weave in the making: nodes first, then yarns through them.
#[derive(Clone, Debug)]
pub struct WeaveBuilder {
    weave: Weave,
}

impl WeaveBuilder {
    /// Nothing yet.
    pub fn new(material: YarnMaterial) -> Self {
        WeaveBuilder {
            weave: Weave {
                material,
                positions: Vec::new(),
                arcs: Vec::new(),
                links: Vec::new(),
                kinds: Vec::new(),
                yarns_of: Vec::new(),
                yarns: Vec::new(),
            },
        }
    }

    /// Adds a node at a position, meters.
    pub fn node(&mut self, position: Vector3<f64>, kind: NodeKind) -> usize {
        let w = &mut self.weave;
        w.positions.push(position);
        w.arcs.push([0.0; 2]);
        w.links.push([Link::NONE; 4]);
        w.kinds.push(kind);
        w.yarns_of.push([Weave::NO_YARN; 2]);
        w.positions.len() - 1
    }

    /// Where a node is, meters.
    pub fn position(&self, node: usize) -> Vector3<f64> {
        self.weave.positions[node]
    }

    /// Lays a yarn through nodes: node, slot, and arc coordinate of flat yarn in meters. With crimp there is more of it where the yarn
    /// changes sides.
    pub fn yarn(&mut self, family: Family, nodes: &[(usize, Slot, f64)]) -> usize {
        let w = &mut self.weave;
        let yarn = w.yarns.len();
        let Some((first, slot, _)) = nodes.first().copied() else { return yarn };
        w.yarns.push(Yarn { first: first as u32, slot, family });
        let crimp = crimp_of(&w.material, family);
        let mut more = 0.0;
        for (k, (node, slot, arc)) in nodes.iter().enumerate() {
            if let (Some(crimp), Some((last, _, before))) = (crimp, k.checked_sub(1).map(|k| nodes[k]))
                && interlaced(w.kinds[last], w.kinds[*node])
            {
                more += (crimp - 1.0) * (arc - before);
            }
            w.arcs[*node][slot.index()] = arc + more;
            w.yarns_of[*node][slot.index()] = yarn as u32;
        }
        for pair in nodes.windows(2) {
            let [(a, slot_a, _), (b, slot_b, _)] = [pair[0], pair[1]];
            w.links[a][slot_a.plus()] = Link::to(b, slot_b.minus());
            w.links[b][slot_b.minus()] = Link::to(a, slot_a.plus());
        }
        yarn
    }

    /// The weave as it is, for cloth that may have no yarns at all.
    pub(crate) fn into_unfinished(self) -> Weave {
        self.weave
    }

    /// The weave, once it is sound.
    pub fn finish(mut self, origin: &str) -> Result<Weave> {
        self.weave.shrink();
        match self.weave.fault() {
            None => Ok(self.weave),
            Some(problem) => Err(Error::invalid(origin, problem)),
        }
    }
}

/// Rest length over spacing where a yarn changes sides, with crimp.
fn crimp_of(material: &YarnMaterial, family: Family) -> Option<f64> {
    let [weft, warp] = material.crimp?.rest_length;
    let rest = match family {
        Family::Weft => weft,
        Family::Warp => warp,
        Family::Seam => return None,
    };
    Some(rest / material.spacing)
}

/// The most nodes.
const MAX_NODES: usize = 20_000_000;

impl Weave {
    /// Gives back memory that was reserved for more nodes.
    fn shrink(&mut self) {
        self.positions.shrink_to_fit();
        self.arcs.shrink_to_fit();
        self.links.shrink_to_fit();
        self.kinds.shrink_to_fit();
        self.yarns_of.shrink_to_fit();
        self.yarns.shrink_to_fit();
    }

    /// The first thing that makes no sense, and why.
    pub fn fault(&self) -> Option<String> {
        if self.yarns.is_empty() {
            return Some("no yarn: the outline is smaller than the distance of yarns, or empty".into());
        }
        if self.node_count() > MAX_NODES {
            return Some(format!(
                "{} nodes, at most {MAX_NODES} are possible: use a larger spacing",
                self.node_count()
            ));
        }
        if let Some(node) = self.positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Some(format!("node {node} has a position that is not finite"));
        }
        // Stiffness grows as 1/ℓ: a layout with shorter pieces would not step.
        let least = 0.3 * self.material.spacing * (1.0 - 1e-9);
        (0..self.yarns.len()).find_map(|yarn| {
            let nodes: Vec<_> = self.along(yarn).collect();
            if nodes.len() < 2 {
                return Some(format!("yarn {yarn} has a single node"));
            }
            nodes.windows(2).find_map(|pair| {
                let [(a, slot_a), (b, slot_b)] = [pair[0], pair[1]];
                let rest = self.arcs[b][slot_b.index()] - self.arcs[a][slot_a.index()];
                let fine = rest >= least;
                (!fine).then(|| {
                    format!(
                        "yarn {yarn}: {rest:.3e} m of yarn between nodes {a} and {b}, at least 0.3 of the spacing ({least:.3e} m) is \
                         needed"
                    )
                })
            })
        })
    }
}
