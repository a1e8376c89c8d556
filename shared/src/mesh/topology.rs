//! Who borders on whom: half-edges, UV islands, seams.
//!
//! Half-edge `3 f + k` is the side of face `f` that runs from corner `k` to the next corner. The faces of the world
//! and of the UV plane have the same half-edges, but different neighbors: at a seam two faces share an edge in the
//! world and none in the UV plane.

use super::Mesh;

/// A half-edge: three times its face plus its corner.
pub type HalfEdge = u32;

/// The half-edge of a corner of a face.
pub fn half_edge(face: usize, corner: usize) -> HalfEdge {
    (3 * face + corner) as HalfEdge
}

/// The face that a half-edge belongs to.
pub fn face_of(half_edge: HalfEdge) -> usize {
    half_edge as usize / 3
}

/// The corner of its face that a half-edge begins at.
pub fn corner_of(half_edge: HalfEdge) -> usize {
    half_edge as usize % 3
}

const NONE: u32 = u32::MAX;

/// An edge that more than two faces share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonManifoldEdge {
    /// Its ends.
    pub vertices: [u32; 2],
    /// Its half-edges, ascending; at least three.
    pub half_edges: Vec<HalfEdge>,
}

/// The neighbors across the edges of a list of faces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjacency {
    twins: Vec<HalfEdge>,
    non_manifold: Vec<NonManifoldEdge>,
    discordant: Vec<[HalfEdge; 2]>,
}

impl Adjacency {
    /// Finds the neighbors. `faces` may be any indices; nothing is assumed about them.
    pub fn new(faces: &[[u32; 3]]) -> Self {
        let mut edges = Vec::with_capacity(3 * faces.len());
        for (f, face) in faces.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (face[k], face[(k + 1) % 3]);
                // A face that names a vertex twice has a side without length; it borders on nothing.
                if a != b {
                    edges.push((a.min(b), a.max(b), half_edge(f, k)));
                }
            }
        }
        edges.sort_unstable();
        let mut out =
            Adjacency { twins: vec![NONE; 3 * faces.len()], non_manifold: Vec::new(), discordant: Vec::new() };
        for edge in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            match *edge {
                [_] => {}
                [(_, _, g), (_, _, h)] => out.join(faces, g, h),
                _ => out.non_manifold.push(NonManifoldEdge {
                    vertices: [edge[0].0, edge[0].1],
                    half_edges: edge.iter().map(|e| e.2).collect(),
                }),
            }
        }
        out.discordant.sort_unstable();
        out
    }

    fn join(&mut self, faces: &[[u32; 3]], g: HalfEdge, h: HalfEdge) {
        self.twins[g as usize] = h;
        self.twins[h as usize] = g;
        if faces[face_of(g)][corner_of(g)] == faces[face_of(h)][corner_of(h)] {
            self.discordant.push([g, h]);
        }
    }

    /// The half-edge on the other side of the edge. `None` at a border, and where more than two faces meet.
    pub fn twin(&self, half_edge: HalfEdge) -> Option<HalfEdge> {
        Some(self.twins[half_edge as usize]).filter(|t| *t != NONE)
    }

    /// The face on the other side of an edge of a face; `None` as for [`Adjacency::twin`].
    pub fn neighbor(&self, face: usize, corner: usize) -> Option<usize> {
        self.twin(half_edge(face, corner)).map(face_of)
    }

    /// The edges that more than two faces share.
    pub fn non_manifold(&self) -> &[NonManifoldEdge] {
        &self.non_manifold
    }

    /// The edges that both faces run along in the same direction: one of the two is turned over.
    pub fn discordant(&self) -> &[[HalfEdge; 2]] {
        &self.discordant
    }
}

/// Parts of the UV plane that are connected across edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Islands {
    island_of_face: Vec<u32>,
    faces: Vec<u32>,
    ends: Vec<u32>,
}

