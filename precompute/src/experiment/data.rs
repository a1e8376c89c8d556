//! What an experiment measured, as a file.

use crate::fabric::Response;
use serde::{Deserialize, Serialize};
use std::path::Path;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::{Error, Result, file, json};

/// The usual ending of the file's name.
pub const EXTENSION: &str = "json";

/// The version of the file that this program writes and reads.
pub const VERSION: u32 = 1;

const FORMAT: &str = "yarnwise-experiment";
const REFERENCE: &str = "docs/reference/experiments.md";

/// Largest file that is read.
const MAX_BYTES: u64 = 64 << 20;

/// The most states of an experiment.
const MAX_STATES: usize = 1 << 20;

/// What is done to the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One straight yarn is stretched.
    Single,
    /// A cell is stretched along both axes.
    Biaxial,
    /// A cell is stretched along x and free to narrow along y.
    Uniaxial,
    /// A stretched cell is sheared.
    Shear,
    /// A cell is bent.
    Bent,
    /// A yarn is pulled out of its crossings.
    PullOut,
    /// A patch is pulled along one family of yarns.
    InPlane,
}

impl Kind {
    /// As files and command lines write it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Single => "single",
            Kind::Biaxial => "biaxial",
            Kind::Uniaxial => "uniaxial",
            Kind::Shear => "shear",
            Kind::Bent => "bent",
            Kind::PullOut => "pull-out",
            Kind::InPlane => "in-plane",
        }
    }
}

/// A yarn on its way out of its crossings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// How far its end was pulled, m.
    pub displacement: f64,
    /// The pull, N.
    pub force: f64,
    /// The pull without friction at the same place, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_without_friction: Option<f64>,
    /// Sum of all normal forces on the yarn, N.
    pub normal_force_sum: f64,
    /// How many yarns still touch it.
    pub touching: usize,
    /// Whether forces balance.
    pub converged: bool,
}

/// A patch that is pulled along one family of yarns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// How far the pulled family was stretched.
    pub stretch: f64,
    /// The pull on the edge over its length at rest, N/m.
    pub edge_force: f64,
    /// Half of how far the pulled yarns and those across rise and fall in the middle of the patch, m.
    pub heights: [f64; 2],
    /// Whether forces balance.
    pub converged: bool,
}

/// An axis of fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// Along wefts.
    X,
    /// Along warps.
    Y,
}

/// A cell that is bent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bent {
    /// (sx, sa, sy) of the surface at the mean height of the yarns.
    pub strain: [f64; 3],
    /// The direction v along which it is bent.
    pub axis: Axis,
    /// lambda of II = lambda v v^T, 1/m; positive toward the front.
    pub curvature: f64,
    /// psi, J/m^2.
    pub energy_density: f64,
    /// d psi / d lambda, moment over width at rest, N; none where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<f64>,
    /// Whether forces balance.
    pub converged: bool,
    /// Whether it is a minimum.
    pub stable: bool,
}

impl Bent {
    /// Whether it is a stable equilibrium.
    pub fn is_sound(&self) -> bool {
        self.converged && self.stable
    }
}

/// An experiment: what was done to which model of which fabric, and what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// `yarnwise-experiment`.
    pub format: String,
    /// 1.
    pub version: u32,
    /// What was done.
    pub experiment: Kind,
    /// `spline`, `solid`, `persistent` or `database`.
    pub model: String,
    /// The name of the pattern.
    pub pattern: String,
    /// Yarn radius, m.
    pub radius: f64,
    /// Period at rest, m.
    pub period: [f64; 2],
    /// The fabric at rest, as the text of a .pyp file: another model can be made of the same fabric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fabric: Option<String>,
    /// What the yarns are made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<YarnMaterial>,
    /// Coefficient of friction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Of a cell under strain.
    #[serde(default)]
    pub states: Vec<Response>,
    /// Of a cell that is bent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bent: Option<Vec<Bent>>,
    /// Of a yarn that is pulled out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_out: Option<Vec<Pull>>,
    /// Of a patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_plane: Option<Vec<Load>>,
}

impl Experiment {
    /// An experiment in which nothing was measured yet.
    pub fn new(experiment: Kind, model: &str, pattern: &str, radius: f64, period: [f64; 2]) -> Self {
        Experiment {
            format: FORMAT.to_owned(),
            version: VERSION,
            experiment,
            model: model.to_owned(),
            pattern: pattern.to_owned(),
            radius,
            period,
            fabric: None,
            material: None,
            friction: None,
            states: Vec::new(),
            bent: None,
            pull_out: None,
            in_plane: None,
        }
    }

    /// Reads an experiment.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&file::read(path, MAX_BYTES, file::json)?, &file::origin(path))
    }

    /// Reads the bytes of an experiment; `origin` names it in messages.
    pub fn parse(bytes: &[u8], origin: &str) -> Result<Self> {
        let read: Experiment = json::parse(bytes, origin, REFERENCE)?;
        read.check(origin)?;
        Ok(read)
    }

    /// Writes it completely or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        let origin = file::origin(path);
        self.check(&origin)?;
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::invalid(&origin, e.to_string()))?;
        file::write_atomically(path, |w| w.write_all(text.as_bytes()).and_then(|()| w.write_all(b"\n")))
    }

    fn check(&self, origin: &str) -> Result<()> {
        let fault = |problem: String| Err(Error::invalid(origin, problem));
        if self.format != FORMAT {
            return fault(format!("format is {:?}, an experiment's is {FORMAT:?}", self.format));
        }
        if self.version != VERSION {
            return fault(format!(
                "is version {} of an experiment, this program reads version {VERSION}",
                self.version
            ));
        }
        let positive = |v: &f64| v.is_finite() && *v > 0.0;
        if !positive(&self.radius) || !self.period.iter().all(positive) {
            return fault("radius and period must be positive numbers of meters".to_owned());
        }
        if self.states.len() > MAX_STATES {
            return fault(format!("has {} states, at most {MAX_STATES} are possible", self.states.len()));
        }
        for (i, state) in self.states.iter().enumerate() {
            let numbers = state.strain.iter().chain([&state.energy_density]).chain(state.stress.iter().flatten());
            if numbers.chain(state.heights.iter().flatten()).any(|v| !v.is_finite()) {
                return fault(format!("state {} has a number that is not finite", i + 1));
            }
            if !is_possible(state.strain) {
                return fault(format!("state {} has the strain {:?}: {POSSIBLE}", i + 1, state.strain));
            }
        }
        for (i, state) in self.bent.iter().flatten().enumerate() {
            let numbers = [state.curvature, state.energy_density, state.moment.unwrap_or(0.0)];
            if numbers.iter().any(|v| !v.is_finite()) {
                return fault(format!("bent state {} has a number that is not finite", i + 1));
            }
            if !is_possible(state.strain) {
                return fault(format!("bent state {} has the strain {:?}: {POSSIBLE}", i + 1, state.strain));
            }
        }
        Ok(())
    }
}

const POSSIBLE: &str = "sx and sy are above -1, sa is between -1 and 1";

fn is_possible([sx, sa, sy]: [f64; 3]) -> bool {
    sx > -1.0 && sy > -1.0 && sa.abs() < 1.0
}
