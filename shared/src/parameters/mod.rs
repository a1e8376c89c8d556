//! Files of estimated parameters: what a model is made of, from which data, and how well these determine it.
//!
//! `docs/reference/parameters-format.md` describes the file. A number that the data do not determine is `null`: the file can be
//! read and shown, but no solver takes it before somebody gives more data or a number of his own.

mod membrane;
mod persistent;
mod sheet_energy;
mod tensor_spline;
mod value;
mod yarn;

pub use membrane::{InPlane, MembraneParameters, SheetBending, SheetConstants};
pub use persistent::{CrossingContact, Family, PersistentParameters, ShearStiffness, ShearTable};
pub use sheet_energy::{Density, SheetEnergy};
pub use tensor_spline::TensorSpline;
pub use value::Value;
pub use yarn::YarnParameters;

use crate::{Error, Result, file, json, range};
use serde::{Deserialize, Serialize};
use std::path::Path;
use value::{Bound, Take};

/// What the field `format` says.
pub const FORMAT: &str = "yarnwise-parameters";
/// The version of the format that is written.
pub const VERSION: u32 = 1;
/// Above which relative standard error a number is not determined: its value is not written.
pub const LARGEST_ERROR: f64 = 0.2;

/// Largest file, bytes.
const MAX_BYTES: u64 = 16 << 20;
/// The most entries of a list.
const MOST_ENTRIES: usize = 10_000;
/// What describes the file.
const REFERENCE: &str = "docs/reference/parameters-format.md";

/// A parameters file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// Which program made it.
    #[serde(default)]
    pub made_by: String,
    /// What it was estimated from.
    #[serde(default)]
    pub data: Vec<DataSource>,
    /// What was estimated, and how well.
    #[serde(default)]
    pub estimated: Vec<Estimated>,
    /// What solvers take.
    pub model: Model,
}

/// Data of an estimate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataSource {
    /// The name of the file, or what the data are.
    pub name: String,
    /// How many states of it were used.
    pub states: usize,
}

/// A number that was estimated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimated {
    /// Its name.
    pub name: String,
    /// Its unit; empty where it has none.
    pub unit: String,
    /// Its value in that unit; none where it is not determined.
    pub value: Value,
    /// Standard error as a part of the value, which for small ones is that of its logarithm; none where the data do not
    /// limit it.
    pub standard_error: Value,
    /// Whether the data determine it: whether the standard error is at most [`LARGEST_ERROR`].
    pub determined: bool,
}

/// What solvers take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Model {
    /// Of bakes and of models with explicit yarns.
    Yarn(YarnParameters),
    /// Of yarns with persistent contacts.
    Persistent(PersistentParameters),
    /// Of cloth as a sheet.
    Membrane(MembraneParameters),
}

impl Model {
    /// What it is called in a file.
    pub fn kind(&self) -> &'static str {
        match self {
            Model::Yarn(_) => "yarn",
            Model::Persistent(_) => "persistent",
            Model::Membrane(_) => "membrane",
        }
    }
}

impl Estimated {
    /// Of a value with its relative standard error, which may be infinite: beyond [`LARGEST_ERROR`] the value is left out.
    pub fn new(name: &str, unit: &str, value: f64, standard_error: f64) -> Self {
        let determined = value.is_finite() && standard_error <= LARGEST_ERROR;
        Estimated {
            name: name.to_owned(),
            unit: unit.to_owned(),
            value: Value(determined.then_some(value)),
            standard_error: Value(Some(standard_error).filter(|e| e.is_finite())),
            determined,
        }
    }
}

impl Parameters {
    /// A file of this version.
    pub fn new(made_by: &str, data: Vec<DataSource>, estimated: Vec<Estimated>, model: Model) -> Self {
        let (format, made_by) = (FORMAT.to_owned(), made_by.to_owned());
        Parameters { format, version: VERSION, made_by, data, estimated, model }
    }

    /// Reads a file and checks it.
    pub fn read(path: &Path) -> Result<Self> {
        Parameters::parse(&file::read(path, MAX_BYTES, file::json)?, &file::origin(path))
    }

    /// Parses and checks the bytes of a file; `origin` names it in messages.
    pub fn parse(bytes: &[u8], origin: &str) -> Result<Self> {
        let parameters: Parameters = json::parse(bytes, origin, REFERENCE)?;
        parameters.check(origin)?;
        Ok(parameters)
    }

