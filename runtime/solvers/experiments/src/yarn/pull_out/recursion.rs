//! The force of a pulled warp, crossing by crossing, for any draft.
//!
//! With σ = T + T²/(2 k_s) and a free tail, σ_0 = 0, each crossing adds its friction and its damping,
//!
//!   σ_{k+1} − σ_k = μ F_n,k + d_f v,   F_n,k = max(0, ½ (T_k s⁻_k + T_{k+1} s⁺_k + B_k))
//!
//! s∓ are the sines with which the segments behind and ahead of the crossing leave its side: between crossings sin a with
//! tan a = 2 R / L where the warp changes sides and 0 in a float; from the last crossing to the end of the yarn R over the way to there, as ends
//! lie in the middle plane. B_k is the push of the bends of warp and weft, from the turns of both at the crossing and its neighbors; it
//! is negative in the middle of a long float, where tension may still press. Wefts that friction has bowed add their own tension to B_k.
//!
//! For plain weave far from ends and without damping T_k + F_0 / sin a grows by (1 + m) / (1 − m) a crossing, m = ½ μ sin a, to first
//! order in strain.

use yarnwise_solvers::yarn::material::Stiffness;
use yarnwise_solvers::yarn::model::{NodeKind, Slot};
use yarnwise_solvers::yarn::{YarnMaterial, YarnSimulation};

/// What presses at a crossing of the pulled warp.
pub(super) struct Crossing {
    /// s⁻ and s⁺.
    sines: [f64; 2],
    /// F_n but for the tension of the warp, N.
    rest: f64,
}

/// A node of a yarn that lies in a plane.
#[derive(Clone, Copy)]
struct Place {
    /// Arc coordinate, m.
    arc: f64,
    /// Way along the yarn, m.
    along: f64,
    /// R or −R at a crossing, 0 at an end.
    height: f64,
}

/// A yarn with its crimp.
struct Crimped {
    places: Vec<Place>,
    /// Angle of each segment to the plane.
    slopes: Vec<f64>,
}

impl Crimped {
    fn new(places: Vec<Place>) -> Self {
        let slope = |p: &[Place]| ((p[1].height - p[0].height) / (p[1].along - p[0].along)).atan();
        let slopes = places.windows(2).map(slope).collect();
        Crimped { places, slopes }
    }

    /// A straight yarn at rest, from the sides of its crossings (1 or −1) and the lengths of its ends.
    fn straight(material: &YarnMaterial, sides: impl Iterator<Item = f64>, ends: [f64; 2]) -> Self {
        let at = |along: f64, side: f64| Place { arc: along, along, height: side * material.radius };
        let mut places = vec![at(-ends[0], 0.0)];
        places.extend(sides.enumerate().map(|(k, side)| at(k as f64 * material.spacing, side)));
        let last = places[places.len() - 1].along;
        places.push(at(last + ends[1], 0.0));
        Crimped::new(places)
    }

    /// A yarn of a simulation as it lies now; plain nodes have no crimp and are left out, as F_n leaves them out.
    fn of(simulation: &YarnSimulation, yarn: usize) -> Self {
        let (weave, state) = (simulation.weave(), simulation.state());
        let mut places: Vec<Place> = Vec::new();
        let mut last = None;
        for (node, slot) in weave.along(yarn).filter(|(node, _)| weave.kinds[*node] != NodeKind::Plain) {
            let up = |warp_over: bool| if warp_over == (slot == Slot::U) { 1.0 } else { -1.0 };
            let side = if let NodeKind::Crossing { warp_over } = weave.kinds[node] { up(warp_over) } else { 0.0 };
            let x = state.positions[node];
            let way = last.map_or(0.0, |(before, along): (nalgebra::Vector3<f64>, f64)| along + (x - before).norm());
            places.push(Place {
                arc: state.arcs[node][slot.index()],
                along: way,
                height: side * weave.material.radius,
            });
            last = Some((x, way));
        }
        Crimped::new(places)
    }

    /// With what force its bends press the yarn on the other one at each of its crossings, N; negative where they lift it off.
    fn bend_pushes(&self, k: &Stiffness) -> Vec<f64> {
        let mut forces = vec![0.0; self.places.len()];
        let lever = |segment: usize| {
            self.slopes[segment].cos().powi(2) / (self.places[segment + 1].along - self.places[segment].along)
        };
        for i in 1..self.slopes.len() {
            let length = self.places[i + 1].arc - self.places[i - 1].arc;
            let moment = 2.0 * k.bend * (self.slopes[i] - self.slopes[i - 1]) / length;
            let (behind, ahead) = (lever(i - 1), lever(i));
            forces[i - 1] -= moment * behind;
            forces[i] += moment * (behind + ahead);
            forces[i + 1] -= moment * ahead;
        }
        let inner = 1..self.places.len() - 1;
        inner.map(|i| -forces[i] * self.places[i].height.signum()).collect()
    }

    /// s⁻ and s⁺ of each crossing.
    fn sines(&self) -> Vec<[f64; 2]> {
        let side = |i: usize| self.places[i].height.signum();
        let inner = 1..self.places.len() - 1;
        inner.map(|i| [side(i) * self.slopes[i - 1].sin(), -side(i) * self.slopes[i].sin()]).collect()
    }
}

