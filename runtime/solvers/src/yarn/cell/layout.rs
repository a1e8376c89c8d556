//! Nodes and segments of one period.

use super::model::CellModel;
use yarnwise_shared::pattern::weave::Draft;

/// A segment between two neighboring crossings of a yarn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    /// Nodes; the second may be a copy in the next period.
    pub(super) ends: [usize; 2],
    /// 0 where it is of a warp, 1 of a weft.
    pub(super) slot: usize,
    /// From the first to the second node before any strain, m: along x of wefts, along y of warps.
    pub(super) spacing: f64,
    /// ℓ without sliding, m.
    pub(super) rest: f64,
    /// Whether the yarn changes sides.
    pub(super) interlaced: bool,
}

impl Piece {
    /// Index among pairs that have an entry for the wefts and one for the warps.
    pub(super) fn family(&self) -> usize {
        1 - self.slot
    }
}

/// A period: warp after warp, in each weft after weft. Segment `2 i + slot` leads ahead of node i.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Numbers of warps and wefts.
    warps: usize,
    wefts: usize,
    pub(super) pieces: Vec<Piece>,
    /// Segments around each node: u−, u+, v−, v+.
    pub(super) around: Vec<[usize; 4]>,
    /// Whether the warp is over the weft.
    pub(super) over: Vec<bool>,
}

impl Layout {
    pub(super) fn new(draft: &Draft, model: &CellModel) -> Self {
        let (warps, wefts) = (draft.warps(), draft.wefts());
        let node = |i: usize, j: usize| (i % warps) * wefts + j % wefts;
        let over: Vec<bool> = (0..warps * wefts).map(|n| draft.warp_over(n % wefts, n / wefts)).collect();
        let mut pieces = Vec::with_capacity(2 * over.len());
        let mut around = Vec::with_capacity(over.len());
        for i in 0..warps {
            for j in 0..wefts {
                for (slot, next) in [node(i, j + 1), node(i + 1, j)].into_iter().enumerate() {
                    let interlaced = over[node(i, j)] != over[next];
                    let family = 1 - slot;
                    let changes = interlaced || !model.crimped;
                    let spacing = model.spacing[family];
                    let rest = if changes { model.rest_length[family] } else { spacing };
                    pieces.push(Piece { ends: [node(i, j), next], slot, spacing, rest, interlaced });
                }
                let behind = [node(i, j + wefts - 1), node(i + warps - 1, j)];
                around.push([2 * behind[0], 2 * node(i, j), 2 * behind[1] + 1, 2 * node(i, j) + 1]);
            }
        }
        Layout { warps, wefts, pieces, around, over }
    }

    pub(super) fn nodes(&self) -> usize {
        self.over.len()
    }

    /// The nodes of each yarn of a family: 0 for wefts, 1 for warps.
    pub(super) fn yarns(&self, family: usize) -> Vec<Vec<usize>> {
        let (warps, wefts) = (self.warps, self.wefts);
        if family == 1 {
            return (0..warps).map(|i| (0..wefts).map(|j| i * wefts + j).collect()).collect();
        }
        (0..wefts).map(|j| (0..warps).map(|i| i * wefts + j).collect()).collect()
    }
}
