//! The stiffness of a sheet at small strains.
//!
//!   psi = psi_0 + t E12 + 1/2 C11 E11^2 + C12 E11 E22 + 1/2 C22 E22^2 + 2 C66 E12^2
//!   E11 = sx + sx^2/2,   E22 = sy + sy^2/2,   E12 = (1 + sx)(1 + sy) sa / 2
//!
//! is what triangles of constants store, and linear in psi_0, t and C. t is the shear stress that a rectangular period leaves in a
//! fabric which is not its own mirror image, such as a twill; it is sought where fabric is sheared to both sides, and triangles do
//! not have it.
//!
//! **Weights and errors.** The law is the first term of a series: at strain e the next one is wrong by about a part e of the energy,
//! and by a part sa^2 of that of shear where states mirror each other. A datum is weighted by the inverse of that plus the exactness of
//! the data, so small strains decide where there are any. What the law leaves out is no noise: more states of the same strain do not
//! make it smaller, and if all have one strain no residual shows it. So a standard error is the root of two squares: that of noise,
//! from the residuals, and the most that all data can be wrong together, the sum of the law's errors times what each adds to a number.
//!
//! **Window.** States beyond a strain of 0.35 do not count: there yarns of weaves are straight and the law is another one. Nor do
//! states that are shortened by more than 0.05: cloth folds instead.

use super::spectrum::{solve, spectrum, without};
use super::{EXACTNESS, SheetDatum, SheetResidual, rest_energy, sound};
use crate::Result;
use crate::fabric::Response;
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};
use yarnwise_shared::parameters::{
    DataSource, Estimated, InPlane, MembraneParameters, Model, Parameters, SheetBending, SheetConstants, Value,
};
use yarnwise_shared::{Error, range};

/// Which states count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConstantsOptions {
    /// The largest strain, lengthening or shear.
    pub largest: f64,
    /// The largest shortening.
    pub shortening: f64,
}

impl Default for ConstantsOptions {
    fn default() -> Self {
        ConstantsOptions { largest: 0.35, shortening: 0.05 }
    }
}

/// Constants with what is known of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConstantsFit {
    /// c11, c22, c12, c66, N/m, with their relative errors. That of c12 is a part of itself or of a tenth of the root of c11 c22,
    /// whichever is more, because c12 may be nothing.
    pub estimated: [Estimated; 4],
    /// The part of the relative errors that residuals show.
    pub noise: [f64; 4],
    /// The part of the relative errors that is the law's.
    pub law: [f64; 4],
    /// The best c11, c22, c12, c66, N/m, determined or not.
    pub best: [f64; 4],
    /// t, N/m; none where fabric is not sheared to both sides.
    pub shear_at_rest: Option<f64>,
    /// How many states count.
    pub states: usize,
    /// Root mean square of what is left of the weighted data.
    pub rms: f64,
    /// Of the weighted data by ln C, without what psi_0 and t take up; from the largest on.
    pub singular_values: Vec<f64>,
    /// The direction of (ln c11, ln c22, ln c12, ln c66) that the data say least of.
    pub weakest: Vec<f64>,
    /// Every datum that counts.
    pub residuals: Vec<SheetResidual>,
}

const NAMES: [&str; 4] = ["c11", "c22", "c12", "c66"];

/// A tenth of the root of c11 c22: an error of a fifth of it does not matter to forces.
const COUPLING: f64 = 0.1;

/// Stresses below this part of the largest count by it.
const STRESS_FLOOR: f64 = 0.05;

/// psi_0, t, c11, c22, c12, c66.
const UNKNOWNS: usize = 6;

/// A datum: what it is, its value, what the unknowns add to it, and the error that it is weighted by.
struct ConstantsRow {
    state: usize,
    strain: [f64; 3],
    of: SheetDatum,
    value: f64,
    terms: [f64; UNKNOWNS],
    error: f64,
    /// Its part that is the law's.
    law: f64,
}

