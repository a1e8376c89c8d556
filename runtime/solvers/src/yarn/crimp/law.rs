//! The coefficients of crimp.

/// What crossings with crimp are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrimpLaw {
    /// k_s, N.
    pub stretch: f64,
    /// k_b of turns at crossings, N m².
    pub bend: f64,
    /// K, without unit: energy of contact over R k_s where the yarns would coincide.
    pub contact: f64,
    /// n, above 1.
    pub exponent: f64,
    /// R, m.
    pub radius: f64,
}
