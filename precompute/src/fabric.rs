//! What a model of fabric says of a periodic cell, in one form for all models.
//!
//! Explicit yarns, solids, persistent contacts and baked databases answer the same question: under this strain, how much energy
//! does an area of fabric store, and how hard does it pull? Experiments ask it, and estimation compares the answers.

use crate::Result;
use serde::{Deserialize, Serialize};
pub use yarnwise_shared::table::database::Kinds;
use yarnwise_shared::table::strain::Strain;

/// What a model is made of: a positive number that estimation may change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name, such as `stretch`.
    pub name: String,
    /// Its unit, such as `N`.
    pub unit: String,
    /// Its value, in that unit.
    pub value: f64,
}

impl Parameter {
    /// A parameter of this name, unit and value.
    pub fn new(name: &str, unit: &str, value: f64) -> Self {
        Parameter { name: name.to_owned(), unit: unit.to_owned(), value }
    }
}

/// Fabric at equilibrium under one strain. Areas and lengths in densities are those of undeformed fabric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// (sx, sa, sy).
    pub strain: [f64; 3],
    /// psi, J/m^2.
    pub energy_density: f64,
    /// psi by kind, where the model tells kinds apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Kinds>,
    /// d psi / d(sx, sa, sy), N/m; none where the model does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stress: Option<[f64; 3]>,
    /// Half of how far the center lines rise and fall, m: of yarns along x (wefts) and along y (warps).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heights: Option<[f64; 2]>,
    /// How hard two yarns press on each other at a crossing, the mean of all, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal_force: Option<f64>,
    /// Whether forces balance.
    pub converged: bool,
    /// Whether it is a minimum: the stiffness has no negative direction, and none without resistance but motions that cost
    /// nothing.
    pub stable: bool,
}

impl Response {
    /// The strain.
    pub fn strain(&self) -> Strain<f64> {
        let [sx, sa, sy] = self.strain;
        Strain::new(sx, sa, sy)
    }

    /// Whether it may serve as data: a stable equilibrium of finite numbers.
    pub fn is_sound(&self) -> bool {
        let numbers = self.strain.iter().chain([&self.energy_density]).chain(self.stress.iter().flatten());
        self.converged && self.stable && numbers.into_iter().all(|v| v.is_finite())
    }
}

/// How a [`Response`] changes with z = ln p, one entry a parameter p.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sensitivity {
    /// d psi / dz, J/m^2.
    pub energy_density: Vec<f64>,
    /// d stress / dz, N/m; empty where the model does not know it.
    pub stress: Vec<[f64; 3]>,
    /// d heights / dz, m; empty where the model has no heights.
    pub heights: Vec<[f64; 2]>,
}

/// A periodic cell of fabric, made of one model.
pub trait Fabric: Send + Sync {
    /// The model's name: `spline`, `solid`, `persistent`, `database`.
    fn model(&self) -> &'static str;

    /// What the fabric is made of; empty where nothing can be changed.
    fn parameters(&self) -> Vec<Parameter>;

    /// The same fabric made of other values, in the order of [`Fabric::parameters`]. Period, rest lengths and the place where
    /// searches begin stay, so that the same strain is reached along the same path.
    fn with_values(&self, values: &[f64]) -> Result<Box<dyn Fabric>>;

    /// The equilibrium under `strain`, reached from rest along a fixed path: the answer depends on nothing that was asked before.
    fn respond(&self, strain: Strain<f64>) -> Result<Response>;

    /// The same, and how it changes with the parameters.
    fn respond_with_sensitivity(&self, strain: Strain<f64>) -> Result<(Response, Sensitivity)>;
}
