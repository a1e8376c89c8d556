//! What holds cloth of yarns and triangles: pins, held places, the mouse.

use super::model::HybridModel;
use super::region::Class;
use super::state::HybridState;
use crate::error::{Error, Result};
use crate::grab::{follow, nearest_on_ray};
use crate::motion::Motion;
use nalgebra::{Point3, Vector3};

/// Nodes and vertices that follow a prescribed motion from where they start.
#[derive(Clone, Debug, Default)]
pub struct HybridPin {
    /// Simulated nodes.
    pub nodes: Vec<u32>,
    /// Vertices of the mesh, of triangles alone.
    pub vertices: Vec<u32>,
    /// How they move.
    pub motion: Motion,
    /// When they are released, seconds; never where none.
    pub until: Option<f64>,
    /// Whether yarns may slide through held crossings.
    pub sliding: bool,
}

/// Something that can be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// A simulated node.
    Node(u32),
    /// A vertex of triangles alone, by its number among the active ones.
    Vertex(u32),
}

/// Fastest that a dragged point follows, m/s.
const DRAG_SPEED: f64 = 2.0;

/// What is held and where.
#[derive(Clone, Debug, Default)]
pub(super) struct Holding {
    pub(super) pins: Vec<HybridPin>,
    /// Nodes, and vertices of triangles alone by their number among the active ones, that are held at given places, meters.
    pub(super) places: [Vec<(u32, Vector3<f64>)>; 2],
    dragged: Option<(Handle, Vector3<f64>)>,
}

impl Holding {
    /// Adds a pin, if all that it holds can be held.
    pub(super) fn pin(&mut self, model: &HybridModel, pin: HybridPin) -> Result<()> {
        let nodes = model.weave().node_count();
        if let Some(node) = pin.nodes.iter().find(|n| **n as usize >= nodes) {
            return Err(Error::invalid("pin", format!("there is no node {node}: the cloth has {nodes}")));
        }
        for vertex in &pin.vertices {
            let class = model.region.vertices.get(*vertex as usize);
            let Some(class) = class else {
                let count = model.region.vertices.len();
                return Err(Error::invalid("pin", format!("there is no vertex {}: the mesh has {count}", vertex + 1)));
            };
            if *class != Class::Triangles {
                return Err(refused_pin(model, *vertex, *class));
            }
        }
        self.pins.push(pin);
        Ok(())
    }

    pub(super) fn drag(&mut self, model: &HybridModel, handle: Handle, target: Vector3<f64>) {
        let there = match handle {
            Handle::Node(n) => (n as usize) < model.weave().node_count(),
            Handle::Vertex(v) => (v as usize) < model.free,
        };
        self.dragged = there.then_some((handle, target));
    }

    pub(super) fn let_go(&mut self) {
        self.dragged = None;
    }

    /// Whether something but pins holds the cloth.
    #[cfg(feature = "gpu")]
    pub(super) fn by_hand(&self) -> bool {
        self.dragged.is_some() || self.places.iter().any(|p| !p.is_empty())
    }

    /// Where each held point is to be at the end of a step: nodes, then vertices of triangles alone; and whether yarns may slide there.
    pub(super) fn targets(&self, model: &HybridModel, state: &HybridState, h: f64) -> Vec<(u32, Vector3<f64>, bool)> {
        let time = state.time() + h;
        let n = model.weave().node_count() as u32;
        let mut targets = Vec::new();
        for pin in self.pins.iter().filter(|p| p.until.is_none_or(|until| time <= until)) {
            let pose = pin.motion.pose(time);
            let start = &model.weave().positions;
            targets
                .extend(pin.nodes.iter().map(|p| (*p, (pose * Point3::from(start[*p as usize])).coords, pin.sliding)));
            for v in &pin.vertices {
                let Some(place) = model.place_of_vertex[*v as usize] else { continue };
                let start = Vector3::from(model.mesh.positions()[*v as usize].map(f64::from));
                targets.push((n + place, (pose * Point3::from(start)).coords, false));
            }
        }
        targets.extend(self.places[0].iter().map(|(node, x)| (*node, *x, false)));
        targets.extend(self.places[1].iter().map(|(vertex, x)| (n + vertex, *x, false)));
        if let Some((handle, target)) = self.dragged {
            let (p, here) = match handle {
                Handle::Node(node) => (node, state.yarns.positions[node as usize]),
                Handle::Vertex(v) => (n + v, state.vertices[v as usize]),
            };
            targets.retain(|(other, ..)| *other != p);
            targets.push((p, follow(here, &target, DRAG_SPEED * h), false));
        }
        targets
    }
}

/// Simulated nodes and vertices of triangles alone whose place in the material plane is accepted.
pub(super) fn points_in(model: &HybridModel, inside: impl Fn([f64; 2]) -> bool) -> HybridPin {
    let nodes = model.node_uvs().iter().enumerate().filter(|(_, uv)| inside(**uv)).map(|(n, _)| n as u32);
    let mut uvs = vec![None; model.mesh.positions().len()];
    for (face, uv_face) in model.mesh.faces().iter().zip(model.mesh.uv_faces()) {
        for (v, uv) in face.iter().zip(uv_face) {
            uvs[*v as usize] = Some(model.mesh.uvs()[*uv as usize].map(f64::from));
        }
    }
    let alone = model.active[..model.free].iter().copied();
    let vertices = alone.filter(|v| uvs[*v as usize].is_some_and(&inside)).collect();
    HybridPin { nodes: nodes.collect(), vertices, ..HybridPin::default() }
}

/// The node or vertex of triangles alone nearest to the viewer along a ray, at most `radius` meters from it.
pub(super) fn pick(
    model: &HybridModel,
    state: &HybridState,
    origin: &Vector3<f64>,
    direction: &Vector3<f64>,
    radius: f64,
) -> Option<Handle> {
    let nodes = state.yarns.positions.iter().enumerate().map(|(n, p)| (Handle::Node(n as u32), p));
    let vertices = state.vertices[..model.free].iter().enumerate();
    let all = nodes.chain(vertices.map(|(v, p)| (Handle::Vertex(v as u32), p)));
    nearest_on_ray(all, origin, direction, radius)
}

fn refused_pin(model: &HybridModel, vertex: u32, class: Class) -> Error {
    let faces = model.mesh.faces();
    let face = faces.iter().position(|f| f.contains(&vertex)).map_or(0, |f| model.mesh.face_number(f));
    let why = if class == Class::Hybrid { "belongs to the hybrid ring" } else { "lies under yarns" };
    Error::invalid(
        "pin",
        format!(
            "vertex {} of face {face} {why} and follows its yarns: pin the yarn nodes around it, or move the yarn region",
            vertex + 1
        ),
    )
}
