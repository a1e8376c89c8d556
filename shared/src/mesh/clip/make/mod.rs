//! Meshes and motions from formulas: for tests, demonstrations and first tries.
//!
//! Shapes stand upright: u runs along x (or around the y axis), v along y, the front faces +z (or outwards).

mod motion;

use crate::mesh::{MAX_COUNT, Mesh, MeshData};
use crate::{Error, Result};
pub use motion::{Animation, Motion};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A flat rectangle in the plane z = 0, its middle at the origin; at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// Width and height in meters.
    pub size: [f64; 2],
    /// Cells along each; each cell is two triangles.
    pub cells: [usize; 2],
}

impl Default for Sheet {
    fn default() -> Self {
        Sheet { size: [0.3, 0.3], cells: [30, 30] }
    }
}

/// A tube around the y axis, its middle at the origin: one panel, sewn to itself along a seam. At rest: the panel is as
/// wide as the tube's polygon is round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tube {
    /// Radius of the circle on which the vertices lie, meters.
    pub radius: f64,
    /// Meters.
    pub height: f64,
    /// Cells around and along; at least 3 around.
    pub cells: [usize; 2],
}

impl Default for Tube {
    fn default() -> Self {
        Tube { radius: 0.05, height: 0.3, cells: [48, 45] }
    }
}

/// A skirt of two panels, front and back, sewn along both sides. Round in the world; each panel is a trapezoid in the UV
/// plane, cut so that its widths and its middle line are at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skirt {
    /// Length around the waist, meters.
    pub waist: f64,
    /// Length around the hem, meters.
    pub hem: f64,
    /// Length from waist to hem along the cloth, meters; more than the difference of the two radii.
    pub length: f64,
    /// Cells across each panel, and from hem to waist.
    pub cells: [usize; 2],
    /// Space between the panels in the UV plane, meters.
    pub gap: f64,
}

impl Default for Skirt {
    fn default() -> Self {
        Skirt { waist: 0.7, hem: 1.1, length: 0.5, cells: [32, 30], gap: 0.05 }
    }
}

impl Sheet {
    /// The mesh.
    pub fn mesh(&self) -> Result<Mesh> {
        check("sheet", &self.size, self.cells, 1)?;
        let [w, h] = self.size;
        let mut data = MeshData::default();
        add_grid(&mut data, self.cells, |s, t| {
            let (x, y) = (w * (s - 0.5), h * (t - 0.5));
            ([w * s, h * t], [x, y, 0.0])
        });
        finish("sheet", data)
    }
}

impl Tube {
    /// The mesh.
    pub fn mesh(&self) -> Result<Mesh> {
        check("tube", &[self.radius, self.height], self.cells, 3)?;
        let [around, along] = self.cells;
        let width = 2.0 * self.radius * (PI / around as f64).sin() * around as f64;
        let mut data = MeshData::default();
        add_grid(&mut data, self.cells, |s, t| {
            let (sin, cos) = (TAU * s).sin_cos();
            ([width * s, self.height * t], [self.radius * sin, self.height * (t - 0.5), self.radius * cos])
        });
        // The last column of vertices is the first one again.
        let sewn = |i: u32| {
            let (row, column) = (i as usize / (around + 1), i as usize % (around + 1));
            (row * around + column % around) as u32
        };
        data.faces.as_flattened_mut().iter_mut().for_each(|i| *i = sewn(*i));
        let rows = data.positions.chunks_exact(around + 1).take(along + 1);
        data.positions = rows.flat_map(|row| row[..around].to_vec()).collect();
        finish("tube", data)
    }
}

impl Skirt {
    /// The mesh.
    pub fn mesh(&self) -> Result<Mesh> {
        check("skirt", &[self.waist, self.hem, self.length], self.cells, 2)?;
        let slant = (self.hem - self.waist).abs() / TAU;
        if !(self.gap.is_finite() && self.gap >= 0.0 && self.length > slant) {
            let problem = format!(
                "a length of {} m and a gap of {} m: the length must exceed {slant:.3} m, the gap not be negative",
                self.length, self.gap
            );
            return Err(Error::invalid("skirt", problem));
        }
        let height = (self.length * self.length - slant * slant).sqrt();
        let [across, up] = self.cells;
        let panel = self.waist.max(self.hem) / 2.0;
        let mut data = MeshData::default();
        for side in [0.0, 1.0] {
            add_grid(&mut data, self.cells, |s, t| {
                let around = self.hem + (self.waist - self.hem) * t;
                // From the left side seam to the right one, as seen from outside; the back is half a turn on.
                let (sin, cos) = (PI * s - FRAC_PI_2 + PI * side).sin_cos();
                let radius = around / TAU;
                let u = around / 2.0 * (s - 0.5) + (panel + self.gap) * side;
                ([u, self.length * t], [radius * sin, height * (t - 0.5), radius * cos])
            });
        }
        // The back's first and last columns are the front's last and first.
        let per_panel = ((across + 1) * (up + 1)) as u32;
        let sewn = |i: u32| {
            let row = (i % per_panel) / (across as u32 + 1);
            match (i >= per_panel, (i % per_panel) as usize % (across + 1)) {
                (true, 0) => row * (across as u32 + 1) + across as u32,
                (true, column) if column == across => row * (across as u32 + 1),
                (true, column) => per_panel + row * (across as u32 - 1) + column as u32 - 1,
                (false, _) => i,
            }
        };
        data.faces.as_flattened_mut().iter_mut().for_each(|i| *i = sewn(*i));
        let back = data.positions.split_off(per_panel as usize);
        data.positions.extend(back.chunks_exact(across + 1).flat_map(|row| row[1..across].to_vec()));
        finish("skirt", data)
    }
}

fn check(origin: &str, lengths: &[f64], [n, m]: [usize; 2], least: usize) -> Result<()> {
    if let Some(length) = lengths.iter().find(|l| !(l.is_finite() && **l > 0.0)) {
        return Err(Error::invalid(origin, format!("a length is {length} m, it must be positive")));
    }
    if n < least || m < 1 || n.saturating_add(1).saturating_mul(m.saturating_add(1)).saturating_mul(4) > MAX_COUNT {
        let problem =
            format!("{n} x {m} cells: at least {least} x 1 are needed, and at most {} vertices", MAX_COUNT / 4);
        return Err(Error::invalid(origin, problem));
    }
    Ok(())
}

/// Adds a grid of vertices and two triangles a cell; `place` gives UV and position for s and t from 0 to 1.
///
/// Diagonals alternate, so that the mesh bends alike in both directions.
fn add_grid(data: &mut MeshData, [n, m]: [usize; 2], place: impl Fn(f64, f64) -> ([f64; 2], [f64; 3])) {
    let base = data.positions.len() as u32;
    for j in 0..=m {
        for i in 0..=n {
            let (uv, x) = place(i as f64 / n as f64, j as f64 / m as f64);
            data.uvs.push(uv.map(|c| c as f32));
            data.positions.push(x.map(|c| c as f32));
        }
    }
    let at = |i: usize, j: usize| base + (j * (n + 1) + i) as u32;
    for j in 0..m {
        for i in 0..n {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            let cell = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            data.faces.extend(cell);
            data.uv_faces.extend(cell);
        }
    }
}

fn finish(origin: &str, data: MeshData) -> Result<Mesh> {
    Mesh::new(data).map_err(|fault| Error::invalid(origin, fault.problem))
}

#[cfg(test)]
mod tests;
