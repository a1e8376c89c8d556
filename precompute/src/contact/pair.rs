//! Contact energy of two segments.
//!
//!   E = kc Li Lj sum_a sum_b w_a w_b g(s_ab),   s_ab = |p(a) - q(b)|^2 / 4r^2          \[Kaldor08\]
//!
//! kc = contact stiffness (N/m), Li and Lj = rest lengths of the segments (m), w = weights of the quadrature, p and q = points
//! of the center lines (m), r = yarn radius (m), g = the potential (dimensionless); E in J.
//!
//! s is a polynomial of degree two in the places a and b along the segments, so force and stiffness are sums of scalars
//! (moments over a and b) times vectors and matrices that enter once per pair.

use super::potential;
use super::quadrature::{LANES, Rule};
use nalgebra::{Matrix3, Vector3};

/// Two segments, the first from `p[0]` to `p[1]`, the second from `q[0]` to `q[1]`, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segments {
    /// Ends of the first.
    pub p: [Vector3<f64>; 2],
    /// Ends of the second.
    pub q: [Vector3<f64>; 2],
}

/// What the energy of a pair depends on besides positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairRule<'a> {
    /// Quadrature of the first segment.
    pub first: &'a Rule,
    /// Quadrature of the second segment.
    pub second: &'a Rule,
    /// kc Li Lj, J.
    pub factor: f64,
    /// 1 / 4r^2, 1/m^2.
    pub inverse_diameter2: f64,
}

/// Force and stiffness of a pair; vertices in the order p0, p1, q0, q1.
#[derive(Clone, Debug)]
pub(crate) struct PairDerivatives {
    /// dE/dx, N.
    pub gradient: [Vector3<f64>; 4],
    /// d2E/dx dx for vertex pairs (row, column) with row <= column, in the order 00 01 02 03 11 12 13 22 23 33, N/m.
    pub hessian: [Matrix3<f64>; 10],
    /// Smallest squared distance of a node of the first segment to the second one, over 4r^2.
    pub nearest: f64,
}

/// s along the second segment, seen from one node of the first: c0 - 2 c1 b + c2 b^2.
#[derive(Clone, Copy)]
struct Quadratic {
    c0: f64,
    c1: f64,
    c2: f64,
}

impl Quadratic {
    #[inline(always)]
    fn new(offset: &Vector3<f64>, along: &Vector3<f64>, scale: f64) -> Self {
        Quadratic { c0: offset.norm_squared() * scale, c1: offset.dot(along) * scale, c2: along.norm_squared() * scale }
    }

    #[inline(always)]
    fn at(&self, b: f64) -> f64 {
        self.c0 + b * (b * self.c2 - 2.0 * self.c1)
    }

    /// The smallest value on [0, 1] of this convex parabola.
    #[inline(always)]
    fn least(&self) -> f64 {
        self.at((self.c1 / self.c2).clamp(0.0, 1.0))
    }

    /// No point of the whole segment is in reach.
    #[inline(always)]
    fn out_of_reach(&self) -> bool {
        self.least() >= 1.0
    }
}

impl Segments {
    /// The smallest squared distance of a quadrature node of the first segment to the second segment, m^2: what
    /// [`Segments::derivatives`] decides by.
    pub(crate) fn nearest(&self, rule: &PairRule) -> f64 {
        let (e, f) = (self.p[1] - self.p[0], self.q[1] - self.q[0]);
        let distance = |a: &f64| Quadratic::new(&(self.p[0] + e * *a - self.q[0]), &f, 1.0).least();
        rule.first.node.iter().map(distance).fold(f64::INFINITY, f64::min)
    }

    /// Whether the balls around the segments are further apart than a diameter: cheap, and true for most pairs of a list
    /// with a margin.
    #[inline(always)]
    pub(crate) fn far_apart(&self, rule: &PairRule) -> bool {
        let (e, f) = (self.p[1] - self.p[0], self.q[1] - self.q[0]);
        let twice = self.p[0] + self.p[1] - self.q[0] - self.q[1];
        // (|e| + |f|) / 2 is at most the root of (|e|^2 + |f|^2) / 2.
        let half_lengths = (0.5 * rule.inverse_diameter2 * (e.norm_squared() + f.norm_squared())).sqrt();
        0.25 * rule.inverse_diameter2 * twice.norm_squared() > (1.0 + half_lengths) * (1.0 + half_lengths)
    }

