//! The frame and what is in it.

use super::{Args, Expected};
use crate::yarn::options::NamedDraft;
use crate::yarn::stepping::Effort;
use anyhow::Result;
use indicatif::ProgressBar;
use nalgebra::Vector3;
use serde::Serialize;
use std::f64::consts::FRAC_PI_2;
use yarnwise_solvers::yarn::force::Shear;
use yarnwise_solvers::yarn::model::{Sheet, interlaced};
use yarnwise_solvers::yarn::system::{Bands, Evaluation, Rows, StepData};
use yarnwise_solvers::yarn::{Damping, Inertia, YarnMaterial, YarnOptions, YarnSimulation};

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
    /// Angle and the force with which the frame was driven, damping and inertia included, rad and N.
    pub(super) driven: Vec<[f64; 2]>,
    pub(super) effort: Effort,
    /// The angle that no step reached, where there was one: sweeps end there.
    pub(super) failed: Option<Failure>,
}

/// Where the sheet could not follow the frame.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Failure {
    /// rad.
    angle: f64,
    message: String,
}

impl Failure {
    pub(super) fn line(&self) -> String {
        format!("  no step to an angle of {:.3} rad: {}\n", self.angle, self.message)
    }
}

impl Frame {
    pub(super) fn new(args: &Args, draft: &NamedDraft, material: &YarnMaterial) -> Result<Self> {
        let (n, step) = (args.size(), 1e-3 * args.step);
        let sheet = Sheet::new(n, n, draft.draft.clone(), *material);
        let damping = if args.lagged { Damping::Lagged } else { Damping::Strain };
        let options = YarnOptions { step, damping, tolerance: 1e-6, ..Default::default() };
        let mut simulation = YarnSimulation::new(sheet.weave()?, options);
        simulation.gravity = Vector3::zeros();
        let side = n as f64 * material.spacing;
        let middle = 0.5 * (side - material.spacing);
        let center = Vector3::new(middle, middle, 0.0);
        let positions = &simulation.weave().positions;
        let ends = (n * n..positions.len()).map(|i| (i as u32, positions[i] - center)).collect();
        let (material, crossings, effort) = (*material, n * n, Effort::default());
        let driven = Vec::new();
        Ok(Frame { simulation, material, crossings, ends, center, side, step, driven, effort, failed: None })
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

    /// The force at an angle if every crossing followed the frame (affine), on the way in, N: shear with jamming and friction.
    pub(super) fn affine(&self, angle: f64) -> f64 {
        let (weave, k) = (self.simulation.weave(), self.simulation.stiffness());
        let shear = Shear::new(&self.material, k);
        let work_of = |i: usize, corner: usize| {
            let arms = [weave.links[i][corner / 2], weave.links[i][2 + corner % 2]];
            let jams = arms.iter().any(|a| a.node().is_some_and(|n| interlaced(weave.kinds[i], weave.kinds[n])));
            // Between the plus or the minus sides of both yarns the angle closes.
            let turn = if corner / 2 == corner % 2 { -1.0 } else { 1.0 };
            let compression = self.compression()[i];
            turn * shear.at(FRAC_PI_2 + turn * angle, compression, jams).moment + k.turning_friction * compression
        };
        let work: f64 = (0..self.crossings).map(|i| (0..4).map(|corner| work_of(i, corner)).sum::<f64>()).sum();
        work / self.side * SIDE / self.side
    }

    /// Shears from one angle to another in equal steps; angles and forces after each.
    pub(super) fn sweep(&mut self, [from, to]: [f64; 2], steps: usize, bar: &ProgressBar) -> Vec<[f64; 2]> {
        let mut path = Vec::with_capacity(steps);
        for k in 1..=steps {
            bar.inc(1);
            let part = k as f64 / steps as f64;
            let angle = from * (1.0 - part) + to * part;
            if self.failed.is_some() {
                continue;
            }
            match self.shear_to(angle) {
                Ok(force) => path.push([angle, force]),
                Err(e) => self.failed = Some(Failure { angle, message: e.to_string() }),
            }
        }
        path
    }

    /// Shears to an angle, radians; the force there, N.
    fn shear_to(&mut self, angle: f64) -> Result<f64, yarnwise_solvers::Error> {
        let (sin, cos) = angle.sin_cos();
        let place = |x: &Vector3<f64>| self.center + Vector3::new(x.x + x.y * sin, x.y * cos, x.z);
        let targets = self.ends.iter().map(|(node, x)| (*node, place(x))).collect();
        let arrival = self.simulation.time() + self.step;
        self.simulation.guide(targets, arrival);
        let reports = self.simulation.advance(self.step)?;
        reports.iter().for_each(|r| self.effort.add(r));
        // Virtual work: the ends move by ∂x/∂γ.
        let moved = |x: &Vector3<f64>| Vector3::new(x.y * cos, -x.y * sin, 0.0);
        let scale = SIDE / self.side.powi(2);
        // Reactions are in the order in which ends are guided.
        let reactions = self.simulation.reactions();
        let driving: f64 = reactions.iter().zip(&self.ends).map(|(r, (_, x))| r.force.dot(&moved(x))).sum();
        self.driven.push([angle, driving * scale]);
        let forces = self.holding_forces();
        let work: f64 = self.ends.iter().map(|(node, x)| forces[*node as usize].dot(&moved(x))).sum();
        Ok(work * scale)
    }

    /// The forces that would hold every node where it is, N: elastic ones and friction, without inertia and damping, which a frame that
    /// moves without haste does not feel.
    fn holding_forces(&self) -> Vec<Vector3<f64>> {
        const H: f64 = 1e-3;
        let mut start = self.simulation.state().clone();
        let still = vec![[0.0; 5]; start.positions.len()];
        start.momenta.clone_from(&still);
        start.velocities = still;
        let bands = Bands::new(self.simulation.weave());
        let data = StepData {
            weave: self.simulation.weave(),
            bands: &bands,
            k: self.simulation.stiffness(),
            start: &start,
            h: H,
            gravity: self.simulation.gravity,
            damping: Damping::Strain,
            inertia: Inertia::Momentum,
            contacts: &[],
            blend: None,
        };
        let (mut rows, mut impulses) = (Rows::<f64>::default(), Vec::new());
        data.evaluate(Evaluation::Start, &mut rows, &mut impulses);
        impulses.iter().map(|r| Vector3::new(r[0], r[1], r[2]) / H).collect()
    }
}
