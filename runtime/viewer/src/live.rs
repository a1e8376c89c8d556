//! What simulations that are looked at have in common: how they are moved and held, and the bodies around them.

use crate::Result;
use nalgebra::Vector3;
use yarnwise_solvers::cloth::Simulation;
use yarnwise_solvers::contact::Body;

/// What is simulated while it is looked at.
pub(crate) trait LiveMotion {
    /// Simulated seconds since the start.
    fn time(&self) -> f64;
    /// Distance of neighboring particles, meters.
    fn spacing(&self) -> f32;
    /// Moves on by `seconds`; what the mouse holds stays held.
    fn advance(&mut self, seconds: f64) -> Result<()>;
    /// Begins again.
    fn restart(&mut self);
    /// Takes hold of the particle nearest to a ray (meters); its present place, if there is one within `radius` meters.
    fn grab(&self, origin: Vector3<f32>, direction: Vector3<f32>, radius: f32) -> Option<(usize, Vector3<f32>)>;
    /// Pulls a particle toward a point, meters.
    fn drag(&mut self, particle: usize, target: Vector3<f32>);
    /// Releases what is dragged.
    fn let_go(&mut self);
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
