//! What is sought: positive parameters p as z = ln p, from a start and within bounds; some may be given.

use crate::Result;
use crate::fabric::Parameter;
use serde::Serialize;
use yarnwise_shared::Error;

/// A parameter that is sought or given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unknown {
    /// Its name, such as `stretch`.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Where the search begins, or its value where it is given.
    pub start: f64,
    /// Lowest and highest value.
    pub bounds: Option<[f64; 2]>,
    /// Whether it keeps its start.
    pub fixed: bool,
}

/// What a caller says about parameters by their names; of the same name the last counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// Values to keep.
    pub fixed: Vec<(String, f64)>,
    /// Values where the search begins.
    pub starts: Vec<(String, f64)>,
    /// Lowest and highest values.
    pub bounds: Vec<(String, [f64; 2])>,
}

/// The parameters of a model, each sought or given.
#[derive(Clone, Debug, PartialEq)]
pub struct Sought {
    list: Vec<Unknown>,
}

impl Sought {
    /// The parameters of a model with what is wished of them.
    ///
    /// Refuses names that the model does not have, values that are not positive, bounds that contradict each other or a start, and
    /// wishes that leave nothing to seek.
    pub fn new(model: &str, parameters: &[Parameter], wishes: &Wishes) -> Result<Self> {
        let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
        let of = |option: &str, name: &str| -> Result<usize> {
            let problem = || format!("the model {model} has no such parameter; it has {}", names.join(", "));
            Ok(names
                .iter()
                .position(|n| *n == name)
                .ok_or_else(|| Error::invalid(format!("{option} {name}"), problem()))?)
        };
        let unknown = |p: &Parameter| Unknown {
            name: p.name.clone(),
            unit: p.unit.clone(),
            start: p.value,
            bounds: None,
            fixed: false,
        };
        let mut list: Vec<Unknown> = parameters.iter().map(unknown).collect();
        for (name, start) in &wishes.starts {
            list[of("start", name)?].start = positive("start", name, *start)?;
        }
        for (name, bounds) in &wishes.bounds {
            list[of("bounds", name)?].bounds = Some(ordered(name, *bounds)?);
        }
        for (name, value) in &wishes.fixed {
            let unknown = &mut list[of("fix", name)?];
            (unknown.start, unknown.fixed) = (positive("fix", name, *value)?, true);
        }
        // A start that is not asked for gives way to bounds; one that was asked for contradicts them.
        for unknown in &mut list {
            let asked = unknown.fixed || wishes.starts.iter().any(|(name, _)| *name == unknown.name);
            unknown.start = within(unknown, asked)?;
        }
        if list.iter().all(|u| u.fixed) {
            let problem = format!("nothing is left to estimate: give fewer values than its {}", names.join(", "));
            return Err(Error::invalid(format!("model {model}"), problem).into());
        }
        Ok(Sought { list })
    }

    /// All parameters, in the model's order.
    pub fn list(&self) -> &[Unknown] {
        &self.list
    }

    /// The numbers of the parameters that are sought.
    pub fn sought(&self) -> Vec<usize> {
        (0..self.list.len()).filter(|i| !self.list[*i].fixed).collect()
    }

    /// Logarithms of the starts of what is sought.
    pub(super) fn start(&self) -> Vec<f64> {
        self.sought().into_iter().map(|i| self.list[i].start.ln()).collect()
    }

    /// Bounds of the logarithms of what is sought.
    pub(super) fn bounds(&self) -> Vec<[f64; 2]> {
        let bounds = |i: usize| self.list[i].bounds.map_or([f64::NEG_INFINITY, f64::INFINITY], |b| b.map(f64::ln));
        self.sought().into_iter().map(bounds).collect()
    }

    /// Values of all parameters for logarithms of what is sought.
    pub(super) fn values(&self, z: &[f64]) -> Vec<f64> {
        let mut values: Vec<f64> = self.list.iter().map(|u| u.start).collect();
        self.sought().into_iter().zip(z).for_each(|(i, z)| values[i] = z.exp());
        values
    }
}

fn positive(option: &str, name: &str, value: f64) -> Result<f64> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(Error::invalid(format!("{option} {name}"), format!("{value} is not a finite number above 0")).into())
}

fn ordered(name: &str, [low, high]: [f64; 2]) -> Result<[f64; 2]> {
    let [low, high] = [positive("bounds", name, low)?, positive("bounds", name, high)?];
    if low < high {
        return Ok([low, high]);
    }
    let problem = format!("the lowest value {low:e} is not below the highest value {high:e}: give the lowest first");
    Err(Error::invalid(format!("bounds {name}"), problem).into())
}

/// The start of a parameter within its bounds.
fn within(unknown: &Unknown, asked: bool) -> Result<f64> {
    let Some([low, high]) = unknown.bounds else { return Ok(unknown.start) };
    if asked && !(low..=high).contains(&unknown.start) {
        let problem = format!("{:e} is outside of its bounds from {low:e} to {high:e}", unknown.start);
        let option = if unknown.fixed { "fix" } else { "start" };
        return Err(Error::invalid(format!("{option} {}", unknown.name), problem).into());
    }
    Ok(unknown.start.clamp(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::new("stretch", "N", 2.0), Parameter::new("bend", "N m^2", 3.0)]
    }

    fn wishes(fixed: &[(&str, f64)], starts: &[(&str, f64)], bounds: &[(&str, [f64; 2])]) -> Wishes {
        let own = |list: &[(&str, f64)]| list.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
        Wishes {
            fixed: own(fixed),
            starts: own(starts),
            bounds: bounds.iter().map(|(n, b)| ((*n).to_owned(), *b)).collect(),
        }
    }

    #[test]
    fn contradictions_are_named() {
        let refused = |w: Wishes| Sought::new("test", &parameters(), &w).unwrap_err().to_string();
        assert!(
            refused(wishes(&[], &[], &[("bend", [2.0, 1.0])]))
                .contains("bounds bend: the lowest value 2e0 is not below")
        );
        assert!(refused(wishes(&[], &[], &[("bend", [f64::NAN, 1.0])])).contains("not a finite number above 0"));
        assert!(refused(wishes(&[], &[("bend", 9.0)], &[("bend", [1.0, 2.0])])).contains("start bend: 9e0 is outside"));
        assert!(refused(wishes(&[("bend", 9.0)], &[], &[("bend", [1.0, 2.0])])).contains("fix bend: 9e0 is outside"));
        assert!(refused(wishes(&[], &[("bed", 9.0)], &[])).contains("no such parameter; it has stretch, bend"));
        assert!(refused(wishes(&[("bend", -1.0)], &[], &[])).contains("fix bend: -1 is not a finite number above 0"));
        assert!(refused(wishes(&[("bend", 1.0), ("stretch", 1.0)], &[], &[])).contains("nothing is left to estimate"));
    }

    #[test]
    fn what_is_given_stays_and_a_default_start_moves_into_its_bounds() {
        let wishes = wishes(&[("stretch", 5.0)], &[], &[("bend", [4.0, 6.0])]);
        let unknowns = Sought::new("test", &parameters(), &wishes).unwrap();
        assert_eq!(unknowns.sought(), [1]);
        assert_eq!(unknowns.list()[1].start, 4.0);
        let values = unknowns.values(&[5.0f64.ln()]);
        assert!(values[0] == 5.0 && (values[1] - 5.0).abs() < 1e-12);
    }
}