    /// Energy, J.
    pub(crate) fn value(&self, rule: &PairRule) -> f64 {
        if self.far_apart(rule) {
            return 0.0;
        }
        crate::vector::dispatch(Value(self, rule))
    }

    #[inline(always)]
    fn near_value(&self, rule: &PairRule) -> f64 {
        let (e, f) = (self.p[1] - self.p[0], self.q[1] - self.q[0]);
        let start = self.p[0] - self.q[0];
        let mut sum = 0.0;
        for (a, wa) in rule.first.node.iter().zip(&rule.first.weight) {
            let s = Quadratic::new(&(start + e * *a), &f, rule.inverse_diameter2);
            if s.out_of_reach() {
                continue;
            }
            let mut row = [0.0; LANES];
            for [b, weight] in &rule.second.lanes {
                for l in 0..LANES {
                    row[l] += weight[l] * potential::value(s.at(b[l]));
                }
            }
            let row = (row[0] + row[1]) + (row[2] + row[3]);
            sum += wa * row;
        }
        rule.factor * sum
    }

    /// Force on the four vertices, N; none where nothing touches.
    pub(crate) fn gradient(&self, rule: &PairRule) -> Option<[Vector3<f64>; 4]> {
        let (e, f) = (self.p[1] - self.p[0], self.q[1] - self.q[0]);
        let start = self.p[0] - self.q[0];
        let mut touched = false;
        // Sums of the force on the offset p - q, by (1, a, b).
        let (mut f0, mut fa, mut fb) = (Vector3::zeros(), Vector3::zeros(), Vector3::zeros());
        for (a, wa) in rule.first.node.iter().zip(&rule.first.weight) {
            let offset = start + e * *a;
            let s = Quadratic::new(&offset, &f, rule.inverse_diameter2);
            if s.out_of_reach() {
                continue;
            }
            touched = true;
            let mut phi = [0.0; 3];
            for (b, wb) in rule.second.node.iter().zip(&rule.second.weight) {
                let g = wb * potential::first(s.at(*b));
                phi[0] += g;
                phi[1] += g * b;
                phi[2] += g * b * b;
            }
            let scale = wa * 2.0 * rule.factor * rule.inverse_diameter2;
            let force = (offset * phi[0] - f * phi[1]) * scale;
            f0 += force;
            fa += force * *a;
            fb += (offset * phi[1] - f * phi[2]) * scale;
        }
        touched.then(|| [f0 - fa, fa, fb - f0, -fb])
    }

    /// Force and stiffness; none where nothing touches.
    pub(crate) fn derivatives(&self, rule: &PairRule) -> Option<PairDerivatives> {
        if self.far_apart(rule) {
            return None;
        }
        crate::vector::dispatch(Derivatives(self, rule))
    }

    #[inline(always)]
    fn near_derivatives(&self, rule: &PairRule) -> Option<PairDerivatives> {
        let (e, f) = (self.p[1] - self.p[0], self.q[1] - self.q[0]);
        let start = self.p[0] - self.q[0];
        let mut touched = false;
        let mut nearest = f64::INFINITY;
        let mut m = Moments::default();
        for (a, wa) in rule.first.node.iter().zip(&rule.first.weight) {
            let offset = start + e * *a;
            let s = Quadratic::new(&offset, &f, rule.inverse_diameter2);
            if s.out_of_reach() {
                continue;
            }
            touched = true;
            nearest = nearest.min(s.least());
            m.add(*a, *wa, &node_moments(&s, rule.second));
        }
        touched.then(|| m.derivatives([start, e, f], rule, nearest))
    }
}

// What is compiled for the instructions of the processor at hand.
struct Value<'a>(&'a Segments, &'a PairRule<'a>);
struct Derivatives<'a>(&'a Segments, &'a PairRule<'a>);

