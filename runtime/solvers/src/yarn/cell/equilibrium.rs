//! Newton's method for the nodes of a period.

use super::energy::{Derivatives, Energy};
use super::layout::Layout;
use super::model::CellModel;
use super::strains::{Strains, UNKNOWNS};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use yarnwise_shared::table::strain::Strain;

/// Forces below this part of k_s balance.
const TOLERANCE: f64 = 1e-11;
/// The search ends after this many steps.
const MOST: usize = 200;
/// No step changes an unknown by more than this part of the spacing.
const STEP: f64 = 0.1;
/// Rest lengths stay above this part of the spacing.
const SHORTEST: f64 = 0.05;
/// Regularization in k_s over spacing: of motions that cost nothing, and where the stiffness is not positive.
const FREE: f64 = 1e-11;
const SMALLEST: f64 = 1e-6;
/// A direction of less stiffness than minus this, in k_s over spacing, is unstable.
const UNSTABLE: f64 = 1e-8;

/// A period in equilibrium.
pub(super) struct Found {
    pub(super) strains: Strains,
    pub(super) converged: bool,
    pub(super) stable: bool,
    pub(super) derivatives: Derivatives,
    /// Strains by unknowns.
    pub(super) rows: DMatrix<f64>,
    factor: Option<Cholesky<f64, Dyn>>,
    free: Vec<usize>,
}

/// A search.
pub(super) struct Search<'a> {
    pub(super) model: &'a CellModel,
    pub(super) layout: &'a Layout,
    pub(super) strain: &'a Strain<f64>,
}

impl Search<'_> {
    fn scale(&self) -> f64 {
        2.0 * self.model.stretch / (self.model.spacing[0] + self.model.spacing[1])
    }

    /// All unknowns but the motions that change nothing: of the whole period, and of each yarn along itself. None of flat yarns.
    fn free(&self) -> Vec<usize> {
        let mut held = vec![!self.model.crimped; UNKNOWNS * self.layout.nodes()];
        (held[0], held[1]) = (true, true);
        for family in 0..2 {
            for yarn in self.layout.yarns(family) {
                held[UNKNOWNS * yarn[0] + 3 - family] = true;
            }
        }
        (0..held.len()).filter(|k| !held[*k]).collect()
    }

    fn energy(&self, q: &DVector<f64>) -> f64 {
        let strains = Strains::new(self.layout, self.strain, q);
        let least = SHORTEST * self.model.spacing[0].min(self.model.spacing[1]);
        if strains.segments.iter().any(|s| s.rest.is_nan() || s.rest < least || s.length.is_nan()) {
            return f64::INFINITY;
        }
        Energy::new(self.model, self.layout, &strains).sums.total()
    }

    fn linear(&self, q: &DVector<f64>) -> (Strains, Derivatives, DMatrix<f64>, DVector<f64>, DMatrix<f64>) {
        let strains = Strains::new(self.layout, self.strain, q);
        let derivatives = Energy::new(self.model, self.layout, &strains).derivatives();
        let rows = strains.by_unknowns(self.layout);
        let gradient = rows.tr_mul(&derivatives.gradient);
        let mut hessian = rows.tr_mul(&(&derivatives.hessian * &rows));
        strains.add_curvature(self.layout, &derivatives.gradient, &mut hessian);
        (strains, derivatives, rows, gradient, hessian)
    }

    /// Finds the equilibrium, from the affine motion on.
    pub(super) fn run(&self) -> Found {
        let free = self.free();
        let mut q = DVector::zeros(UNKNOWNS * self.layout.nodes());
        let mut energy = self.energy(&q);
        let mut steps = 0;
        loop {
            let (strains, derivatives, rows, gradient, hessian) = self.linear(&q);
            let force = gradient.select_rows(&free);
            let stiffness = hessian.select_rows(&free).select_columns(&free);
            let largest = force.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
            let converged = largest <= TOLERANCE * self.model.stretch;
            let next = if converged || steps >= MOST { None } else { self.step(&q, energy, &force, &stiffness, &free) };
            if let Some((moved, lower)) = next {
                (q, energy) = (moved, lower);
                steps += 1;
                continue;
            }
            let stable = self.factor(&stiffness, UNSTABLE).is_some();
            let factor = self.factor(&stiffness, FREE).or_else(|| self.factor(&stiffness, UNSTABLE));
            return Found { strains, converged, stable, derivatives, rows, factor, free };
        }
    }

    fn factor(&self, stiffness: &DMatrix<f64>, shift: f64) -> Option<Cholesky<f64, Dyn>> {
        let mut shifted = stiffness.clone();
        (0..shifted.nrows()).for_each(|k| shifted[(k, k)] += shift * self.scale());
        Cholesky::new(shifted)
    }

    /// A step that lowers the energy, and the energy there.
    fn step(
        &self,
        q: &DVector<f64>,
        energy: f64,
        force: &DVector<f64>,
        stiffness: &DMatrix<f64>,
        free: &[usize],
    ) -> Option<(DVector<f64>, f64)> {
        let longest = STEP * self.model.spacing[0].min(self.model.spacing[1]);
        let mut shift = FREE;
        while shift < 1e6 {
            let step = self.factor(stiffness, shift).map(|f| f.solve(force));
            if let Some(step) = step.filter(|s| s.amax() <= longest) {
                let mut moved = q.clone();
                free.iter().zip(step.iter()).for_each(|(k, s)| moved[*k] -= s);
                let there = self.energy(&moved);
                if there <= energy + 1e-13 * energy.abs() {
                    return Some((moved, there));
                }
            }
            shift = (4.0 * shift).max(SMALLEST);
        }
        None
    }
}

impl Found {
    /// The change of all unknowns that a change of the forces (N) brings about, where the stiffness can be factored.
    pub(super) fn motion(&self, change: &DVector<f64>) -> Option<DVector<f64>> {
        let factor = self.factor.as_ref()?;
        let moved = factor.solve(&-change.select_rows(&self.free));
        let mut out = DVector::zeros(change.len());
        self.free.iter().zip(moved.iter()).for_each(|(k, m)| out[*k] = *m);
        Some(out)
    }
}
