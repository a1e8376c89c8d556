//! Draws a scene: one picture, or two side by side.

mod bare;
mod bodies;
mod label;
mod pane;
mod target;
mod timing;

pub(crate) use label::annotate;
pub(crate) use target::{FORMAT, Target};
pub(crate) use timing::Timings;

use crate::camera::Camera;
use crate::gpu::Gpu;
use crate::loaded::LoadedScene;
use crate::scene::Split;
use crate::{Error, Result};
pub(crate) use bare::draw_bare;
use bodies::{Bodies, BodiesPipeline};
use pane::Pane;
use std::time::Instant;
use timing::Queries;
use yarnwise_runtime::draw::{self, TargetOptions, TubePipelines};
use yarnwise_runtime::{PipelineOptions, YarnPipelines, wgpu};

/// Draws scenes on a device.
#[derive(Debug)]
pub(crate) struct Renderer {
    gpu: Gpu,
    yarns: YarnPipelines,
    tubes: TubePipelines,
    bodies_pipeline: BodiesPipeline,
    queries: Option<Queries>,
    panes: Vec<Pane>,
    bodies: Option<Bodies>,
    split: Split,
}

/// Width of the line between two pictures, pixels.
const GAP: u32 = 2;

impl Renderer {
    /// Compiles the shaders.
    pub(crate) fn new(gpu: Gpu) -> Result<Self> {
        let here = Error::yarns("graphics device");
        Ok(Renderer {
            yarns: YarnPipelines::new(&gpu.device, &PipelineOptions::default()).map_err(&here)?,
            tubes: TubePipelines::new(&gpu.device, &target_options()).map_err(&here)?,
            bodies_pipeline: BodiesPipeline::new(&gpu.device),
            queries: gpu.timestamps.then(|| Queries::new(&gpu)),
            panes: Vec::new(),
            bodies: None,
            split: Split::None,
            gpu,
        })
    }

    /// The device.
    pub(crate) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Uploads a scene, in place of the one before.
    pub(crate) fn set_scene(&mut self, loaded: &LoadedScene) -> Result<()> {
        self.split = loaded.split();
        self.panes.clear();
        if let Some(strands) = loaded.cloth.as_strands() {
            self.panes.push(Pane::free(&self.gpu, &self.tubes, strands, &loaded.origin)?);
        }
        let fabrics = match self.split {
            Split::None => loaded.fabric.iter().map(|f| (f, false)).collect(),
            Split::Naive => loaded.fabric.iter().flat_map(|f| [(f, true), (f, false)]).collect(),
            Split::Compare => loaded.fabric.iter().chain(&loaded.compare).map(|f| (f, false)).collect::<Vec<_>>(),
        };
        for (fabric, naive) in fabrics {
            self.panes.push(Pane::laid(&self.gpu, &self.yarns, &self.tubes, fabric, naive, &loaded.origin)?);
        }
        self.bodies = loaded.cloth.scenery().and_then(|s| Bodies::of(&self.gpu, &self.bodies_pipeline, &s));
        Ok(())
    }

    /// What is above each picture; nothing where there is only one.
    pub(crate) fn titles(&self, loaded: &LoadedScene) -> Vec<String> {
        match (self.split, &loaded.compare) {
            (Split::None, _) => Vec::new(),
            (Split::Naive, _) => vec!["naive".into(), "mechanics-aware".into()],
            (Split::Compare, compare) => {
                let name = |fabric: &crate::loaded::Fabric| fabric.database.name().to_owned();
                loaded.fabric.iter().chain(compare).map(name).collect()
            }
        }
    }

    /// Left border and width of each picture in a target `width` pixels wide.
    pub(crate) fn columns(&self, width: u32) -> Vec<[u32; 2]> {
        columns(width, if self.split == Split::None { 1 } else { 2 })
    }

