//! Regions of strain in which fabric behaves differently.

use crate::table::strain::Strain;

/// |sa| from which a strain counts as sheared.
pub const SHEARED: f64 = 0.4;

/// A region of strain. In tension a fabric has one state or few; compressed, it has many of nearly the same energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Region {
    /// Neither sx nor sy below 0, |sa| below [`SHEARED`].
    Tension,
    /// Neither sx nor sy below 0, |sa| at least [`SHEARED`].
    TensionShear,
    /// sx or sy below 0, |sa| below [`SHEARED`].
    Compression,
    /// sx or sy below 0, |sa| at least [`SHEARED`].
    CompressionShear,
}

impl Region {
    /// All of them, in the order of their numbers.
    pub const ALL: [Region; 4] = [Region::Tension, Region::TensionShear, Region::Compression, Region::CompressionShear];

    /// The region of a strain.
    pub fn of(strain: Strain<f64>) -> Self {
        match (strain.sx.min(strain.sy) < 0.0, strain.sa.abs() < SHEARED) {
            (false, true) => Region::Tension,
            (false, false) => Region::TensionShear,
            (true, true) => Region::Compression,
            (true, false) => Region::CompressionShear,
        }
    }

    /// Whether fabric is compressed along x or y there.
    pub fn is_compressed(self) -> bool {
        matches!(self, Region::Compression | Region::CompressionShear)
    }

    /// The region in words.
    pub fn name(self) -> &'static str {
        match self {
            Region::Tension => "tension",
            Region::TensionShear => "tension + shear",
            Region::Compression => "compression",
            Region::CompressionShear => "compression + shear",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_belong_to_tension_and_to_shear() {
        let of = |sx, sa, sy| Region::of(Strain::new(sx, sa, sy));
        assert_eq!(of(0.0, 0.0, 0.0), Region::Tension);
        assert_eq!(of(0.0, -SHEARED, 1.0), Region::TensionShear);
        assert_eq!(of(1.0, 0.39, -1e-9), Region::Compression);
        assert_eq!(of(-0.1, 0.4, 0.0), Region::CompressionShear);
        assert!(Region::ALL.iter().enumerate().all(|(i, r)| *r as usize == i));
    }
}
