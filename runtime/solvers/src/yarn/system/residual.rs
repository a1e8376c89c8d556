//! What Newton's method brings to zero.
//!
//!   r(v) = M v − p_n − h [F(q_n + h v) − ∇V_d − αM v − βK v − D_f v + ∇T]
//!
//! with F, V_d of the end of the step; M, F_n and anchors of its start.

use super::CHUNK;
use super::evaluate::{Evaluation, StepData};
use super::operator::{RowOperator, corners_at, of};
use super::rows::{Rows, Stress};
use crate::linear::Scalar;
use crate::yarn::friction::AnchorFriction;
use crate::yarn::kinematics::{EndVelocities, Segment, momenta};
use crate::yarn::material::Stiffness;
use crate::yarn::model::Weave;
use crate::yarn::state::State;
use nalgebra::Vector3;
use rayon::prelude::*;

/// The residual, kg m/s, from elements that were evaluated `at` a state.
pub fn residual<T: Scalar>(
    data: &StepData<'_>,
    at: Evaluation<'_>,
    rows: &Rows<T>,
    stress: &[Stress<T>],
    out: &mut Vec<[f64; 5]>,
) {
    out.resize(data.weave.node_count(), [0.0; 5]);
    let (Evaluation::Start(v) | Evaluation::End(v)) = at;
    let linearized = matches!(at, Evaluation::Start(_));
    if linearized {
        RowOperator::new(data.weave, rows).product(v, out);
    }
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
        for (k, out) in out.iter_mut().enumerate() {
            let i = chunk * CHUNK + k;
            if !linearized {
                *out = momentum_of(data, rows, v, i);
            }
            let node = Gather { data, at, i };
            node.add_stress(rows, stress, out);
            node.add_own_forces(out, linearized);
            for (row, entry) in rows.contacts.of(i) {
                (0..3).for_each(|c| out[c] += entry[c] * rows.contacts.stress(row));
            }
            for k in 0..5 {
                out[k] -= data.start.momenta[i][k];
            }
        }
    });
}

/// M v of the start of the step, kg m/s: `rows` carry the mass with its damping, which is taken out again.
pub fn momentum<T: Scalar>(data: &StepData<'_>, rows: &Rows<T>, v: &[[f64; 5]], out: &mut [[f64; 5]]) {
    let scale = (1.0 + data.h * data.weave.material.mass_damping).recip();
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
        for (k, out) in out.iter_mut().enumerate() {
            *out = momentum_of(data, rows, v, chunk * CHUNK + k).map(|p| p * scale);
        }
    });
}

/// M v of a state, kg m/s.
pub fn own_momenta(weave: &Weave, k: &Stiffness, state: &State, out: &mut [[f64; 5]]) {
    out.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(|(i, out)| {
        *out = [0.0; 5];
        for (port, link) in weave.links[i].iter().enumerate() {
            let Some((n, back)) = link.get() else { continue };
            let (c, other, far) = (port / 2, back.slot().index(), port % 2 == 0);
            let ((a, sa), (b, sb)) = if far { ((n, other), (i, c)) } else { ((i, c), (n, other)) };
            let segment = Segment::new(state.positions[b] - state.positions[a], state.arcs[b][sb] - state.arcs[a][sa]);
            let x = |n: usize| Vector3::new(state.velocities[n][0], state.velocities[n][1], state.velocities[n][2]);
            let ends =
                EndVelocities { xa: x(a), sa: state.velocities[a][3 + sa], xb: x(b), sb: state.velocities[b][3 + sb] };
            let (p, s) = momenta(k.density * segment.rest / 6.0, &segment.slope(), &ends)[usize::from(far)];
            for k in 0..3 {
                out[k] += p[k];
            }
            out[3 + c] += s;
        }
    });
}

/// (1 + hα) M v of a node.
#[inline]
fn momentum_of<T: Scalar>(data: &StepData<'_>, rows: &Rows<T>, v: &[[f64; 5]], i: usize) -> [f64; 5] {
    let mut out = [0.0; 5];
    let links = &data.weave.links[i];
    let x = |n: usize| Vector3::new(v[n][0], v[n][1], v[n][2]);
    for c in 0..2 {
        for (port, far) in [(2 * c, true), (2 * c + 1, false)] {
            let Some((n, back)) = links[port].get() else { continue };
            let other = back.slot().index();
            let ((a, sa), (b, sb)) = if far { ((n, other), (i, c)) } else { ((i, c), (n, other)) };
            let row = &rows.segments[a][sa];
            let w = Vector3::from(row.slope.map(T::to_f64));
            let ends = EndVelocities { xa: x(a), sa: v[a][3 + sa], xb: x(b), sb: v[b][3 + sb] };
            let (p, s) = momenta(row.mass.to_f64(), &w, &ends)[usize::from(far)];
            for k in 0..3 {
                out[k] += p[k];
            }
            out[3 + c] += s;
        }
    }
    out
}

