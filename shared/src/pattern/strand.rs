//! Yarns in the endless fabric: which copies of which vertices are one and the same strand, and how far apart they are
//! along it.
//!
//! A pattern stands for all its copies shifted by whole periods. Following a yarn once around ends at the copy of its
//! first vertex that is the yarn's shift away, so that one endless *strand* runs through many copies of the cell.

use super::Pattern;

/// Where an edge lies on its strand.
#[derive(Clone, Copy, Debug)]
struct Station {
    yarn: usize,
    /// The cell that the strand through the yarn's first vertex of cell (0, 0) has reached here.
    cell: [i64; 2],
    /// Length along the yarn from its first vertex to the beginning of the edge, meters.
    arc: f64,
}

/// The strands of a pattern.
pub(super) struct Strands<'a> {
    pattern: &'a Pattern,
    stations: Vec<Station>,
    /// Length of each edge, meters.
    lengths: Vec<f64>,
    /// Length of each yarn once around, meters.
    totals: Vec<f64>,
}

impl<'a> Strands<'a> {
    pub(super) fn new(pattern: &'a Pattern) -> Self {
        let n = pattern.vertices().len();
        let lengths: Vec<f64> = (0..n).map(|i| super::validate::norm(pattern.edge_vector(i))).collect();
        let mut stations = vec![Station { yarn: 0, cell: [0, 0], arc: 0.0 }; n];
        let mut totals = Vec::with_capacity(pattern.yarns().len());
        for (yarn, y) in pattern.yarns().iter().enumerate() {
            let mut at = Station { yarn, cell: [0, 0], arc: 0.0 };
            for i in y.vertices.iter().map(|i| *i as usize) {
                stations[i] = at;
                let shift = pattern.vertices()[i].edge.shift;
                at.cell = [at.cell[0] + i64::from(shift[0]), at.cell[1] + i64::from(shift[1])];
                at.arc += lengths[i];
            }
            totals.push(at.arc);
        }
        Strands { pattern, stations, lengths, totals }
    }

    /// The yarn an edge belongs to.
    pub(super) fn yarn(&self, edge: usize) -> usize {
        self.stations[edge].yarn
    }

    /// How many cells the strand through the copy of edge `b` that lies `shift` periods away is from the strand through
    /// edge `a`, both followed back to the first vertices of their yarns.
    ///
    /// Another copy of the same strand differs by a multiple of the yarn's shift.
    pub(super) fn offset(&self, a: usize, b: usize, shift: [i32; 2]) -> [i64; 2] {
        let (a, b) = (self.stations[a].cell, self.stations[b].cell);
        [i64::from(shift[0]) - b[0] + a[0], i64::from(shift[1]) - b[1] + a[1]]
    }

    /// The length of yarn between edge `a` and the copy of edge `b` that lies `shift` periods away, from end to
    /// beginning, meters: 0 for neighbors. `None` when they are not on the same strand.
    pub(super) fn gap(&self, a: usize, b: usize, shift: [i32; 2]) -> Option<f64> {
        if self.yarn(a) != self.yarn(b) {
            return None;
        }
        let yarn = self.yarn(a);
        let total = self.totals[yarn];
        let rounds = rounds(self.offset(a, b, shift), self.pattern.yarns()[yarn].shift)?;
        let (begin_a, begin_b) = (self.stations[a].arc, self.stations[b].arc);
        let gap = |rounds: f64| {
            let from = begin_b + rounds * total;
            (from - begin_a - self.lengths[a]).max(begin_a - from - self.lengths[b]).max(0.0)
        };
        Some(match rounds {
            Rounds::Exactly(k) => gap(k as f64),
            // A ring: its ends meet, so both ways around count.
            Rounds::Any => gap(0.0).min(gap(1.0)).min(gap(-1.0)),
        })
    }
}

enum Rounds {
    Exactly(i64),
    Any,
}

/// How often the yarn must be followed around to move by `offset` cells.
fn rounds(offset: [i64; 2], shift: [i32; 2]) -> Option<Rounds> {
    let shift = shift.map(i64::from);
    if shift == [0, 0] {
        return (offset == [0, 0]).then_some(Rounds::Any);
    }
    let axis = usize::from(shift[0] == 0);
    let k = offset[axis] / shift[axis];
    (offset == [k * shift[0], k * shift[1]]).then_some(Rounds::Exactly(k))
}
