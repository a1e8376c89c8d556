//! Simulated time with progress, and what its steps took.

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use serde::Serialize;
use yarnwise_solvers::yarn::{YarnSimulation, YarnStepReport};

/// What the steps of a run took.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Effort {
    /// Steps that were taken, shorter ones included.
    pub(super) steps: usize,
    /// Steps that were taken back and halved.
    pub(super) halved: usize,
    newton: usize,
    iterations: usize,
    /// The largest residual at the end of a step as a part of that at its start.
    #[serde(skip)]
    pub(super) residual: f64,
}

impl Effort {
    pub(super) fn add(&mut self, report: &YarnStepReport) {
        self.steps += 1;
        self.halved += report.rejected;
        self.newton += report.newton;
        self.iterations += report.iterations;
        self.residual = self.residual.max(report.residual);
    }

    /// Adds what later steps took.
    pub(super) fn join(&mut self, later: &Effort) {
        self.steps += later.steps;
        self.halved += later.halved;
        self.newton += later.newton;
        self.iterations += later.iterations;
        self.residual = self.residual.max(later.residual);
    }

    /// Iterations of Newton's method, mean of a step.
    pub(super) fn newton_per_step(&self) -> f64 {
        self.newton as f64 / self.steps as f64
    }

    /// Iterations of the linear solver, mean of a step.
    pub(super) fn iterations_per_step(&self) -> f64 {
        self.iterations as f64 / self.steps as f64
    }

    /// As text.
    pub(super) fn text(&self) -> String {
        format!("{} steps, {:.2} Newton iterations a step, {} halved", self.steps, self.newton_per_step(), self.halved)
    }
}

/// Advances to the time `end` (seconds) in parts of `part` seconds and looks at the state after each.
pub(super) fn advance(
    simulation: &mut YarnSimulation,
    end: f64,
    part: f64,
    bar: &ProgressBar,
    mut look: impl FnMut(&YarnSimulation),
) -> Result<Effort> {
    let mut effort = Effort::default();
    let parts = ((end - simulation.time()) / part * (1.0 - 1e-9)).ceil().max(0.0) as usize;
    let start = simulation.time();
    for k in 1..=parts {
        let next = if k == parts { end } else { start + k as f64 * part };
        let reports = simulation.advance(next - simulation.time()).context("the experiment came to no end")?;
        reports.iter().for_each(|r| effort.add(r));
        look(simulation);
        bar.inc(1);
    }
    Ok(effort)
}
