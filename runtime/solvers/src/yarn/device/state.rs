//! Cloth on a device: its buffers, and the recording of frames.

use super::pack::{FixedPoint, PackedNodes, params};
use super::pipelines::{Stages, YarnSolverPipelines};
use crate::error::Error;
use crate::yarn::options::Damping;
use crate::yarn::simulation::YarnSimulation;
use nalgebra::Vector3;
use yarnwise_device::wgpu::{self, BufferUsages};
use yarnwise_device::{DeviceError, Memory, StagePipeline, guard, write};
use yarnwise_shaders::gpu::{
    BLOCK_WORDS, NodeAnchors, NodeArcs, NodeLinks, NodePosition, NodeVector, PinTarget, ROW_PARTS, VECTOR_WORDS,
    YarnSolverParams, YarnSolverScalars, phase,
};

/// How much of a frame is recorded. Attempts and iterations that are not needed do nothing, but are dispatched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Attempts at a step; a step that is taken back is one of them.
    pub attempts: u32,
    /// Iterations of each linear solve.
    pub iterations: u32,
}

impl Default for Effort {
    /// Enough for 1/60 s in steps of 2 ms, a third of them halved.
    fn default() -> Self {
        Effort { attempts: 12, iterations: 200 }
    }
}

/// Bytes a node that a cloth takes on the device.
pub const BYTES_PER_NODE: usize = size_of::<NodePosition>()
    + size_of::<NodeArcs>()
    + size_of::<NodeLinks>()
    + 3 * size_of::<NodeVector>()
    + size_of::<NodeAnchors>()
    + 3 * size_of::<f32>()
    + size_of::<f32>()
    + ROW_PARTS * 4 * size_of::<f32>()
    + BLOCK_WORDS * size_of::<f32>()
    + VECTOR_WORDS * size_of::<f32>();

/// The buffers of a cloth.
#[derive(Debug)]
struct Buffers {
    params: wgpu::Buffer,
    scalars: wgpu::Buffer,
    positions: wgpu::Buffer,
    arcs: wgpu::Buffer,
    links: wgpu::Buffer,
    velocity: wgpu::Buffer,
    momentum: wgpu::Buffer,
    anchors: wgpu::Buffer,
    normals: wgpu::Buffer,
    compression: wgpu::Buffer,
    rows: wgpu::Buffer,
    blocks: wgpu::Buffer,
    residual: wgpu::Buffer,
    vectors: wgpu::Buffer,
    partials: wgpu::Buffer,
    pins: wgpu::Buffer,
}

impl Buffers {
    fn new(memory: &Memory<'_>, nodes: &PackedNodes, pins: &[PinTarget]) -> Result<Self, DeviceError> {
        let n = nodes.positions.len();
        let none = BufferUsages::empty();
        let words = |label, count: usize| memory.storage::<f32>(label, count * n, none);
        Ok(Buffers {
            params: memory.uniform::<YarnSolverParams>("parameters of the yarn solver"),
            scalars: memory.storage::<YarnSolverScalars>("scalars of the yarn solver", 1, BufferUsages::UNIFORM)?,
            positions: memory.upload("positions of nodes", &nodes.positions)?,
            arcs: memory.upload("arc coordinates of nodes", &nodes.arcs)?,
            links: memory.upload("links of nodes", &nodes.links)?,
            velocity: memory.upload("velocities of nodes", &nodes.velocity)?,
            momentum: memory.upload("momenta of nodes", &nodes.momentum)?,
            anchors: memory.upload("anchors of nodes", &nodes.anchors)?,
            normals: memory.upload("normals of nodes", &nodes.normals)?,
            compression: memory.upload("compression of nodes", &nodes.compression)?,
            rows: words("rows of nodes", 4 * ROW_PARTS)?,
            blocks: words("blocks of nodes", BLOCK_WORDS)?,
            residual: memory.storage::<NodeVector>("residuals of nodes", n, none)?,
            vectors: words("vectors of the solve", VECTOR_WORDS)?,
            partials: memory.storage::<[f32; 2]>("sums of workgroups", n.div_ceil(64), none)?,
            pins: memory.upload("pins", pins)?,
        })
    }

    /// The buffer behind a variable of the stages.
    fn named(&self, name: &str) -> &wgpu::Buffer {
        match name {
            "params" => &self.params,
            "scalars" => &self.scalars,
            "positions" => &self.positions,
            "arcs" => &self.arcs,
            "links" => &self.links,
            "velocity" => &self.velocity,
            "momentum" => &self.momentum,
            "anchors" => &self.anchors,
            "normals" => &self.normals,
            "compression" => &self.compression,
            "rows" => &self.rows,
            "blocks" => &self.blocks,
            "residual" => &self.residual,
            "vectors" => &self.vectors,
            "partials" => &self.partials,
            "pins" => &self.pins,
            other => unreachable!("no stage of the yarn solver has a buffer {other}"),
        }
    }

