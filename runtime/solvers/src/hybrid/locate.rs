//! The triangle that a point of the material plane is in.

use super::region::Class;
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::mesh::topology::{Adjacency, Islands};

/// A place in a triangle: its number and barycentric coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Which triangle.
    pub triangle: u32,
    /// Of its three corners; they sum to 1.
    pub beta: [f64; 3],
}

/// A point this far outside a triangle, as a part of its height, still counts as inside: what lies on an edge is in both triangles.
const ON_EDGE: f64 = 1e-6;

/// Triangles of the islands of a mesh in the material plane, found through buckets.
#[derive(Clone, Debug)]
pub(super) struct Locator {
    islands: Islands,
    /// Corners in the material plane, meters.
    corners: Vec<[[f64; 2]; 3]>,
    grids: Vec<Grid>,
}

/// Buckets of one island.
#[derive(Clone, Debug)]
struct Grid {
    low: [f64; 2],
    high: [f64; 2],
    cell: f64,
    counts: [usize; 2],
    buckets: Vec<Vec<u32>>,
}

impl Grid {
    fn bucket(&self, axis: usize, at: f64) -> usize {
        (((at - self.low[axis]) / self.cell).max(0.0) as usize).min(self.counts[axis] - 1)
    }

    fn at(&self, p: [f64; 2]) -> &[u32] {
        &self.buckets[self.bucket(0, p[0]) * self.counts[1] + self.bucket(1, p[1])]
    }
}

impl Locator {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let islands = Islands::new(&Adjacency::new(mesh.uv_faces()));
        let corner = |v: &u32| mesh.uvs()[*v as usize].map(f64::from);
        let corners: Vec<[[f64; 2]; 3]> =
            mesh.uv_faces().iter().map(|f| [corner(&f[0]), corner(&f[1]), corner(&f[2])]).collect();
        let grids = (0..islands.count()).map(|i| grid(&corners, islands.faces(i))).collect();
        Locator { islands, corners, grids }
    }

    pub(super) fn island_count(&self) -> usize {
        self.grids.len()
    }

    /// Smallest and largest coordinates of an island, meters.
    pub(super) fn bounds(&self, island: usize) -> [[f64; 2]; 2] {
        [self.grids[island].low, self.grids[island].high]
    }

    /// The island of a triangle.
    pub(super) fn island_of(&self, triangle: u32) -> usize {
        self.islands.of_faces()[triangle as usize] as usize
    }

    /// The triangle of an island that a point is in: of those that share the edge it is on the one of the first class, then of the
    /// lowest number.
    pub(super) fn find(&self, island: usize, p: [f64; 2], classes: &[Class]) -> Option<Place> {
        let candidates = self.grids[island].at(p).iter();
        let inside = candidates.filter_map(|t| {
            let beta = self.beta(*t, p);
            beta.iter().all(|b| *b >= -ON_EDGE).then_some(Place { triangle: *t, beta })
        });
        inside.min_by_key(|place| (classes[place.triangle as usize], place.triangle))
    }

    /// Barycentric coordinates of any point.
    pub(super) fn beta(&self, triangle: u32, p: [f64; 2]) -> [f64; 3] {
        let [a, b, c] = self.corners[triangle as usize];
        let cross =
            |o: [f64; 2], s: [f64; 2], t: [f64; 2]| (s[0] - o[0]) * (t[1] - o[1]) - (s[1] - o[1]) * (t[0] - o[0]);
        let whole = cross(a, b, c);
        let [first, second] = [cross(b, c, p) / whole, cross(c, a, p) / whole];
        [first, second, 1.0 - first - second]
    }
}

fn grid(corners: &[[[f64; 2]; 3]], faces: &[u32]) -> Grid {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for p in faces.iter().flat_map(|f| corners[*f as usize]) {
        for k in 0..2 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
    }
    let extent = [high[0] - low[0], high[1] - low[1]];
    let cell = (extent[0] * extent[1] / faces.len() as f64).sqrt().max(1e-3 * extent[0].max(extent[1])).max(1e-9);
    let counts = extent.map(|e| (e / cell) as usize + 1);
    let mut grid = Grid { low, high, cell, counts, buckets: vec![Vec::new(); counts[0] * counts[1]] };
    for f in faces {
        let c = &corners[*f as usize];
        let range = |k: usize| {
            let (least, most) =
                c.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| (a.min(p[k]), b.max(p[k])));
            let margin = ON_EDGE * (most - least).max(cell);
            grid.bucket(k, least - margin)..=grid.bucket(k, most + margin)
        };
        let (columns, rows) = (range(0), range(1));
        for i in columns {
            for j in rows.clone() {
                grid.buckets[i * counts[1] + j].push(*f);
            }
        }
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_shared::mesh::MeshData;

    #[test]
    fn points_are_found_in_their_triangle_and_edges_belong_to_the_first_class() {
        let data = MeshData {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
            uvs: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
            faces: vec![[0, 1, 2], [0, 2, 3]],
            uv_faces: vec![[0, 1, 2], [0, 2, 3]],
        };
        let locator = Locator::new(&Mesh::new(data).unwrap());
        let find = |p, classes: &[Class]| locator.find(0, p, classes);
        let classes = [Class::Triangles, Class::Hybrid];
        let place = find([0.75, 0.25], &classes).unwrap();
        assert_eq!(place.triangle, 0);
        for (b, expected) in place.beta.iter().zip([0.25, 0.5, 0.25]) {
            assert!((b - expected).abs() < 1e-12);
        }
        assert_eq!(find([0.5, 0.5], &classes).unwrap().triangle, 1);
        assert_eq!(find([0.5, 0.5], &[Class::Hybrid; 2]).unwrap().triangle, 0);
        assert_eq!(find([1.1, 0.5], &classes), None);
    }
}
