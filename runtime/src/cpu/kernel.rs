//! Stage `yarns` for eight vertices at a time.
//!
//! Where all lanes do the same arithmetic (clamp, strains, axes, normal, director) a vector holds one number of eight
//! vertices; where each vertex gathers rows of its own (forms, table, patch) it holds eight numbers of one vertex. A
//! transposition changes from one to the other. The plain stage is `yarnwise_shaders::cpu::yarns`, the oracle.

use super::lanes::Lanes;
use super::table::PairTable;
use yarnwise_shaders::cpu::walk::{TOLERANCE, walk};
use yarnwise_shared::gpu::{AxisCell, FaceChart, Patch, PatternVertex, YarnParams, YarnSite, flags};

/// An array of three, or of eight, from an expression of its index.
///
/// Not closures: code in a closure would not be compiled for the vector instructions, each of which would become a call.
macro_rules! three {
    ($k:ident => $value:expr) => {
        [
            {
                let $k = 0;
                $value
            },
            {
                let $k = 1;
                $value
            },
            {
                let $k = 2;
                $value
            },
        ]
    };
}
macro_rules! eight {
    ($zero:expr, $i:ident => $value:expr) => {{
        let mut all = [$zero; BLOCK];
        for $i in 0..BLOCK {
            all[$i] = $value;
        }
        all
    }};
}
pub(super) use three;

/// Lanes of a block.
pub(super) const BLOCK: usize = 8;

/// What the kernel reads.
#[derive(Clone, Copy)]
pub(super) struct Kernel<'a> {
    pub(super) params: &'a YarnParams,
    pub(super) axes: &'a [AxisCell],
    pub(super) pattern: &'a [PatternVertex],
    pub(super) table: &'a PairTable,
    pub(super) patches: &'a [Patch],
    pub(super) charts: &'a [FaceChart],
}

/// Eight finished vertices, number by number.
pub(super) struct Block<V> {
    pub(super) position: [V; 3],
    pub(super) twist: V,
    /// The packed director's bits.
    pub(super) director: V,
    /// Rest length of the outgoing edge and the pattern's scale.
    pub(super) rest: V,
    pub(super) scale: V,
}

/// A patch as rows of eight.
#[inline(always)]
fn rows(patch: &Patch) -> &[[f32; 8]; 9] {
    bytemuck::must_cast_ref(patch)
}

