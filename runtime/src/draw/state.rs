//! The yarns of one garment in one view.

use super::camera::Camera;
use super::part::DrawnPart;
use super::pipelines::{TubePipelines, TubeShaders};
use super::program::bind;
use super::shadow_map::ShadowMap;
use super::style::TubeStyle;
use crate::gpu::fault;
use crate::gpu::{Chunk, chunks, part_capacity};
use crate::{Error, Result, YarnLayout, YarnState};
use std::sync::Arc;
use wgpu::{BindGroup, Buffer};
use yarnwise_device::Memory;
use yarnwise_shaders::gpu::{TubeStrand, TubeView, YarnSite, YarnVertex};
use yarnwise_shared::words::{self, count};

/// Which yarns have the same color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ColorBy {
    /// All pieces of one of the pattern's yarns.
    #[default]
    PatternYarn,
    /// Every yarn of the layout has the next color.
    LaidYarn,
}

/// Options of a garment in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TubeOptions {
    /// Which yarns have the same color.
    pub color_by: ColorBy,
    /// Width and height of the shadow map, texels; 0 for a view that never has shadows. 4 B a texel.
    pub shadow_size: u32,
}

impl Default for TubeOptions {
    fn default() -> Self {
        TubeOptions { color_by: ColorBy::default(), shadow_size: 2048 }
    }
}

/// The yarns of one garment in one view: what is seen of them, and the view's camera and style.
#[derive(Debug)]
pub struct TubeState {
    device: wgpu::Device,
    shared: Arc<TubeShaders>,
    radius: f32,
    vertex_count: usize,
    view: Buffer,
    shadow: Option<ShadowMap>,
    has_shadow: bool,
    pub(super) view_bindings: BindGroup,
    pub(super) parts: Vec<DrawnPart>,
}

