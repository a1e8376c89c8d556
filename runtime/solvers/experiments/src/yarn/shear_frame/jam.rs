//! Once into the jam and back.

use super::frame::Frame;
use super::{Args, Expected, at};
use crate::yarn::options::{NamedDraft, file_part};
use crate::yarn::stepping::Effort;
use anyhow::Result;
use indicatif::ProgressBar;
use serde::Serialize;
use yarnwise_lab::plot::Plot;
use yarnwise_solvers::yarn::YarnMaterial;

/// Angles at which the force is printed, radians.
const ANGLES: [f64; 5] = [0.6, 1.0, 1.1, 1.2, 1.3];

#[derive(Serialize)]
pub(super) struct Jam {
    draft: String,
    expected: Expected,
    /// Angles (rad) and forces on the way in (N).
    forces: Vec<[f64; 2]>,
    /// N, back at the start: minus half the loop where everything slips.
    back: f64,
    effort: Effort,
    /// Angle and force, rad and N.
    path: Vec<[f64; 2]>,
}

impl Jam {
    pub(super) fn measure(args: &Args, draft: &NamedDraft, material: &YarnMaterial, bar: &ProgressBar) -> Result<Self> {
        let mut frame = Frame::new(draft, args.size(), material, 1e-3 * args.step)?;
        let expected = frame.expected();
        let top = args.amplitude();
        let mut path = frame.sweep([0.0, top], args.steps(), bar)?;
        let seen = ANGLES.iter().filter(|angle| **angle <= top * (1.0 + 1e-9));
        let forces = seen.map(|angle| [*angle, at(&path, angle.min(top))]).collect();
        path.extend(frame.sweep([top, 0.0], args.steps(), bar)?);
        let back = path[path.len() - 1][1];
        Ok(Jam { draft: draft.name.clone(), expected, forces, back, effort: frame.effort, path })
    }

    pub(super) fn table(&self) -> String {
        let mut text = format!("  {}: {}\n  {:>14}{:>12}\n", self.draft, self.effort.text(), "angle, rad", "force, N");
        for [angle, force] in &self.forces {
            text += &format!("  {angle:>14.2}{force:>12.3}\n");
        }
        text + &format!(
            "  back at 0: {:.4} N; minus half the loop of the closed form: {:.4} N\n",
            self.back,
            -0.5 * self.expected.height
        )
    }

    pub(super) fn plot(&self) -> (String, Plot) {
        let title = format!("Shear frame into the jam, {}, scaled to 25 cm", self.draft);
        let plot = Plot::new(&title, "angle, rad", "force, N").line_with_points("", &self.path);
        (format!("shear-frame-jam-{}", file_part(&self.draft)), plot)
    }
}
