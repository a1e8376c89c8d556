//! What elements contribute to the system, stored as little as possible: directions and lengths of segments, and weights. The entries
//! of bends and corners follow from the directions and are computed again wherever they are used: memory costs more than they do.

use super::bands::LANES;
use super::crimp_rows::CrimpCouplings;
use super::lanes::Number;
use crate::linear::Scalar;
use crate::yarn::model::Weave;
use crate::yarn::self_contact::ContactRows;
use nalgebra::Vector3;

/// A segment (a, b): stiffness with respect to δ = x_b − x_a and σ = s_b − s_a,
///
///   f_x = along (t·δ) t + across δ + coupling σ t,   f_s = coupling (t·δ) + sliding σ
///
/// and its mass, m = ρℓ/6 and w.
#[derive(Clone, Copy, Debug)]
pub struct SegmentRow {
    /// t.
    pub direction: Vector3<f64>,
    /// Along the yarn; what is across is subtracted already.
    pub along: f64,
    /// In all directions.
    pub across: f64,
    /// Between length and rest length.
    pub coupling: f64,
    /// With respect to the rest length.
    pub sliding: f64,
    /// (1 + hα) ρℓ/6, kg.
    pub mass: f64,
    /// w.
    pub slope: Vector3<f64>,
}

/// A bend (2, 0, 1): rows ĝ and h.
#[derive(Clone, Copy, Debug)]
pub struct BendRow {
    /// Row ĝ at x1.
    pub g1: Vector3<f64>,
    /// Row ĝ at x2.
    pub g2: Vector3<f64>,
    /// Row ĝ at s_2, and its opposite at s_1.
    pub rate: f64,
    /// Row h at x1.
    pub h1: Vector3<f64>,
    /// Row h at x2.
    pub h2: Vector3<f64>,
    /// D of row ĝ.
    pub in_plane: f64,
    /// D of row h.
    pub out_of_plane: f64,
}

/// A corner (0, 1, 3) with one row.
#[derive(Clone, Copy, Debug)]
pub struct CornerRow {
    /// At x1, on the warp.
    pub g1: Vector3<f64>,
    /// At x3, on the weft.
    pub g3: Vector3<f64>,
    /// D.
    pub weight: f64,
}

/// Coefficients of the elements that belong to a node, by their place in a pack.
pub(super) mod coefficient {
    /// Coefficients of a segment: along, across, coupling, sliding, rest length at the start of the step.
    pub(in super::super) const SEGMENT: usize = 5;
    /// Where the bends begin: weights in the plane and out of it, rate.
    pub(in super::super) const BENDS: usize = 2 * SEGMENT;
    /// Coefficients of a bend.
    pub(in super::super) const BEND: usize = 3;
    /// Where the weights of the four corners begin.
    pub(in super::super) const CORNERS: usize = BENDS + 2 * BEND;
    /// What each arc coordinate has on the diagonal besides.
    pub(in super::super) const DIAGONAL: usize = CORNERS + 4;
    /// All of them.
    pub(in super::super) const COUNT: usize = DIAGONAL + 2;
}

/// Coefficients of [`LANES`] nodes.
pub(super) type Coefficients<T> = [[T; LANES]; coefficient::COUNT];

/// The elements that belong to each node: segments ahead and bends by slot, corners by the sides (u−v−, u−v+, u+v−, u+v+).
/// Where there is no element, its weights are zero.
#[derive(Clone, Debug, Default)]
pub struct Rows<T> {
    /// t and 1/l of the segment ahead in each slot: eight planes, filled up to whole packs.
    pub(super) directions: [Vec<T>; 8],
    /// Coefficients, pack by pack.
    pub(super) coefficients: Vec<Coefficients<T>>,
    /// (1 + hα) ρ/6, kg/m.
    pub(super) mass_factor: f64,
    /// What each position has on the diagonal besides: drag on bodies. Empty where there is none.
    pub drag: Vec<T>,
    /// Contacts of the cloth with itself.
    pub contacts: ContactRows<T>,
    /// What couples the segments of crossings with crimp.
    pub(super) crimps: CrimpCouplings<T>,
}

impl<T: Scalar> Rows<T> {
    /// For a number of nodes.
    pub(super) fn resize(&mut self, nodes: usize) {
        let packs = nodes.div_ceil(LANES);
        self.directions.iter_mut().for_each(|d| d.resize(LANES * packs, T::ZERO));
        self.coefficients.resize(packs, [[T::ZERO; LANES]; coefficient::COUNT]);
    }

    fn coefficient(&self, node: usize, which: usize) -> f64 {
        self.coefficients[node / LANES][which][node % LANES].to_f64()
    }

    /// t and 1/l of the segment ahead of a node.
    fn ahead(&self, node: usize, slot: usize) -> (Vector3<f64>, f64) {
        let at = |k: usize| self.directions[4 * slot + k][node].to_f64();
        (Vector3::new(at(0), at(1), at(2)), at(3))
    }

    /// t and 1/l away from a node through a port.
    fn away(&self, weave: &Weave, node: usize, port: usize) -> Option<(Vector3<f64>, f64)> {
        let (n, back) = weave.links[node][port].get()?;
        if port % 2 == 1 {
            return Some(self.ahead(node, port / 2));
        }
        let (t, inverse) = self.ahead(n, back.slot().index());
        Some((-t, inverse))
    }

