//! Faults of numbers that a format allows.

use crate::motion::Motion;
use nalgebra::Vector3;

/// Coordinates (meters), angles and times that a scene may hold.
pub(crate) const PLACE: [f64; 2] = [-1e6, 1e6];

/// A number for people: with a power of ten where it would have many zeros.
pub(crate) fn short(value: f64) -> String {
    let plain = value == 0.0 || (1e-4..1e15).contains(&value.abs());
    if plain { format!("{value}") } else { format!("{value:e}") }
}

/// What is wrong with a number that must lie in a range.
pub(crate) fn between(name: &str, value: f64, [low, high]: [f64; 2]) -> Option<String> {
    (!(low..=high).contains(&value))
        .then(|| format!("{name} is {}, it must be between {} and {}", short(value), short(low), short(high)))
}

/// What is wrong with a number that must be positive.
pub(crate) fn positive(name: &str, value: f64, most: f64) -> Option<String> {
    (!(value > 0.0 && value <= most))
        .then(|| format!("{name} is {}, it must be positive and at most {}", short(value), short(most)))
}

/// What is wrong with the first number of a list that does not lie in a range.
pub(crate) fn all_between(name: &str, values: &[f64], range: [f64; 2]) -> Option<String> {
    values.iter().enumerate().find_map(|(i, v)| between(&format!("{name}[{i}]"), *v, range))
}

/// What is wrong with a direction.
pub(crate) fn direction(name: &str, value: &[f64; 3]) -> Option<String> {
    all_between(name, value, PLACE).or_else(|| {
        (Vector3::from(*value).norm() <= 1e-9).then(|| format!("{name} has no length, it must be a direction"))
    })
}

/// What is wrong with the directions u and v of a sheet.
pub(crate) fn perpendicular(u: &[f64; 3], v: &[f64; 3]) -> Option<String> {
    direction("u", u).or_else(|| direction("v", v)).or_else(|| {
        let (u, v) = (Vector3::from(*u), Vector3::from(*v));
        let perpendicular = u.dot(&v).abs() < 1e-3 * u.norm() * v.norm();
        (!perpendicular).then(|| "u and v must be two perpendicular directions".into())
    })
}

/// What is wrong with the time and motion of a pin.
pub(crate) fn pin(until: Option<f64>, motion: &Motion) -> Option<String> {
    let until = until.and_then(|t| between("until", t, PLACE));
    until.or_else(|| motion.fault().map(|f| format!("motion {f}")))
}

/// What is wrong with a box.
pub(crate) fn corners(low: &[f64; 3], high: &[f64; 3]) -> Option<String> {
    all_between("low", low, PLACE).or_else(|| all_between("high", high, PLACE))
}

/// Puts the name of a part of the scene before its fault.
pub(crate) fn within(name: &'static str) -> impl Fn(String) -> String {
    move |problem| format!("{name}: {problem}")
}

/// The first fault of a list, with the number of its element.
pub(crate) fn listed(name: &str, mut faults: impl Iterator<Item = Option<String>>) -> Option<String> {
    let mut count = 0;
    let fault = faults.find_map(|fault| {
        count += 1;
        fault
    });
    fault.map(|problem| format!("{name} {}: {problem}", count - 1))
}
