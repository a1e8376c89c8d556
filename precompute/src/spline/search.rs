//! A search for contact points that may touch, in a grid of cubes over the points and their periodic copies.

use super::contact;
use super::contacts::{Contacts, SpanPair};
use super::place::Place;
use super::yarns::Yarns;
use nalgebra::Vector3;
use std::collections::HashMap;

/// More copies than this on one side of a cell are never in reach.
const MAX_COPIES: f64 = 16.0;

impl Contacts {
    /// All pairs nearer than a diameter plus `margin` (m), where the contact points are at `y` (m).
    pub fn find(yarns: &Yarns, place: &Place, y: Vec<Vector3<f64>>, margin: f64) -> Self {
        let reach = 2.0 * yarns.radius + margin;
        let grid = Cubes::new(&y, reach);
        let mut out = Contacts { margin, lattice: place.lattice, ..Contacts::default() };
        let mut found: Vec<(usize, usize, u32, [u32; 2])> = Vec::new();
        for shift in half_of(copies_in_reach(place, &y, reach)) {
            let translation = place.translation(shift);
            let image = out.shifts.len() as u32;
            let before = found.len();
            for (b, point) in y.iter().enumerate() {
                let copy = point + translation;
                grid.for_each_near(&copy, |a| {
                    let twice = shift == [0, 0] && a >= b;
                    if twice || (y[a] - copy).norm_squared() >= reach * reach || yarns.are_neighbors(a, b, shift) {
                        return;
                    }
                    let span = |i: usize| yarns.contact[i].span_of_all;
                    found.push((span(a), span(b), image, [a as u32, b as u32]));
                });
            }
            if found.len() > before {
                out.shifts.push(shift);
            }
        }
        // The order of the search depends on a hash; this one does not.
        found.sort_unstable_by_key(|(a, b, image, points)| (*image, *a, *b, *points));
        for group in found.chunk_by(|x, y| (x.0, x.1, x.2) == (y.0, y.1, y.2)) {
            out.pairs.push(SpanPair { image: group[0].2, points: group.iter().map(|g| g.3).collect() });
        }
        out.at = y;
        out
    }

    /// Calls `each` for all pairs that touch, the contact points being at `y` (m), in a fixed order: their numbers, the copy that the
    /// second one is in, the offset from the second to the first (m), and the force that pushes the first one away (N).
    pub fn for_each(
        &self,
        yarns: &Yarns,
        place: &Place,
        y: &[Vector3<f64>],
        mut each: impl FnMut([u32; 2], [i32; 2], Vector3<f64>, Vector3<f64>),
    ) {
        let inverse = yarns.inverse_diameter2();
        for pair in &self.pairs {
            let shift = self.shifts[pair.image as usize];
            let translation = place.translation(shift);
            for points in &pair.points {
                let offset = y[points[0] as usize] - y[points[1] as usize] - translation;
                if offset.norm_squared() * inverse < 1.0 {
                    let factor = yarns.pair_factor(*points, &yarns.stiffness);
                    each(*points, shift, offset, -contact::gradient(factor, inverse, &offset));
                }
            }
        }
    }
}

/// Points by the cube that they lie in.
struct Cubes {
    inverse_size: f64,
    cubes: HashMap<[i64; 3], Vec<usize>>,
}

impl Cubes {
    fn new(points: &[Vector3<f64>], size: f64) -> Self {
        let mut out = Cubes { inverse_size: 1.0 / size, cubes: HashMap::new() };
        for (i, p) in points.iter().enumerate() {
            out.cubes.entry(out.cube(p)).or_default().push(i);
        }
        out
    }

    fn cube(&self, p: &Vector3<f64>) -> [i64; 3] {
        [0, 1, 2].map(|k| (p[k] * self.inverse_size).floor() as i64)
    }

    /// Calls `each` with the points in the cubes around `p`.
    fn for_each_near(&self, p: &Vector3<f64>, mut each: impl FnMut(usize)) {
        let [x, y, z] = self.cube(p);
        for i in -1..=1 {
            for j in -1..=1 {
                for k in -1..=1 {
                    let cube = [x.saturating_add(i), y.saturating_add(j), z.saturating_add(k)];
                    self.cubes.get(&cube).into_iter().flatten().for_each(|a| each(*a));
                }
            }
        }
    }
}

/// How many copies on each side, along both lattice vectors, can reach the cell.
fn copies_in_reach(place: &Place, y: &[Vector3<f64>], reach: f64) -> [i32; 2] {
    let Some([a, b]) = place.lattice else { return [0, 0] };
    let infinite = Vector3::repeat(f64::INFINITY);
    let (low, high) = y.iter().fold((infinite, -infinite), |(low, high), p| (low.inf(p), high.sup(p)));
    let extent = (high - low).norm() + reach;
    let area = a.cross(&b).norm();
    // The distance of two rows of copies is the area over the other vector.
    [b.norm(), a.norm()].map(|other| (extent * other / area).min(MAX_COPIES).ceil() as i32)
}

/// One of each pair of opposite shifts, and no shift.
fn half_of([nx, ny]: [i32; 2]) -> impl Iterator<Item = [i32; 2]> {
    (0..=nx).flat_map(move |x| (-ny..=ny).map(move |y| [x, y])).filter(|[x, y]| *x > 0 || *y >= 0)
}
