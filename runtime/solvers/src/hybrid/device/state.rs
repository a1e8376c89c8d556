//! Cloth on a device: its buffers, and the recording of frames.

use super::pack::{PackedHybrid, held};
use super::pipelines::{HybridPipelines, Stages};
use crate::error::Error;
use crate::hybrid::simulation::HybridSimulation;
use crate::yarn::device::FixedPoint;
use nalgebra::Vector3;
use yarnwise_device::wgpu::{self, BufferUsages};
use yarnwise_device::{DeviceError, Memory, StagePipeline, guard, write};
use yarnwise_shaders::gpu::{
    HingeRow, HybridParams, MembraneTangent, NodeVector, PinTarget, YarnSolverParams, YarnSolverScalars, phase,
};
use yarnwise_shaders::stages;

/// The buffers of a cloth, by the names that variables of the stages have.
#[derive(Debug)]
pub(super) struct Buffers {
    named: Vec<(&'static str, wgpu::Buffer)>,
}

impl Buffers {
    fn new(memory: &Memory<'_>, cloth: &PackedHybrid) -> Result<Self, DeviceError> {
        let (n, all) = (cloth.node_count(), cloth.point_count());
        let (hybrid, shell) = (&cloth.hybrid, &cloth.shell);
        let slaves = hybrid.slaves as usize;
        let vector = |label| memory.storage::<NodeVector>(label, all, BufferUsages::empty());
        let words = |label, count: usize| memory.storage::<f32>(label, count, BufferUsages::empty());
        // Behind w there are two sums of each workgroup.
        let sums = 2 * (n.div_ceil(64) + (all - n).div_ceil(64) + 1);
        let slots = shell.triangles.len() * 3 + shell.hinges.len() * 4;
        let scalars = memory.storage::<YarnSolverScalars>("scalars of the hybrid solver", 1, BufferUsages::UNIFORM)?;
        let named = vec![
            ("params", memory.uniform::<YarnSolverParams>("parameters of the yarn solver")),
            ("hybrid", memory.uniform::<HybridParams>("parameters of the hybrid solver")),
            ("scalars", scalars),
            ("positions", memory.upload("positions", &cloth.nodes.positions)?),
            ("arcs", memory.upload("arc coordinates", &cloth.nodes.arcs)?),
            ("links", memory.upload("links", &cloth.nodes.links)?),
            ("velocity", memory.upload("velocities", &cloth.nodes.velocity)?),
            ("momentum", memory.upload("momenta", &cloth.nodes.momentum)?),
            ("anchors", memory.upload("anchors", &cloth.nodes.anchors)?),
            ("compression", memory.upload("compression", &cloth.nodes.compression)?),
            ("diagonal", memory.upload("diagonal", &cloth.diagonal)?),
            ("weights", memory.upload("weights of elements", &cloth.weights)?),
            ("rows", memory.upload("rows of B", &cloth.rows)?),
            ("chunks", memory.upload("chunks of rows", &cloth.chunks)?),
            ("hybrid_triangles", memory.upload("hybrid triangles", &cloth.hybrid_triangles)?),
            ("gather_list", memory.upload("corners of chunks", &cloth.gather_list)?),
            ("inverse_gram", memory.upload("inverse of K", &cloth.inverse_gram)?),
            ("inverse_mass", memory.upload("inverse of G", &cloth.inverse_mass)?),
            ("vertex_mass", memory.upload("masses of vertices", &cloth.vertex_mass)?),
            ("vertex_list", memory.upload("elements of vertices", &shell.vertex_list)?),
            ("triangles", memory.upload("triangles", &shell.triangles)?),
            ("hinges", memory.upload("hinges", &shell.hinges)?),
            ("crossings", memory.upload("crossings of the draft", &shell.crossings)?),
            ("donors", memory.upload("donors of compression", &cloth.donors)?),
            ("pins", memory.upload("pins", &cloth.pins)?),
            ("corners", words("weights of corners", 4 * n)?),
            ("x", vector("change of velocities")?),
            ("r", vector("residuals")?),
            ("d", vector("directions")?),
            ("w", words("products, and sums of workgroups", 5 * all + sums)?),
            ("chunk_sums", words("sums of chunks", 9 * cloth.chunks.len())?),
            ("coarse", words("sums at hybrid vertices", 3 * slaves)?),
            ("forces", words("forces on hybrid vertices", 3 * slaves)?),
            ("shares", words("forces on hybrid nodes, at vertices", 3 * slaves)?),
            ("lambda", words("correction at hybrid vertices", 3 * slaves)?),
            ("tangents", memory.storage::<MembraneTangent>("tangents", shell.triangles.len(), BufferUsages::empty())?),
            ("hinge_rows", memory.storage::<HingeRow>("rows of hinges", shell.hinges.len(), BufferUsages::empty())?),
            ("slots", memory.storage::<[f32; 4]>("shares of elements", slots, BufferUsages::empty())?),
        ];
        Ok(Buffers { named })
    }

