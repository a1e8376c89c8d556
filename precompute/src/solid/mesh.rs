//! Hexahedra and the skin that touches other yarns.

use super::brick::{Brick, EDGES, Table};
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// A point of the mesh as an element sees it: where it is or in a copy of the cell, which is moved by a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Node {
    /// The point.
    pub(crate) point: usize,
    /// Which of [`Mesh::shifts`].
    pub(crate) shift: usize,
}

/// A vertex of the skin: a fixed combination of nodes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SkinVertex {
    /// Nodes and their weights, which sum to 1.
    pub(crate) parts: Vec<(Node, f64)>,
    /// The part of the surface at rest that it stands for, m^2; zero for one that is there for triangles only.
    pub(crate) area: f64,
    /// Which strand it belongs to. A strand does not touch itself.
    pub(crate) strand: usize,
}

/// What touches: vertices, and triangles between them, counterclockwise seen from outside.
///
/// Faces that meet turn by less than a right angle, those at ends by one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Skin {
    pub(crate) vertices: Vec<SkinVertex>,
    pub(crate) triangles: Vec<[usize; 3]>,
}

/// Elements over points.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// The kind of element.
    pub(crate) brick: Brick,
    /// Number of points.
    pub(crate) points: usize,
    /// Nodes of each element after those of the one before.
    pub(crate) nodes: Vec<Node>,
    /// The table of each element.
    pub(crate) table_of: Vec<usize>,
    /// Elements of the same shape share one.
    pub(crate) tables: Vec<Table>,
    /// Cells in which nodes are, in periods; the first is the cell itself.
    pub(crate) shifts: Vec<[i32; 2]>,
    /// What touches.
    pub(crate) skin: Skin,
}

impl Mesh {
    /// A mesh of elements between these corners (m), and its points at rest: corners first, then middle nodes of edges. None when
    /// an element is turned inside out.
    pub(crate) fn new(
        brick: Brick,
        corners: &[Vector3<f64>],
        hexahedra: &[[usize; 8]],
    ) -> Option<(Self, Vec<Vector3<f64>>)> {
        let mut points = corners.to_vec();
        let mut middle = BTreeMap::new();
        let mut mesh = Mesh::empty(brick);
        for hexahedron in hexahedra {
            let node = |point| Node { point, shift: 0 };
            mesh.nodes.extend(hexahedron.map(node));
            if brick == Brick::Hex20 {
                for [a, b] in EDGES.map(|e| e.map(|k| hexahedron[k])) {
                    let point = *middle.entry((a.min(b), a.max(b))).or_insert_with(|| {
                        points.push(0.5 * (corners[a.min(b)] + corners[a.max(b)]));
                        points.len() - 1
                    });
                    mesh.nodes.push(node(point));
                }
            }
            mesh.table_of.push(mesh.tables.len());
            mesh.tables.push(brick.table(&hexahedron.map(|k| corners[k]))?);
        }
        mesh.points = points.len();
        Some((mesh, points))
    }

    /// A mesh of nothing.
    pub(crate) fn empty(brick: Brick) -> Self {
        Mesh {
            brick,
            points: 0,
            nodes: Vec::new(),
            table_of: Vec::new(),
            tables: Vec::new(),
            shifts: vec![[0, 0]],
            skin: Skin::default(),
        }
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.table_of.len()
    }

    /// Nodes of one element.
    pub(crate) fn element(&self, e: usize) -> &[Node] {
        let n = self.brick.nodes();
        &self.nodes[e * n..(e + 1) * n]
    }

    /// The table of one element.
    pub(crate) fn table(&self, e: usize) -> &Table {
        &self.tables[self.table_of[e]]
    }

    /// Keeps the tables of the first `count` elements only, for a mesh whose elements repeat in this order.
    pub(crate) fn share_tables(&mut self, count: usize) {
        self.tables.truncate(count);
        self.table_of.iter_mut().for_each(|t| *t %= count);
    }

    /// The number of this cell in [`Mesh::shifts`], which gets it where it is new.
    pub(crate) fn shift(&mut self, shift: [i32; 2]) -> usize {
        self.shifts.iter().position(|s| *s == shift).unwrap_or_else(|| {
            self.shifts.push(shift);
            self.shifts.len() - 1
        })
    }

    /// Adds another mesh, whose points and strands then come after those that are there; strands of this one are `strands`.
    pub(crate) fn append(&mut self, other: &Mesh, strands: usize) {
        let shift: Vec<usize> = other.shifts.iter().map(|s| self.shift(*s)).collect();
        let first = self.points;
        let node = |n: &Node| Node { point: n.point + first, shift: shift[n.shift] };
        self.nodes.extend(other.nodes.iter().map(node));
        self.table_of.extend(other.table_of.iter().map(|t| t + self.tables.len()));
        self.tables.extend_from_slice(&other.tables);
        let vertices = self.skin.vertices.len();
        self.skin.vertices.extend(other.skin.vertices.iter().map(|v| SkinVertex {
            parts: v.parts.iter().map(|(n, w)| (node(n), *w)).collect(),
            strand: v.strand + strands,
            ..*v
        }));
        self.skin.triangles.extend(other.skin.triangles.iter().map(|t| t.map(|v| v + vertices)));
        self.points += other.points;
    }
}

impl Skin {
    /// Gives each vertex a third of the area of its triangles, from places at rest (m).
    pub(crate) fn set_areas(&mut self, at_rest: &[Vector3<f64>]) {
        self.vertices.iter_mut().for_each(|v| v.area = 0.0);
        for t in &self.triangles {
            let [a, b, c] = t.map(|v| at_rest[v]);
            let third = (b - a).cross(&(c - a)).norm() / 6.0;
            t.iter().for_each(|v| self.vertices[*v].area += third);
        }
    }
}
