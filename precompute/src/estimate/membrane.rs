//! Sheets from energies: what a triangle membrane must store to be the fabric.
//!
//! Everything here is linear in what is sought, so nothing is searched for: [`fit_constants`] solves for the stiffness at small
//! strains, [`fit_spline`] for the energy at all strains, with nowhere less than no stiffness along the axes.
//!
//! Both take states of any model of fabric, on any grid or none; states that are no stable equilibria do not count.

mod constants;
mod convex;
mod spectrum;
mod spline;
#[cfg(test)]
mod test_sheets;
#[cfg(test)]
mod tests;

pub use constants::{ConstantsFit, ConstantsOptions, fit_constants};
pub use spline::{SplineFit, SplineOptions, fit_spline};

use crate::Result;
use crate::fabric::Response;
use serde::Serialize;
use yarnwise_shared::Error;

/// What a sheet says of a datum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SheetResidual {
    /// The state's number in the data, from 0.
    pub state: usize,
    /// (sx, sa, sy).
    pub strain: [f64; 3],
    /// What is compared.
    pub of: SheetDatum,
    /// As measured, J/m^2 or N/m; energies as differences to that of rest.
    pub measured: f64,
    /// As the sheet has it.
    pub found: f64,
}

/// What is compared of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SheetDatum {
    /// psi, J/m^2.
    Energy,
    /// d psi / d sx, N/m.
    StressX,
    /// d psi / d sa, N/m.
    StressShear,
    /// d psi / d sy, N/m.
    StressY,
}

impl SheetResidual {
    /// The difference as a part of the measured value.
    pub fn relative(&self) -> f64 {
        (self.found - self.measured).abs() / self.measured.abs()
    }
}

/// Energies of bakes are exact to this part of the largest: equilibria are found to about as much.
const EXACTNESS: f64 = 1e-6;

/// The states that may serve as data, by number.
fn sound<'a>(origin: &str, states: &'a [Response]) -> Result<Vec<(usize, &'a Response)>> {
    let kept: Vec<_> = states.iter().enumerate().filter(|(_, s)| s.is_sound()).collect();
    if kept.is_empty() {
        let problem = format!("none of its {} states is a stable equilibrium with an energy", states.len());
        return Err(Error::invalid(origin, problem).into());
    }
    Ok(kept)
}

/// The energy of rest as far as the data know it: of the state at rest, else the least, J/m^2.
fn rest_energy(states: &[(usize, &Response)]) -> f64 {
    let at_rest = |s: &&(usize, &Response)| s.1.strain.iter().all(|c| c.abs() < 1e-12);
    let least = || states.iter().map(|(_, s)| s.energy_density).fold(f64::INFINITY, f64::min);
    states.iter().find(at_rest).map_or_else(least, |(_, s)| s.energy_density)
}
