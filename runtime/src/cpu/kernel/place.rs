//! Step 4: from barycentrics to the world.

use super::{Kernel, Scratch, cross, dot, eight, linear, linear_uniform, row, three, uniform};
use crate::cpu::lanes::Lanes;

impl Kernel<'_> {
    /// Position, normal (of any length) and scale of the midsurface.
    #[inline(always)]
    pub(super) fn surface<L: Lanes>(&self, l: L, s: &mut Scratch, j: usize) {
        let (faces, b, c) = (&s.faces[j], &s.b[j], &s.c[j]);
        let (position, normal, scale) = if uniform(faces) {
            let (patch, b, c) = (&self.patches[faces[0] as usize], l.load(b), l.load(c));
            let [x, y, z, _, nx, ny, nz, scale] = linear_uniform(l, patch, row::POSITION_NORMAL, b, c);
            let (flat, bb, bc, cc) = ([x, y, z], l.mul(b, b), l.mul(b, c), l.mul(c, c));
            let position = three!(k => {
                let sum = l.fma(l.splat(patch.position_bb[k]), bb, flat[k]);
                let sum = l.fma(l.splat(patch.position_bc[k]), bc, sum);
                l.fma(l.splat(patch.position_cc[k]), cc, sum)
            });
            (position, [nx, ny, nz], scale)
        } else {
            let both = eight!(l.splat(0.0), i => {
                let (patch, b, c) = (&self.patches[faces[i] as usize], b[i], c[i]);
                let linear = linear(l, patch, row::POSITION_NORMAL, b, c);
                let position = l.quad_fma(b * b, l.quad(&patch.position_bb), l.low(linear));
                let position = l.quad_fma(b * c, l.quad(&patch.position_bc), position);
                l.with_low(linear, l.quad_fma(c * c, l.quad(&patch.position_cc), position))
            });
            let [x, y, z, _, nx, ny, nz, scale] = l.transpose(both);
            ([x, y, z], [nx, ny, nz], scale)
        };
        for k in 0..3 {
            s.position[k][j] = l.store(position[k]);
            s.normal[k][j] = l.store(normal[k]);
        }
        s.scale[j] = l.store(scale);
    }

    /// Unit normals; positions above the midsurface.
    #[inline(always)]
    pub(super) fn offset<L: Lanes>(&self, l: L, s: &mut Scratch, j: usize) {
        let normal = three!(k => l.load(&s.normal[k][j]));
        let inverse = l.rsqrt(l.max(dot(l, normal, normal), l.splat(f32::MIN_POSITIVE)));
        let scale = l.load(&s.scale[j]);
        let height = l.mul(l.load(&s.height[j]), scale);
        for k in 0..3 {
            let unit = l.mul(normal[k], inverse);
            s.normal[k][j] = l.store(unit);
            s.position[k][j] = l.store(l.fma(unit, height, l.load(&s.position[k][j])));
        }
        s.rest[j] = l.store(l.mul(l.load(&s.rest[j]), scale));
    }

    /// Packed directors.
    #[inline(always)]
    pub(super) fn turn<L: Lanes>(&self, l: L, s: &mut Scratch, j: usize) {
        let (faces, b, c) = (&s.faces[j], &s.b[j], &s.c[j]);
        let gradient = if uniform(faces) {
            linear_uniform(l, &self.patches[faces[0] as usize], row::GRADIENT, l.load(b), l.load(c))
        } else {
            let zero = l.splat(0.0);
            l.transpose(eight!(zero, i => linear(l, &self.patches[faces[i] as usize], row::GRADIENT, b[i], c[i])))
        };
        let [ux, uy, uz, _, vx, vy, vz, _] = gradient;
        let n = three!(k => l.load(&s.normal[k][j]));
        let d = three!(k => l.load(&s.director[k][j]));
        s.packed[j] = l.store(director(l, [ux, uy, uz], [vx, vy, vz], n, d));
    }
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