    pub(super) fn get(&self, name: &str) -> Option<&wgpu::Buffer> {
        self.named.iter().find(|(n, _)| *n == name).map(|(_, buffer)| buffer)
    }

    /// The buffer that a stage has behind a variable.
    pub(super) fn behind(&self, stage: &str, variable: &'static str) -> &'static str {
        match (stage, variable) {
            // Normals of crossings are needed only where w is not yet.
            ("normals" | "compression", "normals") => "w",
            ("start" | "update", "carried") => "shares",
            ("direction", "carried") => "lambda",
            ("follow" | "dense_shares", "matrix") => "inverse_gram",
            ("dense_lambda", "matrix") => "inverse_mass",
            ("follow" | "dense_lambda", "source") => "coarse",
            ("dense_shares", "source") => "forces",
            ("dense_shares", "result") => "shares",
            ("dense_lambda", "result") => "lambda",
            _ => variable,
        }
    }

    fn bind(&self, device: &wgpu::Device, name: &str, stage: &StagePipeline) -> wgpu::BindGroup {
        let resource = |b: &yarnwise_shaders::Binding| {
            let buffer = self.get(self.behind(name, b.name));
            let buffer = buffer.unwrap_or_else(|| unreachable!("no stage of the hybrid solver has {}", b.name));
            (b.name, buffer.as_entire_binding())
        };
        let resources: Vec<_> = stage.stage().bindings.iter().map(resource).collect();
        stage.bind(device, &resources)
    }
}

/// Positions as 32-bit numbers, for a renderer or the yarn runtime: three a point, meters from the origin of
/// [`HybridSolverState::fixed_point`].
#[derive(Debug)]
pub struct HybridOutput {
    stage: StagePipeline,
    bindings: wgpu::BindGroup,
    groups: [u32; 2],
    /// Of the yarn nodes.
    pub nodes: wgpu::Buffer,
    /// Of the active vertices: those of triangles alone, then hybrid ones.
    pub vertices: wgpu::Buffer,
}

/// Cloth on a device.
#[derive(Debug)]
pub struct HybridSolverState {
    device: wgpu::Device,
    pub(super) pipelines: HybridPipelines,
    pub(super) bindings: Stages<wgpu::BindGroup>,
    pub(super) buffers: Buffers,
    fixed: FixedPoint,
    pub(super) params: YarnSolverParams,
    pub(super) hybrid: HybridParams,
    pins: Vec<u32>,
}

impl HybridSolverState {
    /// The cloth of a simulation as it is, with its pins, options and gravity.
    ///
    /// Refuses what the device would leave out silently.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipelines: &HybridPipelines,
        simulation: &HybridSimulation,
    ) -> Result<Self, Error> {
        if let Some(what) = left_out(simulation) {
            return Err(Error::invalid("hybrid cloth on a device", what));
        }
        let cloth = PackedHybrid::new(simulation)?;
        let made = guard(device, "making the buffers of the hybrid solver", || {
            let memory = Memory::new(device, queue);
            let buffers = Buffers::new(&memory, &cloth)?;
            let bindings = pipelines.stages.map(|name, stage| buffers.bind(device, name, stage));
            Ok::<_, DeviceError>((buffers, bindings))
        });
        let (buffers, bindings) = made?;
        let (device, pipelines) = (device.clone(), pipelines.clone());
        let pins = held(simulation).iter().map(|(point, _)| *point).collect();
        let (fixed, params, hybrid) = (cloth.nodes.fixed, cloth.params, cloth.hybrid);
        let state = HybridSolverState { device, pipelines, bindings, buffers, fixed, params, hybrid, pins };
        write(queue, state.buffer("params"), bytemuck::bytes_of(&params))?;
        write(queue, state.buffer("hybrid"), bytemuck::bytes_of(&hybrid))?;
        let mut scalars: YarnSolverScalars = bytemuck::Zeroable::zeroed();
        (scalars.current, scalars.phase) = (params.step, phase::DONE);
        write(queue, state.buffer("scalars"), bytemuck::bytes_of(&scalars))?;
        Ok(state)
    }

