//! Numbers of a model, and the ranges in which they make sense.

use serde::{Deserialize, Serialize};

/// A number of a model, or none (`null`) where the data do not determine it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Value(pub Option<f64>);

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value(Some(value))
    }
}

/// What a number may be; `unit` begins with a space, or is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) range: [f64; 2],
    pub(super) unit: &'static str,
}

const fn bound(low: f64, high: f64, unit: &'static str) -> Bound {
    Bound { range: [low, high], unit }
}

/// Forces, N: from the tension of a spider's thread blown by a breeze to that of a bridge's cable.
pub(super) const FORCE: Bound = bound(1e-15, 1e9, " N");
/// Bending stiffness of a yarn, N m^2: zero is a chain.
pub(super) const BEND: Bound = bound(0.0, 1e6, " N m^2");
/// Lengths, m: a hundredth of the thinnest fiber to a rope's.
pub(super) const LENGTH: Bound = bound(1e-8, 10.0, " m");
/// Numbers without a unit that are positive.
pub(super) const RATIO: Bound = bound(1e-9, 1e9, "");
/// Exponents of a contact law: below 1 its force would be infinite at the first touch.
pub(super) const EXPONENT: Bound = bound(1.0, 20.0, "");
/// Friction.
pub(super) const FRICTION: Bound = bound(0.0, 100.0, "");
/// Density of yarns, kg/m^3.
pub(super) const DENSITY: Bound = bound(1e-6, 1e6, " kg/m^3");
/// Stiffness of a sheet, N/m.
pub(super) const SHEET: Bound = bound(1e-9, 1e12, " N/m");
/// Stiffness between two directions of a sheet, N/m.
pub(super) const SHEET_MIXED: Bound = bound(-1e12, 1e12, " N/m");
/// Bending stiffness of a sheet, N m: zero is a skin.
pub(super) const SHEET_BEND: Bound = bound(0.0, 1e6, " N m");
/// Bending stiffness between two directions of a sheet, N m.
pub(super) const SHEET_BEND_MIXED: Bound = bound(-1e6, 1e6, " N m");

/// Takes a number with its name and what it may be, and says what becomes of it.
pub(super) type Take<'a, V, W> = &'a dyn Fn(&str, V, Bound) -> crate::Result<W>;

/// For serde, which would ask `V` for a default otherwise.
pub(super) fn none<V>() -> Option<V> {
    None
}
