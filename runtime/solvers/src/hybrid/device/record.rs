//! The order of the stages of a step.

use super::pipelines::Stages;
use super::state::HybridSolverState;
use crate::error::Error;
use crate::yarn::device::Effort;
use yarnwise_device::{StagePipeline, wgpu};

/// One of the stages.
type Chosen<T> = fn(&Stages<T>) -> &T;

/// A stage and its buffers.
macro_rules! stage {
    ($name:ident) => {
        (|s| &s.$name, |s| &s.$name)
    };
}

impl HybridSolverState {
    /// Records the frame. Takes nothing but an encoder: it can neither submit nor wait.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, effort: &Effort) -> Result<(), Error> {
        let label = Some("hybrid solver");
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label, timestamp_writes: None });
        let mut record = Record { state: self, pass: &mut pass, groups: Groups::new(self)? };
        for _ in 0..effort.attempts {
            record.attempt(effort.iterations);
        }
        Ok(())
    }
}

/// Workgroups of the stages.
struct Groups {
    nodes: [u32; 2],
    points: [u32; 2],
    pins: [u32; 2],
    chunks: [u32; 2],
    slaves: [u32; 2],
    slave_rows: [u32; 2],
    triangles: [u32; 2],
    hinges: [u32; 2],
    donors: [u32; 2],
    vertices: [u32; 2],
}

impl Groups {
    fn new(state: &HybridSolverState) -> Result<Self, Error> {
        let stage = &state.pipelines.stages.product;
        let (p, h) = (&state.params, &state.hybrid);
        let of = |count: u32| stage.groups(count as usize, 0);
        let one_each = |count: u32| stage.groups(count as usize * stage.group_size() as usize, 0);
        let vertices = h.free + h.slaves;
        Ok(Groups {
            nodes: of(p.nodes)?,
            points: of(p.nodes + vertices)?,
            pins: of(p.pins)?,
            chunks: one_each(h.chunks)?,
            slaves: of(h.slaves)?,
            slave_rows: one_each(h.slaves)?,
            triangles: of(h.triangles)?,
            hinges: of(h.hinges)?,
            donors: of(h.donors)?,
            vertices: of(vertices)?,
        })
    }
}

/// Records the stages of a step.
struct Record<'a, 'b> {
    state: &'a HybridSolverState,
    pass: &'a mut wgpu::ComputePass<'b>,
    groups: Groups,
}

impl Record<'_, '_> {
    fn attempt(&mut self, iterations: u32) {
        let one = [1, 1];
        let Groups { nodes, points, pins, .. } = self.groups;
        self.run(stage!(open), one);
        self.run(stage!(reset), points);
        self.run(stage!(pins), pins);
        self.run(stage!(normals), nodes);
        self.run(stage!(compression), nodes);
        self.run(stage!(donors), self.groups.donors);
        self.linearize();
        for _ in 0..iterations {
            self.iterate();
        }
        self.run(stage!(close_solve), one);
        self.run(stage!(finish), points);
        self.follow();
        self.run(stage!(check), points);
        self.run(stage!(judge), one);
        self.run(stage!(settle), nodes);
        self.run(stage!(commit), points);
        self.run(stage!(close), one);
    }

    /// Hybrid vertices follow d.
    fn follow(&mut self) {
        self.run(stage!(restrict), self.groups.chunks);
        self.run(stage!(gather), self.groups.slaves);
        self.run(stage!(follow), self.groups.slave_rows);
    }

    fn linearize(&mut self) {
        let Groups { nodes, points, triangles, hinges, vertices, slave_rows, .. } = self.groups;
        self.follow();
        self.run(stage!(corners), nodes);
        self.run(stage!(own), nodes);
        self.run(stage!(residual), nodes);
        self.run(stage!(triangle_force), triangles);
        self.run(stage!(hinge_force), hinges);
        self.run(stage!(vertex_residual), vertices);
        self.run(stage!(dense_shares), slave_rows);
        self.run(stage!(start), points);
        self.precondition();
        self.run(stage!(open_solve), [1, 1]);
        self.run(stage!(direction), points);
    }

    /// λ = G⁻¹ Bᵀ M⁻¹ r.
    fn precondition(&mut self) {
        self.run(stage!(restrict_residual), self.groups.chunks);
        self.run(stage!(gather), self.groups.slaves);
        self.run(stage!(dense_lambda), self.groups.slave_rows);
    }

    fn iterate(&mut self) {
        let Groups { nodes, points, triangles, hinges, vertices, slave_rows, .. } = self.groups;
        self.follow();
        self.run(stage!(triangle_product), triangles);
        self.run(stage!(hinge_product), hinges);
        self.run(stage!(vertex_gather), vertices);
        self.run(stage!(dense_shares), slave_rows);
        self.run(stage!(product), nodes);
        self.run(stage!(step_length), [1, 1]);
        self.run(stage!(update), points);
        self.precondition();
        self.run(stage!(ratio), [1, 1]);
        self.run(stage!(direction), points);
    }

    /// Nothing is dispatched for what is not there.
    fn run(&mut self, (stage, binding): (Chosen<StagePipeline>, Chosen<wgpu::BindGroup>), groups: [u32; 2]) {
        if groups[0] > 0 {
            stage(&self.state.pipelines.stages).dispatch(self.pass, binding(&self.state.bindings), groups);
        }
    }
}