    /// Opens a frame of `duration` seconds, at whose end each pinned point is at its target (meters; of each pin of the simulation its nodes,
    /// then its vertices).
    ///
    /// A frame that the device has not finished is cut off here: look at [`HybridSolverState::scalars_buffer`], frames later, and record more
    /// attempts.
    pub fn prepare(&self, queue: &wgpu::Queue, duration: f64, targets: &[Vector3<f64>]) -> Result<(), Error> {
        if targets.len() != self.pins.len() {
            let problem = format!("{} targets for {} pinned points", targets.len(), self.pins.len());
            return Err(Error::invalid("hybrid cloth on a device", problem));
        }
        if !(duration > 0.0 && duration < 1e3) {
            let problem = format!("a frame of {duration} s; it must be positive");
            return Err(Error::invalid("hybrid cloth on a device", problem));
        }
        let target = |(point, x): (&u32, &Vector3<f64>)| {
            let p = self.fixed.position(x);
            PinTarget { goal: [p.x, p.y, p.z], node: *point }
        };
        let pins: Vec<_> = self.pins.iter().zip(targets).map(target).collect();
        write(queue, self.buffer("pins"), bytemuck::cast_slice(&pins))?;
        // A negative length of the step, and what is left of the frame; the rest of the scalars is the device's.
        Ok(write(queue, self.buffer("scalars"), bytemuck::cast_slice(&[-1.0, duration as f32]))?)
    }

    /// Makes the buffers that a renderer or the yarn runtime binds.
    pub fn output(&self, queue: &wgpu::Queue) -> Result<HybridOutput, Error> {
        let device = &self.device;
        let limit = device.limits().max_compute_workgroups_per_dimension;
        let vertices = (self.hybrid.free + self.hybrid.slaves) as usize;
        let nodes = self.params.nodes as usize;
        let made = guard(device, "making the output of the hybrid solver", || {
            let memory = Memory::new(device, queue);
            let more = BufferUsages::VERTEX;
            let node_points = memory.storage::<[f32; 3]>("points of nodes", nodes, more)?;
            let vertex_points = memory.storage::<[f32; 3]>("points of vertices", vertices, more)?;
            let stage = StagePipeline::new(device, &stages::hybrid::output::STAGE, limit);
            let resource = |b: &yarnwise_shaders::Binding| {
                let buffer = match b.name {
                    "node_points" => &node_points,
                    "vertex_points" => &vertex_points,
                    other => self.buffer(other),
                };
                (b.name, buffer.as_entire_binding())
            };
            let resources: Vec<_> = stage.stage().bindings.iter().map(resource).collect();
            let bindings = stage.bind(device, &resources);
            let groups = stage.groups(nodes + vertices, 0)?;
            Ok::<_, DeviceError>(HybridOutput { stage, bindings, groups, nodes: node_points, vertices: vertex_points })
        });
        Ok(made?)
    }

    /// Records the positions for a renderer, after the frame.
    pub fn encode_output(&self, encoder: &mut wgpu::CommandEncoder, output: &HybridOutput) {
        let label = Some("hybrid output");
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label, timestamp_writes: None });
        output.stage.dispatch(&mut pass, &output.bindings, output.groups);
    }

    /// What the device has done in this frame, [`YarnSolverScalars`]: copy it to a mapped buffer and look at it when it arrives.
    pub fn scalars_buffer(&self) -> &wgpu::Buffer {
        self.buffer("scalars")
    }

    /// The buffer of a variable of the stages, to look into a step.
    ///
    /// # Panics
    /// When no stage has such a variable.
    pub fn buffer(&self, name: &str) -> &wgpu::Buffer {
        self.buffers.get(name).unwrap_or_else(|| panic!("no stage of the hybrid solver has a buffer {name}"))
    }

    /// Where zero is, and how long a unit is.
    pub fn fixed_point(&self) -> FixedPoint {
        self.fixed
    }

    /// The parameters that the stages share with those of yarns alone.
    pub fn params(&self) -> &YarnSolverParams {
        &self.params
    }

    /// The parameters of the hybrid stages.
    pub fn hybrid_params(&self) -> &HybridParams {
        &self.hybrid
    }
}

/// The first of what the simulation has and the device does not do.
fn left_out(simulation: &HybridSimulation) -> Option<&'static str> {
    let options = &simulation.options;
    if simulation.model().weave().node_count() + simulation.model().active_vertices().len() == 0 {
        Some("there are no nodes and no vertices")
    } else if !simulation.bodies.is_empty() {
        Some("bodies are for the CPU: remove them, or step on the CPU")
    } else if simulation.holding.by_hand() {
        Some("points that are dragged or held at places are for the CPU: let go of them, and use pins")
    } else if !simulation.forces.is_empty() {
        Some("forces on nodes are for the CPU: use pins, or step on the CPU")
    } else if options.dead_load {
        Some("dead_load is for the CPU: switch it off, or step on the CPU")
    } else if options.newton_iterations != 1 {
        Some("the device takes one iteration of Newton's method a step: set newton_iterations to 1, or step on the CPU")
    } else {
        None
    }
}
