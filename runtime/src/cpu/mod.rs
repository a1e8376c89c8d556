//! The CPU path: complete, on all threads of the current rayon pool.

mod bending;
mod kernel;
mod lanes;
mod mesh;

use crate::layout::YarnLayout;
use crate::params::Garment;
use crate::{Bending, Error, FrameParams, Result};
use kernel::{Axis, Kernel, PairTable, RUN, Scratch};
use mesh::MeshFrame;
use rayon::prelude::*;
use std::sync::Arc;
use yarnwise_shaders::cpu::yarns::Deformed;
use yarnwise_shaders::cpu::{radius, yarns};
use yarnwise_shaders::gpu::{AxisCell, Patch, SurfaceForms, YarnParams, YarnVertex};
use yarnwise_shared::table::database::{BendingTables, Database};
use yarnwise_shared::table::grid::StrainGrid;

/// Yarn vertices that one task takes, about: a number of whole runs.
const CHUNK: usize = 32 * (RUN - 2);

/// The yarns of one garment on the CPU: its buffers, and the results of the last frame.
///
/// ```text
/// let layout = YarnLayout::new(&rest_mesh, database.pattern(), &LayoutOptions::default())?;
/// let mut yarns = CpuYarns::new(layout, &database)?;
/// yarns.update(&FrameParams { positions, ..Default::default() })?;
/// draw(yarns.vertices(), yarns.layout().yarn_starts());
/// ```
///
/// Bad input is an [`Error`]: a wrong number of positions, positions that are not finite or not in meters, parameters
/// out of range. Collapsed triangles are not: their yarns are finite, where all faces around have collapsed they lie on
/// the midsurface.
#[derive(Clone, Debug)]
pub struct CpuYarns {
    layout: Arc<YarnLayout>,
    axes: Vec<AxisCell>,
    kernel_axes: [Axis; 3],
    garment: Garment,
    table: Vec<[f32; 4]>,
    pairs: PairTable,
    bending: Option<BendingTables>,
    mesh: MeshFrame,
    vertices: Vec<YarnVertex>,
    portable: bool,
}

/// A vertex before the first frame: not finite, so that it cannot be mistaken for a result.
const NOTHING_YET: YarnVertex = YarnVertex { position: [f32::NAN; 3], twist: f32::NAN, director: 0, radius: f32::NAN };

impl CpuYarns {
    /// Prepares for frames. The database must be of the pattern that was laid out.
    pub fn new(layout: impl Into<Arc<YarnLayout>>, database: &Database) -> Result<Self> {
        let layout = layout.into();
        layout.check_database(database)?;
        let table = database.table();
        let grid = table.grid();
        let axes = axis_cells(grid);
        let cells = [0, 1, 2].map(|k| grid.0[k].len() - 1);
        Ok(CpuYarns {
            kernel_axes: [
                Axis::new(&axes[..cells[0]]),
                Axis::new(&axes[cells[0]..cells[0] + cells[1]]),
                Axis::new(&axes[cells[0] + cells[1]..]),
            ],
            axes,
            garment: Garment::new(&layout, grid),
            table: table.values().to_vec(),
            pairs: PairTable::new(table),
            bending: database.bending().cloned(),
            mesh: MeshFrame::new(layout.surface()),
            vertices: vec![NOTHING_YET; layout.vertex_count()],
            portable: false,
            layout,
        })
    }

    /// Uses only instructions that every processor has: slower, but bit-identical on all of them.
    pub fn set_portable(&mut self, portable: bool) {
        self.portable = portable;
    }

    /// The layout.
    pub fn layout(&self) -> &YarnLayout {
        &self.layout
    }

    /// The yarn vertices of the last frame, in the order of the layout's sites; NaN before the first frame.
    pub fn vertices(&self) -> &[YarnVertex] {
        &self.vertices
    }

    /// Forms of the mesh's faces in the last frame.
    pub fn face_forms(&self) -> &[SurfaceForms] {
        &self.mesh.faces
    }

    /// Forms of the material vertices in the last frame.
    pub fn vertex_forms(&self) -> &[SurfaceForms] {
        &self.mesh.vertices
    }

    /// Patches of the mesh's faces in the last frame.
    pub fn patches(&self) -> &[Patch] {
        &self.mesh.patches
    }

    /// Computes a frame: [`CpuYarns::vertices`].
    pub fn update(&mut self, frame: &FrameParams) -> Result<()> {
        self.update_mesh(frame)?;
        self.update_yarns(frame)
    }

