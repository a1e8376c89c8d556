//! How the pattern lies on the cloth.

use super::range;
use serde::{Deserialize, Serialize};
use yarnwise_runtime::{LayoutOptions, Placement};

/// How the pattern lies on the cloth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LayoutSpec {
    /// Direction of the pattern's x axis in the UV plane, degrees.
    pub angle: f64,
    /// How much larger than baked the pattern is, yarns included.
    pub scale: f64,
    /// Where the pattern's origin lies in the UV plane, meters.
    pub offset: [f64; 2],
    /// Yarns shorter than this many radii are dropped.
    pub min_yarn_length: f64,
}

impl Default for LayoutSpec {
    fn default() -> Self {
        let LayoutOptions { placement: Placement { angle, scale, offset }, min_yarn_length, .. } = Default::default();
        LayoutSpec { angle: angle.to_degrees(), scale, offset, min_yarn_length }
    }
}

/// The most yarn vertices that a scene may have: what a viewer can hope to show. Keeps UVs that are not in meters from
/// filling memory.
const MAX_VERTICES: usize = 40_000_000;

impl LayoutSpec {
    /// As the runtime takes it.
    pub fn options(&self) -> LayoutOptions {
        LayoutOptions {
            placement: Placement { angle: self.angle.to_radians(), scale: self.scale, offset: self.offset },
            min_yarn_length: self.min_yarn_length,
            max_vertices: MAX_VERTICES,
            ..Default::default()
        }
    }

    pub(super) fn fault(&self) -> Option<String> {
        range("layout.angle", self.angle, -360.0, 360.0)
            .or_else(|| range("layout.scale", self.scale, 1e-3, 1e3))
            .or_else(|| range("layout.offset[0]", self.offset[0], -1e3, 1e3))
            .or_else(|| range("layout.offset[1]", self.offset[1], -1e3, 1e3))
            .or_else(|| range("layout.min_yarn_length", self.min_yarn_length, 0.0, 1e6))
    }
}