impl pulp::WithSimd for Value<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> f64 {
        self.0.near_value(self.1)
    }
}

impl pulp::WithSimd for Derivatives<'_> {
    type Output = Option<PairDerivatives>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Option<PairDerivatives> {
        self.0.near_derivatives(self.1)
    }
}

/// Sums over the second segment: of b^k g'(s) for k up to 2, then of b^k g''(s) for k up to 4.
type NodeMoments = [f64; 8];

#[inline(always)]
fn node_moments(s: &Quadratic, rule: &Rule) -> NodeMoments {
    let mut sums = [[0.0; LANES]; 8];
    for [b, weight] in &rule.lanes {
        for l in 0..LANES {
            let at = s.at(b[l]);
            let w = if at < 1.0 { weight[l] } else { 0.0 };
            let inverse = 1.0 / at;
            let square = inverse * inverse;
            let (g, h) = (w * (1.0 - square), w * 2.0 * square * inverse);
            let b2 = b[l] * b[l];
            let terms = [g, g * b[l], g * b2, h, h * b[l], h * b2, h * b2 * b[l], h * b2 * b2];
            for k in 0..8 {
                sums[k][l] += terms[k];
            }
        }
    }
    let mut out = [0.0; 8];
    for k in 0..8 {
        out[k] = (sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3]);
    }
    out
}

/// Symmetric 3x3 matrix as xx xy xz yy yz zz.
type Sym3 = [f64; 6];

/// v w^T + w v^T.
#[inline(always)]
fn sym(v: &Vector3<f64>, w: &Vector3<f64>) -> Sym3 {
    let mixed = |i: usize, j: usize| v[i] * w[j] + v[j] * w[i];
    [mixed(0, 0), mixed(0, 1), mixed(0, 2), mixed(1, 1), mixed(1, 2), mixed(2, 2)]
}

#[inline(always)]
fn full(s: &Sym3) -> Matrix3<f64> {
    Matrix3::new(s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5])
}

/// The moments of the nodes summed over the first segment, with weights a^m for m up to 4.
#[derive(Default)]
struct Moments([NodeMoments; 5]);

/// Powers (of a, of b) of the quadratic monomials.
const MONOMIALS: [(usize, usize); 6] = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)];

impl Moments {
    #[inline(always)]
    fn add(&mut self, a: f64, weight: f64, moments: &NodeMoments) {
        let mut power = weight;
        for sums in &mut self.0 {
            for k in 0..8 {
                sums[k] += power * moments[k];
            }
            power *= a;
        }
    }

    /// The sum of a^m b^n g'.
    #[inline(always)]
    fn first(&self, m: usize, n: usize) -> f64 {
        self.0[m][n]
    }

    /// The sum of a^m b^n g''.
    #[inline(always)]
    fn second(&self, m: usize, n: usize) -> f64 {
        self.0[m][3 + n]
    }

