//! Steps 1 and 2: from sites to I(h), from I(h) to cells and weights of the table.

use super::{BLOCK, Kernel, Scratch, eight, linear, linear_uniform, row, three, uniform};
use crate::cpu::lanes::Lanes;
use yarnwise_shaders::gpu::{YarnSite, flags};

impl Kernel<'_> {
    /// Takes eight sites apart into block `j`; finds I(h) there.
    #[inline(always)]
    pub(super) fn strain<L: Lanes>(&self, l: L, s: &mut Scratch, j: usize, sites: &[YarnSite; BLOCK]) {
        let none = l.low(l.splat(0.0));
        let [b, c, face, pattern] = l.columns(eight!(none, i => l.quad(bytemuck::must_cast_ref(&sites[i]))));
        (s.b[j], s.c[j]) = (l.store(b), l.store(c));
        s.faces[j] = bytemuck::must_cast(l.store(face));
        let records = eight!(b, i => {
            l.load(bytemuck::must_cast_ref(&self.pattern[sites[i].pattern_vertex()]))
        });
        let [height, twist, rest, vertex, d0, d1, d2, _] = l.transpose(records);
        (s.height[j], s.twist[j]) = (l.store(height), l.store(twist));
        for (lane, d) in s.director.iter_mut().zip([d0, d1, d2]) {
            lane[j] = l.store(d);
        }
        // The flag LAST is the bit that makes a float 2 or more, whatever the sign.
        s.rest[j] = l.store(l.where_ge(l.abs(pattern), l.splat(2.0), l.splat(0.0), rest));
        if self.params.displacement == 0.0 {
            return;
        }
        s.table_vertex[j] = bytemuck::must_cast(l.store(vertex));
        let forms = if uniform(&s.faces[j]) {
            linear_uniform(l, &self.patches[s.faces[j][0] as usize], row::FORMS, b, c)
        } else {
            l.transpose(eight!(b, i => {
                linear(l, &self.patches[sites[i].face as usize], row::FORMS, sites[i].b, sites[i].c)
            }))
        };
        let [xx, xy, yy, _, sxx, sxy, syy, _] = forms;
        let h = l.mul(height, l.splat(self.params.bending_amount));
        let form = at_height(l, self.params.flags, [xx, xy, yy], [sxx, sxy, syy], h);
        for k in 0..3 {
            s.form[k][j] = l.store(form[k]);
        }
    }

    /// Clamps I(h) of block `j`.
    #[inline(always)]
    pub(super) fn clamp<L: Lanes>(&self, l: L, s: &mut Scratch, j: usize) {
        let form = self.clamped(l, three!(k => l.load(&s.form[k][j])));
        for k in 0..3 {
            s.form[k][j] = l.store(form[k]);
        }
    }

    /// Finds where the vertices of block `j` look up the table: cells and weights of (sx, sa, sy).
    #[inline(always)]
    pub(super) fn cells<L: Lanes>(&self, l: L, s: &mut Scratch, j: usize) {
        let [xx, xy, yy] = three!(k => l.load(&s.form[k][j]));
        // An I11 or I22 that is not positive counts as zero; sa is then beyond its axis.
        let (tiny, zero, one) = (l.splat(1e-24), l.splat(0.0), l.splat(1.0));
        let (rx, ry) = (l.rsqrt(l.max(xx, tiny)), l.rsqrt(l.max(yy, tiny)));
        let sx = l.fma(l.max(xx, zero), rx, l.sub(zero, one));
        let sy = l.fma(l.max(yy, zero), ry, l.sub(zero, one));
        self.weigh(l, s, j, [sx, l.mul(l.mul(xy, rx), ry), sy]);
    }

    #[inline(always)]
    fn clamped<L: Lanes>(&self, l: L, [xx, xy, yy]: [L::V; 3]) -> [L::V; 3] {
        let (min, half) = (l.splat(self.params.min_eigenvalue), l.splat(0.5));
        let mean = l.mul(half, l.add(xx, yy));
        let difference = l.mul(half, l.sub(xx, yy));
        let square = l.fma(difference, difference, l.mul(xy, xy));
        let inverse = l.rsqrt(l.max(square, l.splat(f32::MIN_POSITIVE)));
        let d = l.mul(square, inverse);
        let (l1, l2) = (l.max(l.sub(mean, d), min), l.max(l.add(mean, d), min));
        let k = l.mul(l.mul(half, l.sub(l2, l1)), inverse);
        let center = l.mul(half, l.add(l1, l2));
        let exact = [l.fma(k, difference, center), l.mul(k, xy), l.fnma(k, difference, center)];
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

    /// The table's cell for these strains, and the weights of its corners.
    #[inline(always)]
    fn weigh<L: Lanes>(&self, l: L, s: &mut Scratch, j: usize, [sx, sa, sy]: [L::V; 3]) {
        let [x, a, y] = self.axes;
        let (ix, wx) = x.locate(l, sx);
        let (ia, wa) = a.locate(l, sa);
        let (iy, wy) = y.locate(l, sy);
        let lower = l.fma(iy, l.splat((a.len() + 1) as f32), ia);
        s.row[j] = bytemuck::must_cast(l.to_int(l.fma(lower, l.splat(x.len() as f32), ix)));
        let amount = l.splat(self.params.displacement);
        let y1 = l.mul(wy, amount);
        let y0 = l.sub(amount, y1);
        let (w10, w11) = (l.mul(wa, y0), l.mul(wa, y1));
        for (lane, w) in s.weights.iter_mut().zip([l.sub(y0, w10), w10, l.sub(y1, w11), w11]) {
            lane[j] = l.store(w);
        }
        s.upper[j] = l.store(wx);
    }
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
