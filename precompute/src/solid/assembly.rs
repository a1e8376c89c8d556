//! The energy of meshes in contact, for Newton's method: nodes are points.

use super::brick::POINTS;
use super::law::{Law, SolidMaterial, von_mises};
use super::mesh::{Mesh, Node, Skin};
use super::rub::SkinFriction;
use super::surface::Contact;
use crate::newton::{Blocks, Objective, PointMatrix, Units};
use nalgebra::{Matrix3, SMatrix, Vector3};
use rayon::prelude::*;

/// Energy by kind, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolidEnergy {
    /// Of the material without its fibers.
    pub matrix: f64,
    /// Of the fibers.
    pub fiber: f64,
    /// Of contact.
    pub contact: f64,
}

impl SolidEnergy {
    /// All of it, J.
    pub fn total(&self) -> f64 {
        self.matrix + self.fiber + self.contact
    }
}

/// A mesh, its material, and where its copies are.
#[derive(Clone, Debug)]
pub struct SolidBody {
    pub(crate) mesh: Mesh,
    law: Law,
    pub(crate) contact: Option<Contact>,
    /// Friction as it is frozen for a search.
    pub(crate) rubbing: Option<SkinFriction>,
    /// Where the cells of [`Mesh::shifts`] are, m.
    pub(crate) offsets: Vec<Vector3<f64>>,
    units: Units,
}

impl SolidBody {
    /// `mesh` of a material, for yarns of `radius` (m); nothing touches until contact is set.
    pub(crate) fn new(mesh: Mesh, material: &SolidMaterial, radius: f64) -> Self {
        let units = Units {
            force: material.axial() * std::f64::consts::PI * radius * radius,
            stiffness: material.transverse * radius,
            step: 0.1 * radius,
        };
        let offsets = vec![Vector3::zeros(); mesh.shifts.len()];
        SolidBody { mesh, law: Law::new(material), contact: None, rubbing: None, offsets, units }
    }

    /// Where the nodes of element `e` are, m.
    fn element(&self, e: usize, x: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        self.mesh.element(e).iter().map(|n| self.place(n, x)).collect()
    }

    fn place(&self, node: &Node, x: &[Vector3<f64>]) -> Vector3<f64> {
        x[node.point] + self.offsets[node.shift]
    }

    /// Where the vertices of the skin are, m.
    pub(crate) fn skin(&self, x: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let place = |parts: &[(Node, f64)]| parts.iter().map(|(n, w)| self.place(n, x) * *w).sum();
        self.mesh.skin.vertices.iter().map(|v| place(&v.parts)).collect()
    }

    fn touching(&self) -> Option<(&Contact, &Skin)> {
        self.contact.as_ref().map(|c| (c, &self.mesh.skin))
    }

    /// Energy by kind at `x` (m).
    pub fn energy(&self, x: &[Vector3<f64>]) -> SolidEnergy {
        let element = |e: usize| {
            let (table, x) = (self.mesh.table(e), self.element(e, x));
            (0..POINTS).fold([0.0; 2], |sum, k| {
                let w = self.law.value(&table.deformation(k, &x));
                [0, 1].map(|i| sum[i] + table.weight[k] * w[i])
            })
        };
        let parts: Vec<[f64; 2]> = (0..self.mesh.elements()).into_par_iter().map(element).collect();
        // One after the other: the same bytes on any number of threads.
        let [matrix, fiber] = parts.iter().fold([0.0; 2], |sum, p| [sum[0] + p[0], sum[1] + p[1]]);
        let contact = self.touching().map_or(0.0, |(c, skin)| c.value(skin, &self.skin(x)));
        SolidEnergy { matrix, fiber, contact }
    }

