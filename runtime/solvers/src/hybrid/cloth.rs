//! Cloth whose yarns are everywhere, nowhere or in a part of it: where there is no border, there is nothing to couple, and the solver of
//! yarns or that of springs does all of the work.

use super::energy::HybridEnergies;
use super::holding::{Handle, HybridPin};
use super::model::HybridModel;
use super::output::WholeMesh;
use super::simulation::HybridSimulation;
use super::state::HybridState;
use crate::cloth::model::ClothModel;
use crate::cloth::{ClothOptions, Environment, Pin, Simulation};
use crate::contact::Body;
use crate::error::{Error, Result};
use crate::hybrid::region::Class;
use crate::hybrid::{HybridOptions, TriangleModel};
use crate::yarn::model::Weave;
use crate::yarn::{State, YarnOptions, YarnPin, YarnSimulation};
use nalgebra::Vector3;

/// Cloth of yarns, of springs, or of both, in motion.
#[derive(Clone, Debug)]
pub enum HybridCloth {
    /// Yarns everywhere.
    Yarns(Box<YarnsOnly>),
    /// Springs everywhere.
    Cloth(Box<SpringsOnly>),
    /// Yarns and triangles, or triangles other than springs alone.
    Both(Box<HybridSimulation>),
}

/// Yarns everywhere, and the mesh that follows them.
#[derive(Clone, Debug)]
pub struct YarnsOnly {
    simulation: YarnSimulation,
    model: HybridModel,
    whole: WholeMesh,
}

/// Springs everywhere, and the mesh that yarns are laid on.
#[derive(Clone, Debug)]
pub struct SpringsOnly {
    simulation: Simulation,
    model: HybridModel,
}

/// What it took to move on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HybridEffort {
    /// Steps.
    pub steps: usize,
    /// Steps that were rejected and repeated with a smaller one.
    pub rejected: usize,
    /// Iterations of Newton's method.
    pub newton: usize,
    /// Iterations of the linear solver.
    pub iterations: usize,
}

impl HybridCloth {
    /// Cloth at rest in the model's start position. `triangles` is what the model's triangles are made of, `origin` for messages.
    pub fn new(model: HybridModel, triangles: &TriangleModel, options: HybridOptions, origin: &str) -> Result<Self> {
        let region = model.region();
        if region.count(Class::Yarns) == region.triangles.len() {
            let simulation = YarnSimulation::new(model.weave().clone(), yarn_options(&options));
            let whole = WholeMesh::new(&model);
            return Ok(HybridCloth::Yarns(Box::new(YarnsOnly { simulation, model, whole })));
        }
        if let TriangleModel::Springs(material) = triangles
            && region.count(Class::Triangles) == region.triangles.len()
        {
            let springs = ClothModel::from_mesh(model.mesh(), material, origin)?;
            let mut simulation = Simulation::new(springs, cloth_options(&options));
            simulation.thickness = 2.0 * model.weave().material.radius;
            return Ok(HybridCloth::Cloth(Box::new(SpringsOnly { simulation, model })));
        }
        Ok(HybridCloth::Both(Box::new(HybridSimulation::new(model, options))))
    }

    /// Mesh, region and where yarns lie in it.
    pub fn model(&self) -> &HybridModel {
        match self {
            HybridCloth::Yarns(yarns) => &yarns.model,
            HybridCloth::Cloth(cloth) => &cloth.model,
            HybridCloth::Both(both) => both.model(),
        }
    }

    /// Simulated seconds.
    pub fn time(&self) -> f64 {
        match self {
            HybridCloth::Yarns(yarns) => yarns.simulation.time(),
            HybridCloth::Cloth(cloth) => cloth.simulation.time(),
            HybridCloth::Both(both) => both.time(),
        }
    }

    /// Largest step, seconds.
    pub fn step(&self) -> f64 {
        match self {
            HybridCloth::Yarns(yarns) => yarns.simulation.options.step,
            HybridCloth::Cloth(cloth) => cloth.simulation.options.step,
            HybridCloth::Both(both) => both.options.step,
        }
    }

    /// Advances time by `duration` seconds.
    pub fn advance(&mut self, duration: f64) -> Result<HybridEffort> {
        let mut effort = HybridEffort::default();
        match self {
            HybridCloth::Yarns(yarns) => {
                let reports = yarns.simulation.advance(duration)?;
                reports.iter().for_each(|r| effort.add(r.rejected, r.newton, r.iterations));
            }
            HybridCloth::Cloth(cloth) => {
                let reports = cloth.simulation.advance(duration)?;
                reports.iter().for_each(|r| effort.add(r.rejected, 1, r.solve.iterations));
            }
            HybridCloth::Both(both) => {
                let reports = both.advance(duration)?;
                reports.iter().for_each(|r| effort.add(r.rejected, r.newton, r.iterations));
            }
        }
        Ok(effort)
    }