/// The constants of small strains from energies, and from stresses where they are known. `origin` names the data in messages.
pub fn fit_constants(origin: &str, states: &[Response], options: &ConstantsOptions) -> Result<ConstantsFit> {
    range::check(origin, "the largest strain", options.largest, [1e-6, 1.0], "")?;
    range::check(origin, "the largest shortening", options.shortening, [0.0, 0.9], "")?;
    let all = sound(origin, states)?;
    let counts = |s: &Response| {
        let [x, a, y] = s.strain;
        size(s) <= options.largest && x.min(y) >= -options.shortening && a.abs() < 1.0
    };
    let kept: Vec<_> = all.into_iter().filter(|(_, s)| counts(s)).collect();
    if kept.iter().all(|(_, s)| size(s) < 1e-12) {
        return Err(Error::invalid(
            origin,
            format!(
                "no state is strained by at most {} (and shortened by at most {}): constants are for small strains, add such states or fit a spline",
                options.largest, options.shortening
            ),
        )
        .into());
    }
    let (low, high) = kept.iter().fold((0.0_f64, 0.0_f64), |(l, h), (_, s)| (l.min(s.strain[1]), h.max(s.strain[1])));
    let sought: Vec<usize> = (0..UNKNOWNS).filter(|k| *k != 1 || (low < 0.0 && high > 0.0)).collect();
    let rows = rows(&kept);
    let matrix = |columns: &[usize]| {
        DMatrix::from_fn(rows.len(), columns.len(), |i, j| rows[i].terms[columns[j]] / rows[i].error)
    };
    let target = DVector::from_iterator(rows.len(), rows.iter().map(|r| r.value / r.error));
    let solved = solve(&matrix(&sought), &target);
    let mut found = [0.0; UNKNOWNS];
    let mut spread = [0.0; UNKNOWNS];
    for (j, k) in sought.iter().enumerate() {
        (found[*k], spread[*k]) = (solved.x[j], solved.spread[j]);
    }
    let best: [f64; 4] = std::array::from_fn(|k| found[k + 2]);
    let wrong = |column: usize| -> f64 {
        rows.iter().enumerate().map(|(i, r)| solved.influence[(column, i)].abs() * r.law / r.error).sum()
    };
    let first = sought.len() - 4;
    let scale = scales(&best);
    let noise: [f64; 4] = std::array::from_fn(|k| (solved.variance * spread[k + 2]).sqrt() / scale[k]);
    let law: [f64; 4] = std::array::from_fn(|k| wrong(first + k) / scale[k]);
    let mut by_logarithm = without(&matrix(&[2, 3, 4, 5]), &matrix(&sought[..first]));
    for (mut column, value) in by_logarithm.column_iter_mut().zip(best) {
        column *= value.abs();
    }
    let (singular_values, weakest) = spectrum(&by_logarithm);
    let predicted = |r: &ConstantsRow| -> f64 { r.terms.iter().zip(found).map(|(t, x)| t * x).sum() };
    let residuals = |r: &ConstantsRow| {
        let zero = if r.of == SheetDatum::Energy { found[0] } else { 0.0 };
        SheetResidual {
            state: r.state,
            strain: r.strain,
            of: r.of,
            measured: r.value - zero,
            found: predicted(r) - zero,
        }
    };
    let square: f64 = rows.iter().map(|r| ((predicted(r) - r.value) / r.error).powi(2)).sum();
    Ok(ConstantsFit {
        estimated: estimated(&best, &noise, &law),
        noise,
        law,
        best,
        shear_at_rest: (sought.len() == UNKNOWNS).then_some(found[1]),
        states: kept.len(),
        rms: (square / rows.len() as f64).sqrt(),
        singular_values,
        weakest,
        residuals: rows.iter().map(residuals).collect(),
    })
}

/// The largest strain of a state.
fn size(state: &Response) -> f64 {
    state.strain.iter().fold(0.0, |e: f64, s| e.max(s.abs()))
}