/// Node i of a residual.
struct Gather<'a> {
    data: &'a StepData<'a>,
    at: Evaluation<'a>,
    i: usize,
}

impl Gather<'_> {
    /// Σ stress · row of the elements that the node takes part in.
    #[inline]
    fn add_stress<T: Scalar>(&self, rows: &Rows<T>, stress: &[Stress<T>], r: &mut [f64; 5]) {
        let i = self.i;
        let links = &self.data.weave.links[i];
        let own = &stress[i];
        for c in 0..2 {
            let at = 3 + c;
            let b = &rows.bends[i][c];
            let [g, h, _] = own.bends[c].map(T::to_f64);
            for k in 0..3 {
                r[k] -= (b.g1[k].to_f64() + b.g2[k].to_f64()) * g + (b.h1[k].to_f64() + b.h2[k].to_f64()) * h;
            }
            if let Some((n, back)) = links[2 * c + 1].get() {
                let (x, s) = own.segments[c];
                let slot = back.slot().index();
                let b = &rows.bends[n][slot];
                let [g, h, sliding] = stress[n].bends[slot].map(T::to_f64);
                for k in 0..3 {
                    r[k] += b.g2[k].to_f64() * g + b.h2[k].to_f64() * h - x[k].to_f64();
                }
                r[at] += sliding - s.to_f64();
            }
            if let Some((n, back)) = links[2 * c].get() {
                let slot = back.slot().index();
                let (x, s) = stress[n].segments[slot];
                let b = &rows.bends[n][slot];
                let [g, h, sliding] = stress[n].bends[slot].map(T::to_f64);
                for k in 0..3 {
                    r[k] += b.g1[k].to_f64() * g + b.h1[k].to_f64() * h + x[k].to_f64();
                }
                r[at] += s.to_f64() - sliding;
            }
        }
        for (corner, stress) in rows.corners[i].iter().zip(own.corners) {
            for k in 0..3 {
                r[k] -= (corner.g1[k].to_f64() + corner.g3[k].to_f64()) * stress.to_f64();
            }
        }
        for port in 0..4 {
            let Some((n, back)) = links[port].get() else { continue };
            let (pairs, warp) = corners_at(back.index());
            for k in pairs {
                let corner = &rows.corners[n][k];
                let g = if warp { &corner.g1 } else { &corner.g3 };
                let s: f64 = of(stress[n].corners[k]);
                for c in 0..3 {
                    r[c] += g[c].to_f64() * s;
                }
            }
        }
    }

    /// Gravity and sliding friction.
    ///
    ///   F_x = ½ ρ g Σ ℓ over its segments,  F_s = ½ ρ g·(x_before − x_after): free of the origin
    ///
    /// [Cirio14, Eq. 6] has gravity with the other sign.
    #[inline]
    fn add_own_forces(&self, r: &mut [f64; 5], linearized: bool) {
        let StepData { weave, k, start, h, gravity, .. } = *self.data;
        let i = self.i;
        let (Evaluation::Start(v) | Evaluation::End(v)) = self.at;
        let along = |n: usize, c: usize| if linearized { 0.0 } else { h * v[n][c] };
        let x = |n: usize| start.positions[n] + Vector3::new(along(n, 0), along(n, 1), along(n, 2));
        let s = |n: usize, c: usize| start.arcs[n][c] + along(n, 3 + c);
        let mut rest = 0.0;
        for c in 0..2 {
            let (behind, ahead) = (weave.links[i][2 * c].get(), weave.links[i][2 * c + 1].get());
            if behind.is_none() && ahead.is_none() {
                continue;
            }
            let before = behind.map_or(s(i, c), |(n, back)| s(n, back.slot().index()));
            let after = ahead.map_or(s(i, c), |(n, back)| s(n, back.slot().index()));
            rest += after - before;
            let span = x(behind.map_or(i, |(n, _)| n)) - x(ahead.map_or(i, |(n, _)| n));
            r[3 + c] -= 0.5 * h * k.density * gravity.dot(&span);
            if weave.kinds[i].is_crossing() {
                let limit = weave.material.friction * start.compression[i];
                let friction = AnchorFriction::new(k.sliding, limit, s(i, c) - start.sliding_anchors[i][c]);
                r[3 + c] -= h * friction.force;
                if !linearized {
                    r[3 + c] += h * k.sliding_damping * v[i][3 + c];
                }
            }
        }
        let weight = gravity * (0.5 * h * k.density * rest);
        for c in 0..3 {
            r[c] -= weight[c];
        }
    }
}
