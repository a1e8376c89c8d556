//! The elastic material of a yarn.

/// Stiffness of a yarn and of its contacts.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Material {
    /// Young's modulus E, Pa: stretch stiffness is E pi r^2.
    pub young: f64,
    /// Shear modulus G, Pa: twist stiffness is gamma G pi r^4 / 2.
    pub shear: f64,
    /// Factor on bend and twist stiffness: below 1 for a yarn of loose fibres. Bend stiffness is gamma E pi r^4 / 4.
    pub gamma: f64,
    /// Contact stiffness kc, N/m.
    pub contact: f64,
}