    /// Writes the file, completely or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = self.to_json(&file::origin(path))?;
        file::write_atomically(path, |out| out.write_all(text.as_bytes()))
    }

    /// The text of the file; `origin` names it in messages. Faulty parameters have none.
    pub fn to_json(&self, origin: &str) -> Result<String> {
        self.check(origin)?;
        let text = serde_json::to_string_pretty(self);
        Ok(text.map_err(|e| Error::invalid(origin, format!("cannot be written: {e}")))? + "\n")
    }

    /// Refuses what makes no sense; `origin` names the file in messages.
    pub fn check(&self, origin: &str) -> Result<()> {
        let refuse = |problem: String| Err(Error::invalid(origin, problem));
        if self.format != FORMAT {
            return refuse(format!(
                "format is '{}', it must be '{FORMAT}': is this a file of another kind?",
                self.format
            ));
        }
        if self.version != VERSION {
            return refuse(format!("version is {}, this program knows version {VERSION} only", self.version));
        }
        if self.data.len().max(self.estimated.len()) > MOST_ENTRIES {
            return refuse(format!("data and estimated may have {MOST_ENTRIES} entries at most"));
        }
        for (i, estimated) in self.estimated.iter().enumerate() {
            estimated.fault().map_or(Ok(()), |f| refuse(format!("estimated[{i}] ({}): {f}", estimated.name)))?;
        }
        let at = format!("model.{}", self.model.kind());
        let take = |name: &str, v: Value, b: Bound| {
            v.0.map_or(Ok(()), |v| range::check(origin, &format!("{at}.{name}"), v, b.range, b.unit))?;
            Ok(v)
        };
        let take: Take<Value, Value> = &take;
        match &self.model {
            Model::Yarn(m) => m.each(take).map(drop),
            Model::Persistent(m) => m.each(take).and_then(|m| m.check(origin, &at)),
            Model::Membrane(m) => m.each(take).and_then(|m| m.check(origin, &at)),
        }
    }

    /// The yarn, all of whose numbers must be known.
    pub fn yarn(&self, origin: &str) -> Result<YarnParameters<f64>> {
        match &self.model {
            Model::Yarn(m) => m.each(&self.known(origin)),
            other => Err(self.other_kind(origin, "yarn", other)),
        }
    }

    /// The yarns with persistent contacts, all of whose numbers must be known.
    pub fn persistent(&self, origin: &str) -> Result<PersistentParameters<f64>> {
        match &self.model {
            Model::Persistent(m) => m.each(&self.known(origin)),
            other => Err(self.other_kind(origin, "persistent", other)),
        }
    }

    /// The sheet, all of whose numbers must be known.
    pub fn membrane(&self, origin: &str) -> Result<MembraneParameters<f64>> {
        match &self.model {
            Model::Membrane(m) => m.each(&self.known(origin)),
            other => Err(self.other_kind(origin, "membrane", other)),
        }
    }

    /// Refuses what the data do not determine.
    fn known<'a>(&'a self, origin: &'a str) -> impl Fn(&str, Value, Bound) -> Result<f64> + 'a {
        move |name, value, _| {
            value.0.ok_or_else(|| {
                let kind = self.model.kind();
                Error::invalid(
                    origin,
                    format!(
                        "model.{kind}.{name} is null, not determined by the data that it was estimated from: estimate it from more \
                         states, or replace null by a number of your own"
                    ),
                )
            })
        }
    }

    fn other_kind(&self, origin: &str, wanted: &str, found: &Model) -> Error {
        let found = found.kind();
        Error::invalid(
            origin,
            format!("has parameters of the kind '{found}', '{wanted}' is needed here: estimate it with --for {wanted}"),
        )
    }
}

impl Estimated {
    fn fault(&self) -> Option<String> {
        if self.value.0.is_some_and(|v| !v.is_finite()) {
            return Some("value is not a finite number".into());
        }
        if self.standard_error.0.is_some_and(|e| !(0.0..f64::INFINITY).contains(&e)) {
            return Some("standard_error must be a finite number that is not negative, or null".into());
        }
        let (determined, known) = (self.determined, self.value.0.is_some());
        (determined != known).then(|| {
            format!(
                "determined is {determined}, so that value must be {}",
                if determined { "a number" } else { "null" }
            )
        })
    }
}

#[cfg(test)]
mod tests;
