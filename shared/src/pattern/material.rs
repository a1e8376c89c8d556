//! The elastic material of a yarn.

use crate::{Error, Result};

/// Stiffness of a yarn and of its contacts.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Material {
    /// Young's modulus E, Pa: stretch stiffness is E pi r^2.
    pub young: f64,
    /// Shear modulus G, Pa: twist stiffness is gamma G pi r^4 / 2.
    pub shear: f64,
    /// Factor on bend and twist stiffness: below 1 for a yarn of loose fibers. Bend stiffness is gamma E pi r^4 / 4.
    pub gamma: f64,
    /// Contact stiffness kc, N/m.
    pub contact: f64,
}

/// The named materials, found by force balance at the published equilibria of \[Sperl21\].
pub const PRESETS: [(&str, Material); 3] = [
    ("fine", Material { young: 1e6, shear: 4e5, gamma: 1.0, contact: 100.0 }),
    ("knit", Material { young: 5e5, shear: 2e5, gamma: 1e-3, contact: 60.0 }),
    ("woven", Material { young: 1e5, shear: 4e4, gamma: 0.1, contact: 12.0 }),
];

impl Material {
    /// The material of this name: `fine` (stocktiny and the like, radius 0.1 mm), `knit` (stockinette, ribs) or
    /// `woven` (baskets, twills).
    pub fn preset(name: &str) -> Result<Self> {
        let known = || PRESETS.map(|(n, _)| n).join(", ");
        PRESETS
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, m)| *m)
            .ok_or_else(|| Error::invalid(format!("material {name}"), format!("is not known, there are {}", known())))
    }

    /// Refuses what cannot be solved: stiffnesses must be positive and finite, contact may be zero.
    pub fn check(&self) -> Result<()> {
        let fail = |what: &str, value: f64, need: &str| {
            Err(Error::invalid("material", format!("{what} is {value}, it must be a finite number {need}")))
        };
        let named = [("Young's modulus", self.young), ("the shear modulus", self.shear), ("gamma", self.gamma)];
        for (what, value) in named {
            if !(value.is_finite() && value > 0.0) {
                return fail(what, value, "above 0");
            }
        }
        if !(self.contact.is_finite() && self.contact >= 0.0) {
            return fail("the contact stiffness", self.contact, "not below 0");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_valid_and_bad_materials_are_named() {
        for (name, material) in PRESETS {
            material.check().unwrap();
            assert_eq!(Material::preset(name).unwrap(), material);
        }
        let knit = Material::preset("knit").unwrap();
        assert!(Material { gamma: -1.0, ..knit }.check().unwrap_err().to_string().contains("gamma is -1"));
        assert!(Material { young: f64::NAN, ..knit }.check().is_err());
        assert!(Material { contact: f64::INFINITY, ..knit }.check().is_err());
        assert!(Material::preset("silk").unwrap_err().to_string().contains("fine, knit, woven"));
    }
}
