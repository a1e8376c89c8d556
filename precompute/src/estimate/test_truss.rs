//! A fabric for tests whose every number has a closed form but two heights: each yarn is a truss over its crossings.
//!
//!   E = sum_{1,2} [1/2 ks l0 (l / l0 - 1)^2 + 1/2 kb theta^2 / l0] + 1/2 kc (2 r - h1 - h2)^2
//!   l = sqrt(L^2 + 4 h^2),   theta = 2 atan(2 h / L)

use crate::Result;
use crate::fabric::{Fabric, Kinds, Parameter, Response, Sensitivity};
use nalgebra::{Matrix2, Vector2};
use yarnwise_shared::table::strain::Strain;

/// Rest length of a yarn and distance of crossings, in radii; the yarn is longer than the way.
const REST: f64 = 4.6;
const SPACING: f64 = 4.0;

/// Which answers are withheld: given the values and the strain.
pub(super) type Withheld = fn(&[f64], Strain<f64>) -> bool;

/// The fabric; unit of length is the yarn radius.
#[derive(Clone, Debug)]
pub(super) struct Truss {
    pub(super) values: Vec<f64>,
    /// States that are said to be unstable.
    pub(super) withheld: Withheld,
    /// A fourth parameter that acts exactly as the third does.
    pub(super) twin: bool,
}

pub(super) const TRUTH: [f64; 3] = [1.0, 0.025, 0.5];

pub(super) fn truss() -> Truss {
    Truss { values: TRUTH.to_vec(), withheld: |_, _| false, twin: false }
}

/// Energy of a yarn: slope by (L, h) and second derivatives LL (not needed), Lh, hh, for each of stretch and bend.
struct Yarn {
    energy: [f64; 2],
    by_length: [f64; 2],
    by_height: [f64; 2],
    mixed: [f64; 2],
    by_height_twice: [f64; 2],
}

fn yarn(length: f64, h: f64, ks: f64, kb: f64) -> Yarn {
    let l = length.hypot(2.0 * h);
    let theta = 2.0 * (2.0 * h / length).atan();
    let (tension, moment) = (ks * (l / REST - 1.0), kb * theta / REST);
    let (ll, lh) = (length / l, 4.0 * h / l);
    let (tl, th) = (-4.0 * h / (l * l), 4.0 * length / (l * l));
    let (lhh, llh) = (4.0 * length * length / l.powi(3), -4.0 * length * h / l.powi(3));
    let (thh, tlh) = (-32.0 * length * h / l.powi(4), -4.0 / (l * l) + 32.0 * h * h / l.powi(4));
    Yarn {
        energy: [0.5 * tension * tension / ks * REST, 0.5 * moment * theta],
        by_length: [tension * ll, moment * tl],
        by_height: [tension * lh, moment * th],
        mixed: [ks / REST * ll * lh + tension * llh, kb / REST * tl * th + moment * tlh],
        by_height_twice: [ks / REST * lh * lh + tension * lhh, kb / REST * th * th + moment * thh],
    }
}

impl Truss {
    fn stiffness(&self) -> [f64; 3] {
        let third = if self.twin { self.values[2] + self.values[3] } else { self.values[2] };
        [self.values[0], self.values[1], third]
    }

    fn yarns(&self, strain: Strain<f64>, h: Vector2<f64>) -> [Yarn; 2] {
        let [ks, kb, _] = self.stiffness();
        [yarn(SPACING * (1.0 + strain.sx), h.x, ks, kb), yarn(SPACING * (1.0 + strain.sy), h.y, ks, kb)]
    }

    fn slope_and_stiffness(&self, yarns: &[Yarn; 2], h: Vector2<f64>) -> (Vector2<f64>, Matrix2<f64>) {
        let kc = self.stiffness()[2];
        let gap = 2.0 - h.x - h.y;
        let sum = |v: [f64; 2]| v[0] + v[1];
        let slope = Vector2::new(sum(yarns[0].by_height) - kc * gap, sum(yarns[1].by_height) - kc * gap);
        let diagonal = [0, 1].map(|k: usize| sum(yarns[k].by_height_twice));
        (slope, Matrix2::new(diagonal[0] + kc, kc, kc, diagonal[1] + kc))
    }