impl Kernel<'_> {
    /// Eight vertices.
    #[inline(always)]
    pub(super) fn block<L: Lanes>(&self, l: L, sites: &[YarnSite; BLOCK]) -> Block<L::V> {
        let vertices = eight!(&self.pattern[0], i => &self.pattern[sites[i].pattern_vertex()]);
        let records = l.transpose(eight!(l.splat(0.0), i => l.load(bytemuck::must_cast_ref(vertices[i]))));
        let [height, twist, rest, _, d0, d1, d2, _] = records;
        let delta = if self.params.displacement == 0.0 {
            [l.splat(0.0); 4]
        } else {
            let strains = self.strains(l, sites, height);
            self.look_up(l, &vertices, strains)
        };
        let mut at = self.displaced(l, sites, delta);
        if self.params.flags & flags::FOLLOW != 0 {
            self.follow(l, &mut at);
        }
        let (position, normal) = self.surface(l, &at);
        let frames = l.transpose(eight!(l.splat(0.0), i => l.load(&rows(&self.patches[at.faces[i] as usize])[8])));
        let [ux, uy, uz, scale, vx, vy, vz, _] = frames;
        let square = dot(l, normal, normal);
        let inverse = l.div(l.splat(1.0), l.sqrt(l.max(square, l.splat(f32::MIN_POSITIVE))));
        let unit = three!(k => l.mul(normal[k], inverse));
        let offset = l.mul(l.add(height, delta[2]), scale);
        Block {
            position: three!(k => l.fma(unit[k], offset, position[k])),
            twist: l.add(twist, delta[3]),
            director: director(l, [ux, uy, uz], [vx, vy, vz], unit, [d0, d1, d2]),
            rest: l.mul(rest, scale),
            scale,
        }
    }

    /// (sx, sa, sy) of the clamped I(h).
    #[inline(always)]
    fn strains<L: Lanes>(&self, l: L, sites: &[YarnSite; BLOCK], h: L::V) -> [L::V; 3] {
        let forms = eight!(l.splat(0.0), i => {
            let rows = rows(&self.patches[sites[i].face as usize]);
            let linear = l.fma(l.load(&rows[4]), l.splat(sites[i].b), l.load(&rows[3]));
            l.fma(l.load(&rows[5]), l.splat(sites[i].c), linear)
        });
        let [xx, xy, yy, _, sxx, sxy, syy, _] = l.transpose(forms);
        let form = at_height(l, self.params.flags, [xx, xy, yy], [sxx, sxy, syy], h);
        let [xx, xy, yy] = self.clamp(l, form);
        let (one, zero) = (l.splat(1.0), l.splat(0.0));
        let (x, y) = (l.sqrt(l.max(xx, zero)), l.sqrt(l.max(yy, zero)));
        [l.sub(x, one), l.div(xy, l.max(l.mul(x, y), l.splat(1e-12))), l.sub(y, one)]
    }

    #[inline(always)]
    fn clamp<L: Lanes>(&self, l: L, [xx, xy, yy]: [L::V; 3]) -> [L::V; 3] {
        if self.params.min_eigenvalue <= 0.0 {
            return [xx, xy, yy];
        }
        let (min, half) = (l.splat(self.params.min_eigenvalue), l.splat(0.5));
        let mean = l.mul(half, l.add(xx, yy));
        let difference = l.mul(half, l.sub(xx, yy));
        let square = l.fma(difference, difference, l.mul(xy, xy));
        let d = l.sqrt(square);
        let (l1, l2) = (l.max(l.sub(mean, d), min), l.max(l.add(mean, d), min));
        let k = l.div(l.mul(half, l.sub(l2, l1)), l.max(d, l.splat(1e-20)));
        let centre = l.mul(half, l.add(l1, l2));
        let exact = [l.fma(k, difference, centre), l.mul(k, xy), l.fnma(k, difference, centre)];
        if self.params.flags & flags::COMPAT == 0 {
            return exact;
        }
        let (limit, equal) = (l.splat(0.25e-4), l.max(xx, min));
        [
            l.where_ge(square, limit, exact[0], equal),
            l.where_ge(square, limit, exact[1], xy),
            l.where_ge(square, limit, exact[2], equal),
        ]
    }

    /// The displacement dX1, dX2, dX3, dtheta, times the frame's factor.
    #[inline(always)]
    fn look_up<L: Lanes>(&self, l: L, vertices: &[&PatternVertex; BLOCK], strains: [L::V; 3]) -> [L::V; 4] {
        let [nx, na, ny] = self.params.cells;
        let (nx, na, ny) = (nx as usize, na as usize, ny as usize);
        let (ix, wx) = locate(l, &self.axes[..nx], strains[0]);
        let (ia, wa) = locate(l, &self.axes[nx..nx + na], strains[1]);
        let (iy, wy) = locate(l, &self.axes[nx + na..nx + na + ny], strains[2]);
        let lower = l.fma(iy, l.splat((na + 1) as f32), ia);
        let rows = l.to_int(l.fma(lower, l.splat(nx as f32), ix));
        let amount = l.splat(self.params.displacement);
        let y1 = l.mul(wy, amount);
        let y0 = l.sub(amount, y1);
        let (w10, w11) = (l.mul(wa, y0), l.mul(wa, y1));
        let (w00, w01) = (l.sub(y0, w10), l.sub(y1, w11));
        let (w00, w10, w01, w11, wx) = (l.store(w00), l.store(w10), l.store(w01), l.store(w11), l.store(wx));
        let (sign, base) =
            (l.load(&[-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0]), l.load(&[1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]));
        l.columns(eight!(l.low(base), i => {
            let [r00, r10, r01, r11] = self.table.rows(rows[i] as usize, vertices[i].table_vertex as usize);
            let sum = l.mul(l.load(r00), l.splat(w00[i]));
            let sum = l.fma(l.load(r10), l.splat(w10[i]), sum);
            let sum = l.fma(l.load(r01), l.splat(w01[i]), sum);
            let sum = l.fma(l.load(r11), l.splat(w11[i]), sum);
            let sum = l.mul(sum, l.fma(l.splat(wx[i]), sign, base));
            l.quad_add(l.low(sum), l.high(sum))
        }))
    }

    /// Barycentrics after the displacement, still on the sites' faces.
    #[inline(always)]
    fn displaced<L: Lanes>(&self, l: L, sites: &[YarnSite; BLOCK], delta: [L::V; 4]) -> Displaced {
        let zero = l.low(l.splat(0.0));
        let inverse = l.columns(eight!(zero, i => l.quad(&self.patches[sites[i].face as usize].inverse)));
        let [b, c, ..] = l.columns(eight!(zero, i => l.quad(bytemuck::must_cast_ref(&sites[i]))));
        let b = l.fma(inverse[1], delta[1], l.fma(inverse[0], delta[0], b));
        let c = l.fma(inverse[3], delta[1], l.fma(inverse[2], delta[0], c));
        Displaced { faces: eight!(0, i => sites[i].face), b: l.store(b), c: l.store(c) }
    }

    /// Walks on with those that have left their triangle.
    #[inline(always)]
    fn follow<L: Lanes>(&self, l: L, at: &mut Displaced) {
        let (b, c) = (l.load(&at.b), l.load(&at.c));
        let a = l.sub(l.sub(l.splat(1.0), b), c);
        let mut outside = l.below(l.min(a, l.min(b, c)), l.splat(-TOLERANCE));
        while outside != 0 {
            let i = outside.trailing_zeros() as usize;
            (at.faces[i], at.b[i], at.c[i]) = walk(self.charts, at.faces[i], at.b[i], at.c[i]);
            outside &= outside - 1;
        }
    }

    /// Position and normal (of any length) of the surface.
    #[inline(always)]
    fn surface<L: Lanes>(&self, l: L, at: &Displaced) -> ([L::V; 3], [L::V; 3]) {
        let both = eight!(l.splat(0.0), i => {
            let (patch, b, c) = (&self.patches[at.faces[i] as usize], at.b[i], at.c[i]);
            let rows = rows(patch);
            let linear = l.fma(l.load(&rows[1]), l.splat(b), l.load(&rows[0]));
            let linear = l.fma(l.load(&rows[2]), l.splat(c), linear);
            let position = l.quad_fma(b * b, l.quad(&patch.position_bb), l.low(linear));
            let position = l.quad_fma(b * c, l.quad(&patch.position_bc), position);
            l.with_low(linear, l.quad_fma(c * c, l.quad(&patch.position_cc), position))
        });
        let [x, y, z, _, nx, ny, nz, _] = l.transpose(both);
        ([x, y, z], [nx, ny, nz])
    }
}