    fn add_element(&self, e: usize, d: &ElementDerivatives, gradient: &mut [Vector3<f64>], matrix: &mut PointMatrix) {
        let nodes = self.mesh.element(e);
        let mut block = d.hessian.iter();
        for (a, node) in nodes.iter().enumerate() {
            gradient[node.point] += d.gradient[a];
            for (other, h) in nodes[a..].iter().zip(block.by_ref().take(nodes.len() - a)) {
                if std::ptr::eq(node, other) {
                    matrix.add_diagonal(node.point, h);
                } else {
                    matrix.add(node.point, other.point, h);
                }
            }
        }
    }

    /// ElementDerivatives of the energy of one element.
    fn element_derivatives(&self, e: usize, x: &[Vector3<f64>]) -> ElementDerivatives {
        let (table, x) = (self.mesh.table(e), self.element(e, x));
        let n = x.len();
        let mut out = ElementDerivatives {
            gradient: vec![Vector3::zeros(); n],
            hessian: vec![Matrix3::zeros(); n * (n + 1) / 2],
        };
        for k in 0..POINTS {
            let (f, w, slopes) = (table.deformation(k, &x), table.weight[k], table.gradients(k));
            let (stress, tangent) = (self.law.stress(&f) * w, self.law.tangent(&f) * w);
            let mut block = out.hessian.iter_mut();
            for (a, slope) in slopes.iter().enumerate() {
                out.gradient[a] += stress * slope;
                // dP_a / dF: rows i, columns 3 k + L.
                let rows =
                    SMatrix::<f64, 3, 9>::from_fn(|i, c| (0..3).map(|j| slope[j] * tangent[(3 * i + j, c)]).sum());
                for (other, h) in slopes[a..].iter().zip(block.by_ref().take(n - a)) {
                    *h += Matrix3::from_fn(|i, k| (0..3).map(|l| rows[(i, 3 * k + l)] * other[l]).sum());
                }
            }
        }
        out
    }

    /// F and P (Pa) at the Gauss points of each element.
    fn states(&self, e: usize, x: &[Vector3<f64>]) -> [(Matrix3<f64>, Matrix3<f64>); POINTS] {
        let (table, x) = (self.mesh.table(e), self.element(e, x));
        std::array::from_fn(|k| {
            let f = table.deformation(k, &x);
            (f, self.law.stress(&f))
        })
    }

    /// The stress of von Mises at each point, Pa: extrapolated from Gauss points to corners, the mean of all elements there; at middle
    /// nodes that of their edge's ends.
    pub(crate) fn von_mises(&self, x: &[Vector3<f64>]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.mesh.points];
        for e in 0..self.mesh.elements() {
            let at_gauss = self.states(e, x).map(|(f, p)| von_mises(&p, &f));
            let corner = |k: usize| {
                let weights = super::brick::extrapolation(k);
                (0..POINTS).map(|g| weights[g] * at_gauss[g]).sum::<f64>().max(0.0)
            };
            let corners: [f64; 8] = std::array::from_fn(corner);
            let middles = super::brick::EDGES.map(|[a, b]| 0.5 * (corners[a] + corners[b]));
            for (node, value) in self.mesh.element(e).iter().zip(corners.iter().chain(&middles)) {
                let (sum, count) = &mut sums[node.point];
                *sum += value;
                *count += 1.0;
            }
        }
        sums.into_iter().map(|(sum, count): (f64, f64)| sum / count.max(1.0)).collect()
    }

    /// The gradient of the energy of the fibers (N), and the derivative of that energy by a uniform gradient of all places, J.
    pub(crate) fn fibers(&self, x: &[Vector3<f64>]) -> (Vec<Vector3<f64>>, Matrix3<f64>) {
        let only =
            SolidBody { law: Law { mu: 0.0, lambda: 0.0, ..self.law }, contact: None, rubbing: None, ..self.clone() };
        (only.gradient(x), only.virial(x))
    }

    /// The gradient of the energy, N.
    pub(crate) fn gradient(&self, x: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
        let mut out = vec![Vector3::zeros(); x.len()];
        for e in 0..self.mesh.elements() {
            let (table, nodes) = (self.mesh.table(e), self.mesh.element(e));
            for (k, (_, p)) in self.states(e, x).iter().enumerate() {
                let p = p * table.weight[k];
                nodes.iter().zip(table.gradients(k)).for_each(|(n, slope)| out[n.point] += p * slope);
            }
        }
        if let Some((contact, skin)) = self.touching() {
            contact.add_gradient(skin, &self.skin(x), &mut out);
        }
        if let Some(rubbing) = &self.rubbing {
            rubbing.add_gradient(x, &mut out);
        }
        out
    }

    /// The derivative of the energy by a uniform gradient G of all places, copies included: sum of f x^T, J. Its symmetric part is the
    /// stress times the volume; copies move with the lattice.
    pub(crate) fn virial(&self, x: &[Vector3<f64>]) -> Matrix3<f64> {
        let mut sum = Matrix3::zeros();
        for e in 0..self.mesh.elements() {
            for ((f, p), w) in self.states(e, x).iter().zip(&self.mesh.table(e).weight) {
                sum += p * f.transpose() * *w;
            }
        }
        if let Some((contact, skin)) = self.touching() {
            for touch in contact.touches(skin, &self.skin(x)) {
                // All four places have one force along the offset.
                sum -= contact.force(skin, &touch) * touch.closest.offset.transpose();
            }
        }
        sum
    }
}