    fn solve(&self, strain: Strain<f64>) -> (Vector2<f64>, bool) {
        let mut h = Vector2::new(0.9, 0.9);
        for _ in 0..200 {
            let (slope, stiffness) = self.slope_and_stiffness(&self.yarns(strain, h), h);
            let step =
                (stiffness + Matrix2::identity() * 1e-12).try_inverse().map_or(-slope, |inverse| -inverse * slope);
            h += step * (0.05 / step.amax()).min(1.0);
            if step.amax() < 1e-14 {
                break;
            }
        }
        let (slope, _) = self.slope_and_stiffness(&self.yarns(strain, h), h);
        (h, slope.amax() < 1e-11 * self.stiffness()[0])
    }
}

impl Fabric for Truss {
    fn model(&self) -> &'static str {
        "truss"
    }

    fn parameters(&self) -> Vec<Parameter> {
        let names = ["stretch", "bend", "contact", "twin"];
        names.iter().zip(&self.values).map(|(name, v)| Parameter::new(name, "N", *v)).collect()
    }

    fn with_values(&self, values: &[f64]) -> Result<Box<dyn Fabric>> {
        Ok(Box::new(Truss { values: values.to_vec(), ..self.clone() }))
    }

    fn respond(&self, strain: Strain<f64>) -> Result<Response> {
        Ok(self.respond_with_sensitivity(strain)?.0)
    }

    fn respond_with_sensitivity(&self, strain: Strain<f64>) -> Result<(Response, Sensitivity)> {
        let (h, converged) = self.solve(strain);
        let yarns = self.yarns(strain, h);
        let (_, stiffness) = self.slope_and_stiffness(&yarns, h);
        let area = SPACING * SPACING;
        let kc = self.stiffness()[2];
        let gap = 2.0 - h.x - h.y;
        let kinds = [0, 1].map(|kind: usize| (yarns[0].energy[kind] + yarns[1].energy[kind]) / area);
        let kinds = Kinds { stretch: kinds[0], bend: kinds[1], twist: 0.0, contact: 0.5 * kc * gap * gap / area };
        let stress = [0, 1].map(|k: usize| (yarns[k].by_length[0] + yarns[k].by_length[1]) * SPACING / area);
        let stable = stiffness.symmetric_eigenvalues().min() > 0.0 && !(self.withheld)(&self.values, strain);
        let response = Response {
            strain: [strain.sx, strain.sa, strain.sy],
            energy_density: kinds.total(),
            kinds: Some(kinds),
            stress: Some([stress[0], 0.0, stress[1]]),
            heights: Some([h.x, h.y]),
            normal_force: Some(kc * gap),
            converged,
            stable,
        };
        let inverse = stiffness.try_inverse().unwrap_or_else(Matrix2::zeros);
        let mut out = Sensitivity::default();
        for kind in 0..self.values.len() {
            let share = if kind < 2 { 1.0 } else { self.values[kind] / kc };
            let force = match kind {
                0 | 1 => Vector2::new(yarns[0].by_height[kind], yarns[1].by_height[kind]),
                _ => Vector2::new(-kc * gap, -kc * gap) * share,
            };
            let change = -inverse * force;
            let own = |k: usize| if kind < 2 { yarns[k].by_length[kind] } else { 0.0 };
            let carried = |k: usize| (yarns[k].mixed[0] + yarns[k].mixed[1]) * change[k];
            out.stress.push([(own(0) + carried(0)) * SPACING / area, 0.0, (own(1) + carried(1)) * SPACING / area]);
            out.energy_density.push([kinds.stretch, kinds.bend, kinds.contact][kind.min(2)] * share);
            out.heights.push([change.x, change.y]);
        }
        Ok((response, out))
    }
}
