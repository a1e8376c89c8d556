//! Draws a stage: one picture, or two side by side.

mod bodies;
mod label;
mod pane;
mod target;
mod timing;

pub use label::{annotate, text};
pub use target::{FORMAT, Target};
pub use timing::{Timing, Timings};

use crate::camera::Camera;
use crate::gpu::Gpu;
use crate::scene::Split;
use crate::stage::Stage;
use crate::{Error, Result};
use bodies::{Bodies, BodiesPipeline};
use pane::Pane;
use std::time::Instant;
use timing::Queries;
use yarnwise_runtime::draw::{TargetOptions, TubePipelines};
use yarnwise_runtime::{PipelineOptions, YarnPipelines, wgpu};

/// Draws stages on a device.
#[derive(Debug)]
pub struct Renderer {
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
    pub fn new(gpu: Gpu) -> Result<Self> {
        let here = Error::yarns("graphics device");
        let target = TargetOptions { color_format: FORMAT, sample_count: target::SAMPLES, ..Default::default() };
        Ok(Renderer {
            yarns: YarnPipelines::new(&gpu.device, &PipelineOptions::default()).map_err(&here)?,
            tubes: TubePipelines::new(&gpu.device, &target).map_err(&here)?,
            bodies_pipeline: BodiesPipeline::new(&gpu.device),
            queries: gpu.timestamps.then(|| Queries::new(&gpu)),
            panes: Vec::new(),
            bodies: None,
            split: Split::None,
            gpu,
        })
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Uploads a stage, in place of the one before.
    pub fn set_stage(&mut self, stage: &Stage) -> Result<()> {
        self.split = stage.split();
        self.panes.clear();
        let fabrics = match (self.split, &stage.compare) {
            (Split::None, _) => vec![(&stage.fabric, false)],
            (Split::Naive, _) => vec![(&stage.fabric, true), (&stage.fabric, false)],
            (Split::Compare, compare) => std::iter::once(&stage.fabric).chain(compare).map(|f| (f, false)).collect(),
        };
        for (fabric, naive) in fabrics {
            self.panes.push(Pane::new(&self.gpu, &self.yarns, &self.tubes, fabric, naive, &stage.origin)?);
        }
        self.bodies = Bodies::of(&self.gpu, &self.bodies_pipeline, &stage.source);
        Ok(())
    }

    /// What is above each picture; nothing where there is only one.
    pub fn titles(&self, stage: &Stage) -> Vec<String> {
        match (self.split, &stage.compare) {
            (Split::None, _) => Vec::new(),
            (Split::Naive, _) => vec!["naive".into(), "mechanics-aware".into()],
            (Split::Compare, compare) => {
                let name = |fabric: &crate::stage::Fabric| fabric.database.name().to_owned();
                std::iter::once(&stage.fabric).chain(compare).map(name).collect()
            }
        }
    }

    /// Left border and width of each picture in a target so many pixels wide.
    pub fn columns(&self, width: u32) -> Vec<[u32; 2]> {
        columns(width, if self.split == Split::None { 1 } else { 2 })
    }

    /// Records and submits a picture of the stage as it is now.
    ///
    /// Timings of the GPU are those of an earlier picture: nothing is waited for.
    pub fn draw(&mut self, stage: &Stage, camera: &Camera, target: &Target) -> Result<Timings> {
        if stage.split() != self.split {
            self.set_stage(stage)?;
        }
        let mut timings = Timings::default();
        let start = Instant::now();
        let columns = self.columns(target.width());
        let reach = stage.bounds().radius().max(bodies::reach(&stage.source));
        for (pane, [_, width]) in self.panes.iter_mut().zip(&columns) {
            pane.prepare(&self.gpu, stage, camera, [*width, target.height()], reach)?;
        }
        timings.push("upload (CPU)", start.elapsed());
        let start = Instant::now();
        let commands = self.encode(stage, camera, target, &columns, reach)?;
        self.gpu.queue.submit([commands]);
        timings.push("encode (CPU)", start.elapsed());
        if let Some(queries) = &mut self.queries {
            queries.collect(&self.gpu, &mut timings);
        }
        Ok(timings)
    }

    fn encode(
        &mut self,
        stage: &Stage,
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
            self.yarns.encode(&mut encoder, &pane.yarns).map_err(Error::yarns(&stage.origin))?;
        }
        mark(&mut encoder, &self.queries, 1);
        for pane in &self.panes {
            self.tubes.encode(&mut encoder, &pane.tubes);
        }
        mark(&mut encoder, &self.queries, 2);
        let style = &stage.scene.style;
        if let Some(bodies) = &mut self.bodies {
            let aspect = columns[0][1] as f32 / target.height() as f32;
            bodies.prepare(&self.gpu.queue, &stage.source, camera, aspect, reach, style);
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
