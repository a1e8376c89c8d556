//! Force balance of a given state: the sharpest test of the energies, and one that needs no solver.

use super::published::Published;
use rayon::prelude::*;
use yarnwise_precompute::cell::constraints::Constraints;
use yarnwise_precompute::cell::energy::{Energy, Problem};
use yarnwise_precompute::cell::state::State;
use yarnwise_precompute::cell::{Cell, Stiffness};
use yarnwise_precompute::equilibrium::twists::relax_twists;

/// Energy, and the gradients of its parts, at a state.
#[derive(Clone, Debug)]
pub struct Balance {
    /// Energy by kind, J per cell.
    pub energy: Energy,
    /// Norm of the gradient by position of stretch, bend, twist and contact, N.
    pub gradient_norm: [f64; 4],
    /// Norm of the gradient by theta of the same, N m.
    pub twist_gradient_norm: [f64; 4],
    /// Norm of the whole gradient over the norm of its elastic part, both without the constraints' reactions.
    pub residual: f64,
}

/// The force balance of `state`.
pub fn balance(problem: &Problem, state: &State) -> Balance {
    let pairs = problem.pairs(&state.position, 0.0);
    let k = problem.cell.stiffness;
    let none = Stiffness { stretch: 0.0, bend: 0.0, twist: 0.0, contact: 0.0 };
    let kinds = [
        Stiffness { stretch: k.stretch, ..none },
        Stiffness { bend: k.bend, ..none },
        Stiffness { twist: k.twist, ..none },
    ];
    let zero = || vec![0.0; 4 * state.position.len()];
    let mut parts: Vec<Vec<f64>> = kinds
        .iter()
        .map(|kind| {
            let mut g = zero();
            problem.add_rod_gradient(state, kind, &mut g);
            g
        })
        .collect();
    let mut contact = zero();
    problem.add_contact_gradient(&state.position, &pairs, &mut contact);
    parts.push(contact);
    let sum = |kinds: std::ops::Range<usize>| -> Vec<f64> {
        (0..4 * state.position.len()).map(|i| parts[kinds.clone()].iter().map(|p| p[i]).sum()).collect()
    };
    let constraints = Constraints::new(problem, true);
    let (mut all, mut elastic) = (sum(0..4), sum(0..3));
    constraints.project(&mut all);
    constraints.project(&mut elastic);
    let part = |g: &[f64], of_twist: bool| norm(g.iter().enumerate().filter(|(i, _)| (i % 4 == 3) == of_twist));
    let radius = problem.cell.radius();
    Balance {
        energy: problem.energy(state, &pairs),
        gradient_norm: std::array::from_fn(|k| part(&parts[k], false)),
        twist_gradient_norm: std::array::from_fn(|k| part(&parts[k], true) * radius),
        residual: norm(all.iter().enumerate()) / norm(elastic.iter().enumerate()),
    }
}

/// The force balance with the twists in equilibrium.
pub fn balance_twists_relaxed(problem: &Problem, state: &State) -> Balance {
    let mut state = state.clone();
    relax_twists(problem, &mut state);
    balance(problem, &state)
}

/// Unbalanced force over the elastic force of `samples` of a published table, with the twists in equilibrium.
pub fn balances(cell: &Cell, published: &Published, samples: &[usize]) -> Vec<f64> {
    let residual = |sample: &usize| {
        let strain = published.grid.strain(*sample);
        let problem = Problem::planar(cell, strain);
        balance_twists_relaxed(&problem, &problem.displaced_state(&published.sample(*sample))).residual
    };
    samples.par_iter().map(residual).collect()
}

fn norm<'a>(values: impl Iterator<Item = (usize, &'a f64)>) -> f64 {
    values.map(|(_, v)| v * v).sum::<f64>().sqrt()
}
