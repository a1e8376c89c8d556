//! What simulations that are looked at have in common: how they are moved and touched, and the bodies around them.

use crate::Result;
use nalgebra::Vector3;
use yarnwise_solvers::cloth::Simulation;
use yarnwise_solvers::contact::Body;

/// What a hand on a simulation does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Takes hold of a place and leads it.
    #[default]
    Drag,
    /// Takes a yarn by its nearer end and leads that.
    PullOut,
    /// Cuts a yarn.
    Cut,
}

impl Tool {
    /// For people, with its key.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Tool::Drag => "drag (D)",
            Tool::PullOut => "pull a yarn out (O)",
            Tool::Cut => "cut a yarn (C)",
        }
    }
}

/// A line of sight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    /// Where it begins, meters.
    pub(crate) origin: Vector3<f32>,
    /// A unit vector.
    pub(crate) direction: Vector3<f32>,
    /// How far beside it something is still meant, meters.
    pub(crate) radius: f32,
}

/// What a hand finds.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "yarn-level"), allow(dead_code, reason = "cloth is only dragged"))]
pub(crate) enum Touch {
    /// Nothing is there.
    Nothing,
    /// A particle, which is held now, and where it is, meters.
    Held(usize, Vector3<f32>),
    /// It is done: a short message that says what.
    Done(String),
    /// It cannot be done: a short message that says why.
    Refused(String),
}

/// What is simulated while it is looked at.
pub(crate) trait LiveMotion {
    /// Simulated seconds since the start.
    fn time(&self) -> f64;
    /// Distance of neighboring particles, meters.
    fn spacing(&self) -> f32;
    /// What a hand can do.
    fn tools(&self) -> &'static [Tool] {
        &[Tool::Drag]
    }
    /// Seconds to move on by at a time, so that pictures are drawn meanwhile.
    fn stride(&self) -> f64 {
        f64::INFINITY
    }
    /// Moves on by `seconds`; what the mouse holds stays held.
    fn advance(&mut self, seconds: f64) -> Result<()>;
    /// Begins again.
    fn restart(&mut self);
    /// Uses a tool on what is nearest to a ray.
    fn touch(&mut self, tool: Tool, ray: &Ray) -> Touch;
    /// Pulls a particle toward a point, meters.
    fn drag(&mut self, particle: usize, target: Vector3<f32>);
    /// Releases what is dragged.
    fn let_go(&mut self);
    /// What hands have done so far, for people; nothing where that is not counted.
    fn history(&self) -> String {
        String::new()
    }
}

/// The bodies around the cloth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenery<'a> {
    /// The bodies.
    pub(crate) bodies: &'a [Body],
    /// When they are shown, seconds.
    pub(crate) time: f64,
    /// A body is drawn this much smaller than its surface, meters: yarns have a thickness below the midsurface too.
    pub(crate) inset: f32,
}

impl<'a> Scenery<'a> {
    /// That of simulated cloth.
    pub(crate) fn of(simulation: &'a Simulation) -> Self {
        const INSET: f32 = 0.002;
        Scenery { bodies: &simulation.bodies, time: simulation.time(), inset: INSET }
    }
}
