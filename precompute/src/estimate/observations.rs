//! What a model is compared with: numbers that were measured, and how much each of them counts.
//!
//!   residual_k = W_k (s_k - s^_k),     W_k = 1 / max(|s^_k|, 0.05 max |s^|) for stresses
//!
//! so that a force counts by its own size, and one near 0 by the size of the others. Energies are sums of positive parts and count
//! by their own size too; heights by half a yarn radius.

use crate::Result;
use crate::fabric::{Response, Sensitivity};
use serde::{Deserialize, Serialize};
use yarnwise_shared::Error;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// d psi / d(sx, sa, sy), N/m.
    Stress,
    /// psi, J/m^2.
    Energy,
    /// How far yarns rise and fall, m.
    Heights,
}

impl Quantity {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Stress => "stress",
            Quantity::Energy => "energy",
            Quantity::Heights => "heights",
        }
    }

    fn of(self, response: &Response) -> Option<Vec<f64>> {
        match self {
            Quantity::Stress => response.stress.map(|s| s.to_vec()),
            Quantity::Energy => Some(vec![response.energy_density]),
            Quantity::Heights => response.heights.map(|h| h.to_vec()),
        }
    }

    /// How component `component` changes with each parameter; `None` where the model does not know.
    fn slopes(self, sensitivity: &Sensitivity, component: usize) -> Option<Vec<f64>> {
        let known = |list: Vec<f64>| (!list.is_empty()).then_some(list);
        match self {
            Quantity::Stress => known(sensitivity.stress.iter().map(|s| s[component]).collect()),
            Quantity::Energy => known(sensitivity.energy_density.clone()),
            Quantity::Heights => known(sensitivity.heights.iter().map(|h| h[component]).collect()),
        }
    }
}

/// Forces below this share of the largest count by it.
const STRESS_FLOOR: f64 = 0.05;
/// The same of energies. As high a floor as that of forces would silence fabric at rest, whose energy is what fixes bending.
const ENERGY_FLOOR: f64 = 1e-3;
/// A fabric that is not sheared has no shear stress unless its pattern is lopsided: below this share of the largest stress it is the
/// 0 of symmetry, which any model reproduces. Counted as data, it would make the others look more exact than they are.
const SYMMETRIC: f64 = 1e-3;

/// One number that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datum {
    /// The state that it belongs to.
    pub state: usize,
    /// What it is.
    pub quantity: Quantity,
    /// Which component: x, shear, y of a stress; wefts, warps of heights.
    pub component: usize,
    /// Its value.
    pub value: f64,
    /// W, the inverse of what an error of 1 is.
    pub weight: f64,
}

impl Datum {
    /// Its name, such as `stress x`.
    pub fn name(&self) -> String {
        let components: &[&str] = match self.quantity {
            Quantity::Stress => &["x", "shear", "y"],
            Quantity::Energy => return "energy".to_owned(),
            Quantity::Heights => &["of wefts", "of warps"],
        };
        let noun = if self.quantity == Quantity::Heights { "height" } else { "stress" };
        format!("{noun} {}", components[self.component])
    }
}

/// A state that does not count, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Aside {
    /// Its number in the data, from 0.
    pub state: usize,
    /// (sx, sa, sy).
    pub strain: [f64; 3],
    /// Why not.
    pub reason: String,
}

/// Measured states.
#[derive(Clone, Debug)]
pub struct Observations {
    strains: Vec<[f64; 3]>,
    data: Vec<Vec<Datum>>,
    quantities: Vec<Quantity>,
    unsound: Vec<Aside>,
}

impl Observations {
    /// The states with what is compared of them. `origin` names them in messages; `quantities` says what is compared: if it is
    /// empty, the stresses where all states have them, else the energies. `radius` (m) of the yarn is the measure of heights.
    ///
    /// States that are no stable equilibria do not count.
    pub fn new(origin: &str, states: &[Response], quantities: &[Quantity], radius: f64) -> Result<Self> {
        let invalid = |problem: String| Err(Error::invalid(origin, problem).into());
        for (i, state) in states.iter().enumerate() {
            if let Some(what) = non_finite(state) {
                return invalid(format!("{what} of state {i} is not a finite number"));
            }
        }
        let sound = |state: &&Response| state.is_sound();
        if !states.iter().any(|s| s.is_sound()) {
            return invalid(format!(
                "none of its {} states is a stable equilibrium: nothing can be estimated from them",
                states.len()
            ));
        }
        let has_stress = states.iter().filter(sound).all(|s| s.stress.is_some());
        let quantities = match quantities {
            [] if has_stress => vec![Quantity::Stress],
            [] => vec![Quantity::Energy],
            given => given.to_vec(),
        };
        let mut data = vec![Vec::new(); states.len()];
        for quantity in &quantities {
            if let Some((i, _)) = states.iter().enumerate().find(|(_, s)| s.is_sound() && quantity.of(s).is_none()) {
                return invalid(format!(
                    "state {i} has no {}: choose what is compared with --use, or take data that have it",
                    quantity.name()
                ));
            }
            let largest = states.iter().filter(sound).filter_map(|s| quantity.of(s)).flatten();
            let largest = largest.fold(0.0, |largest: f64, v| largest.max(v.abs()));
            if largest == 0.0 {
                return invalid(format!("its {} are all 0: nothing can be estimated from them", plural(*quantity)));
            }
            for (i, state) in states.iter().enumerate().filter(|(_, s)| s.is_sound()) {
                data[i].extend(of_state(i, state, *quantity, largest, radius));
            }
        }
        let aside = |(state, s): (usize, &Response)| {
            let reason = if s.converged { "it is no stable equilibrium" } else { "its forces do not balance" };
            Aside { state, strain: s.strain, reason: format!("in the data, {reason}") }
        };
        let unsound = states.iter().enumerate().filter(|(_, s)| !s.is_sound()).map(aside).collect();
        Ok(Observations { strains: states.iter().map(|s| s.strain).collect(), data, quantities, unsound })
    }

