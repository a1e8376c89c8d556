//! The frame and what is in it.

use super::Expected;
use crate::yarn::options::NamedDraft;
use crate::yarn::stepping::Effort;
use anyhow::{Context, Result};
use indicatif::ProgressBar;
use nalgebra::Vector3;
use yarnwise_solvers::yarn::model::Sheet;
use yarnwise_solvers::yarn::{YarnMaterial, YarnOptions, YarnSimulation};

/// Forces are scaled to a frame of this side, m.
const SIDE: f64 = 0.25;

/// A sheet whose ends are on a frame.
pub(super) struct Frame {
    simulation: YarnSimulation,
    material: YarnMaterial,
    crossings: usize,
    /// The ends relative to the middle of the frame, at angle 0, m.
    ends: Vec<(u32, Vector3<f64>)>,
    center: Vector3<f64>,
    /// W, m.
    side: f64,
    /// Seconds from one angle to the next.
    step: f64,
    pub(super) effort: Effort,
}

impl Frame {
    pub(super) fn new(draft: &NamedDraft, n: usize, material: &YarnMaterial, step: f64) -> Result<Self> {
        let sheet = Sheet::new(n, n, draft.draft.clone(), *material);
        let options = YarnOptions { step, tolerance: 1e-6, ..Default::default() };
        let mut simulation = YarnSimulation::new(sheet.weave()?, options);
        simulation.gravity = Vector3::zeros();
        let side = n as f64 * material.spacing;
        let middle = 0.5 * (side - material.spacing);
        let center = Vector3::new(middle, middle, 0.0);
        let positions = &simulation.weave().positions;
        let ends = (n * n..positions.len()).map(|i| (i as u32, positions[i] - center)).collect();
        let (material, crossings, effort) = (*material, n * n, Effort::default());
        Ok(Frame { simulation, material, crossings, ends, center, side, step, effort })
    }

    /// F_n of the crossings, N.
    pub(super) fn compression(&self) -> &[f64] {
        &self.simulation.state().compression[..self.crossings]
    }

    /// Slope and loop from F_n as it is now.
    pub(super) fn expected(&self) -> Expected {
        let (m, k) = (&self.material, self.simulation.stiffness());
        let scale = SIDE / self.side;
        let stiffness = |f: &f64| k.shear * (1.0 + m.shear_compression * f / k.rest_compression);
        let sum: f64 = self.compression().iter().map(stiffness).sum();
        Expected {
            slope: 4.0 * sum * m.spacing / self.side.powi(2) * SIDE,
            height: 8.0 * k.turning_friction * self.compression().iter().sum::<f64>() / self.side * scale,
        }
    }

    /// Shears from one angle to another in equal steps; angles and forces after each.
    pub(super) fn sweep(
        &mut self,
        [from, to]: [f64; 2],
        steps: usize,
        bar: &ProgressBar,
    ) -> Result<Vec<[f64; 2]>> {
        let mut path = Vec::with_capacity(steps);
        for k in 1..=steps {
            let angle = from + (to - from) * k as f64 / steps as f64;
            path.push([angle, self.shear_to(angle)?]);
            bar.inc(1);
        }
        Ok(path)
    }

    /// Shears to an angle, radians; the force there, N.
    fn shear_to(&mut self, angle: f64) -> Result<f64> {
        let (sin, cos) = angle.sin_cos();
        let place = |x: &Vector3<f64>| self.center + Vector3::new(x.x + x.y * sin, x.y * cos, x.z);
        let targets = self.ends.iter().map(|(node, x)| (*node, place(x))).collect();
        let arrival = self.simulation.time() + self.step;
        self.simulation.guide(targets, arrival);
        let reports = self.simulation.advance(self.step).with_context(|| format!("at an angle of {angle:.3} rad"))?;
        reports.iter().for_each(|r| self.effort.add(r));
        // Virtual work: the ends move by ∂x/∂γ.
        let moved = |x: &Vector3<f64>| Vector3::new(x.y * cos, -x.y * sin, 0.0);
        let reactions = self.simulation.reactions();
        let work: f64 = reactions.iter().zip(&self.ends).map(|(r, (_, x))| r.force.dot(&moved(x))).sum();
        Ok(work / self.side * SIDE / self.side)
    }
}
