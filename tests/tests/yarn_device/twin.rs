//! The yarn solver's stages on the CPU: each twin over all nodes, in the order of a step.

use yarnwise_shaders::cpu::yarn_solver as twin;
use yarnwise_shaders::cpu::yarn_solver::{Nodes, Value};
use yarnwise_shaders::gpu::{BLOCK_WORDS, NodeRows, PinTarget, YarnSolverParams, YarnSolverScalars, phase};
use yarnwise_solvers::yarn::device::PackedNodes;

/// All that a step reads and writes.
#[derive(Clone)]
pub(crate) struct Twin {
    pub(crate) params: YarnSolverParams,
    pub(crate) scalars: YarnSolverScalars,
    pub(crate) nodes: PackedNodes,
    pub(crate) pins: Vec<PinTarget>,
    pub(crate) rows: Vec<NodeRows>,
    pub(crate) stress: Vec<[f32; 8]>,
    pub(crate) blocks: Vec<[f32; BLOCK_WORDS]>,
    pub(crate) r: Vec<Value>,
    pub(crate) x: Vec<Value>,
    pub(crate) d: Vec<Value>,
    pub(crate) w: Vec<Value>,
}

impl Twin {
    pub(crate) fn new(nodes: PackedNodes, params: YarnSolverParams, pins: Vec<PinTarget>, frame: f32) -> Self {
        let n = nodes.positions.len();
        let mut scalars: YarnSolverScalars = bytemuck::Zeroable::zeroed();
        (scalars.left, scalars.current, scalars.phase) = (frame, params.step, phase::STEP);
        Twin {
            params,
            scalars,
            nodes,
            pins,
            rows: vec![Default::default(); n],
            stress: vec![Default::default(); n],
            blocks: vec![Default::default(); n],
            r: vec![Value::default(); n],
            x: vec![Value::default(); n],
            d: vec![Value::default(); n],
            w: vec![Value::default(); n],
        }
    }

    fn count(&self) -> usize {
        self.nodes.positions.len()
    }

