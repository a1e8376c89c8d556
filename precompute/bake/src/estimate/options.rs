//! What an estimate may be told.

use anyhow::ensure;
use std::str::FromStr;
use yarnwise_precompute::estimate::{Quantity, Selection, Wishes};
use yarnwise_shared::pattern::material::YarnMaterial;

/// What parameters are sought.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Target {
    /// A yarn: stretch, bend, contact; friction from pull-out
    Yarn,
    /// Woven yarns with persistent contacts, as the yarn solver has them
    Persistent,
    /// Triangles of cloth, as the hybrid and cloth solvers have them
    Membrane,
}

/// `NAME=VALUE`.
#[derive(Clone)]
struct Named(String, f64);

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not NAME=VALUE, such as bend=2e-9");
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        Ok(Named(name.trim().to_owned(), value.trim().parse().map_err(|_| wrong())?))
    }
}

/// `NAME=LOW..HIGH`.
#[derive(Clone)]
struct Between(String, [f64; 2]);

impl FromStr for Between {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is not NAME=LOW..HIGH, such as bend=1e-9..1e-7");
        let (name, range) = text.split_once('=').ok_or_else(wrong)?;
        Ok(Between(name.trim().to_owned(), span(range).ok_or_else(wrong)?))
    }
}

/// `LOW..HIGH`.
fn span(text: &str) -> Option<[f64; 2]> {
    let (low, high) = text.split_once("..")?;
    Some([low.trim().parse().ok()?, high.trim().parse().ok()?])
}

fn range(text: &str) -> Result<[f64; 2], String> {
    span(text).ok_or_else(|| format!("'{text}' is not LOW..HIGH, such as -0.05..0.5"))
}

/// How the energy of a membrane is written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Form {
    /// A spline over the strains of the data
    Spline,
    /// Constants of small strains
    Constants,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Compared {
    /// How hard the fabric pulls
    Stress,
    /// The energy that it stores
    Energy,
    /// How far yarns rise and fall
    Heights,
}

/// How parameters are searched.
#[derive(clap::Args)]
#[command(next_help_heading = "Search")]
pub(super) struct Search {
    /// Keep a parameter at a value in SI units, such as contact=12; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    fix: Vec<Named>,
    /// Where the search for a parameter begins; may be repeated [default: at the material of the data]
    #[arg(long, value_name = "NAME=VALUE")]
    start: Vec<Named>,
    /// The lowest and the highest value of a parameter, such as bend=1e-9..1e-7; may be repeated
    #[arg(long, value_name = "NAME=LOW..HIGH")]
    bounds: Vec<Between>,
    /// What is compared, with commas between [default: stress where the data have it, else energy]
    #[arg(long = "use", value_name = "WHAT", value_enum, value_delimiter = ',')]
    compared: Vec<Compared>,
    /// A named material where the search begins, for data that do not say theirs: knit, woven or fine
    #[arg(long, value_name = "NAME")]
    material: Option<String>,
    /// Weight of the distance of the parameters' logarithms from the start, beside squared residuals. It pulls all parameters towards
    /// the start
    #[arg(long, value_name = "WEIGHT", default_value_t = 0.0)]
    prior: f64,
    /// Persistent contacts without crimp, as published: yarns do not exchange length
    #[arg(long)]
    flat: bool,
    /// How the energy of a membrane is written
    #[arg(long, value_enum, default_value_t = Form::Spline)]
    form: Form,
}

impl Search {
    /// Refuses numbers that no search can have, and parameters of which two things are said.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let names = |list: &[Named]| list.iter().map(|Named(name, _)| name.clone()).collect::<Vec<_>>();
        let bounded = self.bounds.iter().map(|Between(name, _)| name.clone()).collect();
        for (option, names) in [("--fix", names(&self.fix)), ("--start", names(&self.start)), ("--bounds", bounded)] {
            let twice = names.iter().enumerate().find(|(k, name)| names[..*k].contains(name));
            ensure!(twice.is_none(), "{option} {}: is given twice", twice.map_or("", |(_, name)| name));
        }
        yarnwise_program::number::within("--prior", self.prior, [0.0, 1e6]).map(drop)
    }

    /// Wishes about the parameters of a model; friction is not one of them.
    pub(super) fn wishes(&self) -> Wishes {
        let named = |list: &[Named]| list.iter().map(|Named(name, value)| (name.clone(), *value)).collect();
        let others = self.bounds.iter().filter(|Between(name, _)| name != FRICTION);
        Wishes {
            fixed: named(&self.fix),
            starts: named(&self.start),
            bounds: others.map(|Between(name, bounds)| (name.clone(), *bounds)).collect(),
        }
    }

    /// Whether a parameter keeps the value that is given.
    pub(super) fn fixes(&self, name: &str) -> bool {
        self.fix.iter().any(|Named(fixed, _)| fixed == name)
    }

    /// Between which values friction is sought.
    pub(super) fn friction_bounds(&self) -> [f64; 2] {
        self.bounds.iter().rev().find(|Between(name, _)| name == FRICTION).map_or([0.0, 1.0], |b| b.1)
    }

    pub(super) fn quantities(&self) -> Vec<Quantity> {
        let quantity = |compared: &Compared| match compared {
            Compared::Stress => Quantity::Stress,
            Compared::Energy => Quantity::Energy,
            Compared::Heights => Quantity::Heights,
        };
        let mut all: Vec<Quantity> = self.compared.iter().map(quantity).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    pub(super) fn material(&self) -> yarnwise_shared::Result<Option<YarnMaterial>> {
        self.material.as_deref().map(YarnMaterial::preset).transpose()
    }

    pub(super) fn prior(&self) -> f64 {
        self.prior
    }

    pub(super) fn flat(&self) -> bool {
        self.flat
    }

    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// Whether anything is said about a search.
    pub(super) fn is_wished(&self) -> bool {
        let lists = self.fix.is_empty() && self.start.is_empty() && self.bounds.is_empty() && self.compared.is_empty();
        !lists || self.prior != 0.0 || self.flat
    }
}

/// The name of friction among parameters.
const FRICTION: &str = "friction";

/// Which samples of a database are taken.
#[derive(clap::Args)]
#[command(next_help_heading = "Samples of a database")]
pub(super) struct States {
    /// Smallest and largest sx and sy [default: -0.05..0.7]
    #[arg(long, value_name = "LOW..HIGH", value_parser = range, allow_hyphen_values = true)]
    strains: Option<[f64; 2]>,
    /// Largest sa; samples sheared the other way are left out [default: 0.3]
    #[arg(long, value_name = "SA")]
    shear: Option<f64>,
    /// The most samples, spread over the range [default: 24]
    #[arg(long, value_name = "N")]
    states: Option<u16>,
}

impl States {
    pub(super) fn selection(&self) -> Selection {
        let usual = Selection::default();
        Selection {
            stretch: self.strains.unwrap_or(usual.stretch),
            shear: self.shear.unwrap_or(usual.shear),
            most: self.states.map_or(usual.most, usize::from),
        }
    }

    /// Whether anything is said about samples.
    pub(super) fn is_given(&self) -> bool {
        self.strains.is_some() || self.shear.is_some() || self.states.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_the_defaults() {
        use clap::{Args, Command};
        let help = States::augment_args(Command::new("test")).render_long_help().to_string();
        let Selection { stretch: [low, high], shear, most } = Selection::default();
        assert!(help.contains(&format!("[default: {low}..{high}]")), "{help}");
        assert!(
            help.contains(&format!("[default: {shear}]")) && help.contains(&format!("[default: {most}]")),
            "{help}"
        );
    }
}
