//! Energy of a cell and its gradient: rods and contact together.
//!
//! The unknowns are q = (x, y, z, r theta) of each vertex, all in meters, so that one norm fits all; gradients are in N.

use super::kinematics::LargeScale;
use super::pairs::{ContactModel, Pair, Pairs};
use super::state::{Edge, Frames, Links, State};
use super::{Cell, Stiffness};
use crate::contact::pair::Segments;
use crate::rod::joint::{FramedEdge, Joint, JointVector};
use crate::rod::{bend, stretch, twist};
use nalgebra::Vector3;
use yarnwise_shared::table::database::Kinds;
use yarnwise_shared::table::strain::Strain;

/// Energy of one cell, J, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of stretch.
    pub stretch: f64,
    /// Of bending.
    pub bend: f64,
    /// Of twist.
    pub twist: f64,
    /// Of contact.
    pub contact: f64,
}

impl Energy {
    /// All of it, J.
    pub fn total(&self) -> f64 {
        self.stretch + self.bend + self.twist + self.contact
    }

    /// The same per area (m^2), J/m^2.
    pub fn per_area(&self, area: f64) -> Kinds {
        Kinds::from([self.stretch, self.bend, self.twist, self.contact].map(|energy| energy / area))
    }
}

/// A cell under one large-scale deformation: the function to minimize.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    /// The cell.
    pub cell: &'a Cell,
    /// How it is deformed at large scale.
    pub deformation: LargeScale,
    /// How its edges connect copies.
    pub links: Links,
    /// xbar: the affine state, m.
    pub affine: Vec<Vector3<f64>>,
    /// Quadrature and exclusion.
    pub contact: ContactModel,
}

impl<'a> Problem<'a> {
    /// The problem of `cell` under `deformation`.
    pub fn new(cell: &'a Cell, deformation: LargeScale) -> Self {
        let links = Links::new(cell, &deformation);
        let affine: Vec<_> = cell.material_position.iter().map(|x| deformation.map(x)).collect();
        let contact = ContactModel::new(cell, &links.edges(cell, &affine));
        Problem { cell, deformation, links, affine, contact }
    }

    /// The problem of `cell` under an in-plane strain.
    pub fn planar(cell: &'a Cell, strain: Strain<f64>) -> Self {
        Problem::new(cell, LargeScale::planar(strain, cell.pattern.period()))
    }

    /// The problem of `cell` under an in-plane strain and bent along the material `direction` v: II = `lambda` v v^T (1/m).
    pub fn bent(cell: &'a Cell, strain: Strain<f64>, direction: [f64; 2], lambda: f64) -> Self {
        Problem::new(cell, LargeScale::bent(strain, direction, lambda, cell.pattern.period()))
    }

    /// The same problem with contact of this stiffness, N/m.
    pub(crate) fn with_contact(&self, stiffness: f64) -> Self {
        let mut out = self.clone();
        out.contact.stiffness = stiffness;
        out
    }

    /// sx and sy of a cell in the plane without shear; none if it is bent.
    pub(crate) fn in_plane_stretch(&self) -> Option<[f64; 2]> {
        self.deformation.flat_stretch().map(|s| [s.xx - 1.0, s.yy - 1.0])
    }

