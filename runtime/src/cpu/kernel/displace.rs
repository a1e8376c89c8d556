//! Step 3: the displacement, and the triangle that holds the displaced vertex.

use super::{BLOCK, Kernel, Scratch, eight, uniform};
use crate::cpu::lanes::Lanes;
use yarnwise_shaders::cpu::walk::walk;
use yarnwise_shaders::gpu::constants::WALK_TOLERANCE;

impl Kernel<'_> {
    /// Looks the displacement up and adds it to barycentrics, height and twist; the triangle stays.
    #[inline(always)]
    pub(super) fn displace<L: Lanes>(&self, l: L, s: &mut Scratch, j: usize) {
        let [x, y, z, twist] = self.look_up(l, s, j);
        s.height[j] = l.store(l.add(l.load(&s.height[j]), z));
        s.twist[j] = l.store(l.add(l.load(&s.twist[j]), twist));
        let faces = &s.faces[j];
        let [bx, by, cx, cy] = if uniform(faces) {
            let [bx, by, cx, cy] = self.patches[faces[0] as usize].inverse;
            [l.splat(bx), l.splat(by), l.splat(cx), l.splat(cy)]
        } else {
            l.columns(eight!(l.low(x), i => l.quad(&self.patches[faces[i] as usize].inverse)))
        };
        s.b[j] = l.store(l.fma(by, y, l.fma(bx, x, l.load(&s.b[j]))));
        s.c[j] = l.store(l.fma(cy, y, l.fma(cx, x, l.load(&s.c[j]))));
    }

    /// dX1, dX2, dX3 and dtheta, times the frame's factor.
    #[inline(always)]
    fn look_up<L: Lanes>(&self, l: L, s: &Scratch, j: usize) -> [L::V; 4] {
        let corners = self.table.corners();
        let [w00, w10, w01, w11] = &s.weights;
        let sums = eight!(l.splat(0.0), i => {
            let [r00, r10, r01, r11] = corners.at(s.row[j][i], s.table_vertex[j][i]);
            let sum = l.mul(l.load(r00), l.splat(w00[j][i]));
            let sum = l.fma(l.load(r10), l.splat(w10[j][i]), sum);
            let sum = l.fma(l.load(r01), l.splat(w01[j][i]), sum);
            l.fma(l.load(r11), l.splat(w11[j][i]), sum)
        });
        let [x0, y0, z0, t0, x1, y1, z1, t1] = l.transpose(sums);
        let upper = l.load(&s.upper[j]);
        [
            l.fma(upper, l.sub(x1, x0), x0),
            l.fma(upper, l.sub(y1, y0), y0),
            l.fma(upper, l.sub(z1, z0), z0),
            l.fma(upper, l.sub(t1, t0), t0),
        ]
    }

    /// Notes those of block `j` that have left their triangle.
    #[inline(always)]
    pub(super) fn find_outside<L: Lanes>(&self, l: L, s: &mut Scratch, j: usize) {
        let (b, c) = (l.load(&s.b[j]), l.load(&s.c[j]));
        let a = l.sub(l.sub(l.splat(1.0), b), c);
        let outside = l.below(l.min(a, l.min(b, c)), l.splat(-WALK_TOLERANCE));
        if outside != 0 {
            // Without a branch for each lane, which would be unpredictable.
            let mut count = s.outside_count.min(super::RUN);
            for i in 0..BLOCK {
                s.outside[count] = (j * BLOCK + i) as u32;
                count += (outside >> i & 1) as usize;
            }
            s.outside_count = count;
        }
    }

    /// Finds the new triangles of those that have left theirs.
    #[inline(always)]
    pub(super) fn follow(&self, s: &mut Scratch) {
        let (faces, b, c) = (s.faces.as_flattened_mut(), s.b.as_flattened_mut(), s.c.as_flattened_mut());
        for i in &s.outside[..s.outside_count] {
            let i = *i as usize;
            (faces[i], b[i], c[i]) = walk(self.charts, faces[i], b[i], c[i]);
        }
        s.outside_count = 0;
    }
}
