//! Rectangular sheets, for experiments and scenes.

use super::build::{HybridBuild, TriangleModel};
use super::model::HybridModel;
use super::region::Region;
use crate::error::{Error, Result};
use crate::yarn::YarnMaterial;
use nalgebra::Vector3;
use yarnwise_shared::mesh::{Mesh, MeshData};
use yarnwise_shared::pattern::weave::Draft;

/// A flat sheet: squares of `cell` crossings a side, each cut by a diagonal; u along `across`, v along `up`.
#[derive(Clone, Debug)]
pub struct HybridSheet {
    /// Squares along u and v.
    pub cells: [usize; 2],
    /// Crossings along the side of a square.
    pub cell: usize,
    /// Yarns, draft and triangles.
    pub build: HybridBuild,
    /// The corner u = v = 0, meters.
    pub origin: Vector3<f64>,
    /// Unit direction of u, along which wefts run.
    pub across: Vector3<f64>,
    /// Unit direction of v, along which warps run.
    pub up: Vector3<f64>,
}

impl HybridSheet {
    /// In the plane z = 0, of plain weave.
    pub fn new(cells: [usize; 2], cell: usize, material: YarnMaterial) -> Result<Self> {
        let build = HybridBuild {
            material,
            draft: Draft::preset("plain")?,
            triangles: TriangleModel::Matched,
            sliding: true,
            lumped: false,
            loose_ends: false,
        };
        let (origin, across, up) = (Vector3::zeros(), Vector3::x(), Vector3::y());
        Ok(HybridSheet { cells, cell, build, origin, across, up })
    }

    /// Side of a square, meters.
    pub fn side(&self) -> f64 {
        self.cell as f64 * self.build.material.spacing
    }

    /// Lengths along u and v, meters.
    pub fn extent(&self) -> [f64; 2] {
        self.cells.map(|n| n as f64 * self.side())
    }

    /// Its mesh.
    pub fn mesh(&self) -> Result<Mesh> {
        let ([columns, rows], side) = (self.cells, self.side());
        let mut data = MeshData::default();
        for i in 0..=columns {
            for j in 0..=rows {
                let (u, v) = (i as f64 * side, j as f64 * side);
                let p = self.origin + self.across * u + self.up * v;
                data.uvs.push([u as f32, v as f32]);
                data.positions.push([p.x as f32, p.y as f32, p.z as f32]);
            }
        }
        let id = |i: usize, j: usize| (i * (rows + 1) + j) as u32;
        for i in 0..columns {
            for j in 0..rows {
                data.faces.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
                data.faces.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
            }
        }
        data.uv_faces.clone_from(&data.faces);
        Mesh::new(data).map_err(|fault| Error::invalid("sheet", fault.to_string()))
    }

    /// The region of the triangles whose centers, in squares, are accepted as yarns.
    pub fn region(&self, mesh: &Mesh, inside: impl Fn(f64, f64) -> bool) -> Region {
        let side = self.side();
        let center = |f: &[u32; 3]| {
            let sum = |k: usize| f.iter().map(|v| f64::from(mesh.uvs()[*v as usize][k])).sum::<f64>() / (3.0 * side);
            inside(sum(0), sum(1))
        };
        let full: Vec<bool> = mesh.uv_faces().iter().map(center).collect();
        Region::new(mesh.faces(), mesh.positions().len(), &full)
    }

    /// The model with yarns where `inside` accepts the centers of triangles, in squares.
    pub fn model(&self, inside: impl Fn(f64, f64) -> bool) -> Result<HybridModel> {
        let mesh = self.mesh()?;
        let region = self.region(&mesh, inside);
        HybridModel::new(mesh, region, &self.build, "sheet")
    }
}