impl TubeState {
    /// Prepares to draw `yarns`, which are of `layout`. Takes 12 B for each yarn vertex.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipelines: &TubePipelines,
        layout: &YarnLayout,
        yarns: &YarnState,
        options: &TubeOptions,
    ) -> Result<Self> {
        let color = |yarn: usize| match options.color_by {
            ColorBy::PatternYarn => layout.pattern_yarn(yarn),
            ColorBy::LaidYarn => yarn as u32,
        };
        let strands = strands(layout.yarn_starts(), layout.arcs(), color);
        let owned: usize = yarns.parts().iter().map(|p| p.chunk().owned.len()).sum();
        if owned != strands.len() {
            return Err(Error::Layout("the yarns to draw are of another layout".to_owned()));
        }
        let sources = yarns.parts().iter().map(|p| (p.chunk().clone(), p.vertex_buffer().clone())).collect();
        Self::of_buffers(device, queue, pipelines, sources, &strands, layout.radius(), options.shadow_size)
    }

    /// Prepares to draw yarns that are not laid on a mesh: those of a solver, or any curves. `starts` says where each
    /// yarn begins among the vertices, and after the last one the number of vertices. Yarn i has color i, whatever the
    /// options say; see [`TubeState::of_colored_vertices`] for others.
    pub fn of_vertices(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipelines: &TubePipelines,
        vertices: &[YarnVertex],
        starts: &[u32],
        options: &TubeOptions,
    ) -> Result<Self> {
        let colors: Vec<u32> = (0..starts.len() as u32).collect();
        Self::of_colored_vertices(device, queue, pipelines, vertices, starts, &colors, options)
    }

    /// As [`TubeState::of_vertices`], with the number of each yarn's color; 0 for those of which none is given.
    pub fn of_colored_vertices(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipelines: &TubePipelines,
        vertices: &[YarnVertex],
        starts: &[u32],
        colors: &[u32],
        options: &TubeOptions,
    ) -> Result<Self> {
        let arcs = arcs(vertices, starts)?;
        let strands = strands(starts, &arcs, |yarn| colors.get(yarn).copied().unwrap_or(0));
        let capacity = part_capacity(&device.limits());
        let chunks = chunks(vertices.len() as u32, capacity).unwrap_or_default();
        let memory = Memory::new(device, queue);
        let source = |chunk: Chunk| {
            let stored = &vertices[chunk.stored.start as usize..chunk.stored.end as usize];
            Ok((chunk, memory.upload("yarn vertices", stored)?))
        };
        let sources = fault::guard(device, "uploading yarns", || chunks.into_iter().map(source).collect())?;
        let radius = vertices.iter().map(|v| f64::from(v.radius)).sum::<f64>() / vertices.len().max(1) as f64;
        Self::of_buffers(device, queue, pipelines, sources, &strands, radius as f32, options.shadow_size)
    }

    fn of_buffers(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        pipelines: &TubePipelines,
        sources: Vec<(Chunk, Buffer)>,
        strands: &[TubeStrand],
        radius: f32,
        shadow_size: u32,
    ) -> Result<Self> {
        let shared = pipelines.shared.clone();
        fault::guard(device, "making the buffers of a view", || {
            let memory = Memory::new(device, queue);
            let view = memory.uniform::<TubeView>("view");
            let shadow = (shadow_size > 0).then(|| shared.shadow.map(device, &view, shadow_size));
            let view_bindings = shared.bind_view(device, &view, shadow.as_ref());
            let part = |(chunk, vertices): (Chunk, Buffer)| {
                let own = &strands[chunk.stored.start as usize..chunk.stored.end as usize];
                DrawnPart::new(&memory, &shared, &view, chunk, vertices, own)
            };
            let parts = sources.into_iter().map(part).collect::<Result<_>>()?;
            let (device, vertex_count) = (device.clone(), strands.len());
            Ok(TubeState {
                device,
                shared,
                radius,
                vertex_count,
                view,
                shadow,
                has_shadow: false,
                view_bindings,
                parts,
            })
        })
    }

    /// Sets camera and style of the next frame. An error if a number is out of range, or the device is lost.
    pub fn prepare(&mut self, queue: &wgpu::Queue, camera: &Camera, style: &TubeStyle) -> Result<()> {
        camera.check()?;
        style.check()?;
        let mut view = style.uniform(camera, self.radius);
        let target = &self.shared.target;
        view.counts[1] = target.sample_count;
        view.counts[2] = u32::from(!target.color_format.is_srgb());
        self.has_shadow = false;
        if let (Some(shadow), Some(map)) = (&style.shadow, &self.shadow) {
            shadow.set(&mut view, &style.light, map.size, self.radius);
            self.has_shadow = true;
        }
        fault::guard(&self.device, "uploading a view", || fault::write(queue, &self.view, bytemuck::bytes_of(&view)))
    }

    /// The shadow map of the frame, if it has one.
    pub(super) fn shadow_map(&self) -> Option<&ShadowMap> {
        self.shadow.as_ref().filter(|_| self.has_shadow)
    }

    /// The shadow map and the radius of the yarns that cast shadows.
    pub(super) fn shadow_source(&self) -> Option<(&ShadowMap, f32)> {
        self.shadow.as_ref().map(|map| (map, self.radius))
    }

    /// Uploads a value for each yarn vertex, for [`TubeStyle::heat_map`]. Non-finite values are drawn gray.
    /// Until the first call all values are 0.
    pub fn set_values(&mut self, queue: &wgpu::Queue, values: &[f32]) -> Result<()> {
        if values.len() != self.vertex_count {
            let (given, needed) = (count(values.len(), "value", None), words::vertices(self.vertex_count));
            return Err(Error::Layout(format!("{given} for yarns with {needed}")));
        }
        let (device, shared) = (self.device.clone(), self.shared.clone());
        fault::guard(&device, "uploading values", || {
            let memory = Memory::new(&device, queue);
            for part in &mut self.parts {
                let stored = part.chunk.stored.start as usize..part.chunk.stored.end as usize;
                part.set_values(&memory, &shared, &values[stored])?;
            }
            Ok(())
        })
    }

    /// Sets the arc length (meters) at each vertex of yarns made by [`TubeState::of_vertices`], along which plies wind: those
    /// of a yarn that slides stay with its material. `starts` and `colors` as before.
    pub fn set_arcs(&mut self, queue: &wgpu::Queue, arcs: &[f32], starts: &[u32], colors: &[u32]) -> Result<()> {
        if arcs.len() != self.vertex_count || starts.last().copied() != Some(arcs.len() as u32) {
            let (given, needed) = (arcs.len(), self.vertex_count);
            return Err(Error::Layout(format!("{given} arc lengths are given, there are {needed} yarn vertices")));
        }
        let strands = strands(starts, arcs, |yarn| colors.get(yarn).copied().unwrap_or(0));
        fault::guard(&self.device, "uploading arc lengths", || {
            for part in &self.parts {
                let stored = part.chunk.stored.start as usize..part.chunk.stored.end as usize;
                fault::write(queue, &part.buffers.strands, bytemuck::cast_slice(&strands[stored]))?;
            }
            Ok(())
        })
    }

    /// Moves yarns made by [`TubeState::of_vertices`] (of others it overwrites the state's vertices).
    pub fn set_vertices(&mut self, queue: &wgpu::Queue, vertices: &[YarnVertex]) -> Result<()> {
        if vertices.len() != self.vertex_count {
            let [given, needed] = [vertices.len(), self.vertex_count].map(words::vertices);
            return Err(Error::Layout(format!("{given} for yarns with {needed}")));
        }
        fault::guard(&self.device, "uploading yarns", || {
            for part in &self.parts {
                let stored = part.chunk.stored.start as usize..part.chunk.stored.end as usize;
                fault::write(queue, &part.buffers.vertices, bytemuck::cast_slice(&vertices[stored]))?;
            }
            Ok(())
        })
    }
}