    /// What is compared.
    pub fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    /// States that are no stable equilibria.
    pub fn unsound(&self) -> &[Aside] {
        &self.unsound
    }

    /// The numbers of the states that count.
    pub fn states(&self) -> Vec<usize> {
        (0..self.strains.len()).filter(|i| !self.data[*i].is_empty()).collect()
    }

    /// The strain (sx, sa, sy) of a state.
    pub fn strain(&self, state: usize) -> [f64; 3] {
        self.strains[state]
    }

    /// What was measured of a state.
    pub fn data(&self, state: usize) -> &[Datum] {
        &self.data[state]
    }
}

fn of_state(state: usize, response: &Response, quantity: Quantity, largest: f64, radius: f64) -> Vec<Datum> {
    let values = quantity.of(response).unwrap_or_default();
    let sheared = response.strain[1] != 0.0;
    let counts = |k: usize, v: f64| quantity != Quantity::Stress || k != 1 || sheared || v.abs() >= SYMMETRIC * largest;
    let weight = |v: f64| match quantity {
        Quantity::Stress => 1.0 / v.abs().max(STRESS_FLOOR * largest),
        Quantity::Energy => 1.0 / v.abs().max(ENERGY_FLOOR * largest),
        Quantity::Heights => 2.0 / radius,
    };
    let datum = |(component, value): (usize, f64)| Datum { state, quantity, component, value, weight: weight(value) };
    values.into_iter().enumerate().filter(|(k, v)| counts(*k, *v)).map(datum).collect()
}

/// The first number of a state that is not finite.
fn non_finite(state: &Response) -> Option<&'static str> {
    let bad = |list: &[f64]| list.iter().any(|v| !v.is_finite());
    if bad(&state.strain) {
        return Some("the strain");
    }
    // A state that did not converge may have any numbers: it does not count.
    if !(state.converged && state.stable) {
        return None;
    }
    [
        (bad(&[state.energy_density]), "the energy"),
        (state.stress.is_some_and(|s| bad(&s)), "the stress"),
        (state.heights.is_some_and(|h| bad(&h)), "a height"),
    ]
    .into_iter()
    .find_map(|(bad, what)| bad.then_some(what))
}

fn plural(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Stress => "stresses",
        Quantity::Energy => "energies",
        Quantity::Heights => "heights",
    }
}

/// What a model says of a state: the values of its data, and how they change with each parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Predicted {
    /// In the order of the data.
    pub(super) values: Vec<f64>,
    /// Of each datum, by parameters.
    pub(super) slopes: Vec<Vec<f64>>,
}

/// What a model says of the `data` of one state, or why it says nothing.
pub(super) fn predict(data: &[Datum], response: &Response, sensitivity: &Sensitivity) -> Result<Predicted, String> {
    if !response.converged {
        return Err("its forces do not balance".to_owned());
    }
    if !response.stable {
        return Err("it is no stable equilibrium".to_owned());
    }
    let mut predicted = Predicted { values: Vec::new(), slopes: Vec::new() };
    for datum in data {
        let silent = || format!("the model does not tell its {}, or how they change", plural(datum.quantity));
        let values = datum.quantity.of(response).ok_or_else(silent)?;
        predicted.values.push(values[datum.component]);
        predicted.slopes.push(datum.quantity.slopes(sensitivity, datum.component).ok_or_else(silent)?);
    }
    let finite = predicted.values.iter().chain(predicted.slopes.iter().flatten()).all(|v| v.is_finite());
    if finite { Ok(predicted) } else { Err("the model gives numbers that are not finite".to_owned()) }
}
