//! The energy of a parameters file as a membrane: splines that were fitted to energies of a fabric.
//!
//! Unlike [`super::EnergyTable`] it needs no grid, is convex along the axes inside the data, and has continuous second derivatives
//! there. Beyond the data the force outward grows ([`SheetEnergy`]).

use super::Gradient;
use super::density::{second_order, strains_of, stress};
use super::directions::SecondOrder;
use std::sync::Arc;
use yarnwise_shared::parameters::{SheetEnergy, TensorSpline};

/// ψ of splines.
#[derive(Clone, Debug)]
pub struct EnergySpline(Arc<SheetEnergy>);

impl EnergySpline {
    /// Of a spline as parameters files have it.
    pub fn new(spline: &TensorSpline) -> Self {
        EnergySpline(Arc::new(SheetEnergy::new(spline)))
    }

    /// ψ, J/m².
    pub fn energy(&self, f: &Gradient) -> f64 {
        self.0.at(strains_of(f)).value
    }

    /// P, N/m.
    pub fn stress(&self, f: &Gradient) -> Gradient {
        stress(f, |s| self.0.at(s))
    }

    /// ψ up to second order.
    pub(super) fn second_order(&self, f: &Gradient) -> SecondOrder {
        second_order(f, |s| self.0.at(s))
    }
}
