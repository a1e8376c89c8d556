//! The layout: a pattern tiled over a mesh's UV plane, once per garment.
//!
//! 1. `material`: islands of the UV plane, each with a plane of its own, placed and turned the right way round.
//! 2. `surface`, `weights`: the static half of the strain stage.
//! 3. `tile`: the cells that an island's triangles touch (`raster`), a copy of the pattern in each, and the triangle and
//!    barycentrics of every vertex (`locate`).
//! 4. `chains`: edges whose ends are both on the cloth, followed to yarns; fragments dropped; the rest compacted.
//!
//! All steps are linear in faces plus tiled vertices (but for sorting the touched cells). Yarn vertices are kept in yarn
//! order: neighbors on a yarn are neighbors in memory, see nearly the same strain and read the same few triangles.
//! Each yarn vertex costs 16 B ([`YarnSite`]) plus 4 B of rest arc length; the rest is shared by all copies of a pattern
//! vertex.
//!
//! A yarn is cut between whole vertices; it is not resampled at the border. A closed yarn repeats its first vertex at
//! its end.

mod chains;
pub mod compat;
mod locate;
mod material;
mod options;
mod pattern;
mod raster;
mod surface;
mod tile;
mod weights;

pub use material::Island;
pub use options::{LayoutOptions, Placement};
pub use surface::Surface;

use crate::{Error, Result};
use chains::Chains;
use material::Material;
use pattern::Rectangle;
use tile::Tiling;
use yarnwise_shaders::gpu::{PatternVertex, YarnSite};
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::pattern::Pattern;
use yarnwise_shared::table::database::Database;

/// Yarns of fewer vertices than this are dropped.
pub const MIN_YARN_VERTICES: usize = 4;

/// Yarns while they are collected.
#[derive(Clone, Debug, Default)]
struct Yarns {
    sites: Vec<YarnSite>,
    arcs: Vec<f32>,
    starts: Vec<u32>,
    closed: Vec<u32>,
    copies: Vec<u32>,
    tiled: usize,
    live: usize,
    dropped: usize,
}

/// How many vertices and yarns went which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutCounts {
    /// Copies of pattern vertices in all cells.
    pub tiled: usize,
    /// Those that lie on the mesh.
    pub live: usize,
    /// Those on kept yarns: the yarn vertices.
    pub kept: usize,
    /// Kept yarns.
    pub yarns: usize,
    /// Yarns dropped because they were too short.
    pub dropped: usize,
}

/// A pattern laid over a mesh.
#[derive(Clone, Debug)]
pub struct YarnLayout {
    surface: Surface,
    islands: Vec<Island>,
    pattern: Vec<PatternVertex>,
    pattern_yarns: Vec<u32>,
    radius: f32,
    compat: bool,
    yarns: Yarns,
}

impl YarnLayout {
    /// Lays `pattern` over the UV plane of `mesh`.
    ///
    /// An error if the UVs would take more than [`LayoutOptions::max_vertices`] or an option makes no sense. A mesh that
    /// is too small for a single yarn gives an empty layout, not an error.
    pub fn new(mesh: &Mesh, pattern: &Pattern, options: &LayoutOptions) -> Result<Self> {
        Self::lay(mesh, pattern, options, false)
    }

    fn lay(mesh: &Mesh, pattern: &Pattern, options: &LayoutOptions, compat: bool) -> Result<Self> {
        options.check()?;
        let material = Material::new(mesh, options, compat)?;
        let surface = Surface::new(mesh, &material, options, compat);
        let rectangle = Rectangle::new(pattern, compat);
        let mut yarns = Yarns { starts: vec![0], ..Default::default() };
        // Site and face indices have 32 bits.
        let limit = options.max_vertices.min(u32::MAX as usize - 1);
        for island in &material.islands {
            let tiling = Tiling::new(&material, island, &rectangle, compat, limit.saturating_sub(yarns.tiled))?;
            let chains = Chains {
                tiling: &tiling,
                pattern: &rectangle,
                scale: island.placement.scale,
                min_length: options.min_yarn_length,
                compat,
            };
            chains.collect(&surface.charts, &mut yarns);
        }
        Ok(YarnLayout {
            surface,
            islands: material.islands,
            pattern: pattern::records(pattern, &rectangle, compat),
            pattern_yarns: pattern::yarns(pattern),
            radius: pattern.radius() as f32,
            compat,
            yarns,
        })
    }

    /// Whether `database` is of the pattern that was laid out, as far as its numbers show.
    pub(crate) fn check_database(&self, database: &Database) -> Result<()> {
        let (table, own) = (database.table().vertices(), self.pattern_vertices());
        if table == own {
            return Ok(());
        }
        Err(Error::Database(format!(
            "its pattern has {table} vertices, the layout was made of one with {own}: lay out the database's own pattern"
        )))
    }

    /// Number of yarn vertices.
    pub fn vertex_count(&self) -> usize {
        self.yarns.sites.len()
    }

    /// Number of yarns.
    pub fn yarn_count(&self) -> usize {
        self.yarns.starts.len() - 1
    }

    /// The sites of all yarn vertices, yarn after yarn.
    pub fn sites(&self) -> &[YarnSite] {
        &self.yarns.sites
    }

    /// Where each yarn begins among the vertices, and after the last one the number of vertices.
    pub fn yarn_starts(&self) -> &[u32] {
        &self.yarns.starts
    }

    /// The yarns that are closed: their last vertex is their first one again.
    pub fn closed_yarns(&self) -> &[u32] {
        &self.yarns.closed
    }

    /// Rest arc length of each vertex from the beginning of its yarn, meters.
    pub fn arcs(&self) -> &[f32] {
        &self.yarns.arcs
    }

    /// Compatibility mode: the number of each vertex among all tiled ones (cell times pattern vertices plus vertex), as
    /// the reference program counts. Otherwise empty.
    pub fn copies(&self) -> &[u32] {
        &self.yarns.copies
    }

    /// The records of the pattern's vertices that sites point to.
    pub fn pattern(&self) -> &[PatternVertex] {
        &self.pattern
    }

    /// Vertices of the pattern.
    pub fn pattern_vertices(&self) -> usize {
        self.pattern_yarns.len()
    }

    /// The pattern's yarn, as its [`Pattern::yarns`] counts, that a yarn of the layout is a piece of.
    ///
    /// # Panics
    /// When there is no such yarn.
    pub fn pattern_yarn(&self, yarn: usize) -> u32 {
        let site = self.yarns.sites[self.yarns.starts[yarn] as usize];
        self.pattern_yarns[self.pattern[site.pattern_vertex()].table_vertex as usize]
    }

    /// Yarn radius at rest and scale 1, meters.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The islands of the UV plane, in the order of their first faces.
    pub fn islands(&self) -> &[Island] {
        &self.islands
    }

    /// The static half of the mesh's stages.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Whether this layout reproduces the reference program.
    pub fn compat(&self) -> bool {
        self.compat
    }

    /// What was tiled, kept and dropped.
    pub fn counts(&self) -> LayoutCounts {
        LayoutCounts {
            tiled: self.yarns.tiled,
            live: self.yarns.live,
            kept: self.vertex_count(),
            yarns: self.yarn_count(),
            dropped: self.yarns.dropped,
        }
    }
}
