//! The elastic material of a yarn.

use crate::{Error, Result, range};

/// Stiffness of a yarn and of its contacts.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct YarnMaterial {
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
pub const PRESETS: [(&str, YarnMaterial); 3] = [
    ("fine", YarnMaterial { young: 1e6, shear: 4e5, gamma: 1.0, contact: 100.0 }),
    ("knit", YarnMaterial { young: 5e5, shear: 2e5, gamma: 1e-3, contact: 60.0 }),
    ("woven", YarnMaterial { young: 1e5, shear: 4e4, gamma: 0.1, contact: 12.0 }),
];

impl YarnMaterial {
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

    /// Refuses what no yarn is made of, so that a slip of the hand is noticed before hours of work. The message names the
    /// option, its value and what is allowed.
    pub fn check(&self) -> Result<()> {
        range::check("--young", "Young's modulus", self.young, MODULUS, " Pa")?;
        range::check("--shear", "the shear modulus", self.shear, MODULUS, " Pa")?;
        range::check("--gamma", "gamma", self.gamma, GAMMA, "")?;
        range::check("--contact", "the contact stiffness", self.contact, CONTACT, " N/m")
    }
}

/// Moduli of yarns, Pa: from a decade below the softest gels (10 Pa) to a decade above the stiffest fibers (1e12 Pa).
pub const MODULUS: [f64; 2] = [1.0, 1e13];

/// gamma is 1 / n for n fibers that slide freely, and no yarn has 1e9. It is 2 for a thin tube of the same stretch stiffness,
/// whose material all lies at the rim; yarns may be stiffer still outside.
pub const GAMMA: [f64; 2] = [1e-9, 10.0];

/// Contact stiffness, N/m. The presets have 0.1 to 1 times E r; moduli as above and radii from 1 um to 1 cm give this range.
/// At 0 nothing would keep yarns from passing through each other, and what holds a fabric together would be missing.
pub const CONTACT: [f64; 2] = [1e-7, 1e11];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_valid_and_bad_materials_are_named() {
        for (name, material) in PRESETS {
            material.check().unwrap();
            assert_eq!(YarnMaterial::preset(name).unwrap(), material);
        }
        let knit = YarnMaterial::preset("knit").unwrap();
        assert!(
            YarnMaterial { gamma: -1.0, ..knit }
                .check()
                .unwrap_err()
                .to_string()
                .contains("gamma is -1, it must be from 1e-9 to 10")
        );
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e300, 1e-300] {
            let changed: [fn(&mut YarnMaterial) -> &mut f64; 4] =
                [|m| &mut m.young, |m| &mut m.shear, |m| &mut m.gamma, |m| &mut m.contact];
            for (slot, option) in changed.into_iter().zip(["--young", "--shear", "--gamma", "--contact"]) {
                let mut material = knit;
                *slot(&mut material) = bad;
                let message = material.check().unwrap_err().to_string();
                assert!(message.contains(option) && message.contains("it must be from"), "{bad}: {message}");
            }
        }
        assert!(YarnMaterial::preset("silk").unwrap_err().to_string().contains("fine, knit, woven"));
    }
}
