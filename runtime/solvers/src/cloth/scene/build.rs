//! From a scene to a simulation.

use super::pins::LatticeSize;
use super::{ClothSpec, GridSpec, Scene, TubeSpec};
use crate::cloth::model::{ClothModel, Grid, Tube};
use crate::cloth::{Pin, Simulation};
use crate::parameters::read_sheet;
use crate::scene;
use crate::{Error, Result};
use nalgebra::Vector3;
use std::path::Path;
use yarnwise_shared::mesh::{Mesh, MeshData, obj};

/// A simulation, and the mesh with UVs that its positions belong to.
#[derive(Clone, Debug)]
pub struct SceneCloth {
    /// The cloth in its start position.
    pub simulation: Simulation,
    /// Its triangles and UVs.
    pub mesh: Mesh,
}

impl Scene {
    /// Builds the scene; files it names are looked for in `folder`, `origin` names the scene in messages.
    pub fn build(&self, origin: &str, folder: &Path) -> Result<SceneCloth> {
        let (model, mesh, lattice) = self.model(origin, folder)?;
        let mut simulation = Simulation::new(model, self.solver);
        if let ClothSpec::Grid(grid) = &self.cloth
            && grid.ripple != 0.0
        {
            ripple(&mut simulation, grid);
        }
        simulation.environment = self.environment;
        simulation.self_contact = self.self_contact;
        if let Some(thickness) = self.thickness {
            simulation.thickness = thickness;
        }
        for body in &self.bodies {
            simulation.bodies.push(body.build(folder)?);
        }
        for (i, pin) in self.pins.iter().enumerate() {
            let particles = pin
                .hold
                .particles(simulation.positions(), lattice)
                .map_err(|problem| Error::invalid(origin, format!("pin {i} {problem}")))?;
            simulation.pins.push(Pin { particles, motion: pin.motion.clone(), until: pin.until });
        }
        Ok(SceneCloth { simulation, mesh })
    }

    fn model(&self, origin: &str, folder: &Path) -> Result<(ClothModel, Mesh, Option<LatticeSize>)> {
        let material = match &self.parameters {
            Some(file) => {
                let path = folder.join(file);
                let material = self.material.stretching_as(&read_sheet(&path)?.in_plane.at_rest());
                let fault = material.fault();
                fault.map_or(Ok(material), |f| Err(Error::invalid(path.display().to_string(), f)))?
            }
            None => self.material,
        };
        match &self.cloth {
            ClothSpec::Grid(spec) => {
                let grid = spec.grid();
                let model = ClothModel::from_grid(&grid, &material);
                let mesh = mesh_of(&model, grid.uvs(), model.faces.clone(), origin)?;
                Ok((model, mesh, Some(LatticeSize { columns: grid.columns, rows: grid.rows, closed: false })))
            }
            ClothSpec::Tube(spec) => {
                let tube = spec.tube();
                let model = ClothModel::from_tube(&tube, &material);
                let mesh = mesh_of(&model, tube.uvs(), tube.uv_faces(), origin)?;
                Ok((model, mesh, Some(LatticeSize { columns: tube.around, rows: tube.along, closed: true })))
            }
            ClothSpec::Mesh(spec) => {
                let path = folder.join(&spec.file);
                let mesh = obj::read(&path)?;
                let model = ClothModel::from_mesh(&mesh, &material, &path.display().to_string())?;
                Ok((model, mesh, None))
            }
        }
    }
}

fn mesh_of(model: &ClothModel, uvs: Vec<[f32; 2]>, uv_faces: Vec<[u32; 3]>, origin: &str) -> Result<Mesh> {
    let positions = model.rest_positions.iter().map(|p| p.map(|c| c as f32).into()).collect();
    Mesh::new(MeshData { positions, uvs, faces: model.faces.clone(), uv_faces })
        .map_err(|fault| Error::invalid(origin, format!("cloth: {fault}")))
}

impl GridSpec {
    fn grid(&self) -> Grid {
        let (u, v) = (Vector3::from(self.u).normalize(), Vector3::from(self.v).normalize());
        let half = |n: usize| 0.5 * (n as f64 - 1.0) * self.spacing;
        let origin = Vector3::from(self.center) - u * half(self.columns) - v * half(self.rows);
        Grid { columns: self.columns, rows: self.rows, spacing: self.spacing, origin, u, v }
    }
}

impl TubeSpec {
    fn tube(&self) -> Tube {
        Tube {
            around: self.around,
            along: self.along,
            radius: self.radius,
            length: self.length,
            origin: Vector3::from(self.origin),
            axis: Vector3::from(self.axis).normalize(),
        }
    }
}

/// Lifts the sheet out of its plane.
fn ripple(simulation: &mut Simulation, spec: &GridSpec) {
    let grid = spec.grid();
    let normal = grid.u.cross(&grid.v);
    let size = grid.spacing * grid.columns.max(grid.rows) as f64;
    let height = |p: &Vector3<f64>| {
        let from = (p - grid.origin) / size;
        spec.ripple * scene::ripple(from.dot(&grid.u), from.dot(&grid.v))
    };
    let positions: Vec<_> = simulation.positions().iter().map(|p| p + normal * height(p)).collect();
    let velocities = vec![Vector3::zeros(); positions.len()];
    simulation.set_state(&positions, &velocities);
}
