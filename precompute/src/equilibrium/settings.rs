//! Settings of the equilibrium solver.

use yarnwise_shared::{Error, Result, range};

/// How equilibria are searched, and when they count as found. [`Default`] suits all patterns.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SolverSettings {
    /// Converged when the unbalanced force is below this fraction of the elastic and contact forces that balance:
    /// |P g| <= tolerance (|P g_elastic| + |P g_contact|), where P takes the constraints' reactions out.
    pub tolerance: f64,
    /// Regularization at the start of a cold solve, in units of ks / mean rest length: the weight of the gradient
    /// flow against Newton's method.
    pub cold_rho: f64,
    /// The same for a solve that starts at a neighbor's equilibrium.
    pub warm_rho: f64,
    /// Factor on the regularization after each step of a cold solve.
    pub cold_decay: f64,
    /// The same for a solve that starts at a neighbor's equilibrium.
    pub warm_decay: f64,
    /// No component of a vertex' step is larger, in yarn radii. Yarns are two radii thick: they cannot jump each other.
    pub step_bound: f64,
    /// The same for a solve that starts at a neighbor's equilibrium.
    pub warm_step_bound: f64,
    /// A sample that needs more factorizations is given up as not converged.
    pub max_factorizations: usize,
    /// Hold one vertex of each yarn against sliding [Sperl21, Eq. 3].
    pub hold_sliding: bool,
    /// Relax the twists alone at the end, positions held.
    pub relax_twists: bool,
}

impl Default for SolverSettings {
    fn default() -> Self {
        SolverSettings {
            tolerance: 1e-6,
            cold_rho: 10.0,
            warm_rho: 0.1,
            cold_decay: 0.5,
            warm_decay: 0.3,
            step_bound: 0.1,
            warm_step_bound: 0.2,
            max_factorizations: 1500,
            hold_sliding: true,
            relax_twists: true,
        }
    }
}

/// Residuals that make sense. In doubles, sums of some hundred forces are balanced to 1e-13 at best; with a tenth of the forces
/// unbalanced nothing is in equilibrium.
pub(crate) const TOLERANCE: [f64; 2] = [1e-12, 0.1];

/// Regularizations, in units of ks / mean rest length: from none that matters to one with which nothing moves.
const RHO: [f64; 2] = [0.0, 1e6];

/// The regularization falls from step to step, or the descent would never end as Newton's method.
const DECAY: [f64; 2] = [1e-6, 0.99];

/// Steps per component in radii: three components of 0.2 are 0.35, and passages are looked for among pairs that steps of 0.35
/// radii can bring together.
const STEP_BOUND: [f64; 2] = [1e-6, 0.2];

impl SolverSettings {
    /// The default settings with another tolerance, given by `option`.
    pub fn with_tolerance(option: &str, tolerance: f64) -> Result<Self> {
        range::check("solver", option, tolerance, TOLERANCE, "")?;
        Ok(SolverSettings { tolerance, ..SolverSettings::default() })
    }

    /// Refuses settings with which no equilibrium can be found. The message names the setting, its value and its range.
    pub fn check(&self) -> Result<()> {
        let checked = [
            ("tolerance", self.tolerance, TOLERANCE),
            ("cold_rho", self.cold_rho, RHO),
            ("warm_rho", self.warm_rho, RHO),
            ("cold_decay", self.cold_decay, DECAY),
            ("warm_decay", self.warm_decay, DECAY),
            ("step_bound", self.step_bound, STEP_BOUND),
            ("warm_step_bound", self.warm_step_bound, STEP_BOUND),
        ];
        for (name, value, limits) in checked {
            range::check("solver", name, value, limits, "")?;
        }
        if self.max_factorizations == 0 {
            return Err(Error::invalid("solver", "max_factorizations is 0: a solve needs at least 1"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Slot = fn(&mut SolverSettings) -> &mut f64;

    #[test]
    fn settings_that_cannot_work_are_refused_by_name() {
        SolverSettings::default().check().unwrap();
        let slots: [(&str, Slot); 7] = [
            ("tolerance", |s| &mut s.tolerance),
            ("cold_rho", |s| &mut s.cold_rho),
            ("warm_rho", |s| &mut s.warm_rho),
            ("cold_decay", |s| &mut s.cold_decay),
            ("warm_decay", |s| &mut s.warm_decay),
            ("step_bound", |s| &mut s.step_bound),
            ("warm_step_bound", |s| &mut s.warm_step_bound),
        ];
        for (name, slot) in slots {
            for bad in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
                let mut settings = SolverSettings::default();
                *slot(&mut settings) = bad;
                let message = settings.check().unwrap_err().to_string();
                assert!(message.contains(&format!("{name} is ")), "{bad}: {message}");
            }
        }
        assert!(SolverSettings { max_factorizations: 0, ..SolverSettings::default() }.check().is_err());
        for bad in [0.0, 1.0, f64::NAN, f64::INFINITY] {
            let message = SolverSettings::with_tolerance("--residual", bad).unwrap_err().to_string();
            assert!(message.contains(&format!("--residual is {bad}, it must be from 1e-12 to 0.1")), "{message}");
        }
    }
}
