//! What changes from frame to frame.

use crate::{Error, Result, YarnLayout};
use yarnwise_shaders::gpu::{YarnParams, flags};
use yarnwise_shared::table::grid::StrainGrid;
use yarnwise_shared::table::strain::BendingModel;

/// A frame: the mesh's positions and how yarns follow them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameParams<'a> {
    /// World positions of the mesh's vertices, meters. As many as the rest mesh has, finite, below
    /// [`MAX_COORDINATE`](yarnwise_shared::mesh::MAX_COORDINATE).
    pub positions: &'a [[f32; 3]],
    /// Factor of the looked-up displacement: 1 full, 0 naive embedding of the undeformed pattern.
    pub displacement: f32,
    /// How bending enters the strain at a yarn vertex.
    pub bending: BendingModel,
    /// How much of the bending counts, for blending: 1 all of it, 0 none.
    pub bending_amount: f32,
    /// Looks displacements up in the database's bending tables [Sperl21, App. C] instead, in place of `bending`.
    pub bending_tables: bool,
    /// Eigenvalues of the first fundamental form below this are raised to it, which keeps yarns from piling up under
    /// compression; 0 switches the clamp off. 0.8 is a stretch of -0.106.
    pub min_eigenvalue: f32,
    /// Amount of Phong deformation: 0 flat triangles, 0.5 a surface that is exact for quadratic shapes.
    pub phong: f32,
    /// A displaced vertex that leaves its triangle is mapped by the one it enters. Always off in compatibility mode.
    pub follow_triangle: bool,
    /// Yarns become thinner where they stretch, so that their volume stays.
    pub volume_preservation: bool,
    /// Factor of the yarn radius.
    pub radius_factor: f32,
}

impl Default for FrameParams<'_> {
    fn default() -> Self {
        FrameParams {
            positions: &[],
            displacement: 1.0,
            bending: BendingModel::Linearized,
            bending_amount: 1.0,
            bending_tables: false,
            min_eigenvalue: 0.8,
            phong: 0.5,
            follow_triangle: true,
            volume_preservation: true,
            radius_factor: 1.0,
        }
    }
}

impl FrameParams<'_> {
    /// Checks the numbers and that there is a usable position for each of `vertex_count` vertices.
    pub(crate) fn check(&self, vertex_count: usize) -> Result<()> {
        self.check_numbers()?;
        self.check_positions(vertex_count)
    }

    /// Checks everything but the positions.
    pub(crate) fn check_numbers(&self) -> Result<()> {
        let range = |name, value: f32, low: f32, high: f32, range| {
            if (low..=high).contains(&value) { Ok(()) } else { Err(Error::Parameter { name, value, range }) }
        };
        range("displacement", self.displacement, -10.0, 10.0, "a number between -10 and 10")?;
        range("bending_amount", self.bending_amount, 0.0, 1.0, "a number between 0 and 1")?;
        range("min_eigenvalue", self.min_eigenvalue, 0.0, 100.0, "a number between 0 (off) and 100")?;
        range("phong", self.phong, 0.0, 1.0, "a number between 0 and 1")?;
        range("radius_factor", self.radius_factor, 0.0, 1000.0, "a number between 0 and 1000")
    }

    fn check_positions(&self, vertex_count: usize) -> Result<()> {
        if self.positions.len() != vertex_count {
            return Err(Error::Positions(format!(
                "{} are given, the rest mesh has {vertex_count} vertices",
                self.positions.len()
            )));
        }
        let max = yarnwise_shared::mesh::MAX_COORDINATE;
        // A sum over all of them first: the search for the culprit is only needed when there is one.
        let usable = |p: &[f32; 3]| p.iter().all(|c| c.abs() <= max);
        if !self.positions.iter().fold(true, |all, p| all & usable(p)) {
            let i = self.positions.iter().position(|p| !usable(p)).unwrap_or(0);
            return Err(Error::Positions(format!(
                "vertex {i} is at {:?}: coordinates must be finite and at most {max:e} m",
                self.positions[i]
            )));
        }
        Ok(())
    }

    /// The parameters of the yarn stages for a garment.
    pub(crate) fn yarn_params(&self, garment: &Garment) -> YarnParams {
        let switch = |on: bool, flag: u32| if on { flag } else { 0 };
        let compat = garment.compat;
        let flags = switch(self.bending == BendingModel::Linearized, flags::LINEARIZED)
            | switch(self.bending == BendingModel::Quadratic, flags::QUADRATIC)
            | switch(self.follow_triangle && !compat, flags::FOLLOW)
            | switch(compat, flags::COMPAT)
            | switch(self.volume_preservation, flags::VOLUME);
        YarnParams {
            cells: garment.cells,
            table_vertices: garment.table_vertices,
            count: garment.count,
            flags,
            displacement: self.displacement,
            min_eigenvalue: self.min_eigenvalue,
            radius: garment.radius * self.radius_factor,
            bending_amount: self.bending_amount,
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
    compat: bool,
    radius: f32,
}

impl Garment {
    /// For all vertices of `layout`, with a table over `grid`.
    pub(crate) fn new(layout: &YarnLayout, grid: &StrainGrid) -> Self {
        Garment {
            cells: [0, 1, 2].map(|k| grid.0[k].len() as u32 - 1),
            table_vertices: layout.pattern_vertices() as u32,
            count: layout.vertex_count() as u32,
            compat: layout.compat(),
            radius: layout.radius(),
        }
    }
}
