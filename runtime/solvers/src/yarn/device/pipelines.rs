//! The compiled stages, once per device.

use std::sync::Arc;
use yarnwise_device::{DeviceError, StagePipeline, guard, wgpu};
use yarnwise_shaders::stages::yarn_solver as stages;

/// The stages of a step, compiled for a device. Serves any number of [`YarnSolverState`](super::YarnSolverState)s.
#[derive(Clone, Debug)]
pub struct YarnSolverPipelines {
    pub(super) stages: Arc<Stages<StagePipeline>>,
}

/// Something of every stage, in the order in which a step runs them.
#[derive(Debug)]
pub(super) struct Stages<T> {
    pub(super) open: T,
    pub(super) reset: T,
    pub(super) pins: T,
    pub(super) normals: T,
    pub(super) compression: T,
    pub(super) elements: T,
    pub(super) residual: T,
    pub(super) blocks: T,
    pub(super) start: T,
    pub(super) open_solve: T,
    pub(super) product: T,
    pub(super) step_length: T,
    pub(super) update: T,
    pub(super) ratio: T,
    pub(super) direction: T,
    pub(super) close_solve: T,
    pub(super) check: T,
    pub(super) judge: T,
    pub(super) settle: T,
    pub(super) commit: T,
    pub(super) close: T,
}

impl<T> Stages<T> {
    /// The same for every stage.
    pub(super) fn map<U>(&self, mut make: impl FnMut(&T) -> U) -> Stages<U> {
        Stages {
            open: make(&self.open),
            reset: make(&self.reset),
            pins: make(&self.pins),
            normals: make(&self.normals),
            compression: make(&self.compression),
            elements: make(&self.elements),
            residual: make(&self.residual),
            blocks: make(&self.blocks),
            start: make(&self.start),
            open_solve: make(&self.open_solve),
            product: make(&self.product),
            step_length: make(&self.step_length),
            update: make(&self.update),
            ratio: make(&self.ratio),
            direction: make(&self.direction),
            close_solve: make(&self.close_solve),
            check: make(&self.check),
            judge: make(&self.judge),
            settle: make(&self.settle),
            commit: make(&self.commit),
            close: make(&self.close),
        }
    }
}

/// Where stages come from.
const STAGES: Stages<&yarnwise_shaders::Stage> = Stages {
    open: &stages::open::STAGE,
    reset: &stages::reset::STAGE,
    pins: &stages::pins::STAGE,
    normals: &stages::normals::STAGE,
    compression: &stages::compression::STAGE,
    elements: &stages::elements::STAGE,
    residual: &stages::residual::STAGE,
    blocks: &stages::blocks::STAGE,
    start: &stages::start::STAGE,
    open_solve: &stages::open_solve::STAGE,
    product: &stages::product::STAGE,
    step_length: &stages::step_length::STAGE,
    update: &stages::update::STAGE,
    ratio: &stages::ratio::STAGE,
    direction: &stages::direction::STAGE,
    close_solve: &stages::close_solve::STAGE,
    check: &stages::check::STAGE,
    judge: &stages::judge::STAGE,
    settle: &stages::settle::STAGE,
    commit: &stages::commit::STAGE,
    close: &stages::close::STAGE,
};

impl YarnSolverPipelines {
    /// Compiles the stages.
    pub fn new(device: &wgpu::Device) -> Result<Self, DeviceError> {
        let limit = device.limits().max_compute_workgroups_per_dimension;
        guard(device, "compiling the stages of the yarn solver", || {
            let stages = STAGES.map(|stage| StagePipeline::new(device, stage, limit));
            Ok(YarnSolverPipelines { stages: Arc::new(stages) })
        })
    }
}
