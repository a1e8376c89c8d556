//! psi(sx, sa, sy) as cubic splines in sx and sy and powers of sa.
//!
//!   psi = sum_p sa^p sum_ij C_pij b_i(sx) b_j(sy)
//!
//! b_i are the cubic B-splines between the breaks of an axis ([`crate::spline`]).

use serde::{Deserialize, Serialize};

/// Energy density of a sheet, J/m^2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TensorSpline {
    /// Where the cubics of sx meet, with both ends, ascending.
    pub sx: Vec<f64>,
    /// Where the cubics of sy meet, with both ends, ascending.
    pub sy: Vec<f64>,
    /// The least and the largest sa that the data have.
    pub sa: [f64; 2],
    /// Powers of sa, ascending from 0; even ones where shear to both sides is alike.
    pub powers: Vec<u32>,
    /// C of each power, J/m^2: that of the splines i of sx and j of sy at i + j (number of breaks of sx + 2).
    pub coefficients: Vec<Vec<f64>>,
}

/// The most breaks of an axis.
const MOST_BREAKS: usize = 64;
/// The largest power of sa.
pub(super) const LARGEST_POWER: u32 = 8;
/// The most that a coefficient may be, J/m^2.
const LARGEST_ENERGY: f64 = 1e15;
/// Strains that splines may reach; yarns that are stretched eleven-fold have long been torn.
const STRAINS: [f64; 2] = [-0.99, 10.0];

impl TensorSpline {
    /// How many splines an axis with these breaks has.
    pub fn count(breaks: &[f64]) -> usize {
        breaks.len() + 2
    }

    /// The place of a coefficient in the list of its power.
    pub fn place(&self, i: usize, j: usize) -> usize {
        i + j * TensorSpline::count(&self.sx)
    }

    /// The ends of the axes (sx, sa, sy).
    pub fn ends(&self) -> [[f64; 2]; 3] {
        let of = |breaks: &[f64]| [breaks[0], breaks[breaks.len() - 1]];
        [of(&self.sx), self.sa, of(&self.sy)]
    }

    /// What is wrong, beginning with the field.
    pub fn fault(&self) -> Option<String> {
        axis_fault("sx", &self.sx)
            .or_else(|| axis_fault("sy", &self.sy))
            .or_else(|| {
                let [low, high] = self.sa;
                let fine = (-1.0..=0.0).contains(&low) && (0.0..=1.0).contains(&high) && low < high;
                (!fine).then(|| format!("sa is [{low}, {high}], it must ascend, hold 0 and lie within -1 and 1"))
            })
            .or_else(|| {
                let p = &self.powers;
                let fine =
                    p.first() == Some(&0) && p.windows(2).all(|w| w[0] < w[1]) && p.iter().all(|p| *p <= LARGEST_POWER);
                (!fine).then(|| format!("powers must ascend from 0 to {LARGEST_POWER} at most"))
            })
            .or_else(|| self.coefficient_fault())
    }

    fn coefficient_fault(&self) -> Option<String> {
        let (lists, powers) = (self.coefficients.len(), self.powers.len());
        if lists != powers {
            return Some(format!("coefficients has {lists} lists for {powers} powers, it must have one for each"));
        }
        let each = TensorSpline::count(&self.sx) * TensorSpline::count(&self.sy);
        self.coefficients.iter().enumerate().find_map(|(k, list)| {
            if list.len() != each {
                let n = list.len();
                return Some(format!("coefficients[{k}] has {n} numbers, it must have {each}: as many splines as breaks and two more, of both axes"));
            }
            let bad = list.iter().position(|c| c.is_nan() || c.abs() > LARGEST_ENERGY)?;
            Some(format!("coefficients[{k}][{bad}] is {} J/m^2, it must be from {:e} to {LARGEST_ENERGY:e}", list[bad], -LARGEST_ENERGY))
        })
    }
}

fn axis_fault(name: &str, breaks: &[f64]) -> Option<String> {
    let count = breaks.len();
    if !(2..=MOST_BREAKS).contains(&count) {
        return Some(format!("{name} has {count} breaks, it must have from 2 to {MOST_BREAKS}"));
    }
    // Breaks that nearly coincide would divide by nearly nothing.
    if breaks.windows(2).any(|w| w.iter().any(|b| b.is_nan()) || w[1] - w[0] < 1e-6) {
        return Some(format!("{name} must ascend, by 1e-6 or more"));
    }
    let inside = breaks[0] >= STRAINS[0] && breaks[count - 1] <= STRAINS[1];
    let rest = breaks[0] <= 0.0 && breaks[count - 1] >= 0.0;
    (!(inside && rest)).then(|| format!("{name} must hold 0 and lie within {} and {}", STRAINS[0], STRAINS[1]))
}
