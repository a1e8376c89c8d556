//! The cloth model: particles joined by stretch, shear and bend springs.
//!
//! After Choi and Ko's particle model with separate stiffness for stretch and shear [Boxerman03, §3.2]. Triangle meshes
//! get springs too, not Baraff-Witkin triangles: the stability number κ that adaptive IMEX decides by, and the
//! decomposition where compressed springs go slack, are both about axial springs [Boxerman03, §4.4.1, §6.1.1]. The price
//! is that a spring network has no free choice of transverse contraction.

mod bend;
mod from_database;
mod grid;
mod group;
mod material;
mod spring;
mod triangles;

#[cfg(feature = "yarn-level")]
pub(crate) use from_database::curvature;
pub use grid::{Grid, Tube};
pub(crate) use group::SpringGroup;
use group::spring_groups;
pub use material::{ClothMaterial, Damping};
pub(crate) use spring::Axial;
pub use spring::{Spring, SpringKind};

use nalgebra::Vector3;

/// What does not change while cloth moves: masses, springs, faces.
#[derive(Clone, Debug)]
pub struct ClothModel {
    /// Where the particles are at the start, meters.
    pub rest_positions: Vec<Vector3<f64>>,
    /// Mass of each particle, kg.
    pub masses: Vec<f64>,
    /// Area that each particle stands for, m².
    pub areas: Vec<f64>,
    /// The springs, stretch first, then shear, then bend.
    pub springs: Vec<Spring>,
    /// How the dampers of the springs act.
    pub damping: Damping,
    /// Corners of each triangle.
    pub faces: Vec<[u32; 3]>,
    /// Mean rest length of the stretch springs, meters: h of the thesis on a grid.
    pub spacing: f64,
    incidence: Incidence,
    groups: Vec<SpringGroup>,
}

impl ClothModel {
    fn new(
        rest_positions: Vec<Vector3<f64>>,
        areas: Vec<f64>,
        mut springs: Vec<Spring>,
        material: &ClothMaterial,
        faces: Vec<[u32; 3]>,
    ) -> Self {
        springs.sort_by_key(|s| (s.kind, s.i.min(s.j), s.i.max(s.j)));
        let stretch = springs.iter().filter(|s| s.kind == SpringKind::Stretch);
        let (sum, count) = stretch.fold((0.0, 0_usize), |(sum, count), s| (sum + s.rest_length, count + 1));
        let spacing = if count > 0 { sum / count as f64 } else { areas[0].sqrt() };
        let masses: Vec<f64> = areas.iter().map(|a| a * material.density).collect();
        let incidence = Incidence::new(areas.len(), &springs);
        let groups = spring_groups(&springs, &masses);
        let damping = material.damping;
        ClothModel { rest_positions, masses, areas, springs, damping, faces, spacing, incidence, groups }
    }

    /// Number of particles.
    pub fn particle_count(&self) -> usize {
        self.masses.len()
    }

    /// The springs in pieces of one kind, in their order.
    pub(crate) fn groups(&self) -> &[SpringGroup] {
        &self.groups
    }

    /// The springs at a particle, each with whether the particle is its first end.
    #[inline]
    pub(crate) fn springs_at(&self, particle: usize) -> impl Iterator<Item = (usize, bool)> {
        let at = &self.incidence;
        let ends = &at.end[at.start[particle] as usize..at.start[particle + 1] as usize];
        ends.iter().map(|end| ((end >> 1) as usize, end & 1 == 0))
    }
}

/// For each particle the springs that end there: sums over them are the same on any number of threads.
#[derive(Clone, Debug)]
struct Incidence {
    start: Vec<u32>,
    /// Twice the spring's number, and one more at its second end.
    end: Vec<u32>,
}

impl Incidence {
    fn new(particles: usize, springs: &[Spring]) -> Self {
        let mut start = vec![0_u32; particles + 1];
        for s in springs {
            start[s.i as usize + 1] += 1;
            start[s.j as usize + 1] += 1;
        }
        for p in 0..particles {
            start[p + 1] += start[p];
        }
        let mut next = start.clone();
        let mut end = vec![0; 2 * springs.len()];
        for (index, s) in springs.iter().enumerate() {
            for (particle, second) in [(s.i, 0), (s.j, 1)] {
                end[next[particle as usize] as usize] = 2 * index as u32 + second;
                next[particle as usize] += 1;
            }
        }
        Incidence { start, end }
    }
}