/// ElementDerivatives of the energy of an element by its nodes.
struct ElementDerivatives {
    gradient: Vec<Vector3<f64>>,
    /// Blocks (a, b) with a <= b, row by row.
    hessian: Vec<Matrix3<f64>>,
}

/// ElementDerivatives of this many elements are kept until they are added in order.
const TOGETHER: usize = 256;

impl Objective for SolidBody {
    fn points(&self) -> usize {
        self.mesh.points
    }

    fn units(&self) -> Units {
        self.units
    }

    fn refresh(&mut self, x: &[Vector3<f64>]) -> bool {
        let places = self.skin(x);
        if let Some(contact) = &mut self.contact {
            contact.refresh(&self.mesh.skin, &places, OUTSIDE * 3.0_f64.sqrt() * self.units.step);
        }
        self.contact.is_some()
    }

    fn value(&self, x: &[Vector3<f64>]) -> f64 {
        self.energy(x).total() + self.rubbing.as_ref().map_or(0.0, |r| r.value(x))
    }

    fn couplings(&self, pair: &mut dyn FnMut(usize, usize)) {
        for e in 0..self.mesh.elements() {
            let nodes = self.mesh.element(e);
            for (k, a) in nodes.iter().enumerate() {
                nodes[k + 1..].iter().for_each(|b| pair(a.point, b.point));
            }
        }
        if let Some((contact, skin)) = self.touching() {
            contact.couplings(skin, pair);
        }
        if let Some(rubbing) = &self.rubbing {
            rubbing.couplings(pair);
        }
    }

    fn derivatives(&self, x: &[Vector3<f64>], gradient: &mut [Vector3<f64>], matrix: &mut PointMatrix) {
        let elements: Vec<usize> = (0..self.mesh.elements()).collect();
        for some in elements.chunks(TOGETHER) {
            let found: Vec<ElementDerivatives> = some.par_iter().map(|e| self.element_derivatives(*e, x)).collect();
            // One after the other: the same bytes on any number of threads.
            some.iter().zip(&found).for_each(|(e, d)| self.add_element(*e, d, gradient, matrix));
        }
        if let Some((contact, skin)) = self.touching() {
            contact.derivatives(skin, &self.skin(x), gradient, matrix);
        }
        if let Some(rubbing) = &self.rubbing {
            rubbing.add_gradient(x, gradient);
            rubbing.add_hessian(x, matrix);
        }
    }
}

/// A vertex of the skin moves by no more than this times the largest motion of a node: vertices a little outside of elements have
/// weights beyond 0 and 1.
const OUTSIDE: f64 = 1.5;