    /// The same in-plane problem without shear, its period stretched `by` these fractions; quadrature and exclusion stay.
    pub(crate) fn stretched(&self, by: [f64; 2]) -> Problem<'a> {
        let [sx, sy] = self.in_plane_stretch().unwrap_or_default();
        let strain = Strain::new((1.0 + sx) * (1.0 + by[0]) - 1.0, 0.0, (1.0 + sy) * (1.0 + by[1]) - 1.0);
        let deformation = LargeScale::planar(strain, self.cell.pattern.period());
        let links = Links::new(self.cell, &deformation);
        let affine = self.cell.material_position.iter().map(|x| deformation.map(x)).collect();
        Problem { cell: self.cell, deformation, links, affine, contact: self.contact.clone() }
    }

    /// The affine state with the pattern's twists; frames are turned with the midsurface and from there carried to their
    /// edges in one go. So copies of an edge have copies of its frame, and twists do not depend on which copy is named.
    pub fn affine_state(&self) -> State {
        let twist: Vec<f64> = self.cell.pattern.vertices().iter().map(|v| v.twist).collect();
        let edges = self.links.edges(self.cell, &self.affine);
        let mut frames = Frames::of_pattern(self.cell);
        for (i, material) in self.cell.material_position.iter().enumerate() {
            if let Some(r) = self.deformation.rotation(material) {
                frames.tangent[i] = r * frames.tangent[i];
                frames.director[i] = r * frames.director[i];
            }
        }
        let frames = frames.transported(self.cell, &self.links, &edges);
        State { position: self.affine.clone(), twist, frames }
    }

    /// The state with material displacements `delta` = (dX1, dX2, dX3, dtheta): frames go from the pattern to the affine
    /// state and from there to this one, in one go each.
    pub fn displaced_state(&self, delta: &[[f64; 4]]) -> State {
        let cell = self.cell;
        let position = self.displaced_positions(delta);
        let twist = cell.pattern.vertices().iter().zip(delta).map(|(v, d)| v.twist + d[3]).collect();
        self.affine_state().moved(cell, &self.links, position, twist)
    }

    /// Where material displacements `delta` take the vertices, m.
    pub fn displaced_positions(&self, delta: &[[f64; 4]]) -> Vec<Vector3<f64>> {
        let displaced =
            |(x, d): (&Vector3<f64>, &[f64; 4])| self.deformation.map(&(x + Vector3::new(d[0], d[1], d[2])));
        self.cell.material_position.iter().zip(delta).map(displaced).collect()
    }

    /// The material displacements of `state`: the pullback [Sperl21, App. B] minus the pattern [Sperl21, Eq. 5].
    pub fn displacements(&self, state: &State) -> Vec<[f64; 4]> {
        let vertices = self.cell.pattern.vertices();
        let displacement = |i: usize| {
            let rest = &self.cell.material_position[i];
            let d = self.deformation.pull_back(&state.position[i], rest) - rest;
            [d.x, d.y, d.z, state.twist[i] - vertices[i].twist]
        };
        (0..state.position.len()).map(displacement).collect()
    }

    /// What the pullback missed, m: the largest distance of a vertex of `state` to where `displacements` take it.
    pub fn pullback_residual(&self, state: &State, displacements: &[[f64; 4]]) -> f64 {
        let miss = |i: usize| {
            let [x, y, z, _] = displacements[i];
            let back = self.deformation.map(&(self.cell.material_position[i] + Vector3::new(x, y, z)));
            (back - state.position[i]).norm()
        };
        // A comparison with NaN is false: a vertex that is nowhere must not pass.
        (0..displacements.len()).map(miss).fold(0.0, |most, m| if m <= most { most } else { m })
    }

    /// Segments that may touch at `x` or after every vertex has moved by half of `margin` (m).
    pub fn pairs(&self, x: &[Vector3<f64>], margin: f64) -> Pairs {
        Pairs::find(self.cell, &self.contact, &self.deformation, &self.links, x, margin)
    }

    /// Energy of `state`; `pairs` must hold every pair that touches.
    pub fn energy(&self, state: &State, pairs: &Pairs) -> Energy {
        let mut out = self.rod_energy(state);
        out.contact = self.contact_energy(&state.position, pairs);
        out
    }

    pub(crate) fn rod_energy(&self, state: &State) -> Energy {
        let edges = self.links.edges(self.cell, &state.position);
        let vertices = self.cell.pattern.vertices();
        let k = &self.cell.stiffness;
        let mut out = Energy::default();
        for i in 0..edges.len() {
            let (joint, m) = self.joint(state, &edges, i);
            let l = self.cell.voronoi_length[i];
            out.stretch += stretch::value(k.stretch, edges[i].length, self.cell.rest_length[i]);
            out.bend += bend::value(&joint, k.bend / l, vertices[i].rest_curvature);
            out.twist += twist::value(m, k.twist / l, vertices[i].rest_twist);
        }
        out
    }

    fn contact_energy(&self, x: &[Vector3<f64>], pairs: &Pairs) -> f64 {
        let value = |p: &Pair| {
            let rule = self.contact.rule(self.cell, p.first as usize, p.second as usize);
            self.segments(x, p, pairs).value(&rule)
        };
        // Without the zero, the sum of no pairs would be -0.
        0.0 + pairs.pairs.iter().map(value).sum::<f64>()
    }

    /// The joint at vertex i, seen from its cell, and its twist m.
    pub(crate) fn joint(&self, state: &State, edges: &[Edge], i: usize) -> (Joint, f64) {
        let p = self.cell.previous[i];
        let image = &self.links.incoming[i];
        let framed = |e: usize| FramedEdge {
            length: edges[e].length,
            tangent: edges[e].tangent,
            director: state.frames.director[e],
            twist: state.twist[e],
        };
        let mut incoming = framed(p);
        incoming.tangent = image.vector(&incoming.tangent);
        incoming.director = image.vector(&incoming.director);
        let m = state.twist[i] - state.twist[p] + state.frames.reference_twist[i];
        (Joint::new(&incoming, &framed(i)), m)
    }

    /// The two segments of a pair.
    pub(crate) fn segments(&self, x: &[Vector3<f64>], pair: &Pair, pairs: &Pairs) -> Segments {
        let image = &pairs.images[pair.image as usize];
        let (i, j) = (pair.first as usize, pair.second as usize);
        let end = |i: usize| self.links.outgoing[i].point(&x[self.cell.next[i]]);
        Segments { p: [x[i], end(i)], q: [image.point(&x[j]), image.point(&end(j))] }
    }

    /// Adds the gradient of the rods' energy, with these stiffnesses, to `out` (4 numbers a vertex).
    pub fn add_rod_gradient(&self, state: &State, k: &Stiffness, out: &mut [f64]) {
        let edges = self.links.edges(self.cell, &state.position);
        for i in 0..edges.len() {
            let (g, pull) = self.joint_gradient(state, k, &edges, i);
            self.add_joint_gradient(i, &g, &pull, out);
        }
    }

    /// Bend and twist of the joint at vertex i, and the pull of the edge that leaves it.
    fn joint_gradient(&self, state: &State, k: &Stiffness, edges: &[Edge], i: usize) -> (JointVector, Vector3<f64>) {
        let vertex = &self.cell.pattern.vertices()[i];
        let (joint, m) = self.joint(state, edges, i);
        let l = self.cell.voronoi_length[i];
        let mut g = bend::gradient(&joint, k.bend / l, vertex.rest_curvature);
        g += twist::gradient(&joint, m, k.twist / l, vertex.rest_twist);
        let pull = stretch::gradient(k.stretch, edges[i].length, self.cell.rest_length[i], &edges[i].tangent);
        (g, pull)
    }

    /// Calls `each` for every joint with the derivatives of its energy by the edges into it and out of it, N, the pull of the
    /// latter included, and with these edges, m.
    pub(crate) fn for_each_rod_force(&self, state: &State, mut each: impl FnMut([Vector3<f64>; 2], [Vector3<f64>; 2])) {
        let edges = self.links.edges(self.cell, &state.position);
        for i in 0..edges.len() {
            let (g, pull) = self.joint_gradient(state, &self.cell.stiffness, &edges, i);
            let before = self.links.incoming[i].vector(&edges[self.cell.previous[i]].vector);
            each([g.fixed_rows::<3>(0).into(), g.fixed_rows::<3>(3) + pull], [before, edges[i].vector]);
        }
    }

    pub(crate) fn add_joint_gradient(&self, i: usize, g: &JointVector, pull: &Vector3<f64>, out: &mut [f64]) {
        let (p, n) = (self.cell.previous[i], self.cell.next[i]);
        let by_e0: Vector3<f64> = g.fixed_rows::<3>(0).into();
        let by_e1: Vector3<f64> = g.fixed_rows::<3>(3) + pull;
        add(out, p, &-self.links.incoming[i].inverse_vector(&by_e0));
        add(out, i, &(by_e0 - by_e1));
        add(out, n, &self.links.outgoing[i].inverse_vector(&by_e1));
        let r = self.cell.radius();
        out[4 * p + 3] += g[6] / r;
        out[4 * i + 3] += g[7] / r;
    }

    /// Adds the gradient of the contact energy to `out`.
    pub fn add_contact_gradient(&self, x: &[Vector3<f64>], pairs: &Pairs, out: &mut [f64]) {
        for pair in &pairs.pairs {
            let (i, j) = (pair.first as usize, pair.second as usize);
            let rule = self.contact.rule(self.cell, i, j);
            if let Some(g) = self.segments(x, pair, pairs).gradient(&rule) {
                self.add_pair_gradient(pair, pairs, &g, out);
            }
        }
    }

    pub(crate) fn add_pair_gradient(&self, pair: &Pair, pairs: &Pairs, g: &[Vector3<f64>; 4], out: &mut [f64]) {
        let (i, j) = (pair.first as usize, pair.second as usize);
        let image = &pairs.images[pair.image as usize];
        add(out, i, &g[0]);
        add(out, self.cell.next[i], &self.links.outgoing[i].inverse_vector(&g[1]));
        add(out, j, &image.inverse_vector(&g[2]));
        let back = self.links.outgoing[j].inverse_vector(&image.inverse_vector(&g[3]));
        add(out, self.cell.next[j], &back);
    }
}

fn add(out: &mut [f64], vertex: usize, v: &Vector3<f64>) {
    for c in 0..3 {
        out[4 * vertex + c] += v[c];
    }
}
