//! The yarns of one garment on a device: their buffers and bindings, and the frame they are prepared for.

use super::buffers::GarmentBuffers;
use super::chunk::{Chunk, chunks, part_capacity};
use super::fault;
use super::pipelines::{StagePipelines, YarnPipelines};
use super::table::TablePrecision;
use crate::params::Garment;
use crate::{Bending, Error, FrameParams, Result, YarnLayout};
use std::ops::Range;
use std::sync::Arc;
use wgpu::{BindGroup, Buffer, BufferUsages};
use yarnwise_device::{DeviceError, Memory};
use yarnwise_shaders::gpu::{SurfaceParams, YarnParams, YarnSite, YarnVertex};
use yarnwise_shared::table::database::Database;

/// Options of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateOptions {
    /// How the displacement table is kept on the device.
    pub table: TablePrecision,
    /// The most yarn vertices in one buffer, if fewer than a binding of the device holds.
    pub max_part_vertices: Option<u32>,
}

/// A run of yarn vertices with buffers of their own.
#[derive(Debug)]
pub struct Part {
    chunk: Chunk,
    params: Buffer,
    sites: Buffer,
    vertices: Buffer,
    pub(super) bindings: BindGroup,
    pub(super) groups: [u32; 2],
}

impl Part {
    /// Which yarn vertices the buffer holds.
    pub fn chunk(&self) -> &Chunk {
        &self.chunk
    }

    /// The finished yarn vertices: an array of [`YarnVertex`], see [`YarnState::VERTEX_ATTRIBUTES`]. Usable as vertex
    /// and as storage buffer, and as source and target of copies.
    pub fn vertex_buffer(&self) -> &Buffer {
        &self.vertices
    }

    /// What to draw of each yarn as a strip of vertices of this buffer, from the layout's `yarn_starts`. Strips of
    /// neighboring parts overlap, so that a yarn has no gap where it continues in another buffer.
    pub fn yarns<'a>(&'a self, yarn_starts: &'a [u32]) -> impl Iterator<Item = Range<u32>> + 'a {
        let stored = &self.chunk.stored;
        let first = yarn_starts.partition_point(|start| *start <= stored.start).saturating_sub(1);
        let here = yarn_starts[first..].windows(2).take_while(|yarn| yarn[0] < stored.end);
        here.map(|yarn| yarn[0].max(stored.start) - stored.start..yarn[1].min(stored.end) - stored.start)
    }
}

/// What moves through memory in a frame, counted from the sizes of the buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// Yarn vertices of the garment.
    pub vertices: u64,
    /// Bytes of sites: read once a frame.
    pub sites: u64,
    /// Bytes of finished vertices: written once a frame.
    pub written: u64,
    /// Bytes that yarn vertices share (patches, table, pattern, axes, charts): read through the caches.
    pub shared: u64,
    /// Bytes that the mesh's stages read and write.
    pub mesh: u64,
}

impl Traffic {
    /// Bytes per yarn vertex and frame that no other vertex shares.
    pub fn bytes_per_vertex(&self) -> f64 {
        (self.sites + self.written) as f64 / self.vertices.max(1) as f64
    }
}

/// The frame that a state is prepared for.
#[derive(Debug)]
pub(super) struct Frame {
    /// Where its positions are.
    positions: Buffer,
    mesh: [BindGroup; 3],
    mesh_groups: [[u32; 2]; 3],
    /// How many of the first stages the CPU has done.
    pub(super) cpu_stages: usize,
}

impl Frame {
    pub(super) fn mesh_stages(&self) -> impl Iterator<Item = (&BindGroup, [u32; 2])> {
        self.mesh.iter().zip(self.mesh_groups)
    }
}

/// The yarns of one garment on a device.
#[derive(Debug)]
pub struct YarnState {
    device: wgpu::Device,
    stages: Arc<StagePipelines>,
    garment: Garment,
    mesh_counts: MeshCounts,
    face_gradient: bool,
    pub(super) buffers: GarmentBuffers,
    parts: Vec<Part>,
    frame: Option<Frame>,
}

