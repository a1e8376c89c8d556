//! The CPU path or the GPU path, whichever was asked for.

use crate::export::Frame;
use anyhow::Result;
use yarnwise_runtime::{CpuYarns, FrameParams, YarnLayout};
use yarnwise_shared::database::Database;

/// What computes the frames.
pub(crate) enum Path {
    Cpu(Box<CpuYarns>),
    #[cfg(feature = "gpu")]
    Gpu(Box<crate::gpu::Gpu>),
}

impl Path {
    pub(crate) fn new(gpu: bool, layout: YarnLayout, database: &Database) -> Result<Self> {
        if !gpu {
            return Ok(Path::Cpu(Box::new(CpuYarns::new(layout, database)?)));
        }
        #[cfg(feature = "gpu")]
        return Ok(Path::Gpu(Box::new(crate::gpu::Gpu::new(layout, database)?)));
        #[cfg(not(feature = "gpu"))]
        anyhow::bail!("--gpu: this program was built without the feature 'gpu'")
    }

    pub(crate) fn compute(&mut self, params: &FrameParams) -> Result<Frame<'_>> {
        match self {
            Path::Cpu(yarns) => {
                yarns.update(params)?;
                Ok(Frame::from_cpu(yarns, params)?)
            }
            #[cfg(feature = "gpu")]
            Path::Gpu(yarns) => yarns.compute(params),
        }
    }
}
