//! Degrees of freedom that are prescribed.

use nalgebra::{Matrix3, Vector3};

/// How one point is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Orthonormal axes, as columns.
    pub axes: Matrix3<f64>,
    /// Along which of them the point is held.
    pub held: [bool; 3],
}

impl Hold {
    /// Held in place.
    pub fn fixed() -> Self {
        Hold { axes: Matrix3::identity(), held: [true; 3] }
    }

    /// Held along some of the coordinate axes.
    pub fn along_axes(held: [bool; 3]) -> Self {
        Hold { axes: Matrix3::identity(), held }
    }

    /// Held along `direction` only, which must not be zero.
    pub fn along(direction: &Vector3<f64>) -> Self {
        Hold { axes: frame(direction), held: [true, false, false] }
    }

    /// Free to move along `direction` only, which must not be zero.
    pub fn guided(direction: &Vector3<f64>) -> Self {
        Hold { axes: frame(direction), held: [false, true, true] }
    }
}

/// Orthonormal axes whose first is along `direction`.
fn frame(direction: &Vector3<f64>) -> Matrix3<f64> {
    let first = direction.normalize();
    let second = yarnwise_shared::pattern::transport::orthonormalized(&least_aligned(&first), &first);
    Matrix3::from_columns(&[first, second, first.cross(&second)])
}

fn least_aligned(v: &Vector3<f64>) -> Vector3<f64> {
    let mut axis = Vector3::zeros();
    axis[v.iamin()] = 1.0;
    axis
}

/// What holds the points of a problem, one hold at most a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Holds {
    holds: Vec<(usize, Hold)>,
}

impl Holds {
    /// Adds a hold of `point`, in place of one that it has.
    pub fn set(&mut self, point: usize, hold: Hold) {
        match self.holds.binary_search_by_key(&point, |h| h.0) {
            Ok(at) => self.holds[at].1 = hold,
            Err(at) => self.holds.insert(at, (point, hold)),
        }
    }

    /// The hold of `point`, if it has one.
    pub fn get(&self, point: usize) -> Option<&Hold> {
        self.holds.binary_search_by_key(&point, |h| h.0).ok().map(|at| &self.holds[at].1)
    }

    /// All holds, by point.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Hold)> {
        self.holds.iter().map(|(point, hold)| (*point, hold))
    }

    /// Removes from a vector over the points what is along held directions: what is left is free to move.
    pub fn project(&self, v: &mut [Vector3<f64>]) {
        for (point, hold) in self.iter() {
            for (k, axis) in hold.axes.column_iter().enumerate() {
                if hold.held[k] {
                    let along = axis.dot(&v[point]);
                    v[point] -= axis * along;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_directions_are_removed_and_others_stay() {
        let mut holds = Holds::default();
        holds.set(2, Hold::along(&Vector3::new(1.0, 1.0, 0.0)));
        holds.set(0, Hold::fixed());
        holds.set(1, Hold::guided(&Vector3::new(0.0, 0.0, 2.0)));
        let mut v = vec![Vector3::new(1.0, 2.0, 3.0); 4];
        holds.project(&mut v);
        let expected = [[0.0, 0.0, 0.0], [0.0, 0.0, 3.0], [-0.5, 0.5, 3.0], [1.0, 2.0, 3.0]];
        for (v, e) in v.iter().zip(expected) {
            assert!((v - Vector3::from(e)).norm() < 1e-15, "{v}");
        }
        holds.set(2, Hold::along_axes([false, false, true]));
        assert_eq!(holds.get(2).map(|h| h.held), Some([false, false, true]));
        assert!(holds.get(3).is_none());
    }
}