    fn with_input<T>(&self, use_it: impl FnOnce(&twin::elements::ElementInput<'_>) -> T) -> T {
        let n = &self.nodes;
        use_it(&twin::elements::ElementInput {
            params: &self.params,
            scalars: &self.scalars,
            positions: &n.positions,
            arcs: &n.arcs,
            links: &n.links,
            velocity: &n.velocity,
            change: &|i| self.x[i],
            compression: &n.compression,
            anchors: &n.anchors,
            weights: &twin::elements::whole,
        })
    }

    fn mass(&self) -> f32 {
        (1.0 + self.scalars.h * self.params.mass_damping) * self.params.density / 6.0
    }

    fn times(&self, v: &[Value]) -> Vec<Value> {
        let nodes = Nodes { links: &self.nodes.links, rows: &self.rows, value: |i| v[i] };
        (0..self.count()).map(|i| twin::product::node(&nodes, i, self.mass())).collect()
    }

    pub(crate) fn reset(&mut self) {
        let n = &self.nodes;
        for i in 0..n.positions.len() {
            self.x[i] = twin::reset::node(n.links[i].flags, &n.velocity[i]).into();
        }
        for pin in &self.pins {
            let i = pin.node as usize;
            let (position, velocity) = (&n.positions[i], &n.velocity[i]);
            let x = twin::reset::pin(pin, position, velocity, self.scalars.left, self.params.unit);
            let [_, _, _, u, v] = self.x[i].words();
            self.x[i] = Value::from_words(&[x[0], x[1], x[2], u, v]);
        }
    }

    pub(crate) fn crossings(&mut self) {
        let (params, n) = (&self.params, &self.nodes);
        let normal = |i| twin::normals::node(&n.links, &n.positions, params.unit, i, n.normals[i]);
        self.nodes.normals = (0..n.positions.len()).map(normal).collect();
        let n = &self.nodes;
        let input = twin::compression::CompressionInput {
            params,
            positions: &n.positions,
            arcs: &n.arcs,
            links: &n.links,
            normals: &n.normals,
        };
        self.nodes.compression = (0..n.positions.len()).map(|i| twin::compression::node(&input, i)).collect();
    }

    pub(crate) fn elements(&mut self) {
        let all: Vec<_> = self.with_input(|input| (0..self.count()).map(|i| twin::elements::node(input, i)).collect());
        (self.rows, self.stress) = all.into_iter().unzip();
    }

    pub(crate) fn residual(&mut self) {
        let linearized =
            twin::residual::Linearized { rows: &self.rows, stress: &self.stress, momentum: &self.nodes.momentum };
        self.r =
            self.with_input(|input| (0..self.count()).map(|i| twin::residual::node(input, &linearized, i)).collect());
    }

    pub(crate) fn blocks(&mut self) {
        let nodes = Nodes { links: &self.nodes.links, rows: &self.rows, value: |_| Value::default() };
        self.blocks = (0..self.count()).map(|i| twin::blocks::node(&nodes, i, self.mass())).collect();
    }

    pub(crate) fn start(&mut self) -> [f32; 2] {
        let mut sums = [0.0f64; 2];
        for i in 0..self.count() {
            let (d, s) = twin::start(&self.blocks[i], &self.r[i]);
            self.d[i] = d;
            sums = [sums[0] + f64::from(s[0]), sums[1] + f64::from(s[1])];
        }
        sums.map(|s| s as f32)
    }

    pub(crate) fn product(&mut self) -> f32 {
        let y = self.times(&self.d);
        let mut sum = 0.0f64;
        for i in 0..self.count() {
            self.w[i] = twin::product::masked(self.nodes.links[i].flags, &y[i]);
            sum += f64::from(twin::product::dot(&self.d[i], &self.w[i]));
        }
        sum as f32
    }

    pub(crate) fn update(&mut self) -> [f32; 2] {
        let mut sums = [0.0f64; 2];
        for i in 0..self.count() {
            let alpha = self.scalars.alpha;
            let s = twin::update(&self.blocks[i], alpha, &mut self.x[i], &mut self.r[i], &self.d[i], &mut self.w[i]);
            sums = [sums[0] + f64::from(s[0]), sums[1] + f64::from(s[1])];
        }
        sums.map(|s| s as f32)
    }

    pub(crate) fn direction(&mut self) {
        for i in 0..self.count() {
            self.d[i] = twin::direction(&self.w[i], self.scalars.beta, &self.d[i]);
        }
    }

    pub(crate) fn linearize(&mut self) {
        self.elements();
        self.residual();
        if self.scalars.newton == 0 {
            self.blocks();
        }
        let sums = self.start();
        twin::open_solve(&self.params, &mut self.scalars, sums);
    }

    /// One attempt at a step.
    pub(crate) fn attempt(&mut self) {
        twin::open(&self.params, &mut self.scalars);
        if self.scalars.phase != phase::STEP {
            return;
        }
        self.reset();
        self.crossings();
        for _ in 0..self.params.newton_iterations {
            if self.scalars.phase == phase::STEP {
                self.linearize();
            }
            while self.scalars.phase == phase::SOLVE {
                let curvature = self.product();
                twin::step_length(&mut self.scalars, curvature);
                if self.scalars.phase == phase::SOLVE {
                    let sums = self.update();
                    twin::ratio(&self.params, &mut self.scalars, sums);
                }
                if self.scalars.phase == phase::SOLVE {
                    self.direction();
                }
            }
        }
        if self.params.newton_iterations > 1 && self.scalars.phase == phase::STEP {
            self.linearize();
        }
        let worst = self.with_input(|input| (0..self.count()).map(|i| twin::check::node(input, i)).max());
        twin::judge(&mut self.scalars, worst.unwrap_or(0));
        if self.scalars.phase == phase::ACCEPTED {
            self.settle();
        }
        twin::close(&self.params, &mut self.scalars);
    }

    fn settle(&mut self) {
        let count = self.count();
        let (momentum, anchors) = self.with_input(|input| {
            let momentum: Vec<_> = (0..count).map(|i| twin::settle::momentum_of(input, i)).collect();
            let anchors: Vec<_> = (0..count).map(|i| twin::settle::anchors_of(input, i)).collect();
            (momentum, anchors)
        });
        (self.nodes.momentum, self.nodes.anchors) = (momentum, anchors);
        let n = &mut self.nodes;
        for i in 0..count {
            let v = twin::commit::velocity(&n.velocity[i], &self.x[i]);
            n.velocity[i] = v.into();
            (n.positions[i], n.arcs[i]) =
                twin::commit::node(&n.positions[i], &n.arcs[i], &v, self.scalars.h, self.params.unit);
        }
    }

    /// Attempts until the frame is done, at most `most` of them.
    pub(crate) fn frame(&mut self, most: usize) {
        for _ in 0..most {
            if self.scalars.phase != phase::DONE {
                self.attempt();
            }
        }
    }
}
