//! Energy beyond what stresses lead to expect.
//!
//! Along one branch of equilibria the energy of a sample grows by the work of the stress, dE/ds, which is known from each state
//! alone: displacements of an equilibrium may be held, since energy does not change by them to first order. The work between two
//! samples is nearly that of their mean stress. A sample with more energy than its neighbor and that work has left the
//! neighbor's branch, for a worse one.

use crate::cell::Cell;
use crate::cell::stress::energy_slope;
use crate::equilibrium::Solved;
use yarnwise_shared::table::strain::Strain;

/// Step for central differences, as a fraction of the way.
const STEP: f64 = 1e-4;

/// The energy of the first of two samples (their strains and states) minus that of the second and the work of the mean stress on
/// the way, J. The samples must be neighbors along one axis.
pub(super) fn excess(cell: &Cell, [at, from]: [Strain<f64>; 2], [own, other]: [&Solved; 2]) -> f64 {
    let way = Strain::new(at.sx - from.sx, at.sa - from.sa, at.sy - from.sy);
    let slope = |at: Strain<f64>, solved: &Solved| energy_slope(cell, at, way, STEP, &solved.displacements);
    let work = 0.5 * (slope(at, own) + slope(from, other));
    own.energy.total() - other.energy.total() - work
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equilibrium::Start;
    use crate::equilibrium::settings::SolverSettings;
    use crate::sampling::solve_sample;
    use yarnwise_shared::pattern;
    use yarnwise_shared::pattern::material::YarnMaterial;

    #[test]
    fn energy_grows_by_the_work_of_the_mean_stress_along_a_branch() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/patterns/plain.yarn");
        let cell = Cell::new(&pattern::read(&file).unwrap(), &YarnMaterial::preset("woven").unwrap()).unwrap();
        let strains = [0.10, 0.12, 0.14].map(|sx| Strain::new(sx, 0.1, 0.0));
        let settings = SolverSettings::default();
        let mut states = vec![solve_sample(&cell, strains[0], Start::Cold, &settings)];
        for (k, strain) in strains.iter().enumerate().skip(1) {
            let solved = solve_sample(&cell, *strain, Start::From(&states[k - 1].displacements), &settings);
            states.push(solved);
        }
        let grown = |k: usize| states[k].energy.total() - states[0].energy.total();
        let missed = |k: usize| excess(&cell, [strains[k], strains[0]], [&states[k], &states[0]]);
        assert!(states.iter().all(|s| s.converged) && grown(1) > 0.05 * states[0].energy.total());
        assert!(missed(1).abs() < 0.01 * grown(1), "{:e} of {:e}", missed(1), grown(1));
        // The error of the mean is of third order in the step.
        let order = (missed(2) / missed(1)).log2();
        assert!((order - 3.0).abs() < 0.5, "{order}");
    }
}
