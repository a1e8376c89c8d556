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
use thread::Thread;

/// Distance of neighboring threads in radii where none is given: twice the yarn's thickness, an open cloth.
const DEFAULT_SPACING: f64 = 4.0;

/// Threads must be this many radii apart to pass from one side to the other between them: 2 sqrt(3), where arcs around
/// neighboring threads meet without a straight piece between them (Peirce's jammed cloth).
pub const MIN_SPACING: f64 = 3.464_101_615_137_754_6;

/// How a draft is woven.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeaveOptions {
    /// Yarn radius, meters.
    pub radius: f64,
    /// Warps per meter along x (*ends*). Without it 1 / (4 radius).
    pub warps_per_meter: Option<f64>,
    /// Wefts per meter along y (*picks*). Without it 1 / (4 radius).
    pub wefts_per_meter: Option<f64>,
    /// Vertices of a thread for each thread it crosses.
    pub vertices_per_crossing: usize,
}

impl Default for WeaveOptions {
    fn default() -> Self {
        WeaveOptions { radius: 1e-3, warps_per_meter: None, wefts_per_meter: None, vertices_per_crossing: 4 }
    }
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
    let spacing = |density: Option<f64>, what: &str| match density {
        Some(d) => assemble::check_positive(d, what, origin).map(|d| 1.0 / d),
        None => Ok(DEFAULT_SPACING * radius),
    };
    let dx = spacing(options.warps_per_meter, "warps per meter")?;
    let dy = spacing(options.wefts_per_meter, "wefts per meter")?;
    let along_x = Thread::new(dx / radius, n);
    let along_y = Thread::new(dy / radius, n);
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
    assemble::check_clearance(&pattern, origin, || cure(options))?;
    Ok(pattern)
}

fn cure(options: &WeaveOptions) -> String {
    let r = options.radius;
    format!(
        "a radius of {} mm has room at {:.3} threads per cm with {} vertices a crossing, at most at {:.3} with many",
        1e3 * r,
        0.01 / (DEFAULT_SPACING * r),
        WeaveOptions::default().vertices_per_crossing,
        0.01 / (MIN_SPACING * r)
    )
}

#[cfg(test)]
mod tests;
