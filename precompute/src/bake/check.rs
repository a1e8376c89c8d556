//! What cannot be baked, found before anything is written.

use super::Bake;
use crate::Result;
use crate::sampling::check_grid;
use yarnwise_shared::Error;
use yarnwise_shared::database::MAX_DISPLACEMENTS;
use yarnwise_shared::pattern::Pattern;
use yarnwise_shared::pattern::clearance::closest_approach;

/// Yarns whose centre lines are nearer than this, in radii, are taken to pass through each other; they touch at 2.
const NEAREST: f64 = 0.5;

/// Edges longer than this, in radii, cannot follow the yarns around each other, and contact along them takes forever.
const LONGEST_EDGE: f64 = 100.0;

pub(super) fn check(bake: &Bake) -> Result<()> {
    bake.material.check()?;
    check_grid(&bake.grid)?;
    check_size(bake)?;
    check_pattern(&bake.pattern, &bake.origin)
}

fn check_size(bake: &Bake) -> Result<()> {
    let (samples, vertices) = (bake.grid.sample_count(), bake.pattern.vertices().len());
    if samples as u64 * vertices as u64 > MAX_DISPLACEMENTS {
        let problem = format!(
            "{samples} samples of {vertices} vertices are more than the {MAX_DISPLACEMENTS} displacements that a \
             database can hold: choose a smaller grid"
        );
        return Err(Error::invalid("grid", problem).into());
    }
    Ok(())
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
                "the yarns at the edges from vertices {a} and {b} run through each other: their centre lines are {:.2} \
                 radii apart, yarns that touch are 2 apart. Move them apart, or give a smaller radius than {radius:e} m",
                approach.distance / radius
            ))
        }
    }
}
