//! Faults of a scene that its format allows.

use super::{ClothSpec, GridSpec, PinSpec, Scene, Selection, TubeSpec};
use nalgebra::Vector3;

/// The most particles of a sheet or tube.
const MAX_PARTICLES: usize = 1_000_000;
/// The most frames, those of a `.bin` file.
const MAX_FRAMES: f64 = 9_999.0;
/// Coordinates (meters), angles and times that a scene may hold.
pub(super) const PLACE: [f64; 2] = [-1e6, 1e6];

impl Scene {
    /// The first fault, in words.
    pub(super) fn fault(&self) -> Option<String> {
        let within = |name: &'static str| move |problem: String| format!("{name}: {problem}");
        let listed = |name: &str, faults: Vec<Option<String>>| {
            let first = faults.into_iter().enumerate().find_map(|(i, f)| f.map(|f| (i, f)));
            first.map(|(i, problem)| format!("{name} {i}: {problem}"))
        };
        (self.cloth.fault().map(within("cloth")))
            .or_else(|| self.material.fault().map(within("material")))
            .or_else(|| self.environment_fault().map(within("environment")))
            .or_else(|| listed("body", self.bodies.iter().map(|b| b.fault()).collect()))
            .or_else(|| listed("pin", self.pins.iter().map(PinSpec::fault).collect()))
            .or_else(|| self.thickness_fault())
            .or_else(|| self.self_contact_fault().map(within("self_contact")))
            .or_else(|| self.solver.fault().map(within("solver")))
            .or_else(|| self.output_fault().map(within("output")))
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

    fn output_fault(&self) -> Option<String> {
        let o = &self.output;
        let frames = (o.duration * o.frames_per_second).round();
        positive("duration", o.duration, 3600.0)
            .or_else(|| positive("frames_per_second", o.frames_per_second, 1000.0))
            .or_else(|| between("duration times frames_per_second", frames, [1.0, MAX_FRAMES]))
    }
}

/// What is wrong with a number that must lie in a range.
pub(super) fn between(name: &str, value: f64, [low, high]: [f64; 2]) -> Option<String> {
    (!(low..=high).contains(&value)).then(|| format!("{name} is {value}, it must be between {low} and {high}"))
}

/// What is wrong with a number that must be positive.
pub(super) fn positive(name: &str, value: f64, most: f64) -> Option<String> {
    (!(value > 0.0 && value <= most)).then(|| format!("{name} is {value}, it must be positive and at most {most}"))
}

/// What is wrong with the first number of a list that does not lie in a range.
pub(super) fn all_between(name: &str, values: &[f64], range: [f64; 2]) -> Option<String> {
    values.iter().enumerate().find_map(|(i, v)| between(&format!("{name}[{i}]"), *v, range))
}

/// What is wrong with a direction.
pub(super) fn direction(name: &str, value: &[f64; 3]) -> Option<String> {
    all_between(name, value, PLACE).or_else(|| {
        (Vector3::from(*value).norm() <= 1e-9).then(|| format!("{name} has no length, it must be a direction"))
    })
}

impl PinSpec {
    fn fault(&self) -> Option<String> {
        let until = self.until.and_then(|t| between("until", t, PLACE));
        let motion = || self.motion.fault().map(|f| format!("motion {f}"));
        until.or_else(|| self.hold.fault()).or_else(motion)
    }
}

impl Selection {
    fn fault(&self) -> Option<String> {
        match self {
            Selection::Box { low, high } => all_between("low", low, PLACE).or_else(|| all_between("high", high, PLACE)),
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
            .or_else(|| direction("u", &self.u))
            .or_else(|| direction("v", &self.v))
            .or_else(|| between("ripple", self.ripple, PLACE))
            .or_else(|| self.angle_fault())
    }

    fn angle_fault(&self) -> Option<String> {
        let (u, v) = (Vector3::from(self.u), Vector3::from(self.v));
        let perpendicular = u.dot(&v).abs() < 1e-3 * u.norm() * v.norm();
        (!perpendicular).then(|| "u and v must be two perpendicular directions".into())
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