    fn bind(&self, device: &wgpu::Device, stage: &StagePipeline) -> wgpu::BindGroup {
        let resource = |b: &yarnwise_shaders::Binding| (b.name, self.named(b.name).as_entire_binding());
        let resources: Vec<_> = stage.stage().bindings.iter().map(resource).collect();
        stage.bind(device, &resources)
    }
}

/// Cloth on a device.
#[derive(Debug)]
pub struct YarnSolverState {
    device: wgpu::Device,
    pipelines: YarnSolverPipelines,
    bindings: Stages<wgpu::BindGroup>,
    buffers: Buffers,
    fixed: FixedPoint,
    params: YarnSolverParams,
    pins: Vec<u32>,
    /// The scalars that a frame starts with, but for what only the device knows.
    step: f32,
}

impl YarnSolverState {
    /// The yarns of a simulation as they are, with its pins, options and gravity.
    ///
    /// Refuses what the device would leave out silently.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipelines: &YarnSolverPipelines,
        simulation: &YarnSimulation,
    ) -> Result<Self, Error> {
        if let Some(what) = left_out(simulation) {
            return Err(Error::invalid("yarns on a device", what));
        }
        let held: Vec<_> = simulation.pins.iter().flat_map(|p| p.nodes.iter().map(|node| (*node, p.sliding))).collect();
        let nodes = PackedNodes::new(simulation.weave(), simulation.state(), &held);
        let pins: Vec<u32> = held.iter().map(|(node, _)| *node).collect();
        let targets: Vec<_> = pins.iter().map(|p| still(&nodes, *p)).collect();
        let (k, options) = (simulation.stiffness(), &simulation.options);
        let params = params(simulation.weave(), k, options, &simulation.gravity, &nodes.fixed, pins.len());
        let made = guard(device, "making the buffers of the yarn solver", || {
            let memory = Memory::new(device, queue);
            let buffers = Buffers::new(&memory, &nodes, &targets)?;
            memory.write(&buffers.params, bytemuck::bytes_of(&params))?;
            let bindings = pipelines.stages.map(|stage| buffers.bind(device, stage));
            Ok::<_, DeviceError>((buffers, bindings))
        });
        let (buffers, bindings) = made?;
        let (device, pipelines) = (device.clone(), pipelines.clone());
        let state = YarnSolverState {
            device,
            pipelines,
            bindings,
            buffers,
            fixed: nodes.fixed,
            params,
            pins,
            step: params.step,
        };
        state.write_scalars(queue, 0.0)?;
        Ok(state)
    }

    /// Opens a frame of `duration` seconds, at whose end each pinned node is at its target (meters, in the order of the simulation's pins).
    ///
    /// A frame that the device has not finished is cut off here: look at [`YarnSolverState::scalars_buffer`], frames later, and record more attempts.
    pub fn prepare(&mut self, queue: &wgpu::Queue, duration: f64, targets: &[Vector3<f64>]) -> Result<(), Error> {
        if targets.len() != self.pins.len() {
            let problem = format!("{} targets for {} pinned nodes", targets.len(), self.pins.len());
            return Err(Error::invalid("yarns on a device", problem));
        }
        if !(duration > 0.0 && duration < 1e3) {
            return Err(Error::invalid("yarns on a device", format!("a frame of {duration} s; it must be positive")));
        }
        let target = |(node, x): (&u32, &Vector3<f64>)| {
            let p = self.fixed.position(x);
            PinTarget { goal: [p.x, p.y, p.z], node: *node }
        };
        let pins: Vec<_> = self.pins.iter().zip(targets).map(target).collect();
        write(queue, &self.buffers.pins, bytemuck::cast_slice(&pins))?;
        self.write_scalars(queue, duration as f32)
    }

    fn write_scalars(&self, queue: &wgpu::Queue, left: f32) -> Result<(), Error> {
        let mut scalars: YarnSolverScalars = bytemuck::Zeroable::zeroed();
        (scalars.left, scalars.current) = (left, self.step);
        scalars.phase = if left > 0.0 { phase::STEP } else { phase::DONE };
        Ok(write(queue, &self.buffers.scalars, bytemuck::bytes_of(&scalars))?)
    }

    /// Records the frame.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, effort: &Effort) -> Result<(), Error> {
        let label = Some("yarn solver");
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label, timestamp_writes: None });
        let mut record = Record { state: self, pass: &mut pass, groups: self.groups()? };
        for _ in 0..effort.attempts {
            record.attempt(effort.iterations);
        }
        Ok(())
    }

    /// Workgroups of the stages of one thread a node, and of those of one thread a pin.
    fn groups(&self) -> Result<[[u32; 2]; 2], Error> {
        let stage = &self.pipelines.stages.product;
        Ok([stage.groups(self.params.nodes as usize, 0)?, stage.groups(self.pins.len(), 0)?])
    }

    /// Positions of the nodes, [`NodePosition`]s in [`YarnSolverState::fixed_point`].
    pub fn positions_buffer(&self) -> &wgpu::Buffer {
        &self.buffers.positions
    }

    /// What the device has done in this frame, [`YarnSolverScalars`]: copy it to a mapped buffer and look at it when it arrives.
    pub fn scalars_buffer(&self) -> &wgpu::Buffer {
        &self.buffers.scalars
    }

    /// The buffer of a variable of the stages, to look into a step.
    ///
    /// # Panics
    /// When no stage has such a variable.
    pub fn buffer(&self, name: &str) -> &wgpu::Buffer {
        self.buffers.named(name)
    }

    /// Where zero is, and how long a unit is.
    pub fn fixed_point(&self) -> FixedPoint {
        self.fixed
    }

    /// The parameters of the stages.
    pub fn params(&self) -> &YarnSolverParams {
        &self.params
    }

    /// The device.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }
}

