//! Cloth for the tests, and its way to the device.

use super::twin::Twin;
use bytemuck::Pod;
use nalgebra::Vector3;
use yarnwise_runtime::wgpu;
use yarnwise_shaders::gpu::{NodePosition, PinTarget, YarnSolverScalars};
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_solvers::yarn::device::{Effort, PackedNodes, YarnSolverPipelines, YarnSolverState, params};
use yarnwise_solvers::yarn::model::{Sheet, Weave};
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnPin, YarnSimulation};
use yarnwise_tests::gpu;

/// Of the yarns, meters.
pub(crate) const RADIUS: f64 = 0.25e-3;

/// A place a kilometer away.
pub(crate) fn far() -> Vector3<f64> {
    Vector3::new(1000.0, -600.0, 300.0)
}

pub(crate) fn sheet(warps: usize, wefts: usize, draft: &str) -> Weave {
    Sheet::new(warps, wefts, Draft::preset(draft).unwrap(), YarnMaterial::default()).weave().unwrap()
}

/// Wavy, stretched and in motion, its first and last node held. Neighbors differ by up to 5 mm/s: at ten times that, 5 % of strain a step,
/// rounding of A v in 32 bits is 2e-3 radii a step.
pub(crate) fn simulation(mut weave: Weave, options: YarnOptions, at: Vector3<f64>) -> YarnSimulation {
    let size = 1e-3 * (weave.node_count() as f64).sqrt();
    for p in &mut weave.positions {
        let wave = 0.05 * size * (6.0 * p.x / size).sin() * (4.0 * p.y / size).cos();
        *p = *p * 1.005 + Vector3::new(0.0, 0.0, wave) + at;
    }
    let last = weave.node_count() as u32 - 1;
    let mut simulation = YarnSimulation::new(weave, options);
    let mut state = simulation.state().clone();
    for (i, v) in state.velocities.iter_mut().enumerate() {
        let noise = ((i * 7919) % 101) as f64 / 101.0 - 0.5;
        let wave = (0.1 * (i / 8) as f64).sin();
        *v = [0.005 * noise, 0.02 * wave, 0.03, 0.002 * noise, -0.0016 * noise];
    }
    for (i, kind) in simulation.weave().kinds.iter().enumerate() {
        if !kind.is_crossing() {
            (state.velocities[i][3], state.velocities[i][4]) = (0.0, 0.0);
        }
    }
    simulation.set_state(state);
    simulation.pins = vec![YarnPin::still(vec![0, last])];
    simulation
}

pub(crate) fn twin_of(simulation: &YarnSimulation, frame: f64) -> Twin {
    let held: Vec<_> = simulation.pins.iter().flat_map(|p| p.nodes.iter().map(|n| (*n, p.sliding))).collect();
    let nodes = PackedNodes::new(simulation.weave(), simulation.state(), &held);
    let target = |(node, _): &(u32, bool)| {
        let p = nodes.fixed.position(&simulation.weave().positions[*node as usize]);
        PinTarget { goal: [p.x, p.y, p.z], node: *node }
    };
    let pins: Vec<_> = held.iter().map(target).collect();
    let (k, options) = (simulation.stiffness(), &simulation.options);
    let params = params(simulation.weave(), k, options, &simulation.gravity, &nodes.fixed, pins.len());
    Twin::new(nodes, params, pins, frame as f32)
}

/// Cloth on a device that a test can look into.
pub(crate) struct OnDevice {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pub(crate) state: YarnSolverState,
    pub(crate) targets: Vec<Vector3<f64>>,
}

impl OnDevice {
    pub(crate) fn new(device: &wgpu::Device, queue: &wgpu::Queue, simulation: &YarnSimulation) -> Self {
        let pipelines = YarnSolverPipelines::new(device).unwrap();
        let state = YarnSolverState::new(device, queue, &pipelines, simulation).unwrap();
        let start = &simulation.weave().positions;
        let targets = simulation.pins.iter().flat_map(|p| p.nodes.iter().map(|n| start[*n as usize])).collect();
        OnDevice { device: device.clone(), queue: queue.clone(), state, targets }
    }

    /// Fills what only stages write with NaN.
    pub(crate) fn spoil(&self) {
        for name in ["compression", "rows", "blocks", "residual", "vectors", "partials"] {
            gpu::spoil(&self.queue, self.state.buffer(name));
        }
    }

    pub(crate) fn frame(&mut self, duration: f64, attempts: u32, iterations: u32) {
        self.state.prepare(&self.queue, duration, &self.targets).unwrap();
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.state.encode(&mut encoder, &Effort { attempts, iterations }).unwrap();
        self.queue.submit([encoder.finish()]);
    }

    pub(crate) fn read<T: Pod>(&self, name: &str) -> Vec<T> {
        gpu::read(&self.device, &self.queue, self.state.buffer(name))
    }

    pub(crate) fn scalars(&self) -> YarnSolverScalars {
        self.read("scalars")[0]
    }

    pub(crate) fn positions(&self) -> Vec<Vector3<f64>> {
        let fixed = self.state.fixed_point();
        self.read::<NodePosition>("positions").iter().map(|p| fixed.meters(p)).collect()
    }
}
