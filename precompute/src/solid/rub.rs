//! Friction of skins: lagged Coulomb friction of a vertex and the place on the triangle that it is below.
//!
//!   D = sum mu N f0(|u|),   u = (I - n n^T) (sum_a c_a x_a - start)          f0: [`crate::explicit::friction`]
//!
//! Normal force N (N), normal n and weights c of the points are frozen before a search: they are those of the material that touches
//! then. `start` is where the weighted sum was when the increment began, less the slip that was kept from increments before, m.

use super::mesh::Skin;
use super::surface::Contact;
use crate::explicit::friction;
use crate::newton::{Blocks, PointMatrix};
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// Coulomb friction of surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidFriction {
    /// mu.
    pub coefficient: f64,
    /// The slip after which friction is used up, m: a thousandth of the radius is stiff enough to hold.
    pub slip: f64,
}

/// A vertex, and the strand that it touches.
type VertexAndStrand = (usize, usize);

/// What pairs have slipped and friction has not forgotten, m: at most [`SolidFriction::slip`].
pub(crate) type Slips = BTreeMap<VertexAndStrand, Vector3<f64>>;

/// A touch with what friction freezes.
#[derive(Clone, Debug)]
pub(crate) struct Rub {
    who: VertexAndStrand,
    /// Points and their share of the vertex less that of the place below it: they sum to zero.
    parts: Vec<(usize, f64)>,
    start: Vector3<f64>,
    normal: Vector3<f64>,
    /// mu N, N.
    limit: f64,
}

impl Rub {
    fn slipped(&self, x: &[Vector3<f64>]) -> Vector3<f64> {
        friction::tangential(&self.normal, &(weighted(&self.parts, x) - self.start))
    }
}

fn weighted(parts: &[(usize, f64)], x: &[Vector3<f64>]) -> Vector3<f64> {
    parts.iter().map(|(p, c)| x[*p] * *c).sum()
}

/// Friction as it is during a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkinFriction {
    slip: f64,
    rubs: Vec<Rub>,
}

impl SkinFriction {
    /// Freezes what touches with vertices at `places` (m). `start` is where points were when the increment began (m). Copies of
    /// strands must not be turned.
    pub(crate) fn new(
        friction: &SolidFriction,
        contact: &Contact,
        skin: &Skin,
        places: &[Vector3<f64>],
        start: &[Vector3<f64>],
        slips: &Slips,
    ) -> Self {
        let freeze = |touch: &super::surface::SkinTouch| {
            let force = contact.force(skin, touch);
            let normal = force.try_normalize(0.0)?;
            let parts = touch.parts(skin);
            let who = (touch.vertex, contact.strand(skin, touch));
            let kept = slips.get(&who).copied().unwrap_or_default();
            let start = weighted(&parts, start) - kept;
            Some(Rub { who, parts, start, normal, limit: friction.coefficient * force.norm() })
        };
        let rubs = contact.touches(skin, places).iter().filter_map(freeze).collect();
        SkinFriction { slip: friction.slip, rubs }
    }

    /// What is kept when an increment ends with points at `x` (m).
    pub(crate) fn slips(&self, x: &[Vector3<f64>]) -> Slips {
        let kept = |rub: &Rub| {
            let u = rub.slipped(x);
            (rub.who, u * (self.slip / u.norm().max(self.slip)))
        };
        self.rubs.iter().map(kept).collect()
    }

    /// D, J.
    pub(crate) fn value(&self, x: &[Vector3<f64>]) -> f64 {
        self.rubs.iter().map(|r| friction::value(r.limit, self.slip, &r.slipped(x))).sum()
    }

    /// Calls `pair` for points that rub.
    pub(crate) fn couplings(&self, pair: &mut dyn FnMut(usize, usize)) {
        for rub in &self.rubs {
            for (k, (a, _)) in rub.parts.iter().enumerate() {
                rub.parts[k + 1..].iter().for_each(|(b, _)| pair(*a, *b));
            }
        }
    }

    /// Adds the gradient, N.
    pub(crate) fn add_gradient(&self, x: &[Vector3<f64>], gradient: &mut [Vector3<f64>]) {
        for rub in &self.rubs {
            let pull = friction::gradient(rub.limit, self.slip, &rub.slipped(x));
            rub.parts.iter().for_each(|(p, c)| gradient[*p] += pull * *c);
        }
    }

    /// Adds the second derivatives, N/m.
    pub(crate) fn add_hessian(&self, x: &[Vector3<f64>], matrix: &mut PointMatrix) {
        for rub in &self.rubs {
            let h = friction::hessian(rub.limit, self.slip, &rub.normal, &rub.slipped(x));
            for (k, (a, ca)) in rub.parts.iter().enumerate() {
                matrix.add_diagonal(*a, &(h * (ca * ca)));
                rub.parts[k + 1..].iter().for_each(|(b, cb)| matrix.add(*a, *b, &(h * (ca * cb))));
            }
        }
    }
}
