//! Some stages on the CPU, the rest on the GPU: to find the stage that is wrong.

use super::fault;
use super::state::YarnState;
use crate::{CpuYarns, Error, FrameParams, Result};

/// The stages of a frame, in order. (`yarns` also does `radius`.)
pub const STAGES: [&str; 4] = ["faces", "vertices", "patches", "yarns"];

impl YarnState {
    /// Prepares for a frame whose first `cpu_stages` of [`STAGES`] are done by the CPU twins: 0 is
    /// [`YarnState::prepare`], 4 leaves nothing to the GPU.
    ///
    /// `cpu` must be of the same layout and database; it is updated with the frame. Slow: the results of the last CPU
    /// stages are uploaded.
    pub fn prepare_from_cpu(
        &mut self,
        queue: &wgpu::Queue,
        cpu: &mut CpuYarns,
        frame: &FrameParams<'_>,
        cpu_stages: usize,
    ) -> Result<()> {
        cpu.update(frame)?;
        self.prepare(queue, frame)?;
        let device = self.device().clone();
        fault::guard(&device, "uploading the results of CPU stages", || {
            self.upload_stages(queue, cpu, cpu_stages)?;
            let positions = self.buffers.positions.clone();
            self.set_frame(queue, frame, positions, cpu_stages)
        })
    }

    fn upload_stages(&self, queue: &wgpu::Queue, cpu: &CpuYarns, cpu_stages: usize) -> Result<()> {
        let stages: [(&wgpu::Buffer, &[u8]); 3] = [
            (&self.buffers.faces, bytemuck::cast_slice(cpu.face_forms())),
            (&self.buffers.vertices, bytemuck::cast_slice(cpu.vertex_forms())),
            (&self.buffers.patches, bytemuck::cast_slice(cpu.patches())),
        ];
        for (buffer, data) in stages.into_iter().take(cpu_stages) {
            check_size(buffer, data)?;
            fault::write(queue, buffer, data)?;
        }
        if cpu_stages < STAGES.len() {
            return Ok(());
        }
        for part in self.parts() {
            let stored = &part.chunk().stored;
            let vertices = cpu.vertices().get(stored.start as usize..stored.end as usize).unwrap_or_default();
            check_size(part.vertex_buffer(), bytemuck::cast_slice(vertices))?;
            fault::write(queue, part.vertex_buffer(), bytemuck::cast_slice(vertices))?;
        }
        Ok(())
    }

    /// The buffers that the mesh's stages write, named as in [`STAGES`]: of
    /// [`SurfaceForms`](yarnwise_shaders::gpu::SurfaceForms) twice and of [`Patch`](yarnwise_shaders::gpu::Patch). To
    /// inspect a frame by copying from them.
    pub fn mesh_buffers(&self) -> [&wgpu::Buffer; 3] {
        [&self.buffers.faces, &self.buffers.vertices, &self.buffers.patches]
    }
}

fn check_size(buffer: &wgpu::Buffer, data: &[u8]) -> Result<()> {
    if buffer.size() == data.len() as u64 {
        return Ok(());
    }
    Err(Error::Layout("the CPU's yarns are of another layout than the device's".to_owned()))
}
