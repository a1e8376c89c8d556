//! Regular sheets and tubes.

use super::{ClothMaterial, ClothModel, Spring, SpringKind};
use nalgebra::Vector3;
use std::f64::consts::TAU;

/// A regular sheet of particles with the springs of [Boxerman03, Fig. 3.4].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Particles along u.
    pub columns: usize,
    /// Particles along v.
    pub rows: usize,
    /// Distance h between neighbors, meters.
    pub spacing: f64,
    /// Where particle (0, 0) starts, meters.
    pub origin: Vector3<f64>,
    /// Unit direction of u.
    pub u: Vector3<f64>,
    /// Unit direction of v.
    pub v: Vector3<f64>,
}

/// A tube of particles around an axis, its columns closed in a ring: a sleeve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tube {
    /// Particles around, at least 3.
    pub around: usize,
    /// Particles along, at least 2.
    pub along: usize,
    /// Meters.
    pub radius: f64,
    /// Meters from the first ring to the last.
    pub length: f64,
    /// Center of the first ring, meters.
    pub origin: Vector3<f64>,
    /// Unit direction of the axis.
    pub axis: Vector3<f64>,
}

impl Grid {
    /// A square sheet of `size` × `size` particles in the horizontal plane y = 0 with its center at the origin.
    pub fn horizontal(size: usize, spacing: f64) -> Self {
        let half = 0.5 * (size as f64 - 1.0) * spacing;
        let origin = Vector3::new(-half, 0.0, half);
        Grid { columns: size, rows: size, spacing, origin, u: Vector3::x(), v: -Vector3::z() }
    }

    /// The particle in column `i`, row `j`.
    pub fn particle(&self, i: usize, j: usize) -> usize {
        j * self.columns + i
    }

    /// World positions at the start, meters.
    pub fn positions(&self) -> Vec<Vector3<f64>> {
        let point = |i: usize, j: usize| self.origin + (self.u * i as f64 + self.v * j as f64) * self.spacing;
        (0..self.rows).flat_map(|j| (0..self.columns).map(move |i| point(i, j))).collect()
    }

    /// UVs of the particles, meters.
    pub fn uvs(&self) -> Vec<[f32; 2]> {
        let point = |i: usize, j: usize| [(i as f64 * self.spacing) as f32, (j as f64 * self.spacing) as f32];
        (0..self.rows).flat_map(|j| (0..self.columns).map(move |i| point(i, j))).collect()
    }
}

impl Tube {
    /// World positions at the start, meters, ring after ring.
    pub fn positions(&self) -> Vec<Vector3<f64>> {
        let helper = if self.axis.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() };
        let e1 = self.axis.cross(&helper).normalize();
        let e2 = self.axis.cross(&e1);
        let step = self.length / (self.along as f64 - 1.0);
        let point = |i: usize, j: usize| {
            let (sin, cos) = (TAU * i as f64 / self.around as f64).sin_cos();
            self.origin + (e1 * cos + e2 * sin) * self.radius + self.axis * (step * j as f64)
        };
        (0..self.along).flat_map(|j| (0..self.around).map(move |i| point(i, j))).collect()
    }

    /// Distance between neighbors on a ring, along the chord, and from ring to ring, meters.
    pub fn spacing(&self) -> (f64, f64) {
        let chord = 2.0 * self.radius * (0.5 * TAU / self.around as f64).sin();
        (chord, self.length / (self.along as f64 - 1.0))
    }

    /// UVs with one more column than particles: the seam has two.
    pub fn uvs(&self) -> Vec<[f32; 2]> {
        let (chord, step) = self.spacing();
        let point = |i: usize, j: usize| [(i as f64 * chord) as f32, (j as f64 * step) as f32];
        (0..self.along).flat_map(|j| (0..=self.around).map(move |i| point(i, j))).collect()
    }

    /// Corners of each triangle in [`Tube::uvs`], in the order of the model's faces.
    pub fn uv_faces(&self) -> Vec<[u32; 3]> {
        lattice_faces(self.around, self.along - 1, |i, j| j * (self.around + 1) + i)
    }
}

/// A lattice of particles that may close around in i.
struct Lattice {
    columns: usize,
    rows: usize,
    closed: bool,
    spacing: [f64; 2],
}

impl Lattice {
    /// The particle at (i, j), where it exists.
    fn particle(&self, i: isize, j: isize) -> Option<u32> {
        let columns = self.columns as isize;
        let i = if self.closed { i.rem_euclid(columns) } else { i };
        let inside = (0..columns).contains(&i) && (0..self.rows as isize).contains(&j);
        inside.then(|| (j * columns + i) as u32)
    }

