//! Estimated stiffnesses of a yarn as its material.
//!
//!   E = ks / (pi r^2),     gamma = 4 B / (ks r^2)

use super::report::Estimated;
use std::f64::consts::PI;
use yarnwise_shared::parameters::{Estimated as Listed, Value, YarnParameters};

/// What an estimate of `stretch`, `bend` and `contact` says of a yarn of `radius` (m); `shear` is its shear modulus (Pa), which
/// fabrics in the plane hardly feel and which is not estimated.
pub fn yarn_parameters(estimated: &Estimated, radius: f64, shear: f64, friction: Option<f64>) -> YarnParameters {
    let value = |name: &str| estimated.parameters.iter().find(|p| p.name == name).and_then(|p| p.value);
    let (stretch, bend) = (value("stretch"), value("bend"));
    let young = stretch.map(|ks| ks / (PI * radius * radius));
    let gamma = stretch.zip(bend).map(|(ks, b)| 4.0 * b / (ks * radius * radius));
    YarnParameters {
        young: Value(young),
        shear: Value(Some(shear)),
        gamma: Value(gamma),
        contact: Value(value("contact")),
        radius: Some(Value(Some(radius))),
        friction: friction.map(|f| Value(Some(f))),
    }
}

/// The parameters of an estimate as a file lists them: those that were sought.
pub fn listed(estimated: &Estimated) -> Vec<Listed> {
    let sought = |(p, best): (&super::Found, &f64)| {
        let error = p.standard_error.unwrap_or(f64::INFINITY);
        (p.verdict != super::Verdict::Given).then(|| Listed::new(&p.name, &p.unit, *best, error))
    };
    estimated.parameters.iter().zip(&estimated.best).filter_map(sought).collect()
}
