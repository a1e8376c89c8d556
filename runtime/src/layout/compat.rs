//! Layouts as the reference program of [Sperl21] makes them, for comparisons; the default is better.

use super::{LayoutOptions, YarnLayout};
use crate::Result;
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::pattern::Pattern;

/// Lays `pattern` over the UV plane of `mesh` as the reference program does: one island, no placement, exact triangles only,
/// its rounding guard and its directors, nothing averaged over seams. Frames of such a layout have its clamp, too.
pub fn layout(mesh: &Mesh, pattern: &Pattern, options: &LayoutOptions) -> Result<YarnLayout> {
    YarnLayout::lay(mesh, pattern, options, true)
}
