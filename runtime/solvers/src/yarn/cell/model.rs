//! What the yarns of a cell are made of.

use crate::scene::check::short;
use crate::yarn::crimp::CrimpLaw;

/// Yarns with persistent contacts. Entries of pairs are for the wefts (along x) and the warps (along y).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellModel {
    /// Whether crossings have crimp, or yarns lie flat as in \[Cirio14\].
    pub crimped: bool,
    /// k_s, N.
    pub stretch: f64,
    /// k_b, N m².
    pub bend: f64,
    /// K, without unit.
    pub contact: f64,
    /// n, above 1.
    pub exponent: f64,
    /// k_x, N.
    pub shear: f64,
    /// Rest lengths of segments, m: with crimp of those whose yarn changes sides, floats keep their length; without, of all.
    pub rest_length: [f64; 2],
    /// Distances of crossings along the wefts and along the warps, m.
    pub spacing: [f64; 2],
    /// R, m.
    pub radius: f64,
    /// Stiffness of contact between parallel yarns, k_c L, N/m.
    pub parallel: f64,
    /// c_j: growth of the shear stiffness where yarns jam, without unit.
    pub jamming: f64,
}

/// What estimation may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellParameter {
    /// k_s.
    Stretch,
    /// k_b.
    Bend,
    /// K.
    Contact,
    /// n.
    Exponent,
    /// k_x.
    Shear,
    /// Rest lengths of the wefts (0) or of the warps (1).
    RestLength(usize),
}

impl CellModel {
    /// Yarns of stiffness `stretch` (N), bending stiffness `bend` (N m²) and radius `radius` (m) that lie flat, without stress, at
    /// distances `spacing` (m); no shear stiffness.
    pub fn flat(stretch: f64, bend: f64, radius: f64, spacing: [f64; 2]) -> Self {
        CellModel {
            crimped: false,
            stretch,
            bend,
            contact: 0.2,
            exponent: 2.0,
            shear: 0.0,
            rest_length: spacing,
            spacing,
            radius,
            // Half of what a segment resists with, as in the tank top of [Cirio14].
            parallel: stretch / (spacing[0] + spacing[1]),
            jamming: 0.0,
        }
    }

    /// The same with crimp: rest lengths (m) of segments whose yarn changes sides, K and n of contact.
    pub fn with_crimp(self, rest_length: [f64; 2], contact: f64, exponent: f64) -> Self {
        CellModel { crimped: true, rest_length, contact, exponent, ..self }
    }

    pub(super) fn law(&self) -> CrimpLaw {
        let CellModel { stretch, bend, contact, exponent, radius, .. } = *self;
        CrimpLaw { stretch, bend, contact, exponent, radius }
    }

    /// The first value that makes no sense, and why.
    pub fn fault(&self) -> Option<String> {
        let [ax, ay] = self.spacing;
        let [lx, ly] = self.rest_length;
        let positive = [
            ("stretch", self.stretch),
            ("radius", self.radius),
            ("spacing along x", ax),
            ("spacing along y", ay),
            ("rest_length along x", lx),
            ("rest_length along y", ly),
        ];
        let not_negative = [
            ("bend", self.bend),
            ("contact", self.contact),
            ("shear", self.shear),
            ("parallel", self.parallel),
            ("jamming", self.jamming),
        ];
        let bad = |fine: bool, name: &str, value: f64, rule: &str| {
            (!fine).then(|| format!("{name} is {}, it must be {rule}", short(value)))
        };
        let zero = |(name, v): (&str, f64)| bad(v > 0.0 && v < 1e15, name, v, "positive");
        let below = |(name, v): (&str, f64)| bad((0.0..1e15).contains(&v), name, v, "zero or more");
        positive.into_iter().find_map(zero).or_else(|| not_negative.into_iter().find_map(below)).or_else(|| {
            let n = self.exponent;
            bad(n > 1.0 && n <= 10.0, "exponent", n, "above 1 and at most 10")
        })
    }
}