impl Islands {
    /// The islands of a mesh. Faces are connected where they share an edge in the UV plane, also one of three or more
    /// faces; a common corner is not enough. Islands are in the order of their first faces.
    pub fn new(uv_adjacency: &Adjacency) -> Self {
        let n = uv_adjacency.twins.len() / 3;
        let mut parent: Vec<u32> = (0..n as u32).collect();
        for h in 0..uv_adjacency.twins.len() as u32 {
            if let Some(t) = uv_adjacency.twin(h) {
                unite(&mut parent, face_of(h) as u32, face_of(t) as u32);
            }
        }
        for edge in &uv_adjacency.non_manifold {
            for pair in edge.half_edges.windows(2) {
                unite(&mut parent, face_of(pair[0]) as u32, face_of(pair[1]) as u32);
            }
        }
        let mut count = 0;
        let mut island_of_face = vec![0; n];
        for face in 0..n {
            let root = find(&mut parent, face as u32) as usize;
            // The root is the lowest face of its island, so it already has its number.
            island_of_face[face] = if root == face {
                count += 1;
                count - 1
            } else {
                island_of_face[root]
            };
        }
        Islands::by_number(island_of_face, count as usize)
    }

    fn by_number(island_of_face: Vec<u32>, count: usize) -> Self {
        let mut starts = vec![0u32; count + 1];
        island_of_face.iter().for_each(|i| starts[*i as usize + 1] += 1);
        (0..count).for_each(|i| starts[i + 1] += starts[i]);
        let mut faces = vec![0; island_of_face.len()];
        for (face, island) in island_of_face.iter().enumerate() {
            let slot = &mut starts[*island as usize];
            faces[*slot as usize] = face as u32;
            *slot += 1;
        }
        // Each start has moved on to the end of its island.
        starts.truncate(count);
        Islands { island_of_face, faces, ends: starts }
    }

    /// Number of islands.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// For each face the island it belongs to.
    pub fn of_faces(&self) -> &[u32] {
        &self.island_of_face
    }

    /// The faces of an island, ascending.
    pub fn faces(&self, island: usize) -> &[u32] {
        let start = if island == 0 { 0 } else { self.ends[island - 1] };
        &self.faces[start as usize..self.ends[island] as usize]
    }
}

/// The lowest member of the set, which stands for it.
fn find(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}

fn unite(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}

/// Two sides of faces that are one edge in the world and two in the UV plane: a seam, sewn in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seam {
    /// The two half-edges, the lower first.
    pub half_edges: [HalfEdge; 2],
}

/// Neighbors in the world and in the UV plane, islands and seams of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Neighbors in the world.
    pub world: Adjacency,
    /// Neighbors in the UV plane.
    pub uv: Adjacency,
    /// The islands of the UV plane.
    pub islands: Islands,
    /// The seams that are closed in the world, ascending.
    pub seams: Vec<Seam>,
}

impl Topology {
    /// The topology of `mesh`, whatever its faults.
    pub fn new(mesh: &Mesh) -> Self {
        let world = Adjacency::new(mesh.faces());
        let uv = Adjacency::new(mesh.uv_faces());
        let islands = Islands::new(&uv);
        let seams = seams(mesh, &world);
        Topology { world, uv, islands, seams }
    }
}

