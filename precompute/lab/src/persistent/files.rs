//! Persistent contacts in parameters files.

use super::fabric::{ORIGIN, Persistent};
use yarnwise_precompute::Result;
use yarnwise_shared::Error;
use yarnwise_shared::parameters::{CrossingContact, Family, PersistentParameters, ShearStiffness, Value};
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_solvers::yarn::cell::CellModel;

impl Persistent {
    /// The fabric that a parameters file describes, woven by `draft`.
    pub fn from_parameters(draft: &Draft, p: &PersistentParameters<f64>) -> Result<Self> {
        for (name, of) in [("stretch", (|f| f.stretch) as fn(&Family<f64>) -> f64), ("bend", |f| f.bend)] {
            let (weft, warp) = (of(&p.weft), of(&p.warp));
            if weft != warp {
                let problem =
                    format!("{name} of wefts is {weft} and of warps {warp}: yarns of one kind only are possible");
                return Err(Error::invalid(ORIGIN, problem).into());
            }
        }
        let shear = match &p.shear {
            ShearStiffness::Constant(value) => *value,
            ShearStiffness::Table(_) => {
                let cure = "replace it by a constant";
                return Err(Error::invalid(ORIGIN, format!("shear is a table, statics need a number: {cure}")).into());
            }
        };
        let both = |of: fn(&Family<f64>) -> f64| [of(&p.weft), of(&p.warp)];
        let flat = CellModel::flat(p.weft.stretch, p.weft.bend, p.radius, both(|f| f.spacing));
        let flat = CellModel { shear, rest_length: both(|f| f.rest_length), ..flat };
        let model = match (p.crimp, p.contact) {
            (true, Some(c)) => flat.with_crimp(flat.rest_length, c.stiffness, c.exponent),
            _ => flat,
        };
        Persistent::new(draft, model)
    }

    /// What a parameters file says of the fabric; values of the parameters in `unknown` are left out.
    pub fn to_parameters(&self, unknown: &[&str]) -> PersistentParameters {
        let m = self.cell_model();
        let known = |name: &str, value: f64| Value((!unknown.contains(&name)).then_some(value));
        let family = |k: usize, rest: &str| Family {
            stretch: known("stretch", m.stretch),
            bend: known("bend", m.bend),
            rest_length: known(rest, m.rest_length[k]),
            spacing: m.spacing[k].into(),
        };
        let contact =
            CrossingContact { stiffness: known("contact", m.contact), exponent: known("exponent", m.exponent) };
        PersistentParameters {
            weft: family(0, "rest_length_x"),
            warp: family(1, "rest_length_y"),
            crimp: m.crimped,
            contact: m.crimped.then_some(contact),
            shear: ShearStiffness::Constant(known("shear", m.shear)),
            friction: None,
            radius: m.radius.into(),
            density: None,
        }
    }
}
