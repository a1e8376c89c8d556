//! The processor or the graphics device, whichever was chosen.

use super::frame::Frame;
use super::gpu::GpuYarns;
use anyhow::Result;
use yarnwise_runtime::{CpuYarns, FrameParams, YarnLayout};
use yarnwise_shared::table::database::Database;

/// What computes the frames.
pub(super) enum Backend {
    Cpu(Box<CpuYarns>),
    Gpu(Box<GpuYarns>),
}

impl Backend {
    pub(super) fn new(gpu: bool, layout: YarnLayout, database: &Database) -> Result<Self> {
        if gpu {
            return Ok(Backend::Gpu(Box::new(GpuYarns::new(layout, database)?)));
        }
        Ok(Backend::Cpu(Box::new(CpuYarns::new(layout, database)?)))
    }

    pub(super) fn compute(&mut self, params: &FrameParams) -> Result<Frame<'_>> {
        match self {
            Backend::Cpu(yarns) => {
                yarns.update(params)?;
                Ok(Frame::from_cpu(yarns, params)?)
            }
            Backend::Gpu(yarns) => yarns.compute(params),
        }
    }
}
