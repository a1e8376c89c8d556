//! Frames on the graphics device, read back.

use super::frame::Frame;
use anyhow::{Context, Result};
use bytemuck::Pod;
use yarnwise_runtime::gpu::{PipelineOptions, StateOptions, YarnPipelines, YarnState};
use yarnwise_runtime::{FrameParams, YarnLayout, YarnVertex, wgpu};
use yarnwise_shared::table::database::Database;
use yarnwise_viewer::gpu::Gpu;

/// The garment on a graphics device.
pub(super) struct GpuYarns {
    gpu: Gpu,
    pipelines: YarnPipelines,
    state: YarnState,
    layout: YarnLayout,
}

impl GpuYarns {
    pub(super) fn new(layout: YarnLayout, database: &Database) -> Result<Self> {
        let gpu = Gpu::headless().context("--gpu (without it the processor computes)")?;
        let pipelines = YarnPipelines::new(&gpu.device, &PipelineOptions::default())?;
        let state = YarnState::new(&gpu.device, &gpu.queue, &pipelines, &layout, database, &StateOptions::default())?;
        Ok(GpuYarns { gpu, pipelines, state, layout })
    }

    pub(super) fn compute(&mut self, params: &FrameParams) -> Result<Frame<'_>> {
        self.state.prepare(&self.gpu.queue, params)?;
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        self.pipelines.encode(&mut encoder, &self.state)?;
        self.gpu.queue.submit([encoder.finish()]);
        let mut vertices: Vec<YarnVertex> = Vec::with_capacity(self.layout.vertex_count());
        for part in self.state.parts() {
            let (all, chunk) = (self.read::<YarnVertex>(part.vertex_buffer())?, part.chunk());
            let first = (chunk.owned.start - chunk.stored.start) as usize;
            vertices.extend_from_slice(&all[first..first + chunk.owned.len()]);
        }
        let [faces, material_vertices, _] = self.state.mesh_buffers();
        Ok(Frame {
            directors: vertices.iter().map(YarnVertex::unpack_director).collect(),
            faces: self.read(faces)?,
            material_vertices: self.read(material_vertices)?,
            vertices,
            layout: &self.layout,
        })
    }

    /// The contents of a buffer, once all that was submitted is done.
    fn read<T: Pod>(&self, buffer: &wgpu::Buffer) -> Result<Vec<T>> {
        let (size, usage) = (buffer.size(), wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        let descriptor = wgpu::BufferDescriptor { label: Some("read back"), size, usage, mapped_at_creation: false };
        let copy = self.gpu.device.create_buffer(&descriptor);
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, size);
        self.gpu.queue.submit([encoder.finish()]);
        copy.map_async(wgpu::MapMode::Read, .., |_| ());
        self.gpu.wait()?;
        let bytes = copy.get_mapped_range(..)?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}