    fn springs(&self, material: &ClothMaterial) -> Vec<Spring> {
        // Each spring once: from a particle to its neighbors ahead.
        const AHEAD: [(SpringKind, isize, isize); 8] = [
            (SpringKind::Stretch, 1, 0),
            (SpringKind::Stretch, 0, 1),
            (SpringKind::Shear, 1, 1),
            (SpringKind::Shear, -1, 1),
            (SpringKind::Bend, 2, 0),
            (SpringKind::Bend, 0, 2),
            (SpringKind::Bend, 2, 2),
            (SpringKind::Bend, -2, 2),
        ];
        let mut springs = Vec::with_capacity(8 * self.columns * self.rows);
        for j in 0..self.rows as isize {
            for i in 0..self.columns as isize {
                for (kind, di, dj) in AHEAD {
                    if let (Some(a), Some(b)) = (self.particle(i, j), self.particle(i + di, j + dj))
                        && a != b
                    {
                        let rest_length = (di as f64 * self.spacing[0]).hypot(dj as f64 * self.spacing[1]);
                        let (stiffness, damping) = material.of(kind, di == 0);
                        springs.push(Spring { i: a, j: b, kind, rest_length, stiffness, damping });
                    }
                }
            }
        }
        springs
    }
}

/// Two triangles for each cell of a lattice.
fn lattice_faces(columns: usize, rows: usize, particle: impl Fn(usize, usize) -> usize) -> Vec<[u32; 3]> {
    let mut faces = Vec::with_capacity(2 * columns * rows);
    for j in 0..rows {
        for i in 0..columns {
            let [a, b] = [particle(i, j) as u32, particle(i + 1, j) as u32];
            let [c, d] = [particle(i + 1, j + 1) as u32, particle(i, j + 1) as u32];
            // The diagonal alternates, so that folds do not prefer one direction.
            if (i + j).is_multiple_of(2) {
                faces.extend([[a, b, c], [a, c, d]]);
            } else {
                faces.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    faces
}

impl ClothMaterial {
    /// Stiffness and damping of a spring of the regular grid.
    fn of(&self, kind: SpringKind, along_v: bool) -> (f64, f64) {
        match kind {
            SpringKind::Stretch if along_v => (self.along_v(), self.stretch_damping),
            SpringKind::Stretch => (self.stretch_stiffness, self.stretch_damping),
            SpringKind::Shear => (self.shear_stiffness, self.shear_damping),
            SpringKind::Bend => (self.bend_stiffness, 0.0),
        }
    }
}

impl ClothModel {
    /// A sheet of at least 2 × 2 particles, each of mass ρ h² as in the thesis, those on the border too.
    pub fn from_grid(grid: &Grid, material: &ClothMaterial) -> Self {
        let h = grid.spacing;
        let lattice = Lattice { columns: grid.columns, rows: grid.rows, closed: false, spacing: [h, h] };
        let faces = lattice_faces(grid.columns - 1, grid.rows - 1, |i, j| grid.particle(i, j));
        let areas = vec![h * h; grid.columns * grid.rows];
        ClothModel::new(grid.positions(), areas, lattice.springs(material), material, faces)
    }

    /// A sleeve. Rest lengths are those of the flat cloth: around a tube, bend springs start slightly bent.
    pub fn from_tube(tube: &Tube, material: &ClothMaterial) -> Self {
        let (chord, step) = tube.spacing();
        let lattice = Lattice { columns: tube.around, rows: tube.along, closed: true, spacing: [chord, step] };
        let around = tube.around;
        let faces = lattice_faces(around, tube.along - 1, |i, j| j * around + i % around);
        let areas = vec![chord * step; around * tube.along];
        ClothModel::new(tube.positions(), areas, lattice.springs(material), material, faces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_particle_has_the_springs_of_the_thesis() {
        let grid = Grid::horizontal(7, 0.1);
        let model = ClothModel::from_grid(&grid, &ClothMaterial::default());
        let count = |kind| {
            let at = model.springs_at(grid.particle(3, 3));
            at.filter(|(s, _)| model.springs[*s].kind == kind).count()
        };
        assert_eq!([SpringKind::Stretch, SpringKind::Shear, SpringKind::Bend].map(count), [4, 4, 8]);
        for s in &model.springs {
            let length = (model.rest_positions[s.j as usize] - model.rest_positions[s.i as usize]).norm();
            assert!((length - s.rest_length).abs() < 1e-12);
        }
        let shear = model.springs.iter().find(|s| s.kind == SpringKind::Shear).unwrap();
        assert!((shear.rest_length - 0.1 * std::f64::consts::SQRT_2).abs() < 1e-12);
        assert!((model.spacing - 0.1).abs() < 1e-12);
        assert!((model.masses.iter().sum::<f64>() - 0.2 * 49.0 * 0.01).abs() < 1e-12);
    }

    #[test]
    fn a_tube_closes_and_its_uvs_have_a_seam() {
        let tube = Tube {
            around: 12,
            along: 5,
            radius: 0.05,
            length: 0.2,
            origin: Vector3::zeros(),
            axis: Vector3::new(0.0, 0.6, 0.8),
        };
        let model = ClothModel::from_tube(&tube, &ClothMaterial::default());
        assert_eq!(model.springs.iter().filter(|s| s.kind == SpringKind::Stretch).count(), 12 * 5 + 12 * 4);
        assert_eq!(model.faces.len(), 2 * 12 * 4);
        assert_eq!(tube.uv_faces().len(), model.faces.len());
        assert_eq!(tube.uvs().len(), 13 * 5);
        for s in model.springs.iter().filter(|s| s.kind == SpringKind::Stretch) {
            let length = (model.rest_positions[s.j as usize] - model.rest_positions[s.i as usize]).norm();
            assert!((length - s.rest_length).abs() < 1e-12);
        }
    }
}
