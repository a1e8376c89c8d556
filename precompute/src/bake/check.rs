//! What cannot be baked, found before anything is written.

use super::Bake;
use crate::Result;
use crate::sampling::check_grid;
use yarnwise_shared::Error;
use yarnwise_shared::elementary::{log10, pow};
use yarnwise_shared::pattern::Pattern;
use yarnwise_shared::pattern::clearance::closest_approach;
use yarnwise_shared::table::database::MAX_DISPLACEMENTS;
use yarnwise_shared::table::grid::{AXIS_NAMES, Axis, StrainGrid};

/// Yarns whose center lines are nearer than this, in radii, run through each other: the center line of one lies inside the
/// other. They touch at 2.
const NEAREST: f64 = 1.0;

/// Edges longer than this, in radii, cannot follow the yarns around each other, and contact along them takes forever.
const LONGEST_EDGE: f64 = 100.0;

pub(super) fn check(bake: &Bake) -> Result<()> {
    bake.material.check()?;
    bake.settings.solver.check()?;
    check_grid(&bake.grid)?;
    check_size(bake)?;
    check_curvatures(bake)?;
    check_pattern(&bake.pattern, &bake.origin)
}

fn check_size(bake: &Bake) -> Result<()> {
    let vertices = bake.pattern.vertices().len();
    let curvatures = bake.curvatures.as_ref().map_or(0, Axis::len);
    let samples = bake.grid.sample_count() * (1 + 2 * curvatures);
    if samples as u64 * vertices as u64 > MAX_DISPLACEMENTS {
        let problem = format!(
            "{samples} samples of {vertices} vertices are more than the {MAX_DISPLACEMENTS} displacements that a \
             database can hold: choose a smaller grid"
        );
        return Err(Error::invalid("grid", problem).into());
    }
    Ok(())
}

/// Fabric may be bent until its inner face has this fraction of its radius left; at 0 it would fold over itself.
const INNERMOST: f64 = 0.1;

/// A period may turn by this angle (radians): bent further, cells that are no neighbors meet behind its back.
const LARGEST_TURN: f64 = 2.0;

/// The default curvatures leave the inner face this fraction of its radius at no strain.
const DEFAULT_INNER: f64 = 0.75;

/// How curvature acts on a pattern over a grid of strains.
struct Reach {
    /// From the midsurface to the faces, m.
    height: f64,
    /// Longer side of the period, m.
    period: f64,
    /// The largest v^T I^-1 v for v along x or y: the surface curves at most this times as much as II says.
    sharpest: f64,
}

impl Reach {
    fn new(pattern: &Pattern, grid: &StrainGrid) -> Self {
        let height = pattern.vertices().iter().map(|v| v.position[2].abs()).fold(0.0, f64::max) + pattern.radius();
        let lowest = |k: usize| 1.0 + grid.0[k].values()[0];
        let shear = grid.0[1].values().iter().map(|v| v.abs()).fold(0.0, f64::max);
        let sharpest = 1.0 / (lowest(0).min(lowest(2)).powi(2) * (1.0 - shear * shear));
        Reach { height, period: pattern.period()[0].max(pattern.period()[1]), sharpest }
    }

    /// The largest curvature (1/m) that all strains bear.
    fn limit(&self) -> f64 {
        let inner = (1.0 - INNERMOST) / (self.height * self.sharpest);
        inner.min(LARGEST_TURN / (self.period * self.sharpest.sqrt()))
    }
}

fn check_curvatures(bake: &Bake) -> Result<()> {
    let Some(axis) = &bake.curvatures else { return Ok(()) };
    let fail = |problem: String| Err(Error::invalid(format!("axis {}", AXIS_NAMES[3]), problem).into());
    if axis.zero().is_none() {
        return fail("has no value 0, from which bending starts: add it".to_owned());
    }
    let limit = Reach::new(&bake.pattern, &bake.grid).limit();
    match axis.values().iter().find(|v| v.abs() > limit) {
        Some(value) => fail(format!(
            "{value} per meter bends the fabric too far: where it is compressed or sheared most it would run into itself. \
             Stay within {limit:.1} per meter, or compress and shear it less"
        )),
        None => Ok(()),
    }
}

/// Five curvatures (1/m) that suit a pattern: the outermost bend it to four times its half thickness, or as far as the
/// grid of strains and the period allow.
pub fn default_curvatures(pattern: &Pattern, grid: &StrainGrid) -> Result<Axis> {
    let reach = Reach::new(pattern, grid);
    let largest = ((1.0 - DEFAULT_INNER) / reach.height).min(reach.limit());
    // Two digits, rounded down, are easier to read.
    let unit = pow(10.0, log10(largest).floor() - 1.0);
    let largest = (largest / unit).floor() * unit;
    Ok(Axis::new(AXIS_NAMES[3], [-1.0, -0.5, 0.0, 0.5, 1.0].map(|f| f * largest).to_vec())?)
}

/// Refuses a pattern that cannot be solved: yarns that run through each other, a radius out of all proportion.
///
/// `origin` names the pattern in messages.
pub fn check_pattern(pattern: &Pattern, origin: &str) -> Result<()> {
    check_proportions(pattern).map_err(|problem| Error::invalid(origin, problem).into())
}

fn check_proportions(pattern: &Pattern) -> Result<(), String> {
    let radius = pattern.radius();
    let lengths = pattern.vertices().iter().map(|v| v.rest_length);
    let (at, longest) = lengths.enumerate().fold((0, 0.0), |best, new| if new.1 > best.1 { new } else { best });
    if longest > LONGEST_EDGE * radius {
        return Err(format!(
            "the edge from vertex {at} is {:.0} radii long, the yarn radius is {radius:e} m: is the radius right? Else \
             divide the yarns into edges of a few radii",
            longest / radius
        ));
    }
    match closest_approach(pattern, NEAREST * radius) {
        Err(error) => Err(format!("{error}; is the radius of {radius:e} m right?")),
        Ok(None) => Ok(()),
        Ok(Some(approach)) => {
            let [a, b] = approach.edges;
            Err(format!(
                "the yarns at the edges from vertices {a} and {b} run through each other: their center lines are {:.2} \
                 radii apart, yarns that touch are 2 apart. Move them apart, or give a smaller radius than {radius:e} m",
                approach.distance / radius
            ))
        }
    }
}
