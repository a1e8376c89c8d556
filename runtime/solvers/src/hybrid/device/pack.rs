//! Cloth of yarns and triangles as the device has it, and back.

use super::coarse::Coarse;
use super::shell::{PackedShell, listed};
use crate::error::Error;
use crate::hybrid::model::HybridModel;
use crate::hybrid::simulation::HybridSimulation;
use crate::hybrid::state::HybridState;
use crate::yarn::device::{FixedPoint, PackedNodes, params};
use crate::yarn::{Inertia, YarnOptions};
use nalgebra::Vector3;
use yarnwise_shaders::gpu::{
    HybridParams, HybridRow, NONE, NodeDiagonal, NodePosition, NodeVector, PinTarget, RowChunk, YarnSolverParams,
    node_flags,
};

/// The most rows of a chunk.
const CHUNK_ROWS: usize = 256;

/// The most that the strain of a segment may change in a step.
const STRAIN_CHANGE: f32 = 0.1;

/// Nodes and vertices, ready for a device.
#[derive(Clone, Debug)]
pub struct PackedHybrid {
    /// Yarn nodes; its positions and velocities continue with those of the active vertices.
    pub nodes: PackedNodes,
    /// Of nodes and active vertices.
    pub diagonal: Vec<NodeDiagonal>,
    /// Weights of elements, eight of 16 bits, of the nodes whose flags say so.
    pub weights: Vec<[u32; 4]>,
    /// B, sorted by triangle.
    pub rows: Vec<HybridRow>,
    /// Of rows.
    pub chunks: Vec<RowChunk>,
    /// The hybrid vertices of each hybrid triangle.
    pub hybrid_triangles: Vec<[u32; 3]>,
    /// By hybrid vertex where its corners of chunks begin, then those.
    pub gather_list: Vec<u32>,
    /// K⁻¹.
    pub inverse_gram: Vec<f32>,
    /// G⁻¹, 1/kg.
    pub inverse_mass: Vec<f32>,
    /// M_v of the active vertices, kg.
    pub vertex_mass: Vec<f32>,
    /// Triangles and hinges.
    pub shell: PackedShell,
    /// Crossings at a cut of the yarns, and whose compression they have.
    pub donors: Vec<[u32; 2]>,
    /// What is pinned, where it is.
    pub pins: Vec<PinTarget>,
    /// Of the stages that yarns alone have as well.
    pub params: YarnSolverParams,
    /// Of all others.
    pub hybrid: HybridParams,
}

impl PackedHybrid {
    /// Packs a simulation as it is.
    pub fn new(simulation: &HybridSimulation) -> Result<Self, Error> {
        let model = simulation.model();
        let (state, weave, blend) = (simulation.state(), model.weave(), model.blend());
        let held = held(simulation);
        let on_nodes: Vec<_> = held.iter().filter(|(p, _)| (*p as usize) < weave.node_count()).copied().collect();
        let all: Vec<Vector3<f64>> = state.yarns.positions.iter().chain(&state.vertices).copied().collect();
        let fixed = FixedPoint::around(&all);
        let mut nodes = PackedNodes::with_fixed_point(weave, &state.yarns, &on_nodes, fixed);
        nodes.positions.extend(state.vertices.iter().map(|p| fixed.position(p)));
        nodes.velocity.extend(state.vertex_velocities.iter().map(vertex_vector));
        let weights = flag_nodes(model, &mut nodes)?;
        let shell = PackedShell::new(model)?;
        let stiffness = weave.material.stiffness();
        let heavy_mass = (0.5 * stiffness.density * weave.material.spacing) as f32;
        let mut diagonal = node_diagonal(&nodes, &blend.mass, heavy_mass);
        let Rows { rows, chunks, hybrid_triangles, gather_list } = Rows::new(model)?;
        rows.iter().enumerate().for_each(|(k, row)| diagonal[row.node as usize].row = k as u32);
        diagonal.extend(vertex_diagonal(model));
        for (point, _) in &held {
            let x = &mut diagonal[*point as usize].x;
            *x = -x.abs();
        }
        let inverse_masses: Vec<f64> = rows.iter().map(|r| blend.mass[r.node as usize].recip()).collect();
        let slaves = &model.vertex_masses()[model.free_vertices()..];
        let Coarse { inverse_gram, inverse_mass } = Coarse::new(&rows, &hybrid_triangles, &inverse_masses, slaves)?;
        let pins: Vec<_> = held.iter().map(|(p, _)| still(&nodes, *p)).collect();
        let options = yarn_options(simulation);
        let params = params(weave, &stiffness, &options, &simulation.gravity, &fixed, pins.len());
        let donors: Vec<_> = model.registration.donors.iter().map(|(node, donor)| [*node, *donor]).collect();
        let hybrid = HybridParams {
            free: model.free_vertices() as u32,
            slaves: slaves.len() as u32,
            rows: rows.len() as u32,
            chunks: chunks.len() as u32,
            triangles: shell.triangles.len() as u32,
            hinges: shell.hinges.len() as u32,
            law: shell.law,
            crossings: shell.crossings.len() as u32,
            membrane: shell.membrane,
            positive: shell.positive,
            heavy_mass,
            slide_mass: 2.0 * heavy_mass,
            strain_change: STRAIN_CHANGE,
            donors: donors.len() as u32,
        };
        let vertex_mass = model.vertex_masses().iter().map(|m| *m as f32).collect();
        Ok(PackedHybrid {
            nodes,
            diagonal,
            weights,
            rows,
            chunks,
            hybrid_triangles,
            gather_list,
            inverse_gram,
            inverse_mass,
            vertex_mass,
            shell,
            donors,
            pins,
            params,
            hybrid,
        })
    }