#[derive(Clone, Copy, Debug)]
struct MeshCounts {
    positions: usize,
    faces: usize,
    vertices: usize,
}

impl YarnState {
    /// Bytes from one [`YarnVertex`] to the next.
    pub const VERTEX_STRIDE: u64 = size_of::<YarnVertex>() as u64;

    /// The finished yarn vertex as a vertex buffer: world position (m), twist (rad), director (octahedral), radius (m)
    /// at shader locations 0 to 3. See [`YarnVertex::unpack_director`] for the director.
    pub const VERTEX_ATTRIBUTES: [wgpu::VertexAttribute; 4] = wgpu::vertex_attr_array![
        0 => Float32x3, 1 => Float32, 2 => Snorm16x2, 3 => Float32
    ];

    /// [`YarnState::VERTEX_ATTRIBUTES`] with their stride.
    pub const VERTEX_LAYOUT: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
        array_stride: Self::VERTEX_STRIDE,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &Self::VERTEX_ATTRIBUTES,
    };

    /// Makes the buffers of a garment and schedules their upload, which the host's next submission carries out.
    ///
    /// The database must be of the pattern that was laid out. An error if the device is lost, out of memory, or its
    /// limits are too low.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipelines: &YarnPipelines,
        layout: &YarnLayout,
        database: &Database,
        options: &StateOptions,
    ) -> Result<Self> {
        layout.check_database(database)?;
        fault::guard(device, "making the buffers of a garment", || {
            let memory = Memory::new(device, queue);
            let buffers = GarmentBuffers::new(&memory, layout, database, options.table)?;
            let stages = pipelines.stages.clone();
            let parts = parts(&memory, &stages, &buffers, layout.sites(), options)?;
            let surface = layout.surface();
            Ok(YarnState {
                device: device.clone(),
                stages,
                garment: Garment::new(layout, database.table().grid()),
                mesh_counts: MeshCounts {
                    positions: surface.vertex_count(),
                    faces: surface.links().len(),
                    vertices: surface.material_count(),
                },
                face_gradient: surface.face_gradient,
                buffers,
                parts,
                frame: None,
            })
        })
    }

    /// The yarn vertices' buffers, in the order of the layout's vertices. One, unless there are too many vertices for
    /// one binding of the device.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Bytes per frame, counted from the sizes of the buffers.
    pub fn traffic(&self) -> Traffic {
        Traffic {
            vertices: self.parts.iter().map(|p| p.chunk.owned.len() as u64).sum(),
            sites: self.parts.iter().map(|p| p.sites.size()).sum(),
            written: self.parts.iter().map(|p| p.vertices.size()).sum(),
            shared: self.buffers.shared_bytes(),
            mesh: self.buffers.mesh_bytes(),
        }
    }

    /// Prepares for a frame with positions from the host's memory.
    ///
    /// An error if they are not what the mesh needs, a parameter is out of range, or the device is lost.
    pub fn prepare(&mut self, queue: &wgpu::Queue, frame: &FrameParams<'_>) -> Result<()> {
        frame.check(self.mesh_counts.positions)?;
        fault::guard(&self.device.clone(), "uploading a frame", || {
            fault::write(queue, &self.buffers.positions, bytemuck::cast_slice(frame.positions))?;
            let own = self.buffers.positions.clone();
            self.set_frame(queue, frame, own, 0)
        })
    }

    /// Prepares for a frame with positions from a buffer of the host's: three `f32` for each vertex, packed, from the
    /// buffer's beginning. `frame.positions` is ignored.
    ///
    /// The buffer needs the usage `STORAGE`. Its contents are read when the encoder is executed.
    pub fn prepare_with_buffer(
        &mut self,
        queue: &wgpu::Queue,
        positions: &Buffer,
        frame: &FrameParams<'_>,
    ) -> Result<()> {
        frame.options.check()?;
        self.check_buffer(positions)?;
        let positions = positions.clone();
        fault::guard(&self.device.clone(), "preparing a frame", || self.set_frame(queue, frame, positions, 0))
    }

    fn check_buffer(&self, positions: &Buffer) -> Result<()> {
        let needed = (self.mesh_counts.positions * size_of::<[f32; 3]>()) as u64;
        if positions.size() < needed {
            let size = positions.size();
            return Err(Error::Positions(format!("the buffer has {size} bytes, the mesh's vertices need {needed}")));
        }
        if !positions.usage().contains(BufferUsages::STORAGE) {
            return Err(Error::Positions("the buffer lacks the usage STORAGE".to_owned()));
        }
        Ok(())
    }

    /// Writes the parameters of a frame, the first `cpu_stages` of which the CPU has done.
    pub(super) fn set_frame(
        &mut self,
        queue: &wgpu::Queue,
        frame: &FrameParams<'_>,
        positions: Buffer,
        cpu_stages: usize,
    ) -> Result<()> {
        if frame.options.bending == Bending::Tables {
            return Err(Error::Database("bending tables work on the CPU path only: choose another bending".into()));
        }
        let MeshCounts { faces, vertices, .. } = self.mesh_counts;
        let params = frame.yarn_params(&self.garment);
        let mesh = SurfaceParams {
            faces: faces as u32,
            vertices: vertices as u32,
            phong: frame.options.phong,
            face_gradient: u32::from(self.face_gradient),
        };
        fault::write(queue, &self.buffers.params, bytemuck::bytes_of(&mesh))?;
        for part in &self.parts {
            let params = YarnParams { count: part.chunk.len(), ..params };
            fault::write(queue, &part.params, bytemuck::bytes_of(&params))?;
        }
        match &mut self.frame {
            Some(old) if old.positions == positions => old.cpu_stages = cpu_stages,
            _ => self.frame = Some(self.bind_frame(positions, cpu_stages)?),
        }
        Ok(())
    }

    fn bind_frame(&self, positions: Buffer, cpu_stages: usize) -> Result<Frame> {
        let MeshCounts { positions: count, faces, vertices } = self.mesh_counts;
        let bytes = std::num::NonZeroU64::new((count * size_of::<[f32; 3]>()) as u64);
        let binding = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: &positions, offset: 0, size: bytes });
        let mesh = self.buffers.bind_mesh(&self.device, &self.stages, binding);
        let mesh_groups = [
            self.stages.faces.groups(faces, 0)?,
            self.stages.vertices.groups(vertices, 0)?,
            self.stages.patches.groups(faces, 0)?,
        ];
        Ok(Frame { positions, mesh, mesh_groups, cpu_stages })
    }

    pub(super) fn device(&self) -> &wgpu::Device {
        &self.device
    }

    pub(super) fn frame(&self) -> Result<&Frame> {
        self.frame.as_ref().ok_or(Error::NotPrepared)
    }
}

