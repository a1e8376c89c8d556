//! A yarn, as bakes and models with explicit yarns have it.

use super::value::{Bound, FRICTION, LENGTH, Take, Value, none};
use crate::Result;
use crate::pattern::material::{CONTACT, GAMMA, MODULUS, YarnMaterial};
use serde::{Deserialize, Serialize};

/// A yarn. `V` is [`Value`] in a file, and `f64` where every number is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct YarnParameters<V = Value> {
    /// Young's modulus, Pa.
    pub young: V,
    /// Shear modulus, Pa.
    pub shear: V,
    /// Factor on bend and twist stiffness.
    pub gamma: V,
    /// Contact stiffness kc, N/m.
    pub contact: V,
    /// Radius, m, for which the moduli hold; that of the pattern where not given.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub radius: Option<V>,
    /// Friction of yarn on yarn, where it is known.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub friction: Option<V>,
}

impl<V: Copy> YarnParameters<V> {
    pub(super) fn each<W>(&self, take: Take<V, W>) -> Result<YarnParameters<W>> {
        let modulus = Bound { range: MODULUS, unit: " Pa" };
        Ok(YarnParameters {
            young: take("young", self.young, modulus)?,
            shear: take("shear", self.shear, modulus)?,
            gamma: take("gamma", self.gamma, Bound { range: GAMMA, unit: "" })?,
            contact: take("contact", self.contact, Bound { range: CONTACT, unit: " N/m" })?,
            radius: self.radius.map(|v| take("radius", v, LENGTH)).transpose()?,
            friction: self.friction.map(|v| take("friction", v, FRICTION)).transpose()?,
        })
    }
}

impl YarnParameters<f64> {
    /// What bakes need.
    pub fn material(&self) -> YarnMaterial {
        YarnMaterial { young: self.young, shear: self.shear, gamma: self.gamma, contact: self.contact }
    }
}

impl From<YarnMaterial> for YarnParameters {
    fn from(m: YarnMaterial) -> Self {
        let [young, shear, gamma, contact] = [m.young, m.shear, m.gamma, m.contact].map(Value::from);
        YarnParameters { young, shear, gamma, contact, radius: None, friction: None }
    }
}
