//! The compiled stages, once per device.

use super::fault;
use crate::Result;
use std::sync::Arc;
use yarnwise_device::StagePipeline;
use yarnwise_shaders::stages;

/// Options of the pipelines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PipelineOptions {
    /// The most workgroups in one dimension of a dispatch, if fewer than the device allows: for tests.
    pub max_workgroups: Option<u32>,
}

/// The stages of a frame, compiled for a device. Serves any number of [`YarnState`](super::YarnState)s.
#[derive(Clone, Debug)]
pub struct YarnPipelines {
    pub(super) stages: Arc<StagePipelines>,
}

#[derive(Debug)]
pub(super) struct StagePipelines {
    pub(super) faces: StagePipeline,
    pub(super) vertices: StagePipeline,
    pub(super) patches: StagePipeline,
    pub(super) yarns: StagePipeline,
}

impl YarnPipelines {
    /// Compiles the stages.
    ///
    /// On a device that is already lost this may succeed; [`YarnState::new`](super::YarnState::new) then says so.
    pub fn new(device: &wgpu::Device, options: &PipelineOptions) -> Result<Self> {
        let limit = device.limits().max_compute_workgroups_per_dimension;
        let limit = options.max_workgroups.map_or(limit, |m| m.min(limit));
        let compile = |stage| StagePipeline::new(device, stage, limit);
        fault::guard(device, "compiling the stages", || {
            Ok(YarnPipelines {
                stages: Arc::new(StagePipelines {
                    faces: compile(&stages::faces::STAGE),
                    vertices: compile(&stages::vertices::STAGE),
                    patches: compile(&stages::patches::STAGE),
                    yarns: compile(&stages::yarns::STAGE),
                }),
            })
        })
    }
}
