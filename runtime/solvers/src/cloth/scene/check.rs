//! Faults of a scene that its format allows.

use super::{ClothSpec, GridSpec, PinSpec, Scene, Selection, TubeSpec};
use crate::scene::check::{
    PLACE, all_between, between, corners, direction, listed, perpendicular, pin, positive, within,
};

/// The most particles of a sheet or tube.
const MAX_PARTICLES: usize = 1_000_000;

impl Scene {
    /// The first fault, in words.
    pub(super) fn fault(&self) -> Option<String> {
        (self.cloth.fault().map(within("cloth")))
            .or_else(|| self.material.fault().map(within("material")))
            .or_else(|| self.environment_fault().map(within("environment")))
            .or_else(|| listed("body", self.bodies.iter().map(|b| b.fault())))
            .or_else(|| listed("pin", self.pins.iter().map(PinSpec::fault)))
            .or_else(|| self.thickness_fault())
            .or_else(|| self.self_contact_fault().map(within("self_contact")))
            .or_else(|| self.solver.fault().map(within("solver")))
            .or_else(|| self.output.fault().map(within("output")))
    }

    fn environment_fault(&self) -> Option<String> {
        let e = &self.environment;
        all_between("gravity", &e.gravity, [-1e3, 1e3])
            .or_else(|| all_between("wind", &e.wind, [-1e3, 1e3]))
            .or_else(|| between("air_damping", e.air_damping, [0.0, 1e6]))
            .or_else(|| between("air_density", e.air_density, [0.0, 1e6]))
            .or_else(|| between("air_resistance", e.air_resistance, [0.0, 1e6]))
            .or_else(|| between("gusts", e.gusts, [0.0, 1e6]))
            .or_else(|| positive("gust_period", e.gust_period, 1e6))
    }

    fn thickness_fault(&self) -> Option<String> {
        positive("thickness", self.thickness?, 1.0)
    }

    fn self_contact_fault(&self) -> Option<String> {
        let c = self.self_contact?;
        positive("distance", c.distance, 1.0)
            .or_else(|| between("stiffness", c.stiffness, [0.0, 1e9]))
            .or_else(|| between("damping", c.damping, [0.0, 1e9]))
    }
}

impl PinSpec {
    fn fault(&self) -> Option<String> {
        self.hold.fault().or_else(|| pin(self.until, &self.motion))
    }
}

impl Selection {
    fn fault(&self) -> Option<String> {
        match self {
            Selection::Box { low, high } => corners(low, high),
            _ => None,
        }
    }
}

impl ClothSpec {
    fn fault(&self) -> Option<String> {
        match self {
            ClothSpec::Grid(grid) => grid.fault(),
            ClothSpec::Tube(tube) => tube.fault(),
            ClothSpec::Mesh(_) => None,
        }
    }
}

/// Whether a lattice has a size that can be simulated.
fn count_fault(a: usize, b: usize, least: usize) -> Option<String> {
    let fine = a >= least && b >= 2 && a.checked_mul(b).is_some_and(|n| n <= MAX_PARTICLES);
    (!fine).then(|| format!("{a} by {b} particles, at least {least} by 2 and at most {MAX_PARTICLES} are possible"))
}

/// What is wrong with a length of cloth, meters.
fn length(name: &str, value: f64) -> Option<String> {
    between(name, value, [1e-6, 1e3])
}

impl GridSpec {
    fn fault(&self) -> Option<String> {
        count_fault(self.columns, self.rows, 2)
            .or_else(|| length("spacing", self.spacing))
            .or_else(|| all_between("center", &self.center, PLACE))
            .or_else(|| between("ripple", self.ripple, PLACE))
            .or_else(|| perpendicular(&self.u, &self.v))
    }
}

impl TubeSpec {
    fn fault(&self) -> Option<String> {
        count_fault(self.around, self.along, 5)
            .or_else(|| length("radius", self.radius))
            .or_else(|| length("length", self.length))
            .or_else(|| all_between("origin", &self.origin, PLACE))
            .or_else(|| direction("axis", &self.axis))
    }
}
