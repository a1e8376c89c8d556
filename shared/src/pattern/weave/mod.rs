//! Woven patterns from drafts.
//!
//! Wefts run along +x, warps along +y; the front of the fabric looks along +z. The whole draft is the period.

mod draft;
mod thread;

pub use draft::{Draft, PRESETS, WeavePreset};

use super::Pattern;
use super::assemble::{self, CenterLine};
use crate::{Error, Result};
use nalgebra::Vector3;

/// Threads must be this many radii apart to pass from one side to the other between them: 2 sqrt(3), where arcs around
/// neighboring threads meet without a straight piece between them (Peirce's jammed cloth).
pub const MIN_SPACING: f64 = 3.464_101_615_137_754_6;

/// Threads that float side by side touch at this distance, in radii.
const FLOAT_SPACING: f64 = 2.0;

/// Where threads are nearer than this, in radii, those that pass between them bend tighter than their own radius.
pub const TIGHTEST_SPACING: f64 = 3.1;

/// Without a gauge, threads are this much further apart than in the jammed cloth: a plain weave has a spacing of 4 radii then,
/// twice the yarn's thickness, as Ashenhurst's setting of e ends with i interlacings, (e + i) / e diameters, has.
const OPENNESS: f64 = 4.0 / MIN_SPACING;

/// How a draft is woven.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeaveOptions {
    /// Yarn radius, meters.
    pub radius: f64,
    /// Warps per meter along x (*ends*). Without it as [`default_spacing`] says.
    pub warps_per_meter: Option<f64>,
    /// Wefts per meter along y (*picks*). Without it as [`default_spacing`] says.
    pub wefts_per_meter: Option<f64>,
    /// Vertices of a thread for each thread it crosses.
    pub vertices_per_crossing: usize,
}

impl Default for WeaveOptions {
    fn default() -> Self {
        WeaveOptions { radius: 1e-3, warps_per_meter: None, wefts_per_meter: None, vertices_per_crossing: 4 }
    }
}

/// The smallest distances of neighboring warps and of neighboring wefts in radii: the jammed cloth.
///
/// Of e threads side by side that a crossing thread passes between i times, i gaps hold that thread (2 sqrt(3) r) and e - i are
/// floats, under which threads may touch (2 r). The crossing thread that passes most often decides for all.
pub fn jammed_spacing(draft: &Draft) -> [f64; 2] {
    let jammed = |[most, of]: [usize; 2]| {
        let (i, e) = (most as f64, of as f64);
        (i * MIN_SPACING + (e - i) * FLOAT_SPACING) / e
    };
    [jammed([draft.interlacings_of_wefts(), draft.warps()]), jammed([draft.interlacings_of_warps(), draft.wefts()])]
}

/// The distances of neighboring warps and of neighboring wefts in radii where no gauge is given: a cloth as open as a plain weave
/// with a spacing of 4 radii, whatever the draft.
pub fn default_spacing(draft: &Draft) -> [f64; 2] {
    jammed_spacing(draft).map(|jammed| (OPENNESS * jammed).max(TIGHTEST_SPACING))
}

/// Weaves a draft. Center lines of yarns keep [`MIN_CLEARANCE`](super::MIN_CLEARANCE) diameters apart, or it is an error.
///
/// Yarns are the wefts from the bottom, then the warps from the left.
pub fn weave(draft: &Draft, options: &WeaveOptions) -> Result<Pattern> {
    let origin = "woven pattern";
    let radius = assemble::check_positive(options.radius, "the yarn radius", origin)?;
    let n = options.vertices_per_crossing;
    if n == 0 {
        return Err(Error::invalid(origin, "0 vertices per crossing: at least 1 is needed, 4 are usual"));
    }
    let (warps, wefts) = (draft.warps(), draft.wefts());
    assemble::check_size(2usize.saturating_mul(warps).saturating_mul(wefts).saturating_mul(n), origin)?;
    let spacing = |density: Option<f64>, what: &str, default: f64| match density {
        Some(d) => assemble::check_positive(d, what, origin).map(|d| 1.0 / d),
        None => Ok(default * radius),
    };
    let [default_x, default_y] = default_spacing(draft);
    let dx = spacing(options.warps_per_meter, "warps per meter", default_x)?;
    let dy = spacing(options.wefts_per_meter, "wefts per meter", default_y)?;
    let gaps = [dx / radius, dy / radius];
    let jammed = jammed_spacing(draft);
    let [along_x, along_y] = thread::threads(gaps, [0, 1].map(|k| gaps[k] >= jammed[k]), n);
    let side = |over: bool| if over { 1.0 } else { -1.0 };
    let mut lines = Vec::with_capacity(warps + wefts);
    for j in 0..wefts {
        let sides: Vec<f64> = (0..warps).map(|i| -side(draft.warp_over(j, i))).collect();
        let y = (j as f64 + 0.5) * dy;
        let point = |[u, z]: [f64; 2]| Vector3::new((u + 0.5 * dx / radius) * radius, y, z * radius);
        let points = along_x.center_line(&sides).into_iter().map(point).collect();
        lines.push(CenterLine { points, shift: [1, 0], vertices: n * warps });
    }
    for i in 0..warps {
        let sides: Vec<f64> = (0..wefts).map(|j| side(draft.warp_over(j, i))).collect();
        let x = (i as f64 + 0.5) * dx;
        let point = |[u, z]: [f64; 2]| Vector3::new(x, (u + 0.5 * dy / radius) * radius, z * radius);
        let points = along_y.center_line(&sides).into_iter().map(point).collect();
        lines.push(CenterLine { points, shift: [0, 1], vertices: n * wefts });
    }
    let pattern = assemble::pattern([dx * warps as f64, dy * wefts as f64], radius, &lines, origin)?;
    assemble::check_clearance(&pattern, origin, || cure(draft, options))?;
    Ok(pattern)
}

fn cure(draft: &Draft, options: &WeaveOptions) -> String {
    let per_cm = |spacing: f64| 0.01 / (spacing * options.radius);
    let ([warps, wefts], most) = (default_spacing(draft).map(per_cm), jammed_spacing(draft));
    let [most_warps, most_wefts] = most.map(|jammed| per_cm(jammed.max(TIGHTEST_SPACING)));
    format!(
        "a radius of {} mm has room at {warps:.3} warps and {wefts:.3} wefts per cm with {} vertices a crossing, at most at \
         {most_warps:.3} and {most_wefts:.3} with many",
        1e3 * options.radius,
        WeaveOptions::default().vertices_per_crossing,
    )
}

#[cfg(test)]
mod tests;
