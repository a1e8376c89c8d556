//! A bare mesh: the cloth without its yarns, or an obstacle.

use super::camera::Camera;
use super::light::Light;
use super::program::{Drawing, bind, layouts, module, pipeline};
use super::shadow::Shadow;
use super::shadow_map::ShadowPipeline;
use super::state::TubeState;
use super::style::TubeStyle;
use super::target::TargetOptions;
use crate::gpu::fault;
use crate::{Error, Result};
use nalgebra::Vector3;
use std::sync::Arc;
use wgpu::{BindGroup, Buffer, BufferUsages};
use yarnwise_device::Memory;
use yarnwise_shaders::gpu::{MeshCorner, TubeView};
use yarnwise_shaders::stages::draw::mesh::STAGE;
use yarnwise_shared::words::{count, vertices};

/// How a bare mesh looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshStyle {
    /// Color of its faces, sRGB, each lane 0 to 1; none leaves them out.
    pub faces: Option<[f32; 3]>,
    /// Color of its edges, sRGB, each lane 0 to 1; none leaves them out.
    pub edges: Option<[f32; 3]>,
    /// Light.
    pub light: Light,
    /// Shadows on it, as the yarns' style has them.
    pub shadow: Option<Shadow>,
}

impl Default for MeshStyle {
    fn default() -> Self {
        MeshStyle { faces: Some([0.55, 0.57, 0.60]), edges: None, light: Light::default(), shadow: None }
    }
}

/// The shaders that draw bare meshes, compiled for a device and a kind of target.
#[derive(Clone, Debug)]
pub struct MeshPipelines {
    shared: Arc<MeshShaders>,
}

#[derive(Debug)]
struct MeshShaders {
    layouts: Vec<wgpu::BindGroupLayout>,
    faces: wgpu::RenderPipeline,
    edges: wgpu::RenderPipeline,
    shadow: ShadowPipeline,
    encodes: bool,
}

const CORNER_LAYOUT: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
    array_stride: size_of::<MeshCorner>() as u64,
    step_mode: wgpu::VertexStepMode::Vertex,
    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3],
};

impl MeshPipelines {
    /// Compiles the shaders for targets as `target` says.
    pub fn new(device: &wgpu::Device, target: &TargetOptions) -> Result<Self> {
        fault::guard(device, "compiling the shaders of meshes", || {
            let layouts = layouts(device, &STAGE);
            let module = module(device, &STAGE);
            let drawing = |label, fragment, topology| Drawing {
                label,
                module: &module,
                layouts: &layouts,
                vertex: "place",
                fragment: Some(fragment),
                buffers: &[Some(CORNER_LAYOUT)],
                cull: None,
                topology,
                blend: None,
                depth: Some(true),
            };
            let faces = drawing("mesh", "shade", wgpu::PrimitiveTopology::TriangleList);
            let edges = drawing("edges of a mesh", "wire", wgpu::PrimitiveTopology::LineList);
            let shared = MeshShaders {
                faces: pipeline(device, &faces, target),
                edges: pipeline(device, &edges, target),
                shadow: ShadowPipeline::new(device),
                encodes: !target.color_format.is_srgb(),
                layouts,
            };
            Ok(MeshPipelines { shared: Arc::new(shared) })
        })
    }

    /// Draws a mesh as it was last prepared.
    pub fn draw(&self, mesh: &MeshState, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_bind_group(0, &mesh.bindings, &[]);
        pass.set_vertex_buffer(0, mesh.corners.slice(..));
        let lists = [(&self.shared.faces, &mesh.faces, mesh.seen[0]), (&self.shared.edges, &mesh.edges, mesh.seen[1])];
        for (pipeline, indices, seen) in lists {
            if seen {
                pass.set_pipeline(pipeline);
                pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
                pass.draw_indexed(0..(indices.size() / 4) as u32, 0, 0..1);
            }
        }
    }
}

/// One mesh in one view.
#[derive(Debug)]
pub struct MeshState {
    device: wgpu::Device,
    triangles: Vec<[u32; 3]>,
    vertex_count: usize,
    view: Buffer,
    corners: Buffer,
    faces: Buffer,
    edges: Buffer,
    bindings: BindGroup,
    seen: [bool; 2],
    encodes: bool,
    /// Size of the shadow map and radius of the yarns that cast shadows.
    shadows: Option<(u32, f32)>,
}