    /// The first half of [`CpuYarns::update`]: strains and patches of the mesh.
    pub fn update_mesh(&mut self, frame: &FrameParams) -> Result<()> {
        frame.check(self.layout.surface().vertex_count())?;
        self.mesh.update(
            self.layout.surface(),
            frame.positions,
            frame.options.phong,
            self.layout.surface().face_gradient,
        );
        Ok(())
    }

    /// The second half of [`CpuYarns::update`]: the yarns, on the mesh as it was last updated.
    pub fn update_yarns(&mut self, frame: &FrameParams) -> Result<()> {
        if self.bending_of(frame)?.is_some() {
            return self.update_yarns_plainly(frame);
        }
        let params = self.params(frame);
        let kernel = Kernel {
            params: &params,
            axes: &self.kernel_axes,
            pattern: self.layout.pattern(),
            table: &self.pairs,
            patches: &self.mesh.patches,
            charts: self.layout.surface().charts(),
        };
        let (sites, portable) = (self.layout.sites(), self.portable);
        self.vertices.par_chunks_mut(CHUNK).enumerate().for_each_init(Scratch::new, |scratch, (i, out)| {
            kernel.vertices(portable, scratch, sites, i * CHUNK, out);
        });
        Ok(())
    }

    /// [`CpuYarns::update_yarns`] by the plain stages: slower, the oracle of the fast path. Bending tables use it.
    pub fn update_yarns_plainly(&mut self, frame: &FrameParams) -> Result<()> {
        let deformed = self.deform_plainly(frame)?;
        self.vertices.par_iter_mut().zip(&deformed).for_each(|(vertex, d)| {
            *vertex = YarnVertex {
                position: d.position,
                twist: d.twist,
                director: YarnVertex::pack_director(d.director),
                radius: 0.0,
            };
        });
        self.update_radius(&self.params(frame));
        Ok(())
    }

    fn update_radius(&mut self, params: &YarnParams) {
        let (layout, vertices) = (&self.layout, &self.vertices);
        let one = |i| radius::radius(params, layout.pattern(), &self.mesh.patches, layout.sites(), vertices, i);
        let radii: Vec<f32> = (0..vertices.len()).into_par_iter().with_min_len(CHUNK).map(one).collect();
        self.vertices.par_iter_mut().zip(radii).for_each(|(vertex, r)| vertex.radius = r);
    }

    /// The yarn vertices before they are packed, by the plain stage: directors in full precision and of the length that
    /// [F | n]^-T gives them. For exports and as the oracle of the fast path. On the mesh as it was last updated.
    pub fn deform_plainly(&self, frame: &FrameParams) -> Result<Vec<Deformed>> {
        let params = self.params(frame);
        let (patches, charts) = (&self.mesh.patches, self.layout.surface().charts());
        let pattern = self.layout.pattern();
        let bending = self.bending_of(frame)?;
        let sites = self.layout.sites().par_iter().with_min_len(CHUNK);
        Ok(sites
            .map(|site| match bending {
                None => yarns::yarn(&params, &self.axes, pattern, &self.table, patches, charts, site),
                Some(tables) => {
                    let vertex = &pattern[site.pattern_vertex()];
                    let delta = bending::displacement(&params, tables, &patches[site.face as usize], site, vertex)
                        .map(|d| d * params.displacement);
                    yarns::map(&params, patches, charts, site, vertex, delta)
                }
            })
            .collect())
    }

    fn bending_of(&self, frame: &FrameParams) -> Result<Option<&BendingTables>> {
        match &self.bending {
            _ if frame.options.bending != Bending::Tables => Ok(None),
            Some(tables) => Ok(Some(tables)),
            None => Err(Error::Database(
                "it has no bending tables: choose another bending, or bake or import them".to_owned(),
            )),
        }
    }

    fn params(&self, frame: &FrameParams) -> YarnParams {
        frame.yarn_params(&self.garment)
    }
}

/// The cells of all three axes, one axis after the other.
pub(crate) fn axis_cells(grid: &StrainGrid) -> Vec<AxisCell> {
    let cells = |values: &[f64]| -> Vec<AxisCell> {
        let cell = |w: &[f64]| {
            // Two samples may be one number in single precision: such a cell has no width and is never entered.
            let width = w[1] as f32 - w[0] as f32;
            AxisCell { low: w[0] as f32, inverse: if width > 0.0 { 1.0 / width } else { 0.0 } }
        };
        values.windows(2).map(cell).collect()
    };
    grid.0.iter().flat_map(|axis| cells(axis.values())).collect()
}
