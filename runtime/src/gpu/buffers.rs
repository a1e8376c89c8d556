//! Buffers of the mesh, and those that all yarn vertices of a garment share.

use super::pipelines::StagePipelines;
use super::table::{self, TablePrecision};
use crate::cpu::axis_cells;
use crate::{Result, YarnLayout};
use wgpu::{BindGroup, BindingResource, Buffer, BufferUsages};
use yarnwise_device::Memory;
use yarnwise_shaders::gpu::{Patch, SurfaceForms, SurfaceParams};
use yarnwise_shared::table::database::Database;

#[derive(Debug)]
pub(super) struct GarmentBuffers {
    pub(super) params: Buffer,
    pub(super) positions: Buffer,
    links: Buffer,
    charts: Buffer,
    starts: Buffer,
    weights: Buffer,
    pub(super) faces: Buffer,
    pub(super) vertices: Buffer,
    pub(super) patches: Buffer,
    axes: Buffer,
    pattern: Buffer,
    table: Buffer,
    packing: Buffer,
}

impl GarmentBuffers {
    pub(super) fn new(
        memory: &Memory<'_>,
        layout: &YarnLayout,
        database: &Database,
        precision: TablePrecision,
    ) -> Result<Self> {
        let surface = layout.surface();
        let (starts, weights) = surface.weights();
        let (faces, vertices) = (surface.links().len(), surface.material_count());
        let none = BufferUsages::empty();
        let (table, packing) = table_buffers(memory, database, precision)?;
        Ok(GarmentBuffers {
            params: memory.uniform::<SurfaceParams>("mesh parameters"),
            positions: memory.storage::<[f32; 3]>("mesh positions", surface.vertex_count(), none)?,
            links: memory.upload("face links", surface.links())?,
            charts: memory.upload("face charts", surface.charts())?,
            starts: memory.upload("starts of averaging weights", starts)?,
            weights: memory.upload("averaging weights", weights)?,
            faces: memory.storage::<SurfaceForms>("forms of faces", faces, none)?,
            vertices: memory.storage::<SurfaceForms>("forms of vertices", vertices, none)?,
            patches: memory.storage::<Patch>("patches of faces", faces, none)?,
            axes: memory.upload("axes", &axis_cells(database.table().grid()))?,
            pattern: memory.upload("pattern vertices", layout.pattern())?,
            table,
            packing,
        })
    }

    /// What the mesh's stages read besides positions, and what they write.
    pub(super) fn mesh_bytes(&self) -> u64 {
        let own = [&self.positions, &self.links, &self.charts, &self.starts, &self.weights];
        own.into_iter().chain([&self.faces, &self.vertices, &self.patches]).map(Buffer::size).sum()
    }

    /// What the yarn vertices share.
    pub(super) fn shared_bytes(&self) -> u64 {
        [&self.axes, &self.pattern, &self.table, &self.patches, &self.charts].into_iter().map(Buffer::size).sum()
    }

    /// Binds the stages `faces`, `vertices` and `patches` to a buffer of positions.
    pub(super) fn bind_mesh(
        &self,
        device: &wgpu::Device,
        stages: &StagePipelines,
        positions: BindingResource<'_>,
    ) -> [BindGroup; 3] {
        let faces = [
            ("params", self.params.as_entire_binding()),
            ("positions", positions.clone()),
            ("links", self.links.as_entire_binding()),
            ("charts", self.charts.as_entire_binding()),
            ("faces", self.faces.as_entire_binding()),
        ];
        let vertices = [
            ("params", self.params.as_entire_binding()),
            ("faces", self.faces.as_entire_binding()),
            ("starts", self.starts.as_entire_binding()),
            ("weights", self.weights.as_entire_binding()),
            ("vertices", self.vertices.as_entire_binding()),
        ];
        let patches = [
            ("params", self.params.as_entire_binding()),
            ("positions", positions),
            ("faces", self.faces.as_entire_binding()),
            ("vertices", self.vertices.as_entire_binding()),
            ("links", self.links.as_entire_binding()),
            ("charts", self.charts.as_entire_binding()),
            ("patches", self.patches.as_entire_binding()),
        ];
        [
            stages.faces.bind(device, &faces),
            stages.vertices.bind(device, &vertices),
            stages.patches.bind(device, &patches),
        ]
    }

    /// Binds the stage `yarns` to the buffers of a part.
    pub(super) fn bind_yarns(
        &self,
        device: &wgpu::Device,
        stages: &StagePipelines,
        [params, sites, vertices]: [&Buffer; 3],
    ) -> BindGroup {
        let buffers = [
            ("params", params),
            ("axes", &self.axes),
            ("pattern", &self.pattern),
            ("table", &self.table),
            ("patches", &self.patches),
            ("charts", &self.charts),
            ("sites", sites),
            ("vertices", vertices),
            ("packing", &self.packing),
        ];
        stages.yarns.bind(device, &buffers.map(|(name, buffer)| (name, buffer.as_entire_binding())))
    }
}

fn table_buffers(memory: &Memory<'_>, database: &Database, precision: TablePrecision) -> Result<(Buffer, Buffer)> {
    let values = database.table().values();
    let (buffer, packing) = if precision.packs(values.len(), memory.limit()) {
        let (packed, packing) = table::pack(values);
        (memory.upload("displacement table", &packed)?, packing)
    } else {
        (memory.upload("displacement table", values)?, table::floats())
    };
    let uniform = memory.uniform::<yarnwise_shaders::gpu::TablePacking>("table packing");
    memory.write(&uniform, bytemuck::bytes_of(&packing))?;
    Ok((buffer, uniform))
}