impl TubeShaders {
    fn bind_view(&self, device: &wgpu::Device, view: &Buffer, shadow: Option<&ShadowMap>) -> BindGroup {
        let map = shadow.map_or(&self.shadow.none, |map| &map.texture);
        let resources = [
            view.as_entire_binding(),
            wgpu::BindingResource::TextureView(map),
            wgpu::BindingResource::Sampler(&self.shadow.sampler),
        ];
        bind(device, &self.layouts[0], &resources)
    }
}

/// The constants of all yarn vertices; `color` gives the color's number of a yarn.
fn strands(starts: &[u32], arcs: &[f32], color: impl Fn(usize) -> u32) -> Vec<TubeStrand> {
    let mut strands: Vec<_> = arcs.iter().map(|arc| TubeStrand { arc: *arc, yarn: 0 }).collect();
    for (i, yarn) in starts.windows(2).enumerate() {
        let own = &mut strands[yarn[0] as usize..yarn[1] as usize];
        let color = color(i) & YarnSite::INDEX;
        own.iter_mut().for_each(|s| s.yarn = color);
        if let Some(first) = own.first_mut() {
            first.yarn |= YarnSite::FIRST;
        }
        if let Some(last) = own.last_mut() {
            last.yarn |= YarnSite::LAST;
        }
    }
    strands
}

/// Arc lengths of curves, after a check that `starts` fits them.
fn arcs(vertices: &[YarnVertex], starts: &[u32]) -> Result<Vec<f32>> {
    let ends = [starts.first().copied(), starts.last().copied()];
    let ordered = starts.windows(2).all(|yarn| yarn[0] <= yarn[1]);
    if !ordered || ends != [Some(0), u32::try_from(vertices.len()).ok()] {
        let problem = format!("the starts of yarns must rise from 0 to the number of vertices, {}", vertices.len());
        return Err(Error::Layout(problem));
    }
    let mut arcs = vec![0.0; vertices.len()];
    for yarn in starts.windows(2) {
        for i in yarn[0] as usize + 1..yarn[1] as usize {
            let (a, b) = (vertices[i - 1].position, vertices[i].position);
            let square: f32 = (0..3).map(|k| (b[k] - a[k]).powi(2)).sum();
            arcs[i] = arcs[i - 1] + square.sqrt();
        }
    }
    Ok(arcs)
}
