//! Simulated cloth without yarns, and the bodies it touches.

use super::bodies::{self, Bodies, BodiesPipeline};
use super::{Target, seen_by, target_options};
use crate::camera::{Bounds, Camera};
use crate::gpu::Gpu;
use crate::live::Scenery;
use crate::scene::StyleSpec;
use crate::{Error, Result};
use yarnwise_runtime::draw::{Light, MeshPipelines, MeshState, MeshStyle};
use yarnwise_solvers::cloth::Simulation;

/// Records and submits a picture of the cloth as it is now, in the first of the style's colors.
pub(crate) fn draw_bare(
    gpu: &Gpu,
    simulation: &Simulation,
    camera: &Camera,
    style: &StyleSpec,
    target: &Target,
) -> Result<()> {
    let here = Error::yarns("cloth");
    let scenery = Scenery::of(simulation);
    let positions: Vec<[f32; 3]> = simulation.positions_f32().collect();
    let cloth = Bounds::of(&positions).map_or(0.0, |bounds| bounds.radius());
    let seen = seen_by(camera, [target.width(), target.height()], cloth.max(bodies::reach(&scenery)));

    let pipelines = MeshPipelines::new(&gpu.device, &target_options()).map_err(&here)?;
    let faces = &simulation.model().faces;
    let mesh = MeshState::new(&gpu.device, &gpu.queue, &pipelines, faces, positions.len(), None);
    let mut mesh = mesh.map_err(&here)?;
    let light = Light {
        direction: style.light_direction(camera).into(),
        strength: style.light.strength,
        ambient: style.light.ambient,
        up: [0.0, 1.0, 0.0],
        ..Default::default()
    };
    let color = style.colors[0].0.map(|c| f32::from(c) / 255.0);
    let look = MeshStyle { faces: Some(color), light, ..Default::default() };
    mesh.prepare(&gpu.queue, &positions, &seen, &look).map_err(&here)?;

    let pipeline = BodiesPipeline::new(&gpu.device);
    let bodies = Bodies::of(gpu, &pipeline, &scenery);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let mut pass = target.begin(&mut encoder, style.background);
    if let Some(bodies) = &bodies {
        bodies.prepare(&gpu.queue, &scenery, &seen.view_proj.into(), camera, style);
        bodies.draw(&pipeline, &mut pass);
    }
    pipelines.draw(&mesh, &mut pass);
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    Ok(())
}
