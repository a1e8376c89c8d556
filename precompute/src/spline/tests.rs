//! Yarns as splines against differences, closed forms and the bake.

use super::*;
use crate::cell::Stiffness;
use crate::fabric::Fabric;
use nalgebra::Vector3;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
use yarnwise_shared::pattern::{Pattern, PatternData};
use yarnwise_shared::random::Random;
use yarnwise_shared::table::strain::Strain;

/// A weave with so many radii of straight yarn a crossing.
pub(crate) fn weave_of(name: &str, radii_per_crossing: f64) -> Pattern {
    let pattern = weave(&Draft::preset(name).unwrap(), &WeaveOptions::default()).unwrap();
    let mut data: PatternData = pattern.data().clone();
    let crossings: f64 = data.period.iter().map(|p| p / (4.0 * data.radius)).sum::<f64>() / 2.0;
    let yarn = pattern.yarns()[0].vertices.len() as f64;
    for v in &mut data.vertices {
        v.rest_length = radii_per_crossing * data.radius * crossings / yarn;
    }
    Pattern::new(data).unwrap()
}

fn woven() -> YarnMaterial {
    YarnMaterial::preset("woven").unwrap()
}

#[test]
fn numbers_of_the_plain_cell() {
    let pattern = weave_of("plain", 4.665);
    let r = pattern.radius();
    let cell = SplineCell::with_free_period(&pattern, &woven(), &SplineSettings::default()).unwrap();
    let unit = cell.yarns.stiffness.stretch / r;
    let rest = cell.solve(Strain::new(0.0, 0.0, 0.0));
    println!(
        "period {:?} heights {:?} N {:?} energy {:?}",
        cell.period.map(|p| p / r),
        cell.heights(&rest),
        cell.normal_force(&rest).unwrap() / unit / r,
        rest.energy
    );
    println!("tangent {}", cell.tangent(&rest).unwrap() / unit);
    for s in [0.05, 0.1, 0.2, 0.3] {
        let r = cell.respond(Strain::new(s, 0.0, 0.0)).unwrap();
        println!(
            "{s}: {:?} heights {:?} N {:?} {} {}",
            r.stress.map(|s| s.map(|s| s / unit)),
            r.heights,
            r.normal_force.unwrap() / unit / pattern.radius(),
            r.converged,
            r.stable
        );
    }
}
