//! The state of a cell: positions, twists and reference frames.

use super::Cell;
use super::kinematics::{Image, LargeScale};
use crate::rod::frame::unwrapped;
use nalgebra::Vector3;
use yarnwise_shared::pattern::transport::{orthonormalized, parallel_transport, signed_angle};

/// Vector, length and unit tangent of an edge.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// From the vertex to the (copy of the) next one, m.
    pub vector: Vector3<f64>,
    /// Its length, m.
    pub length: f64,
    /// Its direction.
    pub tangent: Vector3<f64>,
}

/// How the edges of a cell connect its copies under one large-scale deformation.
#[derive(Clone, Debug)]
pub struct Links {
    /// The copy of the cell that edge i ends in.
    pub outgoing: Vec<Image>,
    /// The copy of the cell that the edge into vertex i starts in.
    pub incoming: Vec<Image>,
}

impl Links {
    /// The links of `cell` under `deformation`.
    pub fn new(cell: &Cell, deformation: &LargeScale) -> Self {
        let image = |s: [i32; 2]| if s == [0, 0] { Image::IDENTITY } else { deformation.image(s) };
        let incoming = |i: usize| {
            let [x, y] = cell.shift[cell.previous[i]];
            image([-x, -y])
        };
        Links {
            outgoing: cell.shift.iter().map(|s| image(*s)).collect(),
            incoming: (0..cell.vertex_count()).map(incoming).collect(),
        }
    }

    /// The edges between vertices at `x`.
    pub fn edges(&self, cell: &Cell, x: &[Vector3<f64>]) -> Vec<Edge> {
        let edge = |i: usize| {
            let vector = self.outgoing[i].point(&x[cell.next[i]]) - x[i];
            let length = vector.norm();
            Edge { vector, length, tangent: vector / length }
        };
        (0..x.len()).map(edge).collect()
    }
}

/// Reference frames of all edges \[Bergou10\], carried along as the yarns move.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// Edge directions the frames belong to.
    pub tangent: Vec<Vector3<f64>>,
    /// Reference directors d1.
    pub director: Vec<Vector3<f64>>,
    /// Reference twist at the joint of vertex i, radians, without jumps by whole turns.
    pub reference_twist: Vec<f64>,
}

impl Frames {
    /// The frames of the pattern as it was read, in material space, with directors made orthogonal to their edge.
    pub fn of_pattern(cell: &Cell) -> Self {
        let vertices = cell.pattern.vertices();
        let tangent: Vec<_> =
            (0..vertices.len()).map(|i| Vector3::from(cell.pattern.edge_vector(i)).normalize()).collect();
        let director =
            vertices.iter().zip(&tangent).map(|(v, t)| orthonormalized(&v.reference_director.into(), t)).collect();
        Frames { tangent, director, reference_twist: vertices.iter().map(|v| v.reference_twist).collect() }
    }

    /// Carried to new edges by parallel transport; the reference twist stays nearest to its earlier value.
    pub fn transported(&self, cell: &Cell, links: &Links, edges: &[Edge]) -> Self {
        let carry = |i: usize| {
            let d = parallel_transport(&self.director[i], &self.tangent[i], &edges[i].tangent);
            // Thousands of steps would otherwise add up their rounding.
            orthonormalized(&d, &edges[i].tangent)
        };
        let director: Vec<_> = (0..edges.len()).map(carry).collect();
        let twist = |i: usize| {
            let p = cell.previous[i];
            let image = &links.incoming[i];
            let tangent = edges[i].tangent;
            let from = parallel_transport(&image.vector(&director[p]), &image.vector(&edges[p].tangent), &tangent);
            unwrapped(signed_angle(&from, &director[i], &tangent), self.reference_twist[i])
        };
        let reference_twist = (0..edges.len()).map(twist).collect();
        Frames { tangent: edges.iter().map(|e| e.tangent).collect(), director, reference_twist }
    }
}

/// Positions, twists and frames of one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// x, m.
    pub position: Vec<Vector3<f64>>,
    /// theta, radians.
    pub twist: Vec<f64>,
    /// Reference frames, always those of `position`.
    pub frames: Frames,
}

impl State {
    /// Moves to `position` and `twist`; the frames follow in one go.
    pub fn moved(&self, cell: &Cell, links: &Links, position: Vec<Vector3<f64>>, twist: Vec<f64>) -> Self {
        let edges = links.edges(cell, &position);
        let frames = self.frames.transported(cell, links, &edges);
        State { position, twist, frames }
    }
}
