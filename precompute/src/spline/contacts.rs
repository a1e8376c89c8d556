//! Which contact points may touch: the list; `search` makes it.

use super::place::Place;
use nalgebra::Vector3;

/// Points of the cell and of one of its copies that may touch, all of the same two spans.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SpanPair {
    /// The copy that the second point is in, an index into [`Contacts::shifts`].
    pub(crate) image: u32,
    /// Pairs of contact points.
    pub(crate) points: Vec<[u32; 2]>,
}

/// A list of what may touch. It holds while no point has moved by half of its margin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    pub(crate) pairs: Vec<SpanPair>,
    pub(crate) shifts: Vec<[i32; 2]>,
    /// Which pairs of spans have room in the stiffness matrix; all of them where it is empty.
    pub(super) coupled: Vec<bool>,
    /// Where the points were when the list was made, m, and the lattice.
    pub(super) at: Vec<Vector3<f64>>,
    pub(super) lattice: Option<[Vector3<f64>; 2]>,
    pub(super) margin: f64,
}

/// Spans that come as near as this, in radii beyond a diameter, have room in the stiffness matrix: with less room the matrix has
/// to be laid out anew more often, with more its factor is larger.
const COUPLED: f64 = 0.2;

impl Contacts {
    /// Whether the list still holds after steps of at most `step` (m) from points at `y` (m).
    pub fn holds_for(&self, place: &Place, y: &[Vector3<f64>], step: f64) -> bool {
        let room = 0.5 * self.margin - step;
        let near = |(a, b): (&Vector3<f64>, &Vector3<f64>)| (a - b).norm_squared() <= room * room;
        room > 0.0 && self.lattice == place.lattice && self.at.len() == y.len() && self.at.iter().zip(y).all(near)
    }

    /// Makes room in the stiffness matrix for spans of yarns of this radius (m) that touch with the contact points at `y` (m), and for
    /// those about to. Nothing changes while all that touch have room; whether it did.
    pub(crate) fn couple(&mut self, radius: f64, place: &Place, y: &[Vector3<f64>]) -> bool {
        let within = |pair: &SpanPair, reach: f64| {
            let translation = place.translation(self.shifts[pair.image as usize]);
            let near =
                |p: &[u32; 2]| (y[p[0] as usize] - y[p[1] as usize] - translation).norm_squared() < reach * reach;
            pair.points.iter().any(near)
        };
        let diameter = 2.0 * radius;
        let has_room = |(pair, room): (&SpanPair, &bool)| *room || !within(pair, diameter);
        if self.coupled.len() == self.pairs.len() && self.pairs.iter().zip(&self.coupled).all(has_room) {
            return false;
        }
        self.coupled = self.pairs.iter().map(|pair| within(pair, diameter + COUPLED * radius)).collect();
        true
    }

    /// The pairs of spans that have room in the stiffness matrix.
    pub(super) fn coupled(&self) -> impl Iterator<Item = &SpanPair> {
        let room = self.coupled.iter().copied().chain(std::iter::repeat(true));
        self.pairs.iter().zip(room).filter(|(_, room)| *room).map(|(pair, _)| pair)
    }

    /// Number of pairs of points on the list.
    pub fn pair_count(&self) -> usize {
        self.pairs.iter().map(|p| p.points.len()).sum()
    }
}
