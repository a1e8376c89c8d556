//! One of the pictures: a fabric's yarns on the device, seen by a camera.

use crate::camera::Camera;
use crate::gpu::Gpu;
use crate::stage::{Fabric, Stage};
use crate::{Error, Result};
use yarnwise_runtime::draw::{self, TubeOptions, TubePipelines, TubeState};
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
        stage: &Stage,
        camera: &Camera,
        size: [u32; 2],
        reach: f32,
    ) -> Result<()> {
        let here = Error::yarns(&stage.origin);
        let frame = match self.naive {
            true => stage.scene.frame.naive(),
            false => stage.scene.frame,
        };
        self.yarns.prepare(&gpu.queue, &FrameParams { positions: &stage.positions, options: frame }).map_err(&here)?;
        let style = stage.scene.style.tubes(camera, &stage.bounds(), size[0] as f32 / size[1] as f32);
        if let Some(heat) = &stage.scene.style.heat_map {
            let cpu = match &mut self.cpu {
                Some(cpu) => cpu,
                none => none.insert(CpuYarns::new(self.fabric.layout.clone(), &self.fabric.database).map_err(&here)?),
            };
            let values = heat.value.compute(cpu, &frame, &stage.positions)?;
            self.tubes.set_values(&gpu.queue, &values).map_err(&here)?;
        }
        self.tubes.prepare(&gpu.queue, &seen_by(camera, size, reach), &style).map_err(&here)
    }
}

/// The camera as the runtime takes it.
fn seen_by(camera: &Camera, size: [u32; 2], reach: f32) -> draw::Camera {
    let viewport = size.map(|s| s as f32);
    let view_proj = camera.projection(viewport[0] / viewport[1], reach) * camera.view();
    let eye = camera.eye();
    draw::Camera { view_proj: view_proj.into(), eye: [eye.x, eye.y, eye.z, 1.0], viewport }
}
