//! The CPU path or the GPU path, whichever was asked for.

use super::export::Frame;
use anyhow::Result;
use yarnwise_runtime::{CpuYarns, FrameParams, YarnLayout};
use yarnwise_shared::table::database::Database;

/// What computes the frames.
pub(crate) enum Path {
    Cpu(Box<CpuYarns>),
    Gpu(Box<super::gpu::Gpu>),
}

impl Path {
    pub(crate) fn new(gpu: bool, layout: YarnLayout, database: &Database) -> Result<Self> {
        if !gpu {
            return Ok(Path::Cpu(Box::new(CpuYarns::new(layout, database)?)));
        }
        Ok(Path::Gpu(Box::new(super::gpu::Gpu::new(layout, database)?)))
    }

    pub(crate) fn compute(&mut self, params: &FrameParams) -> Result<Frame<'_>> {
        match self {
            Path::Cpu(yarns) => {
                yarns.update(params)?;
                Ok(Frame::from_cpu(yarns, params)?)
            }
            Path::Gpu(yarns) => yarns.compute(params),
        }
    }
}
