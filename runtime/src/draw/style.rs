//! How yarns look: colors, plies, heat map.

use super::camera::Camera;
use super::color::linear;
use super::light::{Light, unit};
use super::palette::Palette;
use super::shadow::Shadow;
use crate::{Error, Result};
use yarnwise_shaders::gpu::TubeView;
use yarnwise_shaders::gpu::constants::MAX_YARN_COLORS;

/// Plies and fibers of a yarn: a normal that is bent, not geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ply {
    /// Number of plies wound around each other; 0 for a smooth yarn.
    pub count: u32,
    /// Angle between plies and yarn axis, radians; negative for the other hand. At most 1.2 either way.
    pub angle: f32,
    /// How deep the grooves between plies are: 0 none, 1 as between round plies.
    pub depth: f32,
    /// How strong the fibers of the plies are: 0 none, 1 coarse wool.
    pub fibers: f32,
}

impl Default for Ply {
    fn default() -> Self {
        Ply { count: 3, angle: 0.6, depth: 0.8, fibers: 0.7 }
    }
}

/// Colors by a value of each yarn vertex, which [`TubeState::set_values`](super::TubeState::set_values) uploads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatMap {
    /// The values with the first and the last color of the palette. Values beyond have these colors too.
    pub range: [f32; 2],
    /// The colors.
    pub palette: Palette,
    /// How much of it covers the yarns' own colors, 0 to 1.
    pub amount: f32,
}

impl Default for HeatMap {
    fn default() -> Self {
        HeatMap { range: [0.0, 1.0], palette: Palette::default(), amount: 1.0 }
    }
}

/// How yarns look.
#[derive(Clone, Debug, PartialEq)]
pub struct TubeStyle {
    /// Colors, sRGB, each lane 0 to 1. Yarn i has color i, and from the first again when there are more yarns than
    /// colors. 1 to 16.
    pub colors: Vec<[f32; 3]>,
    /// Plies and fibers.
    pub ply: Ply,
    /// Light.
    pub light: Light,
    /// Shadows of the lamp; none is faster.
    pub shadow: Option<Shadow>,
    /// How strong highlights and sheen are; 0 is matte, 1 is wool, 2 is silk.
    pub gloss: f32,
    /// Factor of all radii on screen.
    pub radius_factor: f32,
    /// Yarns of a smaller radius on screen (pixels) are drawn wider and partly transparent, so that they do not shimmer.
    pub min_radius: f32,
    /// Colors by value instead.
    pub heat_map: Option<HeatMap>,
}

impl Default for TubeStyle {
    fn default() -> Self {
        TubeStyle {
            colors: vec![[0.80, 0.33, 0.28], [0.90, 0.84, 0.72], [0.22, 0.38, 0.52], [0.45, 0.58, 0.40]],
            ply: Ply::default(),
            light: Light::default(),
            shadow: None,
            gloss: 1.0,
            radius_factor: 1.0,
            min_radius: 0.6,
            heat_map: None,
        }
    }
}

impl TubeStyle {
    pub(super) fn check(&self) -> Result<()> {
        let range = |name, value: f32, low: f32, high: f32, range| {
            if (low..=high).contains(&value) { Ok(()) } else { Err(Error::parameter(name, value, range)) }
        };
        range("number of yarn colors", self.colors.len() as f32, 1.0, MAX_YARN_COLORS as f32, "1 to 16")?;
        range("number of plies", self.ply.count as f32, 0.0, 32.0, "0 to 32")?;
        range("ply angle", self.ply.angle, -1.2, 1.2, "a number between -1.2 and 1.2")?;
        range("ply depth", self.ply.depth, 0.0, 1.0, "a number between 0 and 1")?;
        range("fibers", self.ply.fibers, 0.0, 1.0, "a number between 0 and 1")?;
        range("gloss", self.gloss, 0.0, 10.0, "a number between 0 and 10")?;
        range("radius factor", self.radius_factor, 0.0, 1000.0, "a number between 0 and 1000")?;
        range("least radius", self.min_radius, 0.0, 100.0, "a number of pixels between 0 and 100")?;
        range("wrap", self.light.wrap, 0.0, 1.0, "a number between 0 and 1")?;
        if let Some(heat) = &self.heat_map {
            let width = heat.range[1] - heat.range[0];
            range("range of the heat map", width, f32::MIN_POSITIVE, f32::MAX, "from a lower to a higher value")?;
            range("amount of the heat map", heat.amount, 0.0, 1.0, "a number between 0 and 1")?;
        }
        self.shadow.map_or(Ok(()), |shadow| shadow.check())?;
        self.light.check()
    }

    /// The uniform for a camera, without what the pipelines and the shadow map add. `radius` is the yarns' at rest.
    pub(super) fn uniform(&self, camera: &Camera, radius: f32) -> TubeView {
        let light = &self.light;
        let scaled = |color: [f32; 3], strength: f32, last: f32| {
            let c = linear(color);
            [c[0] * strength, c[1] * strength, c[2] * strength, last]
        };
        let heat = self.heat_map.unwrap_or(HeatMap { amount: 0.0, ..Default::default() });
        let mut colors = [[0.0; 4]; MAX_YARN_COLORS as usize];
        for (to, color) in colors.iter_mut().zip(&self.colors) {
            *to = scaled(*color, 1.0, 1.0);
        }
        // A helix of angle a on a cylinder of radius r makes tan(a) / (2 pi r) turns per meter.
        let turns = self.ply.angle.tan() / std::f32::consts::TAU;
        TubeView {
            view_proj: camera.view_proj,
            shadow_proj: [[0.0; 4]; 4],
            eye: camera.eye,
            light: with(unit(light.direction), 0.0),
            light_color: scaled(light.color, light.strength, light.wrap),
            sky: scaled(light.sky, light.ambient, 0.0),
            ground: scaled(light.ground, light.ambient, 1.0 / radius.max(1e-9)),
            up: with(unit(light.up), self.gloss),
            viewport: [camera.viewport[0], camera.viewport[1], camera.pixel_scale(), self.min_radius],
            ply: [
                self.ply.count as f32,
                turns,
                if self.ply.count == 0 { 0.0 } else { self.ply.depth },
                self.ply.fibers,
            ],
            heat: [heat.range[0], 1.0 / (heat.range[1] - heat.range[0]), heat.amount, self.radius_factor],
            colors,
            palette: heat.palette.table(),
            counts: [self.colors.len() as u32, 1, 0, 0],
        }
    }
}

fn with(v: [f32; 3], last: f32) -> [f32; 4] {
    [v[0], v[1], v[2], last]
}
