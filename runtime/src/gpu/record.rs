//! What a frame records into the host's encoder.

use super::bisect::STAGES;
use super::pipelines::YarnPipelines;
use super::state::YarnState;
use crate::Result;

impl YarnPipelines {
    /// Records the stages of the frame that `yarns` was last prepared for, as one compute pass.
    ///
    /// Nothing is submitted. The vertex buffers of `yarns` hold the frame once the host has submitted the encoder.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, yarns: &YarnState) -> Result<()> {
        let frame = yarns.frame()?;
        let descriptor = wgpu::ComputePassDescriptor { label: Some("yarns"), timestamp_writes: None };
        let pass = &mut encoder.begin_compute_pass(&descriptor);
        let stages = [&self.stages.faces, &self.stages.vertices, &self.stages.patches];
        for (stage, (bindings, groups)) in stages.into_iter().zip(frame.mesh_stages()).skip(frame.cpu_stages) {
            stage.dispatch(pass, bindings, groups);
        }
        if frame.cpu_stages < STAGES.len() {
            for part in yarns.parts() {
                self.stages.yarns.dispatch(pass, &part.bindings, part.groups);
            }
        }
        Ok(())
    }
}