fn seams(mesh: &Mesh, world: &Adjacency) -> Vec<Seam> {
    let ends = |h: HalfEdge| {
        let (face, k) = (face_of(h), corner_of(h));
        let at = |corner: usize| (mesh.faces()[face][corner], mesh.uv_faces()[face][corner]);
        let (a, b) = (at(k), at((k + 1) % 3));
        // By their world vertices, so that the two sides compare whichever way they run.
        if a.0 < b.0 { [a.1, b.1] } else { [b.1, a.1] }
    };
    let pairs = (0..3 * mesh.faces().len() as u32).filter_map(|h| world.twin(h).filter(|t| h < *t).map(|t| [h, t]));
    pairs.filter(|[h, t]| ends(*h) != ends(*t)).map(|half_edges| Seam { half_edges }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::MeshData;
    use proptest::prelude::*;

    /// A square of two triangles, 0-1-2 and 0-2-3, with these corners in the UV plane.
    fn square(uv_faces: [[u32; 3]; 2]) -> Mesh {
        let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let uvs = (0..6).map(|i| [i as f32, (i * i) as f32]).collect();
        Mesh::new(MeshData { positions, uvs, faces: vec![[0, 1, 2], [0, 2, 3]], uv_faces: uv_faces.to_vec() }).unwrap()
    }

    #[test]
    fn two_triangles_are_neighbors_across_their_diagonal_alone() {
        let topology = Topology::new(&square([[0, 1, 2], [0, 2, 3]]));
        assert_eq!(topology.world.neighbor(0, 2), Some(1));
        assert_eq!(topology.world.twin(half_edge(1, 0)), Some(half_edge(0, 2)));
        assert_eq!(topology.world.twin(half_edge(0, 0)), None);
        assert_eq!(topology.islands.count(), 1);
        assert!(topology.seams.is_empty());
    }

    #[test]
    fn a_seam_is_an_edge_in_the_world_and_two_in_the_uv_plane() {
        let topology = Topology::new(&square([[0, 1, 2], [3, 4, 5]]));
        assert_eq!(topology.islands.count(), 2);
        assert_eq!(topology.islands.of_faces(), [0, 1]);
        assert_eq!(topology.islands.faces(1), [1]);
        assert_eq!(topology.seams, [Seam { half_edges: [half_edge(0, 2), half_edge(1, 0)] }]);
        // A dart: one end of the edge is shared.
        let dart = Topology::new(&square([[0, 1, 2], [0, 4, 5]]));
        assert_eq!(dart.seams.len(), 1);
    }

    #[test]
    fn edges_of_three_faces_are_told_and_cut() {
        let faces = [[0, 1, 2], [1, 0, 3], [0, 1, 4], [2, 1, 5]];
        let adjacency = Adjacency::new(&faces);
        assert_eq!(
            adjacency.non_manifold(),
            [NonManifoldEdge { vertices: [0, 1], half_edges: vec![half_edge(0, 0), half_edge(1, 0), half_edge(2, 0)] }]
        );
        assert_eq!(adjacency.neighbor(0, 0), None);
        assert_eq!(adjacency.neighbor(0, 1), Some(3));
        assert_eq!(Islands::new(&adjacency).count(), 1, "they are still connected");
    }

    #[test]
    fn faces_that_run_the_same_way_along_an_edge_are_discordant() {
        assert!(Adjacency::new(&[[0, 1, 2], [0, 2, 3]]).discordant().is_empty());
        let turned = Adjacency::new(&[[0, 1, 2], [0, 3, 2]]);
        assert_eq!(turned.discordant(), [[half_edge(0, 2), half_edge(1, 2)]]);
        assert_eq!(turned.neighbor(0, 2), Some(1));
    }

    proptest! {
        /// Any indices at all: what is found is symmetric, and the islands are those of a slow flood fill.
        #[test]
        fn any_faces_have_a_topology(faces in prop::collection::vec([0u32..12, 0u32..12, 0u32..12], 1..30)) {
            let adjacency = Adjacency::new(&faces);
            for h in 0..3 * faces.len() as u32 {
                if let Some(t) = adjacency.twin(h) {
                    prop_assert_eq!(adjacency.twin(t), Some(h));
                }
            }
            let islands = Islands::new(&adjacency);
            prop_assert_eq!(islands.of_faces(), flood(&faces));
            for i in 0..islands.count() {
                prop_assert!(islands.faces(i).iter().all(|f| islands.of_faces()[*f as usize] == i as u32));
            }
        }
    }

    fn flood(faces: &[[u32; 3]]) -> Vec<u32> {
        let sides = |f: &[u32; 3]| (0..3).map(|k| (f[k], f[(k + 1) % 3])).filter(|(a, b)| a != b).collect::<Vec<_>>();
        let share = |f: &[u32; 3], g: &[u32; 3]| {
            sides(f).iter().any(|(a, b)| sides(g).iter().any(|(c, d)| (a, b) == (c, d) || (a, b) == (d, c)))
        };
        let mut island = vec![u32::MAX; faces.len()];
        let mut count = 0;
        for start in 0..faces.len() {
            if island[start] == u32::MAX {
                let mut stack = vec![start];
                while let Some(f) = stack.pop() {
                    island[f] = count;
                    stack.extend((0..faces.len()).filter(|g| island[*g] == u32::MAX && share(&faces[f], &faces[*g])));
                }
                count += 1;
            }
        }
        island
    }
}
