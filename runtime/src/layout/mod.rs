//! The layout: a pattern tiled over a mesh's UV plane, once per garment.
//!
//! 1. `material`: islands of the UV plane, each with a plane of its own, placed, and turned over if mirrored.
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
use yarnwise_shared::words::vertices;

/// Yarns of fewer vertices than this are dropped.
const MIN_YARN_VERTICES: usize = 4;

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

impl Yarns {
    /// Ends the yarn whose vertices are those from `first` on; drops it if it is shorter than `min_length` (m).
    fn finish(&mut self, first: usize, closed: bool, min_length: f64) {
        let count = self.sites.len() - first;
        let length = f64::from(self.arcs[self.arcs.len() - 1]);
        if count < MIN_YARN_VERTICES || length < min_length {
            self.sites.truncate(first);
            self.arcs.truncate(first);
            self.copies.truncate(first);
            self.dropped += 1;
            return;
        }
        self.sites[first].pattern |= YarnSite::FIRST;
        self.sites[first + count - 1].pattern |= YarnSite::LAST;
        if closed {
            self.closed.push(self.starts.len() as u32 - 1);
        }
        self.starts.push(self.sites.len() as u32);
    }
}

/// The most vertices that may be tiled. Site and face indices have 32 bits.
fn limit(options: &LayoutOptions) -> usize {
    options.max_vertices.min(u32::MAX as usize - 1)
}

/// How many vertices and yarns were tiled, kept and dropped.
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
    period: [f64; 2],
    radius: f32,
    compat_clamp: bool,
    yarns: Yarns,
}

impl YarnLayout {
    /// Lays `pattern` over the UV plane of `mesh`.
    ///
    /// An error if the UVs would take more than [`LayoutOptions::max_vertices`], if they are too small for a single yarn, or
    /// if an option is out of range.
    pub fn new(mesh: &Mesh, pattern: &Pattern, options: &LayoutOptions) -> Result<Self> {
        options.check()?;
        let material = Material::new(mesh, options)?;
        let surface = Surface::new(mesh, &material, options);
        let rectangle = Rectangle::new(pattern);
        let mut yarns = Yarns { starts: vec![0], ..Default::default() };
        for island in &material.islands {
            let tiling = Tiling::new(&material, island, &rectangle, limit(options).saturating_sub(yarns.tiled))?;
            let scale = island.placement.scale;
            let chains = Chains { tiling: &tiling, pattern: &rectangle, scale, min_length: options.min_yarn_length };
            chains.collect(&surface.charts, &mut yarns);
        }
        let records = pattern::records(pattern);
        Self::with(surface, material, records, pattern, yarns).checked(mesh, options)
    }

    fn with(
        surface: Surface,
        material: Material,
        records: Vec<PatternVertex>,
        pattern: &Pattern,
        yarns: Yarns,
    ) -> Self {
        YarnLayout {
            surface,
            islands: material.islands,
            pattern: records,
            pattern_yarns: pattern::yarns(pattern),
            period: pattern.period(),
            radius: pattern.radius() as f32,
            compat_clamp: false,
            yarns,
        }
    }

    /// An error that says why if there is no yarn.
    fn checked(self, mesh: &Mesh, options: &LayoutOptions) -> Result<Self> {
        if self.yarn_count() > 0 { Ok(self) } else { Err(Error::Layout(self.why_empty(mesh, options))) }
    }

    fn why_empty(&self, mesh: &Mesh, options: &LayoutOptions) -> String {
        let range = |k: usize| {
            let values = mesh.uvs().iter().map(|uv| f64::from(uv[k]));
            let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |r, v| (r.0.min(v), r.1.max(v)));
            high - low
        };
        let scale = self.islands.iter().map(|i| i.placement.scale).fold(0.0, f64::max);
        let size = |[x, y]: [f64; 2]| format!("{:.3} mm x {:.3} mm", 1e3 * x, 1e3 * y);
        let reason = match (self.yarns.live, self.yarns.dropped) {
            (0, _) => "no vertex of the pattern lies on the mesh".to_owned(),
            (_, 0) => "no two neighbors on a yarn both lie on the mesh".to_owned(),
            (_, 1) => format!("its one piece of yarn is shorter than {} radii", options.min_yarn_length),
            (_, n) => format!("all {n} pieces of yarn are shorter than {} radii", options.min_yarn_length),
        };
        format!(
            "the mesh carries no yarn: {reason}. Its UVs measure {}, a period of the pattern {}: are the UVs in meters? Otherwise \
             scale the mesh up or the pattern down, or lower min_yarn_length",
            size([range(0), range(1)]),
            size(self.period.map(|p| p * scale)),
        )
    }

    /// Whether `database` is of the pattern that was laid out, as far as its numbers show.
    pub(crate) fn check_database(&self, database: &Database) -> Result<()> {
        let (table, own) = (database.table().vertices(), self.pattern_vertices());
        if table == own {
            return Ok(());
        }
        Err(Error::Database(format!(
            "its pattern has {}, the layout was made of one with {own}: lay out the database's own pattern",
            vertices(table)
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

    /// Of a layout made by [`compat::layout`]: the number of each vertex among all tiled ones (cell times pattern vertices plus
    /// vertex), as the reference program counts. Otherwise empty.
    pub fn copies(&self) -> &[u32] {
        &self.yarns.copies
    }

    /// The records of the pattern's vertices that sites point to.
    pub fn pattern(&self) -> &[PatternVertex] {
        &self.pattern
    }

    /// Vertices of the pattern.
    pub(crate) fn pattern_vertices(&self) -> usize {
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

    /// Whether frames have the reference program's clamp.
    pub(crate) fn compat_clamp(&self) -> bool {
        self.compat_clamp
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