    /// Positions of all vertices of the mesh, meters.
    pub fn mesh_positions(&self) -> Vec<Vector3<f64>> {
        match self {
            HybridCloth::Yarns(yarns) => {
                let (vertices, vertex_velocities) = (Vec::new(), Vec::new());
                let state = HybridState { yarns: yarns.simulation.state().clone(), vertices, vertex_velocities };
                yarns.whole.positions(&yarns.model, &state)
            }
            HybridCloth::Cloth(cloth) => cloth.simulation.positions().to_vec(),
            HybridCloth::Both(both) => both.mesh_positions(),
        }
    }

    /// The yarns that are simulated and where they are; none where there are none.
    pub fn yarns(&self) -> Option<(&Weave, &State)> {
        match self {
            HybridCloth::Yarns(yarns) => Some((yarns.simulation.weave(), yarns.simulation.state())),
            HybridCloth::Cloth(_) => None,
            HybridCloth::Both(both) => Some((both.model().weave(), &both.state().yarns)),
        }
    }

    /// Positions of the simulated nodes, meters.
    pub fn node_positions(&self) -> &[Vector3<f64>] {
        self.yarns().map_or(&[], |(_, state)| &state.positions)
    }

    /// The energies now; those of springs count as membrane and hinges.
    pub fn energies(&self) -> HybridEnergies {
        match self {
            HybridCloth::Yarns(yarns) => HybridEnergies { yarns: yarns.simulation.energies(), ..Default::default() },
            HybridCloth::Cloth(cloth) => {
                let e = cloth.simulation.energies();
                HybridEnergies {
                    vertex_kinetic: e.kinetic,
                    membrane: e.stretch + e.shear,
                    hinges: e.bend,
                    vertex_gravitational: e.gravitational,
                    ..Default::default()
                }
            }
            HybridCloth::Both(both) => both.energies(),
        }
    }

    /// Sets gravity, m/s².
    pub fn set_gravity(&mut self, gravity: Vector3<f64>) {
        match self {
            HybridCloth::Yarns(yarns) => yarns.simulation.gravity = gravity,
            HybridCloth::Cloth(cloth) => {
                cloth.simulation.environment = Environment { gravity: gravity.into(), ..Environment::default() };
            }
            HybridCloth::Both(both) => both.gravity = gravity,
        }
    }

    /// Sets the distance from bodies, meters.
    pub fn set_thickness(&mut self, thickness: f64) {
        match self {
            HybridCloth::Yarns(yarns) => yarns.simulation.thickness = thickness,
            HybridCloth::Cloth(cloth) => cloth.simulation.thickness = thickness,
            HybridCloth::Both(both) => both.thickness = thickness,
        }
    }

    /// What the cloth collides with.
    pub fn bodies(&self) -> &[Body] {
        match self {
            HybridCloth::Yarns(yarns) => &yarns.simulation.bodies,
            HybridCloth::Cloth(cloth) => &cloth.simulation.bodies,
            HybridCloth::Both(both) => &both.bodies,
        }
    }

    /// Sets what the cloth collides with.
    pub fn set_bodies(&mut self, bodies: Vec<Body>) {
        match self {
            HybridCloth::Yarns(yarns) => yarns.simulation.bodies = bodies,
            HybridCloth::Cloth(cloth) => cloth.simulation.bodies = bodies,
            HybridCloth::Both(both) => both.bodies = bodies,
        }
    }

    /// What of the cloth can be held where `inside` accepts its place in the material plane, meters: simulated nodes and vertices
    /// without yarns.
    pub fn points_in(&self, inside: impl Fn([f64; 2]) -> bool) -> HybridPin {
        let model = self.model();
        let mut pin = HybridPin::default();
        let nodes = model.node_uvs().iter().enumerate().filter(|(_, uv)| inside(**uv));
        pin.nodes = nodes.map(|(n, _)| n as u32).collect();
        let uvs = vertex_uvs(model);
        let alone = model.active_vertices()[..model.free_vertices()].iter().copied();
        pin.vertices = alone.filter(|v| uvs[*v as usize].is_some_and(&inside)).collect();
        pin
    }

    /// Prescribes motion; vertices that follow yarns cannot be held.
    pub fn pin(&mut self, pin: HybridPin) -> Result<()> {
        match self {
            HybridCloth::Yarns(yarns) => {
                if let Some(vertex) = pin.vertices.first() {
                    let problem =
                        format!("vertex {} lies under yarns and follows them: pin the yarns around it", vertex + 1);
                    return Err(Error::invalid("pin", problem));
                }
                let HybridPin { nodes, motion, until, sliding, .. } = pin;
                yarns.simulation.pins.push(YarnPin { nodes, motion, until, sliding });
                Ok(())
            }
            HybridCloth::Cloth(cloth) => {
                let count = cloth.simulation.positions().len();
                if let Some(vertex) = pin.vertices.iter().find(|v| **v as usize >= count) {
                    let problem = format!("there is no vertex {}: the mesh has {count}", vertex + 1);
                    return Err(Error::invalid("pin", problem));
                }
                let HybridPin { vertices, motion, until, .. } = pin;
                cloth.simulation.pins.push(Pin { particles: vertices, motion, until });
                Ok(())
            }
            HybridCloth::Both(both) => both.pin(pin),
        }
    }