    /// The segment ahead of a node in a slot, where there is one.
    pub(super) fn segment(&self, node: usize, slot: usize) -> SegmentRow {
        let at = |k: usize| self.coefficient(node, coefficient::SEGMENT * slot + k);
        let (direction, inverse) = self.ahead(node, slot);
        let (rest, mass) = (at(4), self.mass_factor * at(4));
        let stretch = if rest > 0.0 { 1.0 / (inverse * rest) } else { 0.0 };
        SegmentRow {
            direction,
            along: at(0),
            across: at(1),
            coupling: at(2),
            sliding: at(3),
            mass,
            slope: direction * stretch,
        }
    }

    /// The bend of a node in a slot, where there is one.
    pub(super) fn bend(&self, weave: &Weave, node: usize, slot: usize) -> Option<BendRow> {
        let (ahead, inverse1) = self.away(weave, node, 2 * slot + 1)?;
        let (back, inverse2) = self.away(weave, node, 2 * slot)?;
        let plane = plane_of(ahead.into(), (-back).into(), parallel::<T>());
        let [normal, e1, e3] = [plane.normal, plane.e1, plane.e3].map(Vector3::from);
        let at = |k: usize| self.coefficient(node, coefficient::BENDS + coefficient::BEND * slot + k);
        Some(BendRow {
            g1: e1 * -inverse1,
            g2: e3 * inverse2,
            rate: at(2),
            h1: normal * inverse1,
            h2: normal * inverse2,
            in_plane: at(0),
            out_of_plane: at(1),
        })
    }

    /// A corner of a crossing, where it has both arms.
    pub(super) fn corner(&self, weave: &Weave, node: usize, corner: usize) -> Option<CornerRow> {
        let (t1, inverse1) = self.away(weave, node, corner / 2)?;
        let (t3, inverse3) = self.away(weave, node, 2 + corner % 2)?;
        let [e1, e3] = across_each_other(t1.into(), t3.into()).map(Vector3::from);
        let weight = self.coefficient(node, coefficient::CORNERS + corner);
        Some(CornerRow { g1: e1 * -inverse1, g3: e3 * -inverse3, weight })
    }

    /// What an arc coordinate has on the diagonal besides.
    pub(super) fn diagonal(&self, node: usize, slot: usize) -> f64 {
        self.coefficient(node, coefficient::DIAGONAL + slot)
    }
}

/// Below this sine the plane of an angle is lost in the rounding of the directions.
pub(super) fn parallel<T: Scalar>() -> f64 {
    1e4 * T::EPSILON.to_f64()
}

/// The plane of an angle between unit vectors t1 and t3: its normal b, e1 = b × t1, e3 = t3 × b.
pub(super) struct Plane<S> {
    pub(super) normal: [S; 3],
    pub(super) e1: [S; 3],
    pub(super) e3: [S; 3],
}

/// Where the vectors are parallel b is any unit vector across them: bending is isotropic there.
#[inline(always)]
pub(super) fn plane_of<N: Number>(t1: [N; 3], t3: [N; 3], parallel: f64) -> Plane<N> {
    let (one, zero) = (t1[0].constant(1.0), t1[0].constant(0.0));
    let c = cross(t1, t3);
    let sine = dot(c, c).sqrt();
    // A unit vector across t1 that never divides by nothing [Duff17].
    let sign = zero.where_above(t1[2], -one, one);
    let a = -one / (sign + t1[2]);
    let other = [one + sign * t1[0] * t1[0] * a, sign * t1[0] * t1[1] * a, -sign * t1[0]];
    let least = sine.constant(parallel);
    let scale = one / sine.where_above(least, sine, one);
    let [x, y, z] = scaled(c, scale);
    let normal = [
        sine.where_above(least, x, other[0]),
        sine.where_above(least, y, other[1]),
        sine.where_above(least, z, other[2]),
    ];
    Plane { normal, e1: cross(normal, t1), e3: cross(t3, normal) }
}

/// Unit vectors across t1 toward t3 and across t3 toward t1, in their plane; shorter where the angle is below 1e-3.
#[inline(always)]
pub(super) fn across_each_other<N: Number>(t1: [N; 3], t3: [N; 3]) -> [[N; 3]; 2] {
    let one = t1[0].constant(1.0);
    let cosine = dot(t1, t3);
    let square = one - cosine * cosine;
    let least = one.constant(1e-6);
    let scale = one / square.where_above(least, square, least).sqrt();
    [scaled(sub(t3, scaled(t1, cosine)), scale), scaled(sub(t1, scaled(t3, cosine)), scale)]
}

// Written out: closures in functions of arrays are compiled without the instructions that packs need.

#[inline(always)]
pub(super) fn scaled<N: Number>(a: [N; 3], factor: N) -> [N; 3] {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

#[inline(always)]
pub(super) fn add<N: Number>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn sub<N: Number>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(super) fn opposite<N: Number>(a: [N; 3]) -> [N; 3] {
    [-a[0], -a[1], -a[2]]
}

#[inline(always)]
pub(super) fn dot<N: Number>(a: [N; 3], b: [N; 3]) -> N {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<N: Number>(a: [N; 3], b: [N; 3]) -> [N; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
