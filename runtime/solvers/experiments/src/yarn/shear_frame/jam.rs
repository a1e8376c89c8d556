//! Once into the jam and back.

use super::frame::{Failure, Frame};
use super::{Args, Expected, at};
use crate::yarn::options::{NamedDraft, file_part, percent, relative_error};
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
    /// rad/s.
    rate: f64,
    /// On the way in.
    forces: Vec<Force>,
    /// N, back at the start: minus half the loop where everything slips.
    back: Option<f64>,
    effort: Effort,
    failed: Option<Failure>,
    /// Angle and force, rad and N.
    path: Vec<[f64; 2]>,
}

#[derive(Serialize)]
struct Force {
    /// rad.
    angle: f64,
    /// N.
    force: f64,
    /// If every crossing followed the frame, with the compression at rest, N.
    affine: f64,
    error: f64,
    /// With which the frame is driven at the rate, damping included, N.
    driven: f64,
    /// On the way back, N.
    back: f64,
}

impl Jam {
    pub(super) fn measure(args: &Args, draft: &NamedDraft, material: &YarnMaterial, bar: &ProgressBar) -> Result<Self> {
        let mut frame = Frame::new(args, draft, material)?;
        let expected = frame.expected();
        let top = args.amplitude();
        let seen = ANGLES.into_iter().filter(|angle| *angle <= top);
        let affine: Vec<[f64; 2]> = seen.map(|angle| [angle, frame.affine(angle)]).collect();
        let mut path = frame.sweep([0.0, top], args.steps(), bar);
        let driven = std::mem::take(&mut frame.driven);
        let back = frame.sweep([top, 0.0], args.steps(), bar);
        let forces = affine.into_iter().map(|[angle, affine]| {
            let force = at(&path, angle);
            let (driven, back) = (at(&driven, angle), at(&back, angle));
            Force { angle, force, affine, error: relative_error(force, affine), driven, back }
        });
        let forces = forces.collect();
        path.extend(back);
        let rate = top / (args.steps() as f64 * 1e-3 * args.step);
        let back = path.last().filter(|p| p[0] == 0.0).map(|p| p[1]);
        let (draft, effort, failed) = (draft.name.clone(), frame.effort, frame.failed);
        Ok(Jam { draft, expected, rate, forces, back, effort, failed, path })
    }

    pub(super) fn table(&self) -> String {
        let mut text = format!("  {}: {}\n", self.draft, self.effort.text());
        let driven = format!("at {:.3} rad/s, N", self.rate);
        text += &format!(
            "  {:>14}{:>12}{:>12}{:>12}{:>12}{driven:>20}\n",
            "angle, rad", "force, N", "affine, N", "difference", "back, N"
        );
        for Force { angle, force, affine, error, driven, back } in &self.forces {
            let error = percent(*error);
            // The way back begins beyond the largest angle.
            let back = if back.is_finite() { format!("{back:.3}") } else { "-".into() };
            text += &format!("  {angle:>14.2}{force:>12.3}{affine:>12.3}{error:>12}{back:>12}{driven:>20.3}\n");
        }
        if let Some(back) = self.back {
            let half = -0.5 * self.expected.height;
            text += &format!("  back at 0: {back:.4} N; minus half the loop of the closed form: {half:.4} N\n");
        }
        text + &self.failed.as_ref().map_or(String::new(), Failure::line)
    }

    pub(super) fn plot(&self) -> (String, Plot) {
        let title = format!("Shear frame into the jam, {}, scaled to 25 cm", self.draft);
        let plot = Plot::new(&title, "angle, rad", "force, N").line_with_points("", &self.path);
        (format!("shear-frame-jam-{}", file_part(&self.draft)), plot)
    }
}
