//! Nodes and links.

/// One of the two yarns of a node: 0 has arc coordinate u, 1 has v. Warps are in slot 0 and wefts in slot 1, but on a seam
/// node, where the seam yarn is in slot 0 and the panels' yarns end in slot 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Slot 0.
    U,
    /// Slot 1.
    V,
}

impl Slot {
    /// Both.
    pub const BOTH: [Slot; 2] = [Slot::U, Slot::V];

    /// 0 or 1.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    /// Index of the link towards smaller arc coordinates.
    #[inline]
    pub fn minus(self) -> usize {
        2 * self.index()
    }

    /// Index of the link towards larger arc coordinates.
    #[inline]
    pub fn plus(self) -> usize {
        2 * self.index() + 1
    }
}

/// One of the four ways out of a node: u−, u+, v−, v+.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port(pub(super) u8);

impl Port {
    /// 0 to 3.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The yarn it belongs to.
    #[inline]
    pub fn slot(self) -> Slot {
        if self.0 < 2 { Slot::U } else { Slot::V }
    }
}

/// The neighbor behind a port, and its port that leads back; or nothing. A plus port always leads to a minus port: arc
/// coordinates ascend along a yarn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link(u32);

impl Link {
    /// No neighbor.
    pub const NONE: Link = Link(u32::MAX);
    /// The most nodes that links can tell apart.
    pub const MAX_NODES: usize = (u32::MAX >> 2) as usize;

    /// To `port` of `node`.
    pub fn to(node: usize, port: usize) -> Self {
        debug_assert!(node < Self::MAX_NODES && port < 4);
        Link((node as u32) << 2 | port as u32)
    }

    /// Node and port, where there is a neighbor.
    #[inline]
    pub fn get(self) -> Option<(usize, Port)> {
        (self != Link::NONE).then_some(((self.0 >> 2) as usize, Port((self.0 & 3) as u8)))
    }

    /// The node, where there is a neighbor.
    #[inline]
    pub fn node(self) -> Option<usize> {
        (self != Link::NONE).then_some((self.0 >> 2) as usize)
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A warp and a weft cross; both slide.
    Crossing {
        /// Whether the warp is over the weft, seen from where warp × weft points to.
        warp_over: bool,
    },
    /// Inside a loose stretch of one yarn.
    Plain,
    /// The end of a yarn.
    End,
    /// Where panel yarns end on a seam yarn.
    Seam,
    /// Nothing any more: the node has been removed.
    Gone,
}

impl NodeKind {
    /// Whether two yarns cross here.
    #[inline]
    pub fn is_crossing(self) -> bool {
        matches!(self, NodeKind::Crossing { .. })
    }

    /// Whether the warp is over, at crossings.
    #[inline]
    pub fn warp_over(self) -> Option<bool> {
        match self {
            NodeKind::Crossing { warp_over } => Some(warp_over),
            _ => None,
        }
    }
}

/// Whether the yarn changes sides between two nodes: both are crossings, and one is on the other side.
#[inline]
pub fn interlaced(a: NodeKind, b: NodeKind) -> bool {
    matches!((a.warp_over(), b.warp_over()), (Some(a), Some(b)) if a != b)
}
