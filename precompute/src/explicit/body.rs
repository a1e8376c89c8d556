//! Yarns with all that acts on them.

use super::mass::{MassKind, lumped};
use super::obstacle::Cylinder;
use crate::newton::Holds;
use crate::spline::{Place, Yarns};
use nalgebra::Vector3;
use std::f64::consts::PI;

/// How yarns rub.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Friction {
    /// They do not.
    None,
    /// Coulomb friction with this coefficient, used up after `slip` (m).
    Coulomb {
        /// mu.
        coefficient: f64,
        /// eps, m.
        slip: f64,
    },
    /// Dissipative potential of contacts \[Kaldor08\]: `tangential` and `normal` in N s/m^3. In statics it does nothing.
    Viscous {
        /// k_t, N s/m^3.
        tangential: f64,
        /// k_n, N s/m^3.
        normal: f64,
    },
}

impl Friction {
    /// Coulomb friction, used up after a thousandth of the yarns' radius.
    pub fn coulomb(coefficient: f64, radius: f64) -> Self {
        if coefficient == 0.0 { Friction::None } else { Friction::Coulomb { coefficient, slip: 1e-3 * radius } }
    }
}

/// Yarns with all that acts on them.
#[derive(Clone, Debug)]
pub struct Body {
    /// The yarns.
    pub yarns: Yarns,
    /// Their periodic copies, if there are any.
    pub place: Place,
    /// What is held.
    pub holds: Holds,
    /// Constant forces on control points, N.
    pub loads: Vec<(usize, Vector3<f64>)>,
    /// What is in the way.
    pub obstacles: Vec<Cylinder>,
    /// How yarns rub on each other and on obstacles.
    pub friction: Friction,
    /// Mass per volume of the yarns, kg/m^3.
    pub density: f64,
    /// m/s^2.
    pub gravity: Vector3<f64>,
    /// k_g: damping of all velocity, N s/m^2 (force over velocity and length of yarn).
    pub damping: f64,
    /// Where the mass is.
    pub mass: MassKind,
}

impl Body {
    /// Yarns on which nothing acts, as dense as cotton.
    pub fn new(yarns: Yarns, place: Place) -> Self {
        Body {
            yarns,
            place,
            holds: Holds::default(),
            loads: Vec::new(),
            obstacles: Vec::new(),
            friction: Friction::None,
            density: 500.0,
            gravity: Vector3::zeros(),
            damping: 0.0,
            mass: MassKind::default(),
        }
    }

    /// Mass per length, kg/m.
    pub fn line_density(&self) -> f64 {
        self.density * PI * self.yarns.radius * self.yarns.radius
    }

    /// Lumped mass of the control points, kg.
    pub fn masses(&self) -> Vec<f64> {
        lumped(&self.yarns, self.line_density())
    }
}
