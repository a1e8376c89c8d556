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
    /// Where the points were when the list was made, m, and the lattice.
    pub(super) at: Vec<Vector3<f64>>,
    pub(super) lattice: Option<[Vector3<f64>; 2]>,
    pub(super) margin: f64,
}

impl Contacts {
    /// Whether the list still holds after steps of at most `step` (m) from points at `y` (m).
    pub fn holds_for(&self, place: &Place, y: &[Vector3<f64>], step: f64) -> bool {
        let room = 0.5 * self.margin - step;
        let near = |(a, b): (&Vector3<f64>, &Vector3<f64>)| (a - b).norm_squared() <= room * room;
        room > 0.0 && self.lattice == place.lattice && self.at.len() == y.len() && self.at.iter().zip(y).all(near)
    }

    /// Number of pairs of points on the list.
    pub fn pair_count(&self) -> usize {
        self.pairs.iter().map(|p| p.points.len()).sum()
    }
}