/// Where eight displaced vertices are.
struct Displaced {
    faces: [u32; BLOCK],
    b: [f32; BLOCK],
    c: [f32; BLOCK],
}

#[inline(always)]
fn at_height<L: Lanes>(l: L, model: u32, first: [L::V; 3], second: [L::V; 3], h: L::V) -> [L::V; 3] {
    if model & (flags::LINEARIZED | flags::QUADRATIC) == 0 {
        return first;
    }
    let twice = l.add(h, h);
    let linear = three!(k => l.fnma(twice, second[k], first[k]));
    if model & flags::QUADRATIC == 0 {
        return linear;
    }
    let ([a, c, b], [p, r, q]) = (first, second);
    let determinant = l.max(l.fnma(c, c, l.mul(a, b)), l.splat(yarnwise_shaders::cpu::yarns::MIN_DETERMINANT));
    let factor = l.div(l.mul(h, h), determinant);
    let (x1, y1) = (l.fnma(c, r, l.mul(b, p)), l.fnma(c, p, l.mul(a, r)));
    let (x2, y2) = (l.fnma(c, q, l.mul(b, r)), l.fnma(c, r, l.mul(a, q)));
    let square = [l.fma(p, x1, l.mul(r, y1)), l.fma(p, x2, l.mul(r, y2)), l.fma(r, x2, l.mul(q, y2))];
    three!(k => l.fma(square[k], factor, linear[k]))
}

/// Cell (as a whole number) and weight on one axis.
#[inline(always)]
fn locate<L: Lanes>(l: L, cells: &[AxisCell], value: L::V) -> (L::V, L::V) {
    let (mut cell, mut low, mut inverse) = (l.splat(0.0), l.splat(cells[0].low), l.splat(cells[0].inverse));
    for (i, next) in cells.iter().enumerate().skip(1) {
        let start = l.splat(next.low);
        cell = l.where_ge(value, start, l.splat(i as f32), cell);
        low = l.where_ge(value, start, start, low);
        inverse = l.where_ge(value, start, l.splat(next.inverse), inverse);
    }
    let weight = l.mul(l.sub(value, low), inverse);
    (cell, l.min(l.max(weight, l.splat(0.0)), l.splat(1.0)))
}

#[inline(always)]
fn dot<L: Lanes>(l: L, a: [L::V; 3], b: [L::V; 3]) -> L::V {
    l.fma(a[2], b[2], l.fma(a[1], b[1], l.mul(a[0], b[0])))
}

#[inline(always)]
fn cross<L: Lanes>(l: L, a: [L::V; 3], b: [L::V; 3]) -> [L::V; 3] {
    three!(k => {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        l.fnma(a[j], b[i], l.mul(a[i], b[j]))
    })
}

/// The packed direction of [du dv n]^-T d.
#[inline(always)]
fn director<L: Lanes>(l: L, du: [L::V; 3], dv: [L::V; 3], n: [L::V; 3], d: [L::V; 3]) -> L::V {
    let area = cross(l, du, dv);
    let across = three!(k => l.fnma(d[1], du[k], l.mul(d[0], dv[k])));
    let turned = cross(l, across, n);
    let [x, y, z] = three!(k => l.fma(d[2], area[k], turned[k]));
    // As `YarnVertex::pack_director`; the sign of the determinant turns the whole vector.
    let sum = l.add(l.add(l.abs(x), l.abs(y)), l.abs(z));
    let size = l.div(l.splat(1.0), l.max(sum, l.splat(f32::MIN_POSITIVE)));
    let scale = l.copysign(size, dot(l, n, area));
    let (x, y, z) = (l.mul(x, scale), l.mul(y, scale), l.mul(z, scale));
    let one = l.splat(1.0);
    let fold_x = l.copysign(l.sub(one, l.abs(y)), x);
    let fold_y = l.copysign(l.sub(one, l.abs(x)), y);
    let zero = l.splat(0.0);
    l.pack_snorm16(l.where_ge(z, zero, x, fold_x), l.where_ge(z, zero, y, fold_y))
}