    /// Yarn nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.arcs.len()
    }

    /// Nodes and active vertices.
    pub fn point_count(&self) -> usize {
        self.diagonal.len()
    }

    /// Brings a state to where nodes and vertices are; `state` is the one that was packed, or a later one.
    pub fn unpack(&self, state: &mut HybridState) {
        let n = self.node_count();
        let mut yarns = self.nodes.clone();
        yarns.positions.truncate(n);
        yarns.velocity.truncate(n);
        yarns.unpack(&mut state.yarns);
        for (k, (p, v)) in self.nodes.positions[n..].iter().zip(&self.nodes.velocity[n..]).enumerate() {
            state.vertices[k] = self.nodes.fixed.meters(p);
            state.vertex_velocities[k] = Vector3::new(v.x, v.y, v.z).cast();
        }
    }
}

/// What is held: nodes, then vertices by their place behind the nodes; and whether yarns may slide there.
pub(super) fn held(simulation: &HybridSimulation) -> Vec<(u32, bool)> {
    let model = simulation.model();
    let n = model.weave().node_count() as u32;
    let mut out = Vec::new();
    for pin in simulation.pins() {
        out.extend(pin.nodes.iter().map(|node| (*node, pin.sliding)));
        let places = pin.vertices.iter().filter_map(|v| model.place_of_vertex[*v as usize]);
        out.extend(places.map(|place| (n + place, false)));
    }
    out
}

/// Options in the words of the yarn solver.
fn yarn_options(simulation: &HybridSimulation) -> YarnOptions {
    let o = &simulation.options;
    YarnOptions {
        step: o.step,
        smallest_step: o.smallest_step,
        newton_iterations: 1,
        newton_tolerance: o.newton_tolerance,
        tolerance: o.tolerance,
        max_iterations: o.max_iterations,
        inertia: Inertia::Momentum,
        ..YarnOptions::default()
    }
}

fn vertex_vector(v: &Vector3<f64>) -> NodeVector {
    NodeVector { x: v.x as f32, y: v.y as f32, z: v.z as f32, u: 0.0, v: 0.0 }
}

/// What is pinned and stays.
fn still(nodes: &PackedNodes, point: u32) -> PinTarget {
    let NodePosition { x, y, z, .. } = nodes.positions[point as usize];
    PinTarget { goal: [x, y, z], node: point }
}