    /// The offset of two nodes is o = start + a e - b f, and s = |o|^2 / 4r^2.
    #[inline(always)]
    fn derivatives(&self, [start, e, f]: [Vector3<f64>; 3], rule: &PairRule, nearest: f64) -> PairDerivatives {
        let linear = 2.0 * rule.factor * rule.inverse_diameter2;
        let quadratic = 2.0 * linear * rule.inverse_diameter2;
        let force = |m: usize, n: usize| {
            (start * self.first(m, n) + e * self.first(m + 1, n) - f * self.first(m, n + 1)) * linear
        };
        let (f0, fa, fb) = (force(0, 0), force(1, 0), force(0, 1));
        // o o^T by the monomials of a and b: twice the squares, once the mixed ones.
        let outer = [sym(&start, &start), sym(&start, &e), sym(&e, &e), sym(&start, &f), sym(&e, &f), sym(&f, &f)];
        let factors = [0.5, 1.0, 0.5, -1.0, -1.0, 0.5];
        let mut stiffness = [Matrix3::zeros(); 6];
        for (out, (m, n)) in stiffness.iter_mut().zip(MONOMIALS) {
            let isotropic = linear * self.first(m, n);
            let mut sum = [isotropic, 0.0, 0.0, isotropic, 0.0, isotropic];
            for (t, (i, j)) in MONOMIALS.into_iter().enumerate() {
                let weight = quadratic * factors[t] * self.second(m + i, n + j);
                for c in 0..6 {
                    sum[c] += weight * outer[t][c];
                }
            }
            *out = full(&sum);
        }
        let [one, a, aa, b, ab, bb] = stiffness;
        let p1q1 = -ab;
        let p0q1 = ab - b;
        let p1q0 = ab - a;
        let p0q0 = a + b - one - ab;
        PairDerivatives {
            gradient: [f0 - fa, fa, fb - f0, -fb],
            hessian: [one - a * 2.0 + aa, a - aa, p0q0, p0q1, aa, p1q0, p1q1, one - b * 2.0 + bb, b - bb, bb],
            nearest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::quadrature::rule_of;
    use super::*;

    fn example() -> (Segments, PairRule<'static>) {
        let v = Vector3::new;
        let segments = Segments { p: [v(0.0, 0.0, 0.0), v(1.1, 0.2, 0.1)], q: [v(0.1, -0.5, 0.6), v(0.6, 0.9, 0.5)] };
        let rule =
            PairRule { first: rule_of(5), second: rule_of(7), factor: 1.3, inverse_diameter2: 1.0 / (1.3 * 1.3) };
        (segments, rule)
    }

    fn moved(s: &Segments, vertex: usize, axis: usize, step: f64) -> Segments {
        let mut out = *s;
        let end = if vertex < 2 { &mut out.p[vertex] } else { &mut out.q[vertex - 2] };
        end[axis] += step;
        out
    }

    /// The sum as it is written in the paper: the oracle.
    fn slow_value(s: &Segments, rule: &PairRule) -> f64 {
        let mut sum = 0.0;
        for (a, wa) in rule.first.node.iter().zip(&rule.first.weight) {
            for (b, wb) in rule.second.node.iter().zip(&rule.second.weight) {
                let d = (s.p[0].lerp(&s.p[1], *a) - s.q[0].lerp(&s.q[1], *b)).norm() * rule.inverse_diameter2.sqrt();
                if d < 1.0 {
                    sum += wa * wb * (1.0 / (d * d) + d * d - 2.0);
                }
            }
        }
        rule.factor * sum
    }

    #[test]
    fn value_agrees_with_the_plain_sum() {
        let (s, rule) = example();
        assert!(s.value(&rule) > 0.01);
        assert!((s.value(&rule) - slow_value(&s, &rule)).abs() < 1e-14);
        let far = Segments { q: s.q.map(|v| v + Vector3::z() * 5.0), ..s };
        assert_eq!(far.value(&rule), 0.0);
        assert!(far.derivatives(&rule).is_none() && far.gradient(&rule).is_none());
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let (s, rule) = example();
        let d = s.derivatives(&rule).unwrap();
        let size = d.hessian.iter().map(|m| m.norm()).fold(0.0, f64::max);
        for h in [1e-4, 1e-5] {
            for (v, axis) in (0..4).flat_map(|v| (0..3).map(move |a| (v, a))) {
                let (up, down) = (moved(&s, v, axis, h), moved(&s, v, axis, -h));
                let g = (up.value(&rule) - down.value(&rule)) / (2.0 * h);
                assert!((g - d.gradient[v][axis]).abs() < 1e2 * h * h + 1e-10);
                assert!((g - s.gradient(&rule).unwrap()[v][axis]).abs() < 1e2 * h * h + 1e-10);
                let (gu, gd) = (up.gradient(&rule).unwrap(), down.gradient(&rule).unwrap());
                for w in 0..4 {
                    let (row, column) = (v.min(w), v.max(w));
                    let index = row * 4 + column - row * (row + 1) / 2;
                    let block = d.hessian[index];
                    let second = (gu[w] - gd[w]) / (2.0 * h);
                    let analytic = if v <= w { block.row(axis).transpose() } else { block.column(axis).into() };
                    assert!((second - analytic).norm() < (3e3 * h * h + 1e-9) * size, "{v} {w} {axis}");
                }
            }
        }
    }
}
