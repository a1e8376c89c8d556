//! One period of the fabric: its rods, how it is deformed at large scale, and what holds it.

pub mod constraints;
pub mod energy;
pub mod kinematics;
pub mod pairs;
pub mod state;
pub(crate) mod stress;

use nalgebra::Vector3;
use std::f64::consts::PI;
use yarnwise_shared::Result;
use yarnwise_shared::pattern::Pattern;
use yarnwise_shared::pattern::material::YarnMaterial;

/// Stiffnesses of a yarn of radius r.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// ks = E pi r^2, N.
    pub stretch: f64,
    /// B = gamma E pi r^4 / 4, N m^2.
    pub bend: f64,
    /// C = gamma G pi r^4 / 2, N m^2.
    pub twist: f64,
    /// kc, N/m.
    pub contact: f64,
}

impl Stiffness {
    /// The stiffnesses of a yarn of `radius` meters.
    pub fn new(material: &YarnMaterial, radius: f64) -> Self {
        let area = PI * radius * radius;
        Stiffness {
            stretch: material.young * area,
            bend: material.gamma * material.young * area * radius * radius / 4.0,
            twist: material.gamma * material.shear * area * radius * radius / 2.0,
            contact: material.contact,
        }
    }
}

/// A pattern and its material, laid out for the solver. Index i is a vertex, its outgoing edge and the joint at it.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The pattern.
    pub pattern: Pattern,
    /// The material.
    pub material: YarnMaterial,
    /// Its stiffnesses.
    pub stiffness: Stiffness,
    /// Vertex at the end of edge i.
    pub next: Vec<usize>,
    /// Vertex at the start of the edge that ends at vertex i.
    pub previous: Vec<usize>,
    /// Period shift of edge i.
    pub shift: Vec<[i32; 2]>,
    /// L, rest length of edge i, m.
    pub rest_length: Vec<f64>,
    /// Mean rest length of the edges at vertex i, m.
    pub voronoi_length: Vec<f64>,
    /// X, material positions, m.
    pub material_position: Vec<Vector3<f64>>,
}

impl Cell {
    /// Lays out `pattern` with `material`. Fails for a material that cannot be solved.
    pub fn new(pattern: &Pattern, material: &YarnMaterial) -> Result<Self> {
        material.check()?;
        let vertices = pattern.vertices();
        let previous: Vec<usize> = pattern.incoming().iter().map(|i| *i as usize).collect();
        let rest_length: Vec<f64> = vertices.iter().map(|v| v.rest_length).collect();
        let voronoi = |i: usize| 0.5 * (rest_length[i] + rest_length[previous[i]]);
        Ok(Cell {
            material: *material,
            stiffness: Stiffness::new(material, pattern.radius()),
            next: vertices.iter().map(|v| v.edge.to as usize).collect(),
            shift: vertices.iter().map(|v| v.edge.shift).collect(),
            voronoi_length: (0..vertices.len()).map(voronoi).collect(),
            material_position: vertices.iter().map(|v| v.position.into()).collect(),
            previous,
            rest_length,
            pattern: pattern.clone(),
        })
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.next.len()
    }

    /// Yarn radius r, m.
    pub fn radius(&self) -> f64 {
        self.pattern.radius()
    }

    /// Area of one period at rest, m^2.
    pub fn area(&self) -> f64 {
        let [px, py] = self.pattern.period();
        px * py
    }

    /// Mean rest length of an edge, m.
    pub fn mean_rest_length(&self) -> f64 {
        self.rest_length.iter().sum::<f64>() / self.rest_length.len() as f64
    }
}