fn rows(states: &[(usize, &Response)]) -> Vec<ConstantsRow> {
    let largest = |of: &dyn Fn(&Response) -> f64| states.iter().map(|(_, s)| of(s)).fold(0.0, f64::max);
    let noise = EXACTNESS * largest(&|s| s.energy_density.abs()).max(f64::MIN_POSITIVE);
    let stiffest = largest(&|s| s.stress.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs())));
    let rest = rest_energy(states);
    let mirrored = states.iter().any(|(_, s)| s.strain[1] < 0.0) && states.iter().any(|(_, s)| s.strain[1] > 0.0);
    let mut rows = Vec::new();
    for (state, s) in states {
        let [x, a, y] = s.strain.map(f64::abs);
        let part = x.max(y).max(if mirrored { a * a } else { a });
        let [value, slopes @ ..] = terms(s.strain);
        let one = |of, value, terms, noise: f64, law: f64| {
            let error = (noise + law).max(f64::MIN_POSITIVE);
            ConstantsRow { state: *state, strain: s.strain, of, value, terms, error, law }
        };
        rows.push(one(SheetDatum::Energy, s.energy_density, value, noise, part * (s.energy_density - rest).abs()));
        let kinds = [SheetDatum::StressX, SheetDatum::StressShear, SheetDatum::StressY];
        for ((stress, of), terms) in s.stress.into_iter().flatten().zip(kinds).zip(slopes) {
            let size = stress.abs().max(STRESS_FLOOR * stiffest);
            rows.push(one(of, stress, terms, EXACTNESS * size, part * size));
        }
    }
    rows
}

/// What psi_0, t, c11, c22, c12, c66 are multiplied with in psi and in its derivatives by sx, sa, sy.
fn terms([x, a, y]: [f64; 3]) -> [[f64; UNKNOWNS]; 4] {
    let (lu, lv) = (1.0 + x, 1.0 + y);
    let (e, f, g) = (x + 0.5 * x * x, y + 0.5 * y * y, 0.5 * lu * lv * a);
    let (gx, ga, gy) = (0.5 * lv * a, 0.5 * lu * lv, 0.5 * lu * a);
    [
        [1.0, g, 0.5 * e * e, 0.5 * f * f, e * f, 2.0 * g * g],
        [0.0, gx, e * lu, 0.0, lu * f, 4.0 * g * gx],
        [0.0, ga, 0.0, 0.0, 0.0, 4.0 * g * ga],
        [0.0, gy, 0.0, f * lv, e * lv, 4.0 * g * gy],
    ]
}

/// What errors are parts of.
fn scales(best: &[f64; 4]) -> [f64; 4] {
    let coupling = best[2].abs().max(COUPLING * root(best));
    [best[0].abs(), best[1].abs(), coupling, best[3].abs()]
}

/// The root of c11 c22.
fn root(best: &[f64; 4]) -> f64 {
    (best[0].max(0.0) * best[1].max(0.0)).sqrt()
}

/// Values with relative errors. A stiffness that is not positive is not determined, nor is a coupling that would let the sheet lose
/// energy when it is stretched.
fn estimated(best: &[f64; 4], noise: &[f64; 4], law: &[f64; 4]) -> [Estimated; 4] {
    std::array::from_fn(|k| {
        let sensible = if k == 2 { best[2].abs() < root(best) } else { best[k] > 0.0 };
        let error = if sensible { noise[k].hypot(law[k]) } else { f64::INFINITY };
        Estimated::new(NAMES[k], "N/m", best[k], error)
    })
}

impl ConstantsFit {
    /// The parameters file: who made it, from which data, with which bending.
    pub fn parameters(&self, made_by: &str, data: &str, bending: Option<SheetBending<Value>>) -> Parameters {
        let [c11, c22, c12, c66] = self.estimated.each_ref().map(|e| e.value);
        let in_plane = InPlane::Constants(SheetConstants { c11, c22, c12, c66 });
        let source = DataSource { name: data.to_owned(), states: self.states };
        let model = Model::Membrane(MembraneParameters { in_plane, bending });
        Parameters::new(made_by, vec![source], self.estimated.to_vec(), model)
    }
}
