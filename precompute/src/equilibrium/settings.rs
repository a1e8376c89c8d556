//! Settings of the equilibrium solver.

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
