//! Whether yarns pass through each other in a step.

use super::contacts::Contacts;
use super::place::Place;
use super::yarns::Yarns;
use nalgebra::Vector3;
use yarnwise_shared::pattern::passages::segments_pass;

/// Yarns nearer than this in radii may be about to pass through each other; a step moves both by less than half of it.
const CLOSE: f64 = 0.8;

/// Whether yarns pass through each other on the way of the contact points from the first places to the second ones (m).
pub(super) fn passes(yarns: &Yarns, place: &Place, contacts: &Contacts, [from, to]: [&[Vector3<f64>]; 2]) -> bool {
    let close2 = (CLOSE * yarns.radius).powi(2);
    contacts.pairs.iter().any(|pair| {
        let translation = place.translation(contacts.shifts[pair.image as usize]);
        pair.points.iter().any(|points| {
            let [a, b] = points.map(|i| i as usize);
            let near = |y: &[Vector3<f64>]| (y[a] - y[b] - translation).norm_squared() < close2;
            (near(to) || near(from)) && {
                let segment = |y: &[Vector3<f64>], i: usize, by: Vector3<f64>| {
                    let (start, end) = piece(yarns, y, i);
                    (start + by, end - start)
                };
                let both = |y: &[Vector3<f64>]| [segment(y, a, Vector3::zeros()), segment(y, b, translation)];
                segments_pass(both(from), both(to), yarns.radius)
            }
        })
    })
}

/// From a contact point to the next one on its yarn, or from the one before where it is the last one; nowhere for a point alone.
fn piece(yarns: &Yarns, y: &[Vector3<f64>], i: usize) -> (Vector3<f64>, Vector3<f64>) {
    // In the copy of a yarn spans may be missing: then the next point is not the next one on the yarn.
    let joined = |a: usize, b: usize| match (yarns.contact.get(a), yarns.contact.get(b)) {
        (Some(a), Some(b)) => a.curve == b.curve && b.span_of_all <= a.span_of_all + 1,
        _ => false,
    };
    match i {
        _ if joined(i, i + 1) => (y[i], y[i + 1]),
        1.. if joined(i - 1, i) => (y[i - 1], y[i]),
        _ => (y[i], y[i]),
    }
}