impl MeshState {
    /// Makes the buffers of a mesh of `vertex_count` vertices. With `shadows_of`, the yarns of that view (on the same
    /// device) cast shadows on it, as its own style says.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipelines: &MeshPipelines,
        faces: &[[u32; 3]],
        vertex_count: usize,
        shadows_of: Option<&TubeState>,
    ) -> Result<Self> {
        if let Some(face) = faces.iter().position(|f| f.iter().any(|v| *v as usize >= vertex_count)) {
            let (number, vertices) = (face + 1, vertices(vertex_count));
            return Err(Error::Layout(format!("face {number} has a vertex beyond the mesh, which has {vertices}")));
        }
        let shared = &pipelines.shared;
        fault::guard(device, "making the buffers of a mesh", || {
            let memory = Memory::new(device, queue);
            let view = memory.uniform::<TubeView>("view of a mesh");
            let shadows = shadows_of.and_then(TubeState::shadow_source);
            let map = shadows.map_or(&shared.shadow.none, |(map, _)| &map.texture);
            let resources = [
                view.as_entire_binding(),
                wgpu::BindingResource::TextureView(map),
                wgpu::BindingResource::Sampler(&shared.shadow.sampler),
            ];
            Ok(MeshState {
                device: device.clone(),
                triangles: faces.to_vec(),
                vertex_count,
                corners: memory.storage::<MeshCorner>("corners of a mesh", vertex_count, BufferUsages::VERTEX)?,
                faces: memory.indices("faces of a mesh", bytemuck::cast_slice(faces))?,
                edges: memory.indices("edges of a mesh", bytemuck::cast_slice(&edges(faces)))?,
                bindings: bind(device, &shared.layouts[0], &resources),
                view,
                seen: [false; 2],
                encodes: shared.encodes,
                shadows: shadows.map(|(map, radius)| (map.size, radius)),
            })
        })
    }

    /// Sets positions (meters), camera and style of the next frame. Normals are averages of the faces around.
    pub fn prepare(
        &mut self,
        queue: &wgpu::Queue,
        positions: &[[f32; 3]],
        camera: &Camera,
        style: &MeshStyle,
    ) -> Result<()> {
        camera.check()?;
        if positions.len() != self.vertex_count {
            let (given, needed) = (count(positions.len(), "position", None), vertices(self.vertex_count));
            return Err(Error::Positions(format!("the frame has {given}, the mesh has {needed}")));
        }
        self.seen = [style.faces.is_some(), style.edges.is_some()];
        let colors = [style.faces, style.edges].map(|c| c.unwrap_or_default()).to_vec();
        let look = TubeStyle { colors, light: style.light, gloss: 0.3, ..Default::default() };
        look.check()?;
        let mut view = look.uniform(camera, 1.0);
        view.counts[2] = u32::from(self.encodes);
        if let (Some(shadow), Some((size, radius))) = (&style.shadow, self.shadows) {
            shadow.check()?;
            shadow.set(&mut view, &style.light, size, radius);
        }
        let corners = corners(positions, &self.triangles);
        fault::guard(&self.device, "uploading a mesh", || {
            fault::write(queue, &self.view, bytemuck::bytes_of(&view))?;
            fault::write(queue, &self.corners, bytemuck::cast_slice(&corners))
        })
    }
}

/// Positions with normals: the faces' area vectors summed.
fn corners(positions: &[[f32; 3]], faces: &[[u32; 3]]) -> Vec<MeshCorner> {
    let mut normals = vec![Vector3::<f32>::zeros(); positions.len()];
    for face in faces {
        let [a, b, c] = face.map(|v| Vector3::from(positions[v as usize]));
        let area = (b - a).cross(&(c - a));
        for v in face {
            normals[*v as usize] += area;
        }
    }
    let unit = |n: &Vector3<f32>| n.try_normalize(0.0).unwrap_or_default().into();
    positions.iter().zip(&normals).map(|(p, n)| MeshCorner { position: *p, normal: unit(n) }).collect()
}

/// Each edge once.
fn edges(faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let of_face = |f: &[u32; 3]| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]].map(|[a, b]| [a.min(b), a.max(b)]);
    let mut edges: Vec<_> = faces.iter().flat_map(of_face).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_has_five_edges_and_upright_normals() {
        let faces = [[0, 1, 2], [0, 2, 3]];
        assert_eq!(edges(&faces).len(), 5);
        let corners = corners(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], &faces);
        assert!(corners.iter().all(|c| c.normal == [0.0, 0.0, 1.0]));
    }
}
