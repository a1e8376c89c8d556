//! Equilibria of solid yarns that are moved by increments and rub.
//!
//! Within an increment normal forces, normals and places of friction are updated after each search, the start stays; when the
//! increment is accepted, what slipped is forgotten but for the slip that holds.

use super::assembly::SolidBody;
use super::rub::{SkinFriction, Slips, SolidFriction};
use crate::newton::{Holds, Minimum, Newton, NewtonOptions, Objective};
use nalgebra::Vector3;

/// Solid yarns and where friction holds them.
#[derive(Clone, Debug)]
pub struct SolidStatics {
    /// The yarns.
    pub assembly: SolidBody,
    /// Where the points are, m. Held ones are moved by changing them.
    pub x: Vec<Vector3<f64>>,
    /// What holds them.
    pub holds: Holds,
    /// Friction; none for surfaces that slide freely.
    pub friction: Option<SolidFriction>,
    /// How equilibria are searched.
    pub options: NewtonOptions,
    /// How often friction is updated in an increment.
    pub updates: usize,
    slips: Slips,
}

/// The equilibrium at the end of an increment.
#[derive(Clone, Debug)]
pub struct SolidBalance {
    /// What each point's hold pushes with, N; next to nothing where nothing is held.
    pub reaction: Vec<Vector3<f64>>,
    /// Sum of all normal forces, N: each vertex inside another yarn counts.
    pub normal_force_sum: f64,
    /// The last search.
    pub minimum: Minimum,
}

impl SolidStatics {
    /// Yarns with points at `x` (m) that slide freely.
    pub fn new(assembly: SolidBody, x: Vec<Vector3<f64>>, holds: Holds) -> Self {
        let options = NewtonOptions { tolerance: 1e-8, ..NewtonOptions::default() };
        SolidStatics { assembly, x, holds, friction: None, options, updates: 3, slips: Slips::new() }
    }

    /// The equilibrium with held points as they are now. `before` is where the points were before held ones were moved (m).
    pub fn balance(&mut self, before: &[Vector3<f64>]) -> SolidBalance {
        for _ in 1..if self.friction.is_some() { self.updates } else { 1 } {
            self.search(before);
        }
        let (minimum, reaction) = self.search(before);
        if let Some(rubbing) = &self.assembly.rubbing {
            self.slips = rubbing.slips(&self.x);
        }
        SolidBalance { reaction, normal_force_sum: self.normal_force_sum(), minimum }
    }

    fn search(&mut self, before: &[Vector3<f64>]) -> (Minimum, Vec<Vector3<f64>>) {
        self.assembly.refresh(&self.x);
        self.assembly.rubbing = self.frozen(before);
        let x = std::mem::take(&mut self.x);
        let mut newton = Newton::new(&mut self.assembly, x, self.holds.clone(), &self.options);
        let minimum = newton.run();
        let reaction = newton.gradient().to_vec();
        self.x = newton.into_x();
        (minimum, reaction)
    }

    fn frozen(&self, before: &[Vector3<f64>]) -> Option<SkinFriction> {
        let (friction, contact) = (self.friction.as_ref()?, self.assembly.contact.as_ref()?);
        let places = self.assembly.skin(&self.x);
        Some(SkinFriction::new(friction, contact, &self.assembly.mesh.skin, &places, before, &self.slips))
    }

    fn normal_force_sum(&self) -> f64 {
        let Some(contact) = &self.assembly.contact else { return 0.0 };
        let skin = &self.assembly.mesh.skin;
        contact.touches(skin, &self.assembly.skin(&self.x)).iter().map(|t| contact.force(skin, t).norm()).sum()
    }
}
