//! The compiled stages, once per device.

use std::sync::Arc;
use yarnwise_device::{DeviceError, StagePipeline, guard, wgpu};
use yarnwise_shaders::stages::{hybrid, yarn_solver};

/// The stages of a step, compiled for a device. Serves any number of [`HybridSolverState`](super::HybridSolverState)s.
#[derive(Clone, Debug)]
pub struct HybridPipelines {
    pub(super) stages: Arc<Stages<StagePipeline>>,
}

/// Declares something of every stage, and where stages come from.
macro_rules! stages {
    ($($name:ident: $folder:ident :: $stage:ident),+ $(,)?) => {
        /// Something of every stage, in the order in which a step first runs them. `dense_shares` and `dense_lambda` are one stage with
        /// other buffers.
        #[derive(Debug)]
        pub(super) struct Stages<T> {
            $(pub(super) $name: T),+
        }

        impl<T> Stages<T> {
            /// The same for every stage, by name.
            pub(super) fn map<U>(&self, mut make: impl FnMut(&'static str, &T) -> U) -> Stages<U> {
                Stages { $($name: make(stringify!($name), &self.$name)),+ }
            }
        }

        /// Where stages come from.
        const STAGES: Stages<&yarnwise_shaders::Stage> = Stages { $($name: &$folder::$stage::STAGE),+ };
    };
}

stages! {
    open: hybrid::open,
    reset: hybrid::reset,
    pins: hybrid::pins,
    normals: yarn_solver::normals,
    compression: yarn_solver::compression,
    restrict: hybrid::restrict,
    gather: hybrid::gather,
    follow: hybrid::follow,
    corners: hybrid::corners,
    own: hybrid::own,
    residual: hybrid::residual,
    triangle_force: hybrid::triangle_force,
    hinge_force: hybrid::hinge_force,
    vertex_residual: hybrid::vertex_residual,
    dense_shares: hybrid::dense,
    start: hybrid::start,
    restrict_residual: hybrid::restrict_residual,
    dense_lambda: hybrid::dense,
    open_solve: hybrid::open_solve,
    direction: hybrid::direction,
    triangle_product: hybrid::triangle_product,
    hinge_product: hybrid::hinge_product,
    vertex_gather: hybrid::vertex_gather,
    product: hybrid::product,
    step_length: hybrid::step_length,
    update: hybrid::update,
    ratio: hybrid::ratio,
    close_solve: hybrid::close_solve,
    finish: hybrid::finish,
    check: hybrid::check,
    judge: hybrid::judge,
    settle: hybrid::settle,
    commit: hybrid::commit,
    close: hybrid::close,
}

impl HybridPipelines {
    /// Compiles the stages.
    pub fn new(device: &wgpu::Device) -> Result<Self, DeviceError> {
        let limit = device.limits().max_compute_workgroups_per_dimension;
        guard(device, "compiling the stages of the hybrid solver", || {
            let stages = STAGES.map(|_, stage| StagePipeline::new(device, stage, limit));
            Ok(HybridPipelines { stages: Arc::new(stages) })
        })
    }
}
