//! Steps 1 and 2: from sites to I(h), from I(h) to cells and weights of the table.
//!
//! The one second copy of the strain maths of `yarnwise_shared::table::strain`, for the sake of speed; tests hold both together.

use super::{BLOCK, Kernel, Scratch, eight, linear, linear_uniform, row, three, uniform};
use crate::cpu::lanes::Lanes;
use yarnwise_shaders::gpu::constants::{EQUAL_EIGENVALUES, MIN_AREA, MIN_DETERMINANT};
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
        let (min, flags) = (self.params.min_eigenvalue, self.params.flags);
        let form = clamped(l, min, flags, three!(k => l.load(&s.form[k][j])));
        for k in 0..3 {
            s.form[k][j] = l.store(form[k]);
        }
    }

    /// Finds where the vertices of block `j` look up the table: cells and weights of (sx, sa, sy).
    #[inline(always)]
    pub(super) fn cells<L: Lanes>(&self, l: L, s: &mut Scratch, j: usize) {
        let [xx, xy, yy] = three!(k => l.load(&s.form[k][j]));
        // An I11 or I22 that is not positive counts as zero; sa is then beyond its axis.
        let (tiny, zero, one) = (l.splat(MIN_AREA * MIN_AREA), l.splat(0.0), l.splat(1.0));
        let (rx, ry) = (l.rsqrt(l.max(xx, tiny)), l.rsqrt(l.max(yy, tiny)));
        let sx = l.fma(l.max(xx, zero), rx, l.sub(zero, one));
        let sy = l.fma(l.max(yy, zero), ry, l.sub(zero, one));
        self.weigh(l, s, j, [sx, l.mul(l.mul(xy, rx), ry), sy]);
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

/// `Sym2::clamp_eigenvalues`, or the reference program's clamp.
#[inline(always)]
fn clamped<L: Lanes>(l: L, min: f32, flags: u32, [xx, xy, yy]: [L::V; 3]) -> [L::V; 3] {
    let (min, half) = (l.splat(min), l.splat(0.5));
    let mean = l.mul(half, l.add(xx, yy));
    let difference = l.mul(half, l.sub(xx, yy));
    let square = l.fma(difference, difference, l.mul(xy, xy));
    let inverse = l.rsqrt(l.max(square, l.splat(f32::MIN_POSITIVE)));
    let d = l.mul(square, inverse);
    let (l1, l2) = (l.max(l.sub(mean, d), min), l.max(l.add(mean, d), min));
    let k = l.mul(l.mul(half, l.sub(l2, l1)), inverse);
    let center = l.mul(half, l.add(l1, l2));
    let exact = [l.fma(k, difference, center), l.mul(k, xy), l.fnma(k, difference, center)];
    if flags & flags::COMPAT_CLAMP == 0 {
        return exact;
    }
    let (limit, equal) = (l.splat(0.25 * EQUAL_EIGENVALUES), l.max(xx, min));
    [
        l.where_ge(square, limit, exact[0], equal),
        l.where_ge(square, limit, exact[1], xy),
        l.where_ge(square, limit, exact[2], equal),
    ]
}

/// `Sym2::at_height`.
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
    let determinant = l.max(l.fnma(c, c, l.mul(a, b)), l.splat(MIN_DETERMINANT));
    let factor = l.div(l.mul(h, h), determinant);
    let (x1, y1) = (l.fnma(c, r, l.mul(b, p)), l.fnma(c, p, l.mul(a, r)));
    let (x2, y2) = (l.fnma(c, q, l.mul(b, r)), l.fnma(c, r, l.mul(a, q)));
    let square = [l.fma(p, x1, l.mul(r, y1)), l.fma(p, x2, l.mul(r, y2)), l.fma(r, x2, l.mul(q, y2))];
    three!(k => l.fma(square[k], factor, linear[k]))
}

#[cfg(test)]
mod tests {
    //! The kernel's own copy of the strain maths is held to `yarnwise_shared::table::strain`, in double precision.

    use super::*;
    use crate::cpu::lanes::Portable;
    use yarnwise_shared::random::Random;
    use yarnwise_shared::table::strain::{Bending, Sym2};

    /// Eight forms with entries up to `size`.
    fn forms(random: &mut Random, size: f64) -> [Sym2<f64>; BLOCK] {
        let mut entry = || f64::from((size * (2.0 * random.unit() - 1.0)) as f32);
        std::array::from_fn(|_| Sym2::new(entry(), entry(), entry()))
    }

    /// Entry by entry, as the kernel has them.
    fn lanes(forms: &[Sym2<f64>; BLOCK]) -> [[f32; BLOCK]; 3] {
        [forms.map(|f| f.xx as f32), forms.map(|f| f.xy as f32), forms.map(|f| f.yy as f32)]
    }

    fn assert_near(found: [[f32; BLOCK]; 3], expected: &[Sym2<f64>; BLOCK], what: &str) {
        for i in 0..BLOCK {
            let e = expected[i];
            for (f, e) in [(found[0][i], e.xx), (found[1][i], e.xy), (found[2][i], e.yy)] {
                let off = (f64::from(f) - e).abs() / (1.0 + e.abs());
                assert!(off < 2e-5, "{what}: {f} instead of {e}");
            }
        }
    }

    #[test]
    fn forms_at_a_height_are_the_shared_ones() {
        let (l, mut random) = (Portable, Random::new(5));
        for _ in 0..500 {
            let first = forms(&mut random, 0.3).map(|f| Sym2::new(1.0 + f.xx, f.xy, 1.0 + f.yy));
            let (second, h) = (forms(&mut random, 200.0), 1e-3f32);
            for (flag, bending) in
                [(0, Bending::None), (flags::LINEARIZED, Bending::Linearized), (flags::QUADRATIC, Bending::Quadratic)]
            {
                let found = at_height(l, flag, lanes(&first), lanes(&second), l.splat(h));
                let expected = std::array::from_fn(|i| first[i].at_height(second[i], f64::from(h), bending));
                assert_near(found, &expected, bending.name());
            }
        }
    }

    #[test]
    fn clamped_forms_are_the_shared_ones() {
        let (l, mut random) = (Portable, Random::new(6));
        for _ in 0..500 {
            let forms = forms(&mut random, 2.0);
            let found = clamped(l, 0.8, 0, lanes(&forms));
            assert_near(found, &forms.map(|f| f.clamp_eigenvalues(f64::from(0.8f32))), "clamp");
        }
    }
}