    /// Records and submits a picture of the scene as it is now.
    ///
    /// Timings of the GPU are those of an earlier picture: nothing is waited for.
    pub(crate) fn draw(&mut self, loaded: &LoadedScene, camera: &Camera, target: &Target) -> Result<Timings> {
        if loaded.split() != self.split {
            self.set_scene(loaded)?;
        }
        let mut timings = Timings::default();
        let start = Instant::now();
        let columns = self.columns(target.width());
        let reach = loaded.bounds().radius().max(loaded.cloth.scenery().map_or(0.0, |s| bodies::reach(&s)));
        for (pane, [_, width]) in self.panes.iter_mut().zip(&columns) {
            pane.prepare(&self.gpu, &self.tubes, loaded, camera, [*width, target.height()], reach)?;
        }
        timings.push("upload (CPU)", start.elapsed());
        let start = Instant::now();
        let commands = self.encode(loaded, camera, target, &columns, reach)?;
        self.gpu.queue.submit([commands]);
        timings.push("encode (CPU)", start.elapsed());
        if let Some(queries) = &mut self.queries {
            queries.collect(&self.gpu, &mut timings);
        }
        Ok(timings)
    }

    fn encode(
        &mut self,
        loaded: &LoadedScene,
        camera: &Camera,
        target: &Target,
        columns: &[[u32; 2]],
        reach: f32,
    ) -> Result<wgpu::CommandBuffer> {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let mark = |encoder: &mut wgpu::CommandEncoder, queries: &Option<Queries>, index| {
            if let Some(queries) = queries {
                queries.mark(encoder, index);
            }
        };
        mark(&mut encoder, &self.queries, 0);
        for pane in &self.panes {
            if let Some(yarns) = pane.yarns() {
                self.yarns.encode(&mut encoder, yarns).map_err(Error::yarns(&loaded.origin))?;
            }
        }
        mark(&mut encoder, &self.queries, 1);
        for pane in &self.panes {
            self.tubes.encode(&mut encoder, &pane.tubes);
        }
        mark(&mut encoder, &self.queries, 2);
        let style = &loaded.scene.style;
        if let (Some(bodies), Some(scenery)) = (&self.bodies, loaded.cloth.scenery()) {
            let seen = seen_by(camera, [columns[0][1], target.height()], reach);
            bodies.prepare(&self.gpu.queue, &scenery, &seen.view_proj.into(), camera, style);
        }
        let mut pass = target.begin(&mut encoder, style.background);
        for (pane, [left, width]) in self.panes.iter().zip(columns) {
            pass.set_viewport(*left as f32, 0.0, *width as f32, target.height() as f32, 0.0, 1.0);
            pass.set_scissor_rect(*left, 0, *width, target.height());
            if let Some(bodies) = &self.bodies {
                bodies.draw(&self.bodies_pipeline, &mut pass);
            }
            self.tubes.draw(&pane.tubes, &mut pass);
        }
        drop(pass);
        mark(&mut encoder, &self.queries, 3);
        if let Some(queries) = &mut self.queries {
            queries.resolve(&mut encoder);
        }
        Ok(encoder.finish())
    }
}

/// What is drawn into, as the runtime takes it.
fn target_options() -> TargetOptions {
    TargetOptions { color_format: FORMAT, sample_count: target::SAMPLES, ..Default::default() }
}

/// The camera as the runtime takes it.
fn seen_by(camera: &Camera, size: [u32; 2], reach: f32) -> draw::Camera {
    let viewport = size.map(|s| s as f32);
    let view_proj = camera.projection(viewport[0] / viewport[1], reach) * camera.view();
    let eye = camera.eye();
    draw::Camera { view_proj: view_proj.into(), eye: [eye.x, eye.y, eye.z, 1.0], viewport }
}

/// Left border and width of `count` pictures side by side.
fn columns(width: u32, count: u32) -> Vec<[u32; 2]> {
    let gaps = GAP * (count - 1);
    let each = (width.saturating_sub(gaps) / count).max(1);
    (0..count).map(|i| [(i * (each + GAP)).min(width.saturating_sub(1)), each]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_side_by_side_fit_the_target() {
        assert_eq!(columns(100, 1), [[0, 100]]);
        assert_eq!(columns(100, 2), [[0, 49], [51, 49]]);
        for width in 1..20 {
            for [left, w] in columns(width, 2) {
                assert!(w > 0 && left + w <= width.max(2), "{width}: {left} {w}");
            }
        }
    }
}
