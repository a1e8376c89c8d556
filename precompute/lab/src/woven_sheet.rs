//! Woven cloth of the yarn solver as data for estimates: energies of sheets under uniform strain.
//!
//! The energy of a sheet of w × h crossings is a constant a crossing plus what its border adds, so that the mixed difference of four
//! sizes is that of the inside alone:
//!
//!   ψ A = E(w + a, h + b) − E(w + a, h) − E(w, h + b) + E(w, h),   A = a b L²
//!
//! with a and b the repeats of the draft. Nodes stay where the uniform strain has them, as those of a weave do whose yarns do not
//! slide: a crossing has the same neighbors on both sides.

use crate::Result;
use yarnwise_precompute::estimate::membrane::{ConstantsOptions, SplineOptions, fit_constants, fit_spline};
use yarnwise_precompute::fabric::Response;
use yarnwise_shared::parameters::Parameters;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_solvers::yarn::model::Sheet;
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnSimulation};

/// Crossings of the smallest sheet beyond a repeat: floats and what crossings know of their neighbors fit between its borders.
const INSIDE: usize = 8;

/// States of woven cloth under the strains (sx, sa, sy), from the energies of yarns.
pub fn woven_states(material: &YarnMaterial, draft: &Draft, strains: &[[f64; 3]]) -> Result<Vec<Response>> {
    let (a, b) = (draft.warps(), draft.wefts());
    let (w, h) = (INSIDE + a, INSIDE + b);
    let size = |warps, wefts| UniformSheet::new(material, draft, [warps, wefts]);
    let mut sheets = [size(w + a, h + b)?, size(w + a, h)?, size(w, h + b)?, size(w, h)?];
    let area = (a * b) as f64 * material.spacing * material.spacing;
    let mut state = |strain: &[f64; 3]| {
        let [all, wide, high, small] = sheets.each_mut().map(|sheet| sheet.energy(*strain));
        Response {
            strain: *strain,
            energy_density: (all - wide - high + small) / area,
            kinds: None,
            stress: None,
            heights: None,
            normal_force: None,
            converged: true,
            stable: true,
        }
    };
    Ok(strains.iter().map(&mut state).collect())
}

/// Strains for an estimate of sheets: every combination of lengthenings of both families and of shear to both sides.
pub fn strain_grid(lengthening: &[f64], shear: &[f64]) -> Vec<[f64; 3]> {
    let at = |x: f64| shear.iter().flat_map(move |a| lengthening.iter().map(move |y| [x, *a, *y]));
    lengthening.iter().flat_map(|x| at(*x)).collect()
}

/// The sheet that the energies of yarns at small strains determine: constants, up to 0.2 % longer and to a shear of 0.002. Crossings
/// are stiffer in shear when their yarns are pulled: with ten times the shear that would count as 1 % of the stiffness in stretch.
pub fn estimated_constants(material: &YarnMaterial, draft: &Draft) -> Result<Parameters> {
    let strains = strain_grid(&[-0.001, 0.0, 0.001, 0.002], &[-0.002, 0.0, 0.002]);
    let states = woven_states(material, draft, &strains)?;
    Ok(fit_constants(YARNS, &states, &ConstantsOptions::default())?.parameters(MADE_BY, YARNS, None))
}

/// The sheet that the energies of yarns determine: splines from a tenth short to a fifth long, and up to a shear of 0.3.
pub fn estimated_splines(material: &YarnMaterial, draft: &Draft) -> Result<Parameters> {
    let strains = strain_grid(&LENGTHENING, &SHEAR);
    let states = woven_states(material, draft, &strains)?;
    Ok(fit_spline(YARNS, &states, &SplineOptions::default())?.parameters(MADE_BY, YARNS, None))
}

/// Strains of the data for splines.
const LENGTHENING: [f64; 6] = [-0.1, -0.05, 0.0, 0.05, 0.1, 0.2];
const SHEAR: [f64; 5] = [-0.3, -0.15, 0.0, 0.15, 0.3];

/// What the data are called.
const YARNS: &str = "energies of yarns";
/// Who made the parameters.
const MADE_BY: &str = "yarnwise-lab";

/// A sheet of yarns that is strained uniformly.
struct UniformSheet {
    simulation: YarnSimulation,
}

impl UniformSheet {
    fn new(material: &YarnMaterial, draft: &Draft, [warps, wefts]: [usize; 2]) -> Result<Self> {
        let weave = Sheet::new(warps, wefts, draft.clone(), *material).weave()?;
        Ok(UniformSheet { simulation: YarnSimulation::new(weave, YarnOptions::default()) })
    }

    /// J. Wefts lie along x, warps along y.
    fn energy(&mut self, [sx, sa, sy]: [f64; 3]) -> f64 {
        let flat = self.simulation.state().clone();
        let mut strained = flat.clone();
        let across = (1.0 - sa * sa).max(0.0).sqrt();
        for p in &mut strained.positions {
            let (u, v) = ((1.0 + sx) * p.x, (1.0 + sy) * p.y);
            (p.x, p.y) = (u + sa * v, across * v);
        }
        self.simulation.set_state(strained);
        let energies = self.simulation.energies();
        self.simulation.set_state(flat);
        energies.stretch + energies.shear + energies.bend
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yarnwise_solvers::hybrid::{Gradient, Homogenized, Matched};

    fn plain() -> Draft {
        Draft::preset("plain").unwrap()
    }

    #[test]
    fn constants_of_a_weave_are_those_of_its_yarns() {
        let material = YarnMaterial::default();
        let strains = strain_grid(&[-0.001, 0.0, 0.001, 0.002], &[-0.002, 0.0, 0.002]);
        let states = woven_states(&material, &plain(), &strains).unwrap();
        let fit = fit_constants("yarns", &states, &ConstantsOptions::default()).unwrap();
        let derived = Homogenized::of_weave(&material, &plain());
        for (found, expected) in fit.best.iter().zip([derived.c11, derived.c22, derived.c12, derived.c66]) {
            // C12 is nothing: beside C11 it is.
            let tolerance = if expected == 0.0 { 1e-3 * derived.c11 } else { 0.01 * expected };
            assert!((found - expected).abs() < tolerance, "{:?} {derived:?}", fit.best);
        }
        assert!(fit.estimated.iter().all(|e| e.determined), "{:?}", fit.estimated);
    }

    #[test]
    fn splines_of_a_weave_are_its_energy_where_they_were_not_fitted() {
        let material = YarnMaterial::default();
        let strains = strain_grid(&LENGTHENING, &SHEAR);
        let states = woven_states(&material, &plain(), &strains).unwrap();
        let fit = fit_spline("yarns", &states, &SplineOptions::default()).unwrap();
        let energy = yarnwise_shared::parameters::SheetEnergy::new(&fit.spline);
        let rest = Matched::new(&material, &plain());
        for (u, v, turn) in [(1.03_f64, 1.08_f64, 0.0_f64), (1.13, 0.97, 0.1), (1.0, 1.02, 0.2)] {
            let f = Gradient::new(u, v * turn.sin(), 0.0, v * turn.cos(), 0.0, 0.0);
            let expected = rest.in_state(&f).energy(&f);
            let found = energy.at([u - 1.0, turn.sin(), v - 1.0]).value;
            // Stiffness in shear grows with tension, which begins with a kink at rest: splines round it off.
            let tolerance = if turn > 0.1 { 0.1 } else { 0.01 };
            assert!((found / expected - 1.0).abs() < tolerance, "{u} {v} {turn}: {found} {expected}");
        }
    }
}
