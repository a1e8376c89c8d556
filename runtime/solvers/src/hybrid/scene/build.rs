//! From a scene to a simulation.

use super::{ClothSpec, Scene, SheetSpec, StartSpec, TrianglesSpec};
use crate::hybrid::build::{HybridBuild, TriangleModel};
use crate::hybrid::cloth::HybridCloth;
use crate::hybrid::model::HybridModel;
use crate::hybrid::region::{Class, Region};
use crate::hybrid::sheet::HybridSheet;
use crate::parameters::read_sheet;
use crate::scene;
use crate::{Error, Result};
use nalgebra::Vector3;
use std::path::Path;
use yarnwise_shared::file;
use yarnwise_shared::mesh::{Mesh, obj};
use yarnwise_shared::table::database;

impl Scene {
    /// Builds the scene; files it names are looked for in `folder`, `origin` names the scene in messages.
    pub fn build(&self, origin: &str, folder: &Path) -> Result<HybridCloth> {
        if self.parameters.is_some() {
            let made = Scene { parameters: None, ..self.clone().with_parameters(origin, folder)? };
            return made.build(origin, folder);
        }
        let build = HybridBuild {
            material: self.material,
            draft: self.cloth.draft().load(folder)?,
            triangles: self.triangles.load(folder)?,
            sliding: self.sliding,
            lumped: false,
            loose_ends: false,
        };
        let (mesh, mesh_origin) = self.mesh_with_origin(origin, folder)?;
        let full = self.region.flags(&mesh, origin, folder)?;
        let region = Region::new(mesh.faces(), mesh.positions().len(), &full);
        let triangles = build.triangles.clone();
        // Where all is yarns there are no triangles to make anything of.
        let build = if region.count(Class::Yarns) == region.triangles.len() {
            HybridBuild { triangles: TriangleModel::Matched, ..build }
        } else {
            build
        };
        let model = HybridModel::new(self.start.displaced(mesh, &mesh_origin)?, region, &build, &mesh_origin)?;
        let mut cloth = HybridCloth::new(model, &triangles, self.solver, &mesh_origin)?;
        cloth.set_gravity(Vector3::from(self.gravity));
        if let Some(thickness) = self.thickness {
            cloth.set_thickness(thickness);
        }
        cloth.set_bodies(self.bodies.iter().map(|body| body.build(folder)).collect::<Result<_>>()?);
        for (number, pin) in (1..).zip(&self.pins) {
            pin.apply(&mut cloth, number, origin)?;
        }
        Ok(cloth)
    }

    /// The mesh as it is before it is moved to its start position.
    pub fn mesh(&self, origin: &str, folder: &Path) -> Result<Mesh> {
        if self.parameters.is_some() {
            let made = self.clone().with_parameters(origin, folder)?;
            return Ok(made.mesh_with_origin(origin, folder)?.0);
        }
        Ok(self.mesh_with_origin(origin, folder)?.0)
    }

    /// The mesh and what it is called in messages.
    fn mesh_with_origin(&self, origin: &str, folder: &Path) -> Result<(Mesh, String)> {
        match &self.cloth {
            ClothSpec::Sheet(spec) => {
                let mesh = spec.sheet(self)?.mesh().map_err(|e| Error::invalid(origin, format!("cloth: {e}")))?;
                Ok((mesh, origin.to_owned()))
            }
            ClothSpec::Mesh(spec) => {
                let path = folder.join(&spec.file);
                Ok((obj::read(&path)?, file::origin(&path)))
            }
        }
    }
}

impl SheetSpec {
    fn sheet(&self, scene: &Scene) -> Result<HybridSheet> {
        Ok(HybridSheet {
            origin: Vector3::from(self.origin),
            across: Vector3::from(self.u).normalize(),
            up: Vector3::from(self.v).normalize(),
            ..HybridSheet::new(self.cells, self.crossings, scene.material)?
        })
    }
}

impl TrianglesSpec {
    fn load(&self, folder: &Path) -> Result<TriangleModel> {
        Ok(match self {
            TrianglesSpec::Matched => TriangleModel::Matched,
            TrianglesSpec::StVenantKirchhoff => TriangleModel::StVenantKirchhoff,
            TrianglesSpec::Table(file) => TriangleModel::Table(Box::new(database::read(&folder.join(file))?)),
            TrianglesSpec::Parameters(file) => TriangleModel::Parameters(Box::new(read_sheet(&folder.join(file))?)),
            TrianglesSpec::Springs(material) => TriangleModel::Springs(*material),
        })
    }
}

impl StartSpec {
    /// The mesh in its start position.
    fn displaced(&self, mesh: Mesh, origin: &str) -> Result<Mesh> {
        if *self == StartSpec::default() {
            return Ok(mesh);
        }
        let heights = ripples(&mesh);
        let mut data = mesh.into_data();
        let bound =
            |k: usize, start: f32, pick: fn(f32, f32) -> f32| data.positions.iter().map(|p| p[k]).fold(start, pick);
        let middle: [f64; 3] = std::array::from_fn(|k| {
            0.5 * (f64::from(bound(k, f32::INFINITY, f32::min)) + f64::from(bound(k, f32::NEG_INFINITY, f32::max)))
        });
        for (p, height) in data.positions.iter_mut().zip(heights) {
            for k in 0..3 {
                let stretched = middle[k] + self.stretch[k] * (f64::from(p[k]) - middle[k]);
                p[k] = (stretched + self.ripple * height[k]) as f32;
            }
        }
        Mesh::new(data).map_err(|fault| Error::invalid(origin, format!("start: {fault}")))
    }
}

/// Ripples of height 1 along the normals of a mesh.
fn ripples(mesh: &Mesh) -> Vec<Vector3<f64>> {
    let place = |v: u32| Vector3::from(mesh.positions()[v as usize]).map(f64::from);
    let mut normals = vec![Vector3::zeros(); mesh.positions().len()];
    let mut uvs = vec![[0.0; 2]; normals.len()];
    let mut size = 1e-9_f64;
    for (face, uv_face) in mesh.faces().iter().zip(mesh.uv_faces()) {
        let [a, b, c] = face.map(place);
        let normal = (b - a).cross(&(c - a));
        for (v, uv) in face.iter().zip(uv_face) {
            normals[*v as usize] += normal;
            uvs[*v as usize] = mesh.uvs()[*uv as usize].map(f64::from);
            size = uvs[*v as usize].iter().fold(size, |size, c| size.max(c.abs()));
        }
    }
    let ripple = |(n, uv): (&Vector3<f64>, &[f64; 2])| {
        n.try_normalize(0.0).unwrap_or_default() * scene::ripple(uv[0] / size, uv[1] / size)
    };
    normals.iter().zip(&uvs).map(ripple).collect()
}
