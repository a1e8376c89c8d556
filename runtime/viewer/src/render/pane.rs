//! One of the pictures: a fabric's yarns on the device, seen by a camera.

use super::seen_by;
use crate::camera::Camera;
use crate::gpu::Gpu;
use crate::loaded::{Fabric, LoadedScene};
use crate::{Error, Result};
use yarnwise_runtime::draw::{TubeOptions, TubePipelines, TubeState};
use yarnwise_runtime::{CpuYarns, FrameParams, StateOptions, YarnPipelines, YarnState};

/// A fabric on the device.
#[derive(Debug)]
pub(super) struct Pane {
    pub(super) yarns: YarnState,
    pub(super) tubes: TubeState,
    fabric: Fabric,
    naive: bool,
    /// Made when a heat map asks for it.
    cpu: Option<CpuYarns>,
}

impl Pane {
    pub(super) fn new(
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
        Ok(Pane { tubes: tubes.map_err(&here)?, yarns, fabric: fabric.clone(), naive, cpu: None })
    }

    pub(super) fn prepare(
        &mut self,
        gpu: &Gpu,
        loaded: &LoadedScene,
        camera: &Camera,
        size: [u32; 2],
        reach: f32,
    ) -> Result<()> {
        let here = Error::yarns(&loaded.origin);
        let frame = match self.naive {
            true => loaded.scene.frame.naive(),
            false => loaded.scene.frame,
        };
        self.yarns.prepare(&gpu.queue, &FrameParams { positions: &loaded.positions, options: frame }).map_err(&here)?;
        let style = loaded.scene.style.tubes(camera, &loaded.bounds(), size[0] as f32 / size[1] as f32);
        if let Some(heat) = &loaded.scene.style.heat_map {
            let cpu = match &mut self.cpu {
                Some(cpu) => cpu,
                none => none.insert(CpuYarns::new(self.fabric.layout.clone(), &self.fabric.database).map_err(&here)?),
            };
            let values = heat.value.compute(cpu, &frame, &loaded.positions)?;
            self.tubes.set_values(&gpu.queue, &values).map_err(&here)?;
        }
        self.tubes.prepare(&gpu.queue, &seen_by(camera, size, reach), &style).map_err(&here)
    }
}
