//! What changes from frame to frame.

use crate::{Error, FrameOptions, Result, YarnLayout};
use yarnwise_shaders::gpu::{YarnParams, flags};
use yarnwise_shared::table::grid::StrainGrid;
use yarnwise_shared::table::strain::Bending;
use yarnwise_shared::words::{count, vertices};

/// A frame: the mesh's positions and how yarns follow them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameParams<'a> {
    /// World positions of the mesh's vertices, meters. As many as the rest mesh has, finite, below
    /// [`MAX_COORDINATE`](yarnwise_shared::mesh::MAX_COORDINATE).
    pub positions: &'a [[f32; 3]],
    /// How yarns follow them.
    pub options: FrameOptions,
}

impl FrameParams<'_> {
    /// Checks the options and that there is a usable position for each of `vertex_count` vertices.
    pub(crate) fn check(&self, vertex_count: usize) -> Result<()> {
        self.options.check()?;
        self.check_positions(vertex_count)
    }

    fn check_positions(&self, vertex_count: usize) -> Result<()> {
        if self.positions.len() != vertex_count {
            return Err(Error::Positions(format!(
                "the frame has {}, the rest mesh has {}",
                count(self.positions.len(), "position", None),
                vertices(vertex_count)
            )));
        }
        let max = yarnwise_shared::mesh::MAX_COORDINATE;
        // A sum over all of them first: the bad position is searched for only when there is one.
        let usable = |p: &[f32; 3]| p.iter().all(|c| c.abs() <= max);
        if !self.positions.iter().fold(true, |all, p| all & usable(p)) {
            let i = self.positions.iter().position(|p| !usable(p)).unwrap_or(0);
            let [x, y, z] = self.positions[i];
            return Err(Error::Positions(format!(
                "vertex {} is at ({x}, {y}, {z}): coordinates must be finite and at most {max:e} m",
                i + 1
            )));
        }
        Ok(())
    }

    /// The parameters of the yarn stages for a garment.
    pub(crate) fn yarn_params(&self, garment: &Garment) -> YarnParams {
        let switch = |on: bool, flag: u32| if on { flag } else { 0 };
        let options = &self.options;
        let flags = switch(options.bending == Bending::Linearized, flags::LINEARIZED)
            | switch(options.bending == Bending::Quadratic, flags::QUADRATIC)
            | switch(options.follow_triangle, flags::FOLLOW)
            | switch(garment.compat_clamp, flags::COMPAT_CLAMP)
            | switch(options.volume_preservation, flags::VOLUME);
        YarnParams {
            cells: garment.cells,
            table_vertices: garment.table_vertices,
            count: garment.count,
            flags,
            displacement: options.displacement,
            min_eigenvalue: options.min_eigenvalue,
            radius: garment.radius * options.radius_factor,
            bending_amount: options.bending_amount,
            padding: [0.0; 2],
        }
    }
}

/// The parameters of the yarn stages that do not change from frame to frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Garment {
    cells: [u32; 3],
    table_vertices: u32,
    count: u32,
    compat_clamp: bool,
    radius: f32,
}

impl Garment {
    /// For all vertices of `layout`, with a table over `grid`.
    pub(crate) fn new(layout: &YarnLayout, grid: &StrainGrid) -> Self {
        Garment {
            cells: [0, 1, 2].map(|k| grid.0[k].len() as u32 - 1),
            table_vertices: layout.pattern_vertices() as u32,
            count: layout.vertex_count() as u32,
            compat_clamp: layout.compat_clamp(),
            radius: layout.radius(),
        }
    }
}
