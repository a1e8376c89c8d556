//! The cloth model: particles joined by stretch, shear and bend springs.
//!
//! After Choi and Ko's particle model with separate stiffness for stretch and shear [Boxerman03, §3.2]. Triangle meshes
//! get springs too, not Baraff-Witkin triangles: the stability number κ that adaptive IMEX decides by, and the
//! decomposition where compressed springs go slack, are both about axial springs [Boxerman03, §4.4.1, §6.1.1]. The price
//! is that a spring network has no free choice of transverse contraction.

mod bend;
mod from_database;
mod grid;
mod material;
mod spring;
mod triangles;

pub use bend::{LINEAR_START, bend_energy, bend_force, bend_slope};
pub use grid::{Grid, Tube};
pub use material::{Damping, Material};
pub use spring::{Axial, Spring, SpringKind};

use nalgebra::Vector3;

/// What does not change while cloth moves: masses, springs, faces.
#[derive(Clone, Debug)]
pub struct ClothModel {
    /// Where the particles are at the start, metres.
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
    /// Mean rest length of the stretch springs, metres: h of the thesis on a grid.
    pub spacing: f64,
    incidence: Incidence,
}

impl ClothModel {
    fn new(
        rest_positions: Vec<Vector3<f64>>,
        areas: Vec<f64>,
        mut springs: Vec<Spring>,
        material: &Material,
        faces: Vec<[u32; 3]>,
    ) -> Self {
        springs.sort_by_key(|s| (s.kind, s.i.min(s.j), s.i.max(s.j)));
        let stretch = springs.iter().filter(|s| s.kind == SpringKind::Stretch);
        let (sum, count) = stretch.fold((0.0, 0_usize), |(sum, count), s| (sum + s.rest_length, count + 1));
        let spacing = if count > 0 { sum / count as f64 } else { areas[0].sqrt() };
        let masses = areas.iter().map(|a| a * material.density).collect();
        let incidence = Incidence::new(areas.len(), &springs);
        ClothModel { rest_positions, masses, areas, springs, damping: material.damping, faces, spacing, incidence }
    }

    /// Number of particles.
    pub fn particle_count(&self) -> usize {
        self.masses.len()
    }

    /// The springs at a particle, each with +1 where the particle is its first end and −1 where it is its second.
    pub(crate) fn springs_at(&self, particle: usize) -> &[(u32, f64)] {
        let at = &self.incidence;
        &at.spring[at.start[particle] as usize..at.start[particle + 1] as usize]
    }
}

/// For each particle the springs that end there: sums over them are the same on any number of threads.
#[derive(Clone, Debug)]
struct Incidence {
    start: Vec<u32>,
    spring: Vec<(u32, f64)>,
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
        let mut spring = vec![(0, 0.0); 2 * springs.len()];
        for (index, s) in springs.iter().enumerate() {
            for (end, sign) in [(s.i, 1.0), (s.j, -1.0)] {
                spring[next[end as usize] as usize] = (index as u32, sign);
                next[end as usize] += 1;
            }
        }
        Incidence { start, spring }
    }
}
