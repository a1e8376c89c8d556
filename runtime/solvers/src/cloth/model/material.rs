//! What cloth is made of.

use serde::{Deserialize, Serialize};

/// How the damper beside a spring acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Damping {
    /// Along the spring only, while the spring acts [Boxerman03, Eq. 3.14].
    #[default]
    Projected,
    /// On the whole velocity difference, always [Boxerman03, Eq. 3.12]; also damps rigid rotation. For comparison.
    Plain,
}

/// Stiffness, damping and weight. The numbers are those of the thesis, per spring of a regular grid; a triangle mesh
/// gets springs that make the same sheet (see [`super::ClothModel::from_mesh`]).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClothMaterial {
    /// Mass per area, kg/m².
    pub density: f64,
    /// Stiffness along warp and weft, N/m: along u, and along v where `weft_stiffness` is not given.
    pub stretch_stiffness: f64,
    /// Stiffness along v where it differs from that along u, N/m.
    pub weft_stiffness: Option<f64>,
    /// Stiffness along the diagonals, N/m.
    pub shear_stiffness: f64,
    /// Scale of the bend force, N/m.
    pub bend_stiffness: f64,
    /// Damping along warp and weft, N s/m.
    pub stretch_damping: f64,
    /// Damping along the diagonals, N s/m.
    pub shear_damping: f64,
    /// How dampers act.
    pub damping: Damping,
}

impl Default for ClothMaterial {
    fn default() -> Self {
        ClothMaterial {
            density: 0.2,
            stretch_stiffness: 1000.0,
            weft_stiffness: None,
            shear_stiffness: 300.0,
            bend_stiffness: 0.01,
            stretch_damping: 0.1,
            shear_damping: 0.1,
            damping: Damping::Projected,
        }
    }
}

impl ClothMaterial {
    /// Stiffness along v, N/m.
    pub fn along_v(&self) -> f64 {
        self.weft_stiffness.unwrap_or(self.stretch_stiffness)
    }

    /// The first field that makes no sense, and why.
    pub fn fault(&self) -> Option<String> {
        let named = [
            ("stretch_stiffness", self.stretch_stiffness),
            ("weft_stiffness", self.along_v()),
            ("shear_stiffness", self.shear_stiffness),
            ("bend_stiffness", self.bend_stiffness),
            ("stretch_damping", self.stretch_damping),
            ("shear_damping", self.shear_damping),
        ];
        if !(self.density > 0.0 && self.density <= 1e6) {
            return Some(format!("density is {}, it must be positive and at most 1e6 kg/m²", self.density));
        }
        let bad = named.iter().find(|(_, v)| !(0.0..=1e9).contains(v));
        bad.map(|(name, v)| format!("{name} is {v}, it must be between 0 and 1e9"))
    }
}