    /// The node or vertex nearest to the viewer along a ray, at most `radius` meters from it.
    pub fn pick(&self, origin: &Vector3<f64>, direction: &Vector3<f64>, radius: f64) -> Option<Handle> {
        match self {
            HybridCloth::Yarns(yarns) => {
                let direction = direction.try_normalize(1e-12)?;
                let along = |p: &Vector3<f64>| direction.dot(&(p - origin));
                let near = |p: &Vector3<f64>| along(p) > 0.0 && (p - origin - direction * along(p)).norm() <= radius;
                let nodes = yarns.simulation.state().positions.iter().enumerate().filter(|(_, p)| near(p));
                let first = nodes.min_by(|(_, a), (_, b)| along(a).total_cmp(&along(b)));
                first.map(|(node, _)| Handle::Node(node as u32))
            }
            HybridCloth::Cloth(cloth) => {
                cloth.simulation.pick(origin, direction, radius).map(|particle| Handle::Vertex(particle as u32))
            }
            HybridCloth::Both(both) => both.pick(origin, direction, radius),
        }
    }

    /// Where something that can be held is, meters.
    pub fn place(&self, handle: Handle) -> Vector3<f64> {
        match (self, handle) {
            (HybridCloth::Cloth(cloth), Handle::Node(p) | Handle::Vertex(p)) => {
                cloth.simulation.positions()[p as usize]
            }
            (HybridCloth::Both(both), Handle::Vertex(v)) => both.state().vertices[v as usize],
            (_, Handle::Node(n) | Handle::Vertex(n)) => self.node_positions()[n as usize],
        }
    }

    /// Drags a node or vertex toward `target` (meters) until [`HybridCloth::let_go`].
    pub fn drag(&mut self, handle: Handle, target: Vector3<f64>) {
        match (self, handle) {
            (HybridCloth::Yarns(yarns), Handle::Node(n) | Handle::Vertex(n)) => {
                yarns.simulation.drag(n as usize, target);
            }
            (HybridCloth::Cloth(cloth), Handle::Node(p) | Handle::Vertex(p)) => {
                cloth.simulation.drag(p as usize, target);
            }
            (HybridCloth::Both(both), handle) => both.drag(handle, target),
        }
    }

    /// Releases what is dragged.
    pub fn let_go(&mut self) {
        match self {
            HybridCloth::Yarns(yarns) => yarns.simulation.let_go(),
            HybridCloth::Cloth(cloth) => cloth.simulation.let_go(),
            HybridCloth::Both(both) => both.let_go(),
        }
    }
}

impl HybridEffort {
    fn add(&mut self, rejected: usize, newton: usize, iterations: usize) {
        self.steps += 1;
        self.rejected += rejected;
        self.newton += newton;
        self.iterations += iterations;
    }
}

impl std::ops::AddAssign for HybridEffort {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.rejected += other.rejected;
        self.newton += other.newton;
        self.iterations += other.iterations;
    }
}

/// Each vertex in the material plane, meters; at seams in one of its panels, none without faces.
fn vertex_uvs(model: &HybridModel) -> Vec<Option<[f64; 2]>> {
    let mesh = model.mesh();
    let mut uvs = vec![None; mesh.positions().len()];
    for (face, uv_face) in mesh.faces().iter().zip(mesh.uv_faces()) {
        for (v, uv) in face.iter().zip(uv_face) {
            uvs[*v as usize] = Some(mesh.uvs()[*uv as usize].map(f64::from));
        }
    }
    uvs
}

/// Topology stays, as it does where yarns and triangles meet: the mesh follows the nodes.
fn yarn_options(options: &HybridOptions) -> YarnOptions {
    YarnOptions {
        step: options.step,
        smallest_step: options.smallest_step,
        newton_iterations: options.newton_iterations,
        newton_tolerance: options.newton_tolerance,
        tolerance: options.tolerance,
        max_iterations: options.max_iterations,
        changes: false,
        ..YarnOptions::default()
    }
}

/// The tolerance of springs is another measure: it stays.
fn cloth_options(options: &HybridOptions) -> ClothOptions {
    ClothOptions {
        step: options.step,
        smallest_step: options.smallest_step,
        max_iterations: options.max_iterations,
        ..ClothOptions::default()
    }
}
