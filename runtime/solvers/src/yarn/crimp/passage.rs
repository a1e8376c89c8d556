//! One yarn at a crossing, at a height h.
//!
//!   V = Σ over its sides ¼ k_s ℓ (D/ℓ − 1)²,  D = √(l² + 4 h²)
//!   B = k_b θ²/S,  θ = Σ over its sides atan(2 h/l),  S = ℓ₋ + ℓ₊
//!
//! Variables are (l₋, ℓ₋, l₊, ℓ₊, h). With T = k_s (D/ℓ − 1), λ = D/ℓ and M = 2 k_b θ/S:
//!
//!   ∂D = (l/D on l, 4 h/D on h),          ∂²D = (4/D³) w wᵀ,  w = (h on l, −l on h)
//!   ∂V = ½ (T ∂D; −½ T (λ + 1) on ℓ),     ∂²V = ½ [(k_s/ℓ) r rᵀ + T ∂²D],  r = (∂D; −λ on ℓ)
//!   ∂B = M (∂θ; −θ/(2 S) on each ℓ),      ∂²B = (2 k_b/S) ĝ ĝᵀ + M ∂²θ,  ĝ = (∂θ; −θ/S on each ℓ)
//!   ∂α = (−2 h on l, 2 l on h)/D²,        ∂²α = ([4 h l, 8 h² − 2 l²; 8 h² − 2 l², −16 h l])/D⁴ on (l, h)
//!
//! The positive part keeps the squares, and T ∂²D of sides that are pulled.

use super::law::CrimpLaw;
use nalgebra::{SMatrix, SVector};

/// A half segment next to a crossing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// l of the whole segment, m.
    pub length: f64,
    /// ℓ of the whole segment, m.
    pub rest: f64,
    /// Whether the yarn changes sides of the fabric along the segment.
    pub crosses: bool,
}

/// Index of h among the variables.
pub(super) const HEIGHT: usize = 4;

/// Derivatives by (l₋, ℓ₋, l₊, ℓ₊, h).
pub(super) type Gradient = SVector<f64, 5>;
pub(super) type Hessian = SMatrix<f64, 5, 5>;

/// Which second derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// All of them: they may be indefinite.
    Exact,
    /// A positive semi-definite part.
    Positive,
}

/// Energies of one yarn at a crossing with their first derivatives, J and SI.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    /// Sides towards smaller and larger arc coordinates, where there is a segment.
    pub(super) sides: [Option<Side>; 2],
    height: f64,
    law: CrimpLaw,
    /// V.
    pub stretch: f64,
    /// B.
    pub bend: f64,
    pub(super) stretch_gradient: Gradient,
    pub(super) bend_gradient: Gradient,
    /// θ.
    angle: f64,
    /// S where the yarn continues at both sides.
    span: Option<f64>,
}

/// D and its derivatives by (l, h), α by (l, h).
struct Chord {
    length: f64,
    by: [f64; 2],
    angle_by: [f64; 2],
}

impl Chord {
    fn new(side: &Side, height: f64) -> Self {
        let length = side.length.hypot(2.0 * height);
        let square = length * length;
        Chord {
            length,
            by: [side.length / length, 4.0 * height / length],
            angle_by: [-2.0 * height / square, 2.0 * side.length / square],
        }
    }
}

impl Passage {
    /// Whether the yarn rises at all.
    pub fn rises(sides: &[Option<Side>; 2]) -> bool {
        sides.iter().flatten().any(|s| s.crosses)
    }

    /// At a height, m.
    #[inline]
    pub fn new(law: &CrimpLaw, sides: &[Option<Side>; 2], height: f64) -> Self {
        let span = match sides {
            [Some(behind), Some(ahead)] => Some(behind.rest + ahead.rest),
            _ => None,
        };
        let mut out = Passage {
            sides: *sides,
            height,
            law: *law,
            stretch: 0.0,
            bend: 0.0,
            stretch_gradient: Gradient::zeros(),
            bend_gradient: Gradient::zeros(),
            angle: 0.0,
            span,
        };
        for (at, side) in out.crossing_sides() {
            let chord = Chord::new(&side, height);
            let strain = (chord.length - side.rest) / side.rest;
            let tension = law.stretch * strain;
            out.stretch += 0.25 * tension * strain * side.rest;
            out.stretch_gradient[at] = 0.5 * tension * chord.by[0];
            out.stretch_gradient[at + 1] = -0.25 * tension * (2.0 + strain);
            out.stretch_gradient[HEIGHT] += 0.5 * tension * chord.by[1];
            out.angle += (2.0 * height).atan2(side.length);
            out.bend_gradient[at] = chord.angle_by[0];
            out.bend_gradient[HEIGHT] += chord.angle_by[1];
        }
        match span {
            Some(span) => {
                let moment = 2.0 * law.bend * out.angle / span;
                out.bend = 0.5 * moment * out.angle;
                out.bend_gradient *= moment;
                out.bend_gradient[1] = -out.bend / span;
                out.bend_gradient[3] = -out.bend / span;
            }
            None => out.bend_gradient = Gradient::zeros(),
        }
        out
    }

    /// Where the variables of each side that rises begin.
    fn crossing_sides(&self) -> impl Iterator<Item = (usize, Side)> + use<> {
        let sides = self.sides;
        (0..2).filter_map(move |k| sides[k].filter(|s| s.crosses).map(|s| (2 * k, s)))
    }

    pub(super) fn gradient(&self) -> Gradient {
        self.stretch_gradient + self.bend_gradient
    }

    pub(super) fn hessian(&self, curvature: Curvature) -> Hessian {
        let exact = curvature == Curvature::Exact;
        let CrimpLaw { stretch: stiffness, bend, .. } = self.law;
        let h = self.height;
        let mut out = Hessian::zeros();
        let mut turn = Gradient::zeros();
        let moment = self.span.map_or(0.0, |span| 2.0 * bend * self.angle / span);
        for (at, side) in self.crossing_sides() {
            let chord = Chord::new(&side, h);
            let mut row = Gradient::zeros();
            (row[at], row[at + 1], row[HEIGHT]) = (chord.by[0], -chord.length / side.rest, chord.by[1]);
            out.ger(0.5 * stiffness / side.rest, &row, &row, 1.0);
            let tension = stiffness * (chord.length - side.rest) / side.rest;
            let tension = if exact { tension } else { tension.max(0.0) };
            let mut w = Gradient::zeros();
            (w[at], w[HEIGHT]) = (h, -side.length);
            out.ger(2.0 * tension / chord.length.powi(3), &w, &w, 1.0);
            turn[at] = chord.angle_by[0];
            turn[HEIGHT] += chord.angle_by[1];
            if exact {
                let scale = moment / chord.length.powi(4);
                let mixed = scale * (8.0 * h * h - 2.0 * side.length * side.length);
                out[(at, at)] += scale * 4.0 * h * side.length;
                out[(at, HEIGHT)] += mixed;
                out[(HEIGHT, at)] += mixed;
                out[(HEIGHT, HEIGHT)] -= scale * 16.0 * h * side.length;
            }
        }
        if let Some(span) = self.span {
            (turn[1], turn[3]) = (-self.angle / span, -self.angle / span);
            out.ger(2.0 * bend / span, &turn, &turn, 1.0);
        }
        out
    }
}

impl Passage {
    /// A stiffness of the yarn, N/m.
    pub(super) fn scale(&self) -> f64 {
        self.law.stretch / self.law.radius
    }

    /// R, m.
    pub(super) fn radius(&self) -> f64 {
        self.law.radius
    }
}