/// Crossings of warp `middle` between wefts that stay straight and without tension. `over(weft, warp)` is whether the warp is over the
/// weft; `ends` are the lengths of the pulled warp behind its first and ahead of its last crossing, m; others stick out by a spacing.
pub(super) fn straight_crossings(
    material: &YarnMaterial,
    over: impl Fn(usize, usize) -> bool,
    [warps, wefts, middle]: [usize; 3],
    ends: [f64; 2],
) -> Vec<Crossing> {
    let k = material.stiffness();
    let side = |weft: usize, warp: usize| if over(weft, warp) { 1.0 } else { -1.0 };
    let warp = Crimped::straight(material, (0..wefts).map(|j| side(j, middle)), ends);
    let pushes = warp.bend_pushes(&k);
    let crossing = |(j, sines): (usize, [f64; 2])| {
        let weft = Crimped::straight(material, (0..warps).map(|i| -side(j, i)), [material.spacing; 2]);
        Crossing { sines, rest: 0.5 * (pushes[j] + weft.bend_pushes(&k)[middle]) }
    };
    warp.sines().into_iter().enumerate().map(crossing).collect()
}

/// Crossings of a warp as they lie now, with the tension of the wefts; `nodes` are those of the warp, each the `middle`th of its weft.
pub(super) fn bowed_crossings(simulation: &YarnSimulation, nodes: &[usize], middle: usize) -> Vec<Crossing> {
    let weave = simulation.weave();
    let k = simulation.stiffness();
    let yarn = |node: usize, slot: Slot| weave.yarns_of[node][slot.index()] as usize;
    let warp = Crimped::of(simulation, yarn(nodes[0], Slot::U));
    let pushes = warp.bend_pushes(k);
    let crossing = |(j, sines): (usize, [f64; 2])| {
        let weft = Crimped::of(simulation, yarn(nodes[j], Slot::V));
        let [behind, ahead] = weft.sines()[middle];
        let tension = |port: usize| tension_of(simulation, nodes[j], port).max(0.0);
        let taut = tension(Slot::V.minus()) * behind + tension(Slot::V.plus()) * ahead;
        Crossing { sines, rest: 0.5 * (pushes[j] + weft.bend_pushes(k)[middle] + taut) }
    };
    warp.sines().into_iter().enumerate().map(crossing).collect()
}

/// Tension of the segment behind a port of a node, N.
fn tension_of(simulation: &YarnSimulation, node: usize, port: usize) -> f64 {
    let (weave, state) = (simulation.weave(), simulation.state());
    weave.links[node][port].get().map_or(0.0, |(n, back)| {
        let rest = (state.arcs[n][back.slot().index()] - state.arcs[node][port / 2]).abs();
        simulation.stiffness().stretch * ((state.positions[n] - state.positions[node]).norm() / rest - 1.0)
    })
}

/// T_N, N, of a warp that slides with `speed` m/s.
pub(super) fn pulling_force(material: &YarnMaterial, speed: f64, crossings: &[Crossing]) -> f64 {
    let k = material.stiffness();
    let damping = k.sliding_damping * speed;
    crossings.iter().fold(0.0, |tension, c| next_tension(&k, material.friction, damping, tension, c))
}

/// T_{k+1} from T_k.
fn next_tension(k: &Stiffness, friction: f64, damping: f64, tension: f64, crossing: &Crossing) -> f64 {
    let sigma = tension + tension * tension / (2.0 * k.stretch);
    let mut next = tension;
    // Contracts by μ s / 2 an iteration.
    for _ in 0..200 {
        let [behind, ahead] = crossing.sines;
        let compression = (0.5 * (tension * behind + next * ahead) + crossing.rest).max(0.0);
        let sum = sigma + friction * compression + damping;
        next = k.stretch * ((1.0 + 2.0 * sum / k.stretch).sqrt() - 1.0);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensions(friction: f64, over: fn(usize, usize) -> bool) -> Vec<f64> {
        let material = YarnMaterial { friction, young: 1e12, ..Default::default() };
        let crossings = straight_crossings(&material, over, [9, 20, 4], [1e-3, 1e-3]);
        (0..crossings.len()).map(|n| pulling_force(&material, 0.0, &crossings[..n])).collect()
    }

    #[test]
    fn plain_weave_has_the_growth_of_the_closed_form_inside() {
        let material = YarnMaterial::default();
        let (sine, rest) = (material.crimp_angle().sin(), material.stiffness().rest_compression);
        let m = 0.5 * 0.3 * sine;
        let growth = (1.0 + m) / (1.0 - m);
        let t = tensions(0.3, |weft, warp| (weft + warp) % 2 == 0);
        for k in 3..15 {
            let found = (t[k + 1] + rest / sine) / (t[k] + rest / sine);
            assert!((found / growth - 1.0).abs() < 1e-6, "{k}: {found}, not {growth}");
        }
        // Negative control: a draft with floats.
        let t = tensions(0.3, |weft, warp| (weft + warp) % 4 < 2);
        assert!(((t[8] + rest / sine) / (t[7] + rest / sine) / growth - 1.0).abs() > 0.05);
    }

    #[test]
    fn a_crossing_that_bends_lift_off_has_no_friction_until_tension_presses_it() {
        let material = YarnMaterial::default();
        let k = material.stiffness();
        let crossing = Crossing { sines: [0.4, 0.0], rest: -1e-3 };
        assert!((next_tension(&k, 0.3, 0.0, 0.004, &crossing) - 0.004).abs() < 1e-12);
        assert!(next_tension(&k, 0.3, 0.0, 0.006, &crossing) > 0.006 + 0.9 * 0.3 * 2e-4);
    }
}
