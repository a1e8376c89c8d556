//! Where pairs in contact began to rub, and the friction that follows.

use super::body::{Body, Friction};
use super::friction;
use crate::spline::Contacts;
use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeMap;

/// Two points of yarns that touch, or a point of a yarn and an obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rubbing {
    /// A contact point, another one, and the copy that it is in.
    Yarns(u32, u32, [i32; 2]),
    /// A contact point, and the number of an obstacle.
    Obstacle(u32, u32),
}

/// A pair in contact as it is now.
pub(super) struct Touch {
    pub(super) who: Rubbing,
    /// From the second to the first, m.
    pub(super) offset: Vector3<f64>,
    /// How hard they press, N.
    pub(super) force: f64,
    /// The direction in which the first one is pushed.
    pub(super) normal: Vector3<f64>,
}

/// A pair with what friction freezes during a search.
#[derive(Clone, Debug)]
pub(super) struct Lagged {
    pub(super) who: Rubbing,
    /// mu N, N.
    limit: f64,
    normal: Vector3<f64>,
    /// The offset from which motion is counted, m.
    start: Vector3<f64>,
}

impl Lagged {
    fn slipped(&self, offset: &Vector3<f64>) -> Vector3<f64> {
        friction::tangential(&self.normal, &(offset - self.start))
    }

    pub(super) fn value(&self, slip: f64, offset: &Vector3<f64>) -> f64 {
        friction::value(self.limit, slip, &self.slipped(offset))
    }

    pub(super) fn gradient(&self, slip: f64, offset: &Vector3<f64>) -> Vector3<f64> {
        friction::gradient(self.limit, slip, &self.slipped(offset))
    }

    pub(super) fn hessian(&self, slip: f64, offset: &Vector3<f64>) -> Matrix3<f64> {
        friction::hessian(self.limit, slip, &self.normal, &self.slipped(offset))
    }
}

/// The offsets from which motion is counted, m: a pair keeps its own while it sticks, and drags it behind while it slips.
pub(super) type Anchors = BTreeMap<Rubbing, Vector3<f64>>;

/// All pairs that touch, in a fixed order.
pub(super) fn touches(body: &Body, contacts: &Contacts, y: &[Vector3<f64>]) -> Vec<Touch> {
    let mut out = Vec::new();
    contacts.for_each(&body.yarns, &body.place, y, |points, shift, offset, force| {
        let who = Rubbing::Yarns(points[0], points[1], shift);
        let length = offset.norm();
        out.push(Touch { who, offset, force: force.norm(), normal: offset / length });
    });
    for (k, obstacle) in body.obstacles.iter().enumerate() {
        for (i, point) in body.yarns.contact.iter().enumerate() {
            let force = obstacle.gradient(point.length, body.yarns.radius, &y[i]).norm();
            if force > 0.0 {
                let normal = obstacle.offset(&y[i]).normalize();
                out.push(Touch { who: Rubbing::Obstacle(i as u32, k as u32), offset: y[i], force, normal });
            }
        }
    }
    out
}

/// Freezes the pairs `now`; those without an anchor count from where they were at the start of the increment.
pub(super) fn lagged(
    body: &Body,
    now: &[Touch],
    anchors: &Anchors,
    at_start: impl Fn(Rubbing) -> Vector3<f64>,
) -> Vec<Lagged> {
    let Friction::Coulomb { coefficient, .. } = body.friction else { return Vec::new() };
    let freeze = |t: &Touch| Lagged {
        who: t.who,
        limit: coefficient * t.force,
        normal: t.normal,
        start: anchors.get(&t.who).copied().unwrap_or_else(|| at_start(t.who)),
    };
    now.iter().map(freeze).collect()
}

/// The anchors after an increment whose pairs ended as `now`: those that slipped are dragged, those that parted are forgotten.
pub(super) fn dragged(body: &Body, lagged: &[Lagged], now: &[Touch]) -> Anchors {
    let Friction::Coulomb { slip, .. } = body.friction else { return Anchors::new() };
    let frozen: BTreeMap<Rubbing, &Lagged> = lagged.iter().map(|l| (l.who, l)).collect();
    let anchor = |t: &Touch| {
        let Some(lag) = frozen.get(&t.who) else { return (t.who, t.offset) };
        let u = lag.slipped(&t.offset);
        let x = u.norm();
        // The component across the surface follows the pair: it never counted.
        let kept = if x > slip { u * (slip / x) } else { u };
        (t.who, t.offset - kept)
    };
    now.iter().map(anchor).collect()
}