/// A pinned node that stays.
fn still(nodes: &PackedNodes, node: u32) -> PinTarget {
    let NodePosition { x, y, z, .. } = nodes.positions[node as usize];
    PinTarget { goal: [x, y, z], node }
}

/// The first of what the simulation has and the device does not do.
fn left_out(simulation: &YarnSimulation) -> Option<&'static str> {
    let options = &simulation.options;
    if simulation.weave().node_count() == 0 {
        Some("there are no nodes")
    } else if !simulation.bodies.is_empty() {
        Some("bodies are for the CPU: remove them, or step on the CPU")
    } else if !simulation.forces.is_empty() {
        Some("forces on nodes are for the CPU: use pins, or step on the CPU")
    } else if options.self_contact {
        Some("self_contact is for the CPU: switch it off, or step on the CPU")
    } else if options.damping == Damping::Lagged {
        Some("lagged damping is for the CPU: use strain damping, or step on the CPU")
    } else if simulation.weave().material.crimp.is_some() {
        Some("crimp is for the CPU: leave it out of the material, or step on the CPU")
    } else if options.changes && simulation.weave().material.strength.is_some() {
        Some("yarns that break are for the CPU: switch changes off, or step on the CPU")
    } else {
        None
    }
}

/// Records the stages of a step.
struct Record<'a, 'b> {
    state: &'a YarnSolverState,
    pass: &'a mut wgpu::ComputePass<'b>,
    groups: [[u32; 2]; 2],
}

impl Record<'_, '_> {
    fn attempt(&mut self, iterations: u32) {
        self.once(|s| &s.open, |s| &s.open);
        self.nodes(|s| &s.reset, |s| &s.reset);
        if self.state.params.pins > 0 {
            self.run(|s| &s.pins, |s| &s.pins, self.groups[1]);
        }
        self.nodes(|s| &s.normals, |s| &s.normals);
        self.nodes(|s| &s.compression, |s| &s.compression);
        for _ in 0..self.state.params.newton_iterations {
            self.linearize();
            for _ in 0..iterations {
                self.iterate();
            }
            self.once(|s| &s.close_solve, |s| &s.close_solve);
        }
        if self.state.params.newton_iterations > 1 {
            self.linearize();
        }
        self.nodes(|s| &s.check, |s| &s.check);
        self.once(|s| &s.judge, |s| &s.judge);
        self.nodes(|s| &s.settle, |s| &s.settle);
        self.nodes(|s| &s.commit, |s| &s.commit);
        self.once(|s| &s.close, |s| &s.close);
    }

    fn linearize(&mut self) {
        self.nodes(|s| &s.elements, |s| &s.elements);
        self.nodes(|s| &s.residual, |s| &s.residual);
        self.nodes(|s| &s.blocks, |s| &s.blocks);
        self.nodes(|s| &s.start, |s| &s.start);
        self.once(|s| &s.open_solve, |s| &s.open_solve);
    }

    fn iterate(&mut self) {
        self.nodes(|s| &s.product, |s| &s.product);
        self.once(|s| &s.step_length, |s| &s.step_length);
        self.nodes(|s| &s.update, |s| &s.update);
        self.once(|s| &s.ratio, |s| &s.ratio);
        self.nodes(|s| &s.direction, |s| &s.direction);
    }

    fn nodes(&mut self, stage: Chosen<StagePipeline>, binding: Chosen<wgpu::BindGroup>) {
        self.run(stage, binding, self.groups[0]);
    }

    fn once(&mut self, stage: Chosen<StagePipeline>, binding: Chosen<wgpu::BindGroup>) {
        self.run(stage, binding, [1, 1]);
    }

    fn run(&mut self, stage: Chosen<StagePipeline>, binding: Chosen<wgpu::BindGroup>, groups: [u32; 2]) {
        stage(&self.state.pipelines.stages).dispatch(self.pass, binding(&self.state.bindings), groups);
    }
}

/// One of the stages.
type Chosen<T> = fn(&Stages<T>) -> &T;