/// Writes into the flags where mass is and which weights a node has; returns the weights.
fn flag_nodes(model: &HybridModel, nodes: &mut PackedNodes) -> Result<Vec<[u32; 4]>, Error> {
    let blend = model.blend();
    let mut weights = Vec::new();
    let lumped = |node: usize, slot: usize| blend.lumped[node][slot];
    for i in 0..nodes.links.len() {
        let mut flags = nodes.links[i].flags;
        if blend.frozen[i] {
            flags |= node_flags::STUCK_U | node_flags::STUCK_V;
        }
        let mut heavy = 0;
        for port in 0..4 {
            let link = nodes.links[i].ports[port];
            if link == NONE {
                continue;
            }
            let (other, back) = ((link >> 2) as usize, (link & 3) as usize);
            let (owner, slot) = if port % 2 == 1 { (i, port / 2) } else { (other, back / 2) };
            heavy += u32::from(!lumped(owner, slot));
        }
        flags |= heavy * node_flags::HEAVY;
        for slot in 0..2 {
            flags |= if lumped(i, slot) { node_flags::LUMPED_U << slot } else { 0 };
        }
        let w = &blend.weights[i];
        let own: Vec<f32> = w.segments.iter().chain(&w.bends).chain(&w.corners).copied().collect();
        if own.iter().any(|w| *w != 1.0) {
            let bits = |w: f32| (f64::from(w) * 65535.0).round() as u32;
            weights.push(std::array::from_fn(|k| bits(own[2 * k]) | bits(own[2 * k + 1]) << 16));
            flags |= weights.len() as u32 * node_flags::WEIGHTED;
        }
        nodes.links[i].flags = flags;
    }
    if weights.len() >= (u32::MAX / node_flags::WEIGHTED) as usize {
        let problem =
            format!("{} nodes have weights, a million is the most: make the hybrid ring smaller", weights.len());
        return Err(Error::invalid("hybrid cloth on a device", problem));
    }
    Ok(weights)
}

fn node_diagonal(nodes: &PackedNodes, mass: &[f64], heavy_mass: f32) -> Vec<NodeDiagonal> {
    let of = |i: usize| {
        let flags = nodes.links[i].flags;
        let heavy = (flags / node_flags::HEAVY) & 7;
        let x = 1.0 / (mass[i] + f64::from(heavy) * f64::from(heavy_mass)).max(f64::from(f32::MIN_POSITIVE));
        let x = if flags & node_flags::HELD != 0 { -x } else { x };
        let free = |bit: u32| if flags & bit == 0 { 1.0 } else { 0.0 };
        NodeDiagonal { x: x as f32, u: free(node_flags::STUCK_U), v: free(node_flags::STUCK_V), row: NONE }
    };
    (0..nodes.links.len()).map(of).collect()
}

/// Hybrid vertices are never free.
fn vertex_diagonal(model: &HybridModel) -> impl Iterator<Item = NodeDiagonal> + '_ {
    let free = model.free_vertices();
    model.vertex_masses().iter().enumerate().map(move |(k, mass)| {
        let inverse = (1.0 / mass.max(f64::from(f32::MIN_POSITIVE))) as f32;
        NodeDiagonal { x: if k < free { inverse } else { -1.0 }, u: 0.0, v: 0.0, row: NONE }
    })
}

/// B by chunks.
struct Rows {
    rows: Vec<HybridRow>,
    chunks: Vec<RowChunk>,
    hybrid_triangles: Vec<[u32; 3]>,
    gather_list: Vec<u32>,
}

impl Rows {
    fn new(model: &HybridModel) -> Result<Self, Error> {
        let mut order: Vec<usize> = (0..model.hybrid_nodes().len()).collect();
        let triangle = |row: usize| model.places()[model.hybrid_nodes()[row] as usize].triangle;
        order.sort_by_key(|row| (triangle(*row), *row));
        let mut out =
            Rows { rows: Vec::new(), chunks: Vec::new(), hybrid_triangles: Vec::new(), gather_list: Vec::new() };
        for same in order.chunk_by(|a, b| triangle(*a) == triangle(*b)) {
            let number = out.hybrid_triangles.len() as u32;
            if number > 0xffff {
                let problem = "more than 65,536 hybrid triangles: coarsen the mesh around the yarns";
                return Err(Error::invalid("hybrid cloth on a device", problem));
            }
            out.hybrid_triangles.push(model.coupling().rows()[same[0]].0);
            for part in same.chunks(CHUNK_ROWS) {
                out.chunks.push(RowChunk { first: out.rows.len() as u32, count: part.len() as u32 });
                out.rows.extend(part.iter().map(|row| {
                    let [_, one, two] = model.coupling().rows()[*row].1;
                    HybridRow::new(model.hybrid_nodes()[*row], number, [one, two])
                }));
            }
        }
        let mut corners = vec![Vec::new(); model.coupling().vertex_count()];
        for (chunk, c) in out.chunks.iter().enumerate() {
            let triangle = out.rows[c.first as usize].triangle() as usize;
            for (k, v) in out.hybrid_triangles[triangle].iter().enumerate() {
                corners[*v as usize].push((3 * chunk + k) as u32);
            }
        }
        out.gather_list = listed(&corners);
        Ok(out)
    }
}
