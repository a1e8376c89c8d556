//! Cloth for the tests, and its way to the device.

use bytemuck::Pod;
use nalgebra::Vector3;
use yarnwise_runtime::wgpu;
use yarnwise_shaders::gpu::{NodePosition, NodeVector, YarnSolverScalars};
use yarnwise_solvers::hybrid::device::{Effort, HybridPipelines, HybridSolverState};
use yarnwise_solvers::hybrid::{
    HybridModel, HybridOptions, HybridPreconditioner, HybridSheet, HybridSimulation, TriangleModel,
};
use yarnwise_solvers::yarn::YarnMaterial;
use yarnwise_tests::gpu;

/// One Newton iteration, solved far below what is compared.
pub(crate) fn exact() -> HybridOptions {
    HybridOptions {
        newton_iterations: 1,
        tolerance: 1e-6,
        step: 1e-4,
        preconditioner: HybridPreconditioner::BlendedMass,
        ..HybridOptions::default()
    }
}

/// Squares of `cell` crossings a side, the left part of them yarns.
pub(crate) fn sheet(
    cells: [usize; 2],
    cell: usize,
    yarns: f64,
    triangles: TriangleModel,
    sliding: bool,
) -> HybridModel {
    // Without damping, of which half a millisecond is five hundred times the stiffness: conjugate gradients would take thousands of iterations.
    // Yarns that slide do not touch at rest: there, contact switches on at 1e-6 of a spacing on the device and at 1e-9 on the CPU.
    let radius = if sliding { 0.24e-3 } else { 0.25e-3 };
    let material = YarnMaterial { mass_damping: 0.0, stiffness_damping: 0.0, radius, ..YarnMaterial::default() };
    let mut sheet = HybridSheet::new(cells, cell, material).unwrap();
    sheet.build.triangles = triangles;
    (sheet.build.sliding, sheet.build.lumped) = (sliding, !sliding);
    sheet.model(|x, _| x < yarns).unwrap()
}

/// A wave with 2 to 3 % of strain at an amplitude of 1, at rest, the right edge of vertices held.
pub(crate) fn wavy(model: HybridModel, options: HybridOptions, amplitude: f64) -> HybridSimulation {
    let mut simulation = HybridSimulation::new(model, options);
    let mut state = simulation.state().clone();
    let points = || state.yarns.positions.iter().chain(&state.vertices);
    let width = points().fold(0.0_f64, |w, p| w.max(p.x));
    let wave = |p: &Vector3<f64>| {
        let (x, y) = (p.x / width, p.y / width);
        let z = amplitude * 0.03 * width * (std::f64::consts::TAU * x).sin() * (std::f64::consts::PI * y).cos();
        // The held edge stays where it is.
        Vector3::new(width + (1.0 + 0.006 * amplitude) * (p.x - width), p.y, z)
    };
    state.yarns.positions.iter_mut().for_each(|p| *p = wave(p));
    state.vertices.iter_mut().for_each(|p| *p = wave(p));
    simulation.set_state(state);
    let pin = simulation.points_in(|uv| uv[0] > width - 1e-6);
    simulation.pin(pin).unwrap();
    simulation
}

/// Where what is pinned is now: nodes, then vertices, of each pin.
pub(crate) fn held_targets(simulation: &HybridSimulation) -> Vec<Vector3<f64>> {
    let (model, state) = (simulation.model(), simulation.state());
    let mut targets = Vec::new();
    for pin in simulation.pins() {
        targets.extend(pin.nodes.iter().map(|n| state.yarns.positions[*n as usize]));
        for v in &pin.vertices {
            let place = model.active_vertices().iter().position(|a| a == v).unwrap();
            targets.push(state.vertices[place]);
        }
    }
    targets
}

/// Cloth on a device that a test can look into.
pub(crate) struct OnDevice {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pub(crate) state: HybridSolverState,
    pub(crate) targets: Vec<Vector3<f64>>,
}

impl OnDevice {
    pub(crate) fn new(device: &wgpu::Device, queue: &wgpu::Queue, simulation: &HybridSimulation) -> Self {
        let pipelines = HybridPipelines::new(device).unwrap();
        let state = HybridSolverState::new(device, queue, &pipelines, simulation).unwrap();
        OnDevice { device: device.clone(), queue: queue.clone(), state, targets: held_targets(simulation) }
    }

    /// Fills what only stages write with NaN.
    pub(crate) fn spoil(&self) {
        for name in ["corners", "x", "r", "d", "w", "chunk_sums", "coarse", "forces", "shares", "lambda", "slots"] {
            gpu::spoil(&self.queue, self.state.buffer(name));
        }
    }

    pub(crate) fn frame(&self, duration: f64, attempts: u32, iterations: u32) {
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

    /// Of nodes and vertices, meters.
    pub(crate) fn positions(&self) -> Vec<Vector3<f64>> {
        let fixed = self.state.fixed_point();
        self.read::<NodePosition>("positions").iter().map(|p| fixed.meters(p)).collect()
    }

    /// Of nodes and vertices, m/s.
    pub(crate) fn velocities(&self) -> Vec<Vector3<f64>> {
        self.read::<NodeVector>("velocity").iter().map(|v| Vector3::new(v.x, v.y, v.z).cast()).collect()
    }
}

/// Positions and velocities of nodes, then active vertices.
pub(crate) fn points(simulation: &HybridSimulation) -> (Vec<Vector3<f64>>, Vec<Vector3<f64>>) {
    let state = simulation.state();
    let positions = state.yarns.positions.iter().chain(&state.vertices).copied().collect();
    let velocities = state.yarns.velocities.iter().map(|v| Vector3::new(v[0], v[1], v[2]));
    (positions, velocities.chain(state.vertex_velocities.iter().copied()).collect())
}

/// Largest difference.
pub(crate) fn apart(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, |m, d| if d > m || d.is_nan() { d } else { m })
}

/// Largest length.
pub(crate) fn largest(a: &[Vector3<f64>]) -> f64 {
    a.iter().fold(0.0, |m, v| v.norm().max(m))
}
