//! Faults of a scene that its format allows.

use super::{ClothSpec, GridSpec, Scene, TubeSpec};
use crate::motion::fits;
use nalgebra::Vector3;

/// The most particles of a sheet or tube.
const MAX_PARTICLES: usize = 1_000_000;
/// The most frames, those of a `.bin` file.
const MAX_FRAMES: f64 = 9_999.0;

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
            .or_else(|| listed("pin", self.pins.iter().map(pin_fault).collect()))
            .or_else(|| self.thickness_fault())
            .or_else(|| self.self_contact_fault().map(within("self_contact")))
            .or_else(|| self.solver.fault().map(within("solver")))
            .or_else(|| self.output_fault().map(within("output")))
    }

    fn environment_fault(&self) -> Option<String> {
        let e = &self.environment;
        if !e.gravity.iter().chain(&e.wind).all(|v| (-1e3..=1e3).contains(v)) {
            return Some("gravity and wind must be between -1000 and 1000".into());
        }
        let named = [
            ("air_damping", e.air_damping),
            ("air_density", e.air_density),
            ("air_resistance", e.air_resistance),
            ("gusts", e.gusts),
        ];
        if let Some((name, v)) = named.iter().find(|(_, v)| !(0.0..=1e6).contains(v)) {
            return Some(format!("{name} is {v}, it must not be negative"));
        }
        (!(e.gust_period > 0.0 && e.gust_period <= 1e6)).then(|| "gust_period must be positive".into())
    }

    fn thickness_fault(&self) -> Option<String> {
        let bad = self.thickness.filter(|t| !(*t > 0.0 && *t <= 1.0));
        bad.map(|t| format!("thickness is {t}, it must be positive and at most 1 meter"))
    }

    fn self_contact_fault(&self) -> Option<String> {
        let c = self.self_contact?;
        if !(c.distance > 0.0 && c.distance <= 1.0) {
            return Some(format!(
                "distance is {}, it must be positive and at most 1 (of the mesh spacing)",
                c.distance
            ));
        }
        let fine = (0.0..=1e9).contains(&c.stiffness) && (0.0..=1e9).contains(&c.damping);
        (!fine).then(|| "stiffness and damping must be between 0 and 1e9".into())
    }

    fn output_fault(&self) -> Option<String> {
        let o = &self.output;
        if !(o.duration > 0.0 && o.duration <= 3600.0) {
            return Some(format!("duration is {}, it must be positive and at most 3600 seconds", o.duration));
        }
        if !(o.frames_per_second > 0.0 && o.frames_per_second <= 1000.0) {
            return Some(format!("frames_per_second is {}, it must be positive and at most 1000", o.frames_per_second));
        }
        let frames = (o.duration * o.frames_per_second).round();
        (!(1.0..=MAX_FRAMES).contains(&frames))
            .then(|| format!("{frames} frames, between 1 and {MAX_FRAMES} are possible"))
    }
}

fn pin_fault(pin: &super::PinSpec) -> Option<String> {
    if pin.until.is_some_and(|t| !fits(t)) {
        return Some("until must be a time in seconds".into());
    }
    pin.motion.fault().map(|f| format!("motion {f}"))
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

fn length_fault(name: &str, v: f64) -> Option<String> {
    (!(1e-6..=1e3).contains(&v)).then(|| format!("{name} is {v}, it must be between 1e-6 and 1000 meters"))
}

impl GridSpec {
    fn fault(&self) -> Option<String> {
        if let Some(fault) = count_fault(self.columns, self.rows, 2).or_else(|| length_fault("spacing", self.spacing)) {
            return Some(fault);
        }
        if !self.center.iter().chain(&self.u).chain(&self.v).chain([&self.ripple]).all(|c| fits(*c)) {
            return Some("center, u, v or ripple holds a number that is not finite or beyond 1e6".into());
        }
        let (u, v) = (Vector3::from(self.u), Vector3::from(self.v));
        let fine = u.norm() > 1e-9 && v.norm() > 1e-9 && u.dot(&v).abs() < 1e-3 * u.norm() * v.norm();
        (!fine).then(|| "u and v must be two perpendicular directions".into())
    }
}

impl TubeSpec {
    fn fault(&self) -> Option<String> {
        let counts = count_fault(self.around, self.along, 5);
        let lengths = || length_fault("radius", self.radius).or_else(|| length_fault("length", self.length));
        if let Some(fault) = counts.or_else(lengths) {
            return Some(fault);
        }
        let numbers = self.origin.iter().chain(&self.axis).all(|c| fits(*c));
        let fine = numbers && Vector3::from(self.axis).norm() > 1e-9;
        (!fine).then(|| "origin and axis must be finite, and axis a direction".into())
    }
}
