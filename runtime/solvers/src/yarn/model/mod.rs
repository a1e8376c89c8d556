//! Nodes, yarns and the links between them.

mod build;
mod check;
mod lattice;
mod layout;
mod node;
mod outline;
mod panel;
mod seam;
mod sheet;

pub use build::WeaveBuilder;
pub use lattice::{LatticePlace, places};
pub use layout::{Garment, GarmentLayout};
pub use node::{Link, NodeKind, Port, Slot, interlaced};
pub use panel::{Panel, PanelCrossing, Placement};
pub use seam::{PanelEdge, Seam};
pub use sheet::Sheet;

use super::material::YarnMaterial;
use nalgebra::Vector3;

/// Woven yarns in their start position: nodes, links, and where each yarn begins.
#[derive(Clone, Debug)]
pub struct Weave {
    /// What all yarns are made of.
    pub material: YarnMaterial,
    /// Where the nodes start, meters.
    pub positions: Vec<Vector3<f64>>,
    /// Arc coordinates of the two yarns at each node at the start, meters.
    pub arcs: Vec<[f64; 2]>,
    /// The neighbors of each node along its yarns: `[u−, u+, v−, v+]`.
    pub links: Vec<[Link; 4]>,
    /// What each node is.
    pub kinds: Vec<NodeKind>,
    /// The yarn in each slot of a node, or [`Weave::NO_YARN`].
    pub yarns_of: Vec<[u32; 2]>,
    /// The yarns.
    pub yarns: Vec<Yarn>,
}

/// A yarn: where it begins; links lead on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yarn {
    /// First node.
    pub first: u32,
    /// The yarn's slot there.
    pub slot: Slot,
    /// What it is in the cloth.
    pub family: Family,
}

/// What a yarn is in the cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Along the loom, arc coordinate u.
    Warp,
    /// Across, arc coordinate v.
    Weft,
    /// Along a seam.
    Seam,
}

impl Weave {
    /// In place of a yarn where a slot is empty.
    pub const NO_YARN: u32 = u32::MAX;

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.positions.len()
    }

    /// The nodes of a yarn in order, with the slot that it has there.
    pub fn along(&self, yarn: usize) -> impl Iterator<Item = (usize, Slot)> + '_ {
        let Yarn { first, slot, .. } = self.yarns[yarn];
        along(&self.links, first as usize, slot)
    }

    /// Length of a yarn at rest, meters.
    pub fn length(&self, yarn: usize) -> f64 {
        let mut nodes = self.along(yarn);
        let first = nodes.next().map_or(0.0, |(n, slot)| self.arcs[n][slot.index()]);
        nodes.last().map_or(0.0, |(n, slot)| self.arcs[n][slot.index()] - first)
    }
}

/// Follows a yarn through its links.
pub(super) fn along(links: &[[Link; 4]], first: usize, slot: Slot) -> impl Iterator<Item = (usize, Slot)> + '_ {
    std::iter::successors(Some((first, slot)), |(node, slot)| {
        links[*node][slot.plus()].get().map(|(next, port)| (next, port.slot()))
    })
}
