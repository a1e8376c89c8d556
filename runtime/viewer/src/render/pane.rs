//! One of the pictures: yarns on the device, seen by a camera.

use super::seen_by;
use crate::camera::Camera;
use crate::gpu::Gpu;
use crate::heat::Quantity;
use crate::loaded::{Fabric, LoadedScene};
use crate::strands::Strands;
use crate::{Error, Result};
use yarnwise_runtime::draw::{TubeOptions, TubePipelines, TubeState};
use yarnwise_runtime::{CpuYarns, FrameParams, StateOptions, YarnPipelines, YarnState};

/// Yarns on the device.
#[derive(Debug)]
pub(super) struct Pane {
    pub(super) tubes: TubeState,
    source: Source,
}

/// Where the yarns come from.
#[derive(Debug)]
enum Source {
    Laid(Box<Laid>),
    /// Not laid on cloth; where each of them began when they were uploaded.
    Free {
        starts: Vec<u32>,
    },
}

/// A fabric's yarns, which the device lays on the cloth.
#[derive(Debug)]
struct Laid {
    yarns: YarnState,
    fabric: Fabric,
    naive: bool,
    /// Made when a heat map asks for it.
    cpu: Option<CpuYarns>,
}

impl Pane {
    /// Yarns that are laid on cloth.
    pub(super) fn laid(
        gpu: &Gpu,
        yarn_pipelines: &YarnPipelines,
        tube_pipelines: &TubePipelines,
        fabric: &Fabric,
        naive: bool,
        origin: &str,
    ) -> Result<Self> {
        let here = Error::yarns(origin);
        let Fabric { database, layout } = fabric;
        let (device, queue) = (&gpu.device, &gpu.queue);
        let yarns = YarnState::new(device, queue, yarn_pipelines, layout, database, &StateOptions::default());
        let yarns = yarns.map_err(&here)?;
        let tubes = TubeState::new(device, queue, tube_pipelines, layout, &yarns, &TubeOptions::default());
        let laid = Laid { yarns, fabric: fabric.clone(), naive, cpu: None };
        Ok(Pane { tubes: tubes.map_err(&here)?, source: Source::Laid(Box::new(laid)) })
    }

    /// Yarns that are not.
    pub(super) fn free(gpu: &Gpu, pipelines: &TubePipelines, strands: &Strands, origin: &str) -> Result<Self> {
        let Strands { vertices, starts, colors, .. } = strands;
        let (device, queue, options) = (&gpu.device, &gpu.queue, TubeOptions::default());
        let tubes = TubeState::of_colored_vertices(device, queue, pipelines, vertices, starts, colors, &options);
        Ok(Pane { tubes: tubes.map_err(Error::yarns(origin))?, source: Source::Free { starts: starts.clone() } })
    }

    /// The state of yarns that the device has to lay.
    pub(super) fn yarns(&self) -> Option<&YarnState> {
        match &self.source {
            Source::Laid(laid) => Some(&laid.yarns),
            Source::Free { .. } => None,
        }
    }

    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        pipelines: &TubePipelines,
        loaded: &LoadedScene,
        camera: &Camera,
        size: [u32; 2],
        reach: f32,
    ) -> Result<()> {
        let here = Error::yarns(&loaded.origin);
        let heat = loaded.scene.style.heat_map.as_ref().map(|heat| heat.value);
        let values = match &mut self.source {
            Source::Laid(laid) => laid.prepare(gpu, loaded, heat)?,
            Source::Free { starts } => {
                let Some(strands) = loaded.cloth.as_strands() else { return Ok(()) };
                if *starts != strands.starts {
                    *self = Pane::free(gpu, pipelines, strands, &loaded.origin)?;
                }
                let Strands { vertices, arcs, starts, colors, .. } = strands;
                let moved = self.tubes.set_vertices(&gpu.queue, vertices);
                moved.and_then(|()| self.tubes.set_arcs(&gpu.queue, arcs, starts, colors)).map_err(&here)?;
                heat.map(|heat| heat.of_strands(strands)).transpose()?
            }
        };
        if let Some(values) = values {
            self.tubes.set_values(&gpu.queue, &values).map_err(&here)?;
        }
        let style = loaded.scene.style.tubes(camera, &loaded.bounds(), size[0] as f32 / size[1] as f32);
        self.tubes.prepare(&gpu.queue, &seen_by(camera, size, reach), &style).map_err(&here)
    }
}

impl Laid {
    /// Uploads the cloth; the numbers of a heat map, if there is one.
    fn prepare(&mut self, gpu: &Gpu, loaded: &LoadedScene, heat: Option<Quantity>) -> Result<Option<Vec<f32>>> {
        let here = Error::yarns(&loaded.origin);
        let frame = match self.naive {
            true => loaded.scene.frame.naive(),
            false => loaded.scene.frame,
        };
        self.yarns.prepare(&gpu.queue, &FrameParams { positions: &loaded.positions, options: frame }).map_err(&here)?;
        let Some(heat) = heat else { return Ok(None) };
        let cpu = match &mut self.cpu {
            Some(cpu) => cpu,
            none => none.insert(CpuYarns::new(self.fabric.layout.clone(), &self.fabric.database).map_err(&here)?),
        };
        heat.compute(cpu, &frame, &loaded.positions).map(Some)
    }
}
