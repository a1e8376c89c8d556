//! A period of persistent contacts that experiments and estimation can ask.

use yarnwise_precompute::Result;
use yarnwise_precompute::fabric::{Fabric, Kinds, Parameter, Response, Sensitivity};
use yarnwise_shared::Error;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_shared::table::strain::Strain;
use yarnwise_solvers::yarn::cell::{CellModel, CellParameter, CellResponse, FabricCell};

/// Woven cloth whose warps and wefts stay in contact.
#[derive(Clone, Debug)]
pub struct Persistent {
    cell: FabricCell,
    parameters: Vec<CellParameter>,
}

/// What errors call it.
pub(super) const ORIGIN: &str = "persistent contacts";

/// All parameters, with names and units.
const NAMES: [(CellParameter, &str, &str); 7] = [
    (CellParameter::Stretch, "stretch", "N"),
    (CellParameter::Bend, "bend", "N m^2"),
    (CellParameter::Contact, "contact", ""),
    (CellParameter::Exponent, "exponent", ""),
    (CellParameter::RestLength(0), "rest_length_x", "m"),
    (CellParameter::RestLength(1), "rest_length_y", "m"),
    (CellParameter::Shear, "shear", "N"),
];

/// What flat yarns have of them: nothing bends in the plane, and rest lengths are the spacing.
const FLAT: [CellParameter; 2] = [CellParameter::Stretch, CellParameter::Shear];

fn value(model: &mut CellModel, parameter: CellParameter) -> &mut f64 {
    match parameter {
        CellParameter::Stretch => &mut model.stretch,
        CellParameter::Bend => &mut model.bend,
        CellParameter::Contact => &mut model.contact,
        CellParameter::Exponent => &mut model.exponent,
        CellParameter::Shear => &mut model.shear,
        CellParameter::RestLength(family) => &mut model.rest_length[family],
    }
}

fn refused(error: yarnwise_solvers::Error) -> yarnwise_precompute::Error {
    Error::invalid(ORIGIN, error.to_string()).into()
}

impl Persistent {
    /// A period of `draft` made of `model`, with all parameters that it has: `stretch` and `shear` where yarns lie flat; `bend`,
    /// `contact`, `exponent`, `rest_length_x` (wefts) and `rest_length_y` (warps) too where crossings have crimp.
    pub fn new(draft: &Draft, model: CellModel) -> Result<Self> {
        let has = |p: &CellParameter| model.crimped || FLAT.contains(p);
        let parameters = NAMES.iter().map(|(p, ..)| *p).filter(has).collect();
        Ok(Persistent { cell: FabricCell::new(draft, model).map_err(refused)?, parameters })
    }

    /// The same where only these parameters may change.
    pub fn only(&self, names: &[&str]) -> Result<Self> {
        let find = |name: &&str| {
            let known = NAMES.iter().find(|(p, n, _)| n == name && self.parameters.contains(p));
            known.map(|(p, ..)| *p).ok_or_else(|| {
                let known: Vec<String> = self.parameters().into_iter().map(|p| p.name).collect();
                Error::invalid(ORIGIN, format!("have no parameter '{name}', there are {}", known.join(", ")))
            })
        };
        Ok(Persistent { parameters: names.iter().map(find).collect::<Result<_, _>>()?, ..self.clone() })
    }

    /// The same with these values of its parameters.
    pub fn made_of(&self, values: &[f64]) -> Result<Self> {
        if values.len() != self.parameters.len() {
            let problem = format!("{} values for {} parameters", values.len(), self.parameters.len());
            return Err(Error::invalid(ORIGIN, problem).into());
        }
        let mut model = *self.cell.model();
        self.parameters.iter().zip(values).for_each(|(p, v)| *value(&mut model, *p) = *v);
        let cell = self.cell.with_model(model).map_err(refused)?;
        Ok(Persistent { cell, parameters: self.parameters.clone() })
    }

    /// What the yarns are made of.
    pub fn cell_model(&self) -> &CellModel {
        self.cell.model()
    }

    /// Heights, forces and energies at each crossing under a strain.
    pub fn crossings(&self, strain: Strain<f64>) -> Result<CellResponse> {
        self.cell.respond(&strain).map_err(refused)
    }
}

fn answer(strain: Strain<f64>, found: &CellResponse) -> Response {
    let e = &found.energies;
    let forces = &found.normal_forces;
    Response {
        strain: [strain.sx, strain.sa, strain.sy],
        energy_density: e.total(),
        // Crossings resist shear because their yarns touch.
        kinds: Some(Kinds { stretch: e.stretch, bend: e.bend, twist: 0.0, contact: e.contact + e.shear + e.parallel }),
        stress: Some(found.stress),
        heights: found.amplitudes,
        normal_force: (!forces.is_empty()).then(|| forces.iter().sum::<f64>() / forces.len() as f64),
        converged: found.converged,
        stable: found.stable,
    }
}

impl Fabric for Persistent {
    fn model(&self) -> &'static str {
        "persistent"
    }

    fn parameters(&self) -> Vec<Parameter> {
        let named = |p: &CellParameter| {
            let (_, name, unit) = NAMES.iter().find(|(known, ..)| known == p)?;
            Some(Parameter::new(name, unit, *value(&mut self.cell.model().clone(), *p)))
        };
        self.parameters.iter().filter_map(named).collect()
    }

    fn with_values(&self, values: &[f64]) -> Result<Box<dyn Fabric>> {
        Ok(Box::new(self.made_of(values)?))
    }

    fn respond(&self, strain: Strain<f64>) -> Result<Response> {
        Ok(answer(strain, &self.crossings(strain)?))
    }

    fn respond_with_sensitivity(&self, strain: Strain<f64>) -> Result<(Response, Sensitivity)> {
        let (found, by) = self.cell.respond_with_sensitivity(&strain, &self.parameters).map_err(refused)?;
        let response = answer(strain, &found);
        let heights = response.heights.map(|_| by.iter().map(|s| s.amplitudes).collect());
        let sensitivity = Sensitivity {
            energy_density: by.iter().map(|s| s.energy_density).collect(),
            stress: by.iter().map(|s| s.stress).collect(),
            heights: heights.unwrap_or_default(),
        };
        Ok((response, sensitivity))
    }
}
