//! One straight yarn that is stretched: what it pulls with is its stretch stiffness, by definition.

use crate::explicit::{Body, QuasiStatics};
use crate::fabric::{Kinds, Response};
use crate::newton::Hold;
use crate::spline::{Curve, Place, SplineCell, Yarns, interpolate_open};
use nalgebra::Vector3;

/// Spans of the yarn.
const SPANS: usize = 16;

/// The yarn of `cell`, straight, at these strains: energy and stress are those of one yarn over its rest length, J/m and N.
pub fn stretched(cell: &SplineCell, strains: &[f64]) -> Vec<Response> {
    let speed = cell.yarns.curves[0].rest_speed;
    let length = SPANS as f64 * speed;
    let curve = Curve { first: 0, count: SPANS + 3, closed: false, shift: [0, 0], rest_speed: speed };
    let q = interpolate_open(SPANS + 3, |t| Vector3::new(t * speed, 0.0, 0.0));
    let yarns = Yarns::new(vec![curve], cell.yarns.radius, cell.yarns.stiffness, &cell.settings);
    let mut body = Body::new(yarns, Place::ALONE);
    (0..q.len()).for_each(|i| body.holds.set(i, Hold::along_axes([false, true, true])));
    let last = q.len() - 1;
    body.holds.set(0, Hold::fixed());
    body.holds.set(last, Hold::fixed());
    let mut statics = QuasiStatics::new(body, q);
    let mut out = Vec::new();
    for strain in strains {
        let before = statics.q.clone();
        statics.q[last].x = length * (1.0 + strain);
        let balanced = statics.balance(&before);
        let energy = statics.body.yarns.elastic_energy(&Place::ALONE, &statics.q);
        let kinds = Kinds { stretch: energy.stretch / length, bend: energy.bend / length, ..Kinds::default() };
        out.push(Response {
            strain: [*strain, 0.0, 0.0],
            energy_density: kinds.total(),
            kinds: Some(kinds),
            stress: Some([balanced.reaction[last].x, 0.0, 0.0]),
            heights: None,
            normal_force: None,
            converged: balanced.converged,
            stable: balanced.converged,
        });
    }
    out
}
