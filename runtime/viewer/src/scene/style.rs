//! How a scene is drawn.

use super::{Color, range};
use crate::camera::{Bounds, Camera};
use crate::heat::Quantity;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use yarnwise_runtime::draw::{self, Light, Palette, Ply, Shadow, TubeStyle};

/// The most colors that yarns may have.
const MAX_COLORS: usize = 16;

/// How a scene is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StyleSpec {
    /// Colors of the yarns, one after the other, from the first again when there are more yarns; 1 to 16.
    pub colors: Vec<Color>,
    /// Color behind everything.
    pub background: Color,
    /// Color of the bodies that a simulated cloth collides with.
    pub bodies: Color,
    /// Plies wound around each other; 0 for a smooth yarn.
    pub plies: u32,
    /// Angle between plies and yarn, degrees; negative for the other hand.
    pub ply_angle: f32,
    /// Depth of the grooves between plies, 0 to 1.
    pub ply_depth: f32,
    /// Strength of the fibers, 0 to 1.
    #[serde(alias = "fibres")]
    pub fibers: f32,
    /// 0 is matte, 1 wool, 2 silk.
    pub gloss: f32,
    /// How much of the lamp's light is missing in shadows, 0 to 1; 0 is off.
    pub shadow: f32,
    /// The lamp.
    pub light: LightSpec,
    /// Colors a number instead of the yarns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heat_map: Option<HeatMapSpec>,
}

/// The lamp, which moves with the camera: no side of the cloth stays in the dark.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LightSpec {
    /// How far to the right of the camera it stands, degrees.
    pub yaw: f32,
    /// How far above, degrees.
    pub pitch: f32,
    /// Strength of the lamp.
    pub strength: f32,
    /// Strength of the light from everywhere else.
    pub ambient: f32,
}

/// A number of each yarn vertex as a color.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeatMapSpec {
    /// Which number.
    pub value: Quantity,
    /// The numbers of the first and the last color; the value's own where not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f32; 2]>,
}

impl Default for LightSpec {
    fn default() -> Self {
        let light = Light::default();
        LightSpec { yaw: -35.0, pitch: 40.0, strength: light.strength, ambient: light.ambient }
    }
}

impl Default for StyleSpec {
    fn default() -> Self {
        let Ply { count, angle, depth, fibers } = Ply::default();
        StyleSpec {
            colors: vec![Color([0xc4, 0x5a, 0x3c])],
            background: Color([0xf4, 0xf1, 0xea]),
            bodies: Color([0x8a, 0x8f, 0x98]),
            plies: count,
            ply_angle: angle.to_degrees(),
            ply_depth: depth,
            fibers,
            gloss: TubeStyle::default().gloss,
            shadow: Shadow::default().amount,
            light: LightSpec::default(),
            heat_map: None,
        }
    }
}

impl HeatMapSpec {
    /// The numbers of the first and the last color.
    pub fn range(&self) -> [f32; 2] {
        self.range.unwrap_or(self.value.range())
    }

    /// The colors.
    pub fn palette(&self) -> Palette {
        self.value.palette()
    }
}

impl StyleSpec {
    /// Colors of warps, wefts and seams.
    pub const WOVEN: [Color; 3] = [Color([0x2f, 0x5d, 0x7c]), Color([0xe9, 0xdc, 0xc0]), Color([0xb8, 0x4a, 0x32])];

    /// As the runtime takes it, for cloth within `bounds` in a picture `aspect` times as wide as high.
    pub fn tubes(&self, camera: &Camera, bounds: &Bounds, aspect: f32) -> TubeStyle {
        let heat_map = |h: &HeatMapSpec| draw::HeatMap { range: h.range(), palette: h.palette(), amount: 1.0 };
        TubeStyle {
            colors: self.colors.iter().map(|c| c.0.map(|b| f32::from(b) / 255.0)).collect(),
            ply: Ply {
                count: self.plies,
                angle: self.ply_angle.to_radians(),
                depth: self.ply_depth,
                fibers: self.fibers,
            },
            light: Light {
                direction: self.light_direction(camera).into(),
                strength: self.light.strength,
                ambient: self.light.ambient,
                up: [0.0, 1.0, 0.0],
                ..Default::default()
            },
            shadow: (self.shadow > 0.0).then(|| self.shadow(camera, bounds, aspect)),
            gloss: self.gloss,
            heat_map: self.heat_map.as_ref().map(heat_map),
            ..Default::default()
        }
    }

    /// Fine shadows need a small ball: the cloth's, or what is seen of it.
    fn shadow(&self, camera: &Camera, bounds: &Bounds, aspect: f32) -> Shadow {
        let half_height = camera.distance * (0.5 * camera.fov).tan();
        // Half more than the picture's diagonal: what is seen may lie behind the target.
        let seen = 1.5 * half_height * (1.0 + aspect * aspect).sqrt();
        let (center, radius) = match seen < bounds.radius() {
            true => (camera.target, seen),
            false => (bounds.center(), 1.05 * bounds.radius()),
        };
        Shadow { center: center.into(), radius, amount: self.shadow, ..Default::default() }
    }

    /// Toward the lamp.
    pub(crate) fn light_direction(&self, camera: &Camera) -> Vector3<f32> {
        let [right, up, back] = camera.axes();
        let (sy, cy) = self.light.yaw.to_radians().sin_cos();
        let (sp, cp) = self.light.pitch.to_radians().sin_cos();
        right * (sy * cp) + up * sp + back * (cy * cp)
    }

    pub(super) fn fault(&self) -> Option<String> {
        let count = self.colors.len();
        let colors = (!(1..=MAX_COLORS).contains(&count))
            .then(|| format!("field 'style.colors' has {count} colors, there must be 1 to {MAX_COLORS}"));
        let heat = self.heat_map.and_then(|h| {
            let [low, high] = h.range();
            let ascends = low.is_finite() && high.is_finite() && low < high;
            (!ascends).then(|| format!("field 'style.heat_map.range' is [{low}, {high}], it must ascend"))
        });
        colors
            .or_else(|| range("style.plies", self.plies as f32, [0.0, 32.0]))
            .or_else(|| range("style.ply_angle", self.ply_angle, [-68.0, 68.0]))
            .or_else(|| range("style.ply_depth", self.ply_depth, [0.0, 1.0]))
            .or_else(|| range("style.fibers", self.fibers, [0.0, 1.0]))
            .or_else(|| range("style.gloss", self.gloss, [0.0, 10.0]))
            .or_else(|| range("style.shadow", self.shadow, [0.0, 1.0]))
            .or_else(|| range("style.light.yaw", self.light.yaw, [-180.0, 180.0]))
            .or_else(|| range("style.light.pitch", self.light.pitch, [-90.0, 90.0]))
            .or_else(|| range("style.light.strength", self.light.strength, [0.0, 100.0]))
            .or_else(|| range("style.light.ambient", self.light.ambient, [0.0, 100.0]))
            .or(heat)
    }
}
