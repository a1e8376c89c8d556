//! The buffers and bindings of one part of the yarn vertices.

use super::pipelines::TubeShaders;
use super::program::bind;
use super::template::BINS;
use crate::Result;
use crate::gpu::Chunk;
use wgpu::{BindGroup, Buffer, BufferUsages};
use yarnwise_device::Memory;
use yarnwise_shaders::gpu::{TubePart, TubeStrand, YarnSite};

/// What is drawn from one buffer of yarn vertices.
#[derive(Debug)]
pub(super) struct DrawnPart {
    pub(super) chunk: Chunk,
    pub(super) buffers: DrawnBuffers,
    pub(super) count_bindings: BindGroup,
    pub(super) scan_bindings: BindGroup,
    pub(super) list_bindings: BindGroup,
    pub(super) draw_bindings: BindGroup,
    pub(super) shadow_bindings: BindGroup,
    pub(super) groups: [u32; 2],
}

#[derive(Debug)]
pub(super) struct DrawnBuffers {
    params: Buffer,
    pub(super) vertices: Buffer,
    pub(super) strands: Buffer,
    values: Buffer,
    pub(super) arguments: Buffer,
    list: Buffer,
}

impl DrawnPart {
    /// For the yarn vertices `chunk` in `vertices`; `strands` are those of the chunk.
    pub(super) fn new(
        memory: &Memory<'_>,
        shared: &TubeShaders,
        view: &Buffer,
        chunk: Chunk,
        vertices: Buffer,
        strands: &[TubeStrand],
    ) -> Result<Self> {
        let none = BufferUsages::empty();
        let owned = chunk.owned.len();
        let params = memory.uniform::<TubePart>("part of tubes");
        let own = TubePart {
            first: chunk.owned.start - chunk.stored.start,
            count: owned as u32,
            offset: chunk.stored.start,
            padding: 0,
        };
        memory.write(&params, bytemuck::bytes_of(&own))?;
        let ends = strands.iter().filter(|s| s.yarn & !YarnSite::INDEX != 0).count();
        let strands = memory.upload("strands", strands)?;
        let values = memory.storage::<f32>("values", 0, none)?;
        let arguments = memory.upload_for("draws", &shared.template.arguments(), BufferUsages::INDIRECT)?;
        let groups = shared.count.groups(owned, 0)?;
        let group_size = shared.count.group_size() as usize;
        let found = memory.storage::<[u32; BINS]>("segments found", owned.div_ceil(group_size), none)?;
        // A segment is listed once, and each end of a yarn once more for its cap.
        let list = memory.storage::<u32>("segments seen", owned + ends, none)?;
        let pick = [
            ("view", view.as_entire_binding()),
            ("part", params.as_entire_binding()),
            ("vertices", vertices.as_entire_binding()),
            ("strands", strands.as_entire_binding()),
            ("found", found.as_entire_binding()),
            ("list", list.as_entire_binding()),
        ];
        let scan = [pick[1].clone(), pick[4].clone(), ("arguments", arguments.as_entire_binding())];
        let device = memory.device();
        let count_bindings = shared.count.bind(device, &pick[..5]);
        let list_bindings = shared.list.bind(device, &pick);
        let scan_bindings = shared.scan.bind(device, &scan);
        let buffers = DrawnBuffers { params, vertices, strands, values, arguments, list };
        let draw_bindings = buffers.bind_draw(device, shared);
        let shadow_bindings = shared.shadow.bind_part(device, [&buffers.params, &buffers.vertices, &buffers.strands]);
        Ok(DrawnPart {
            chunk,
            buffers,
            count_bindings,
            scan_bindings,
            list_bindings,
            draw_bindings,
            shadow_bindings,
            groups,
        })
    }

    /// Uploads the values of the chunk's stored vertices; non-finite values count as unknown.
    pub(super) fn set_values(&mut self, memory: &Memory<'_>, shared: &TubeShaders, values: &[f32]) -> Result<()> {
        let known: Vec<f32> = values.iter().map(|v| if v.is_finite() { *v } else { f32::MAX }).collect();
        let bytes: &[u8] = bytemuck::cast_slice(&known);
        if self.buffers.values.size() == bytes.len() as u64 {
            return Ok(memory.write(&self.buffers.values, bytes)?);
        }
        self.buffers.values = memory.upload("values", &known)?;
        self.draw_bindings = self.buffers.bind_draw(memory.device(), shared);
        Ok(())
    }
}

impl DrawnBuffers {
    fn bind_draw(&self, device: &wgpu::Device, shared: &TubeShaders) -> BindGroup {
        let buffers = [&self.params, &self.vertices, &self.strands, &self.values, &self.arguments, &self.list];
        bind(device, &shared.layouts[1], &buffers.map(Buffer::as_entire_binding))
    }
}