/// Invocations of a workgroup of stage `yarns` that only place a neighbor.
const IDLE: u32 = 2;

fn parts(
    memory: &Memory<'_>,
    stages: &StagePipelines,
    buffers: &GarmentBuffers,
    sites: &[YarnSite],
    options: &StateOptions,
) -> Result<Vec<Part>> {
    let fits = part_capacity(&memory.device().limits());
    let capacity = options.max_part_vertices.map_or(fits, |m| fits.min(m));
    let chunks = chunks(sites.len() as u32, capacity).ok_or(DeviceError::Limit {
        what: "yarn vertices",
        needed: sites.len() as u64,
        limit: u64::from(capacity),
        unit: "in one part",
    })?;
    let part = |chunk: Chunk| {
        let range = chunk.stored.start as usize..chunk.stored.end as usize;
        let params = memory.uniform::<YarnParams>("yarn parameters");
        let vertices = memory.storage::<YarnVertex>("yarn vertices", range.len(), BufferUsages::VERTEX)?;
        let groups = stages.yarns.groups(range.len(), IDLE)?;
        let sites = memory.upload("yarn sites", &sites[range])?;
        let bindings = buffers.bind_yarns(memory.device(), stages, [&params, &sites, &vertices]);
        Ok(Part { chunk, params, sites, vertices, bindings, groups })
    };
    chunks.into_iter().map(part).collect()
}
