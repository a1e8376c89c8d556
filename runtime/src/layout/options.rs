//! How a pattern is laid over a mesh.

use std::collections::BTreeMap;

/// Where and how large the pattern lies on an island of the UV plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Direction of the pattern's x axis in the UV plane, radians from the u axis.
    pub angle: f64,
    /// How much larger than baked the pattern is, yarns included. Strains do not depend on it.
    pub scale: f64,
    /// Where the pattern's origin lies in the UV plane, meters.
    pub offset: [f64; 2],
}

impl Default for Placement {
    fn default() -> Self {
        Placement { angle: 0.0, scale: 1.0, offset: [0.0, 0.0] }
    }
}

/// Options of a layout.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutOptions {
    /// The placement on islands that are not in `islands`.
    pub placement: Placement,
    /// Placements by island; islands are numbered in the order of their first faces.
    pub islands: BTreeMap<usize, Placement>,
    /// Yarns shorter than this many radii at rest are dropped. (So are those of fewer than
    /// [`MIN_YARN_VERTICES`](super::MIN_YARN_VERTICES) vertices.)
    pub min_yarn_length: f64,
    /// Modified Shepard weights for averages at vertices; otherwise all faces around count the same.
    pub shepard_weights: bool,
    /// The most vertices that may be tiled, before yarns are cut: keeps UVs that are not in meters from filling memory.
    pub max_vertices: usize,
    /// Reproduces the reference program: one island, no placement, exact triangles only, its rounding guard and its
    /// directors, nothing averaged over seams. For comparisons; the default is better.
    pub compat: bool,
}

impl Default for LayoutOptions {
    fn default() -> Self {
        LayoutOptions {
            placement: Placement::default(),
            islands: BTreeMap::new(),
            min_yarn_length: 16.0,
            shepard_weights: true,
            max_vertices: 400_000_000,
            compat: false,
        }
    }
}
