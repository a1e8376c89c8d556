//! Stage `yarns`: one yarn vertex, from its site on the mesh to its place in the world.
//!
//!   I(h) = I - 2 h II (+ h^2 II I^-1 II)          at the undisplaced site          [Sperl21, Eq. 7, 21]
//!   eigenvalues of I(h) raised to lambda_min                                       [Sperl21, Section 4.3]
//!   (sx, sa, sy) of I(h), Q^ = Q + D dQ(sx, sa, sy), multilinear                   [Sperl21, Eq. 4, Section 4.4]
//!   x = phi(Q^_12) + Q^_3 n,   twist = Q^_4,   director = [F | n]^-T d             [Sperl21, Eq. 8]
//!
//! Without the clamp I(h) may be indefinite: a negative I11 or I22 counts as zero, so strains stay finite. Where
//! the surface has no normal (all faces around have collapsed) the vertex lies on the midsurface.

use super::vector::{Vec3, combine, cross, dot, normalized, scaled};
use super::walk::walk;
use crate::gpu::constants::{EQUAL_EIGENVALUES, MIN_FRAME};
use crate::gpu::{AxisCell, FaceChart, Patch, PatternVertex, YarnParams, YarnSite, flags};
use yarnwise_shared::table::strain::{Bending, Strain, Sym2};

/// A yarn vertex in the world, before it is packed.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Deformed {
    /// World position, meters.
    pub position: [f32; 3],
    /// Twist angle, radians.
    pub twist: f32,
    /// [F | n]^-T d: across the edge, of any length.
    pub director: [f32; 3],
}

/// One yarn vertex.
pub fn yarn(
    params: &YarnParams,
    axes: &[AxisCell],
    pattern: &[PatternVertex],
    table: &[[f32; 4]],
    patches: &[Patch],
    charts: &[FaceChart],
    site: &YarnSite,
) -> Deformed {
    let vertex = &pattern[site.pattern_vertex()];
    let delta = if params.displacement == 0.0 {
        [0.0; 4]
    } else {
        let (first, second) = forms(&patches[site.face as usize], site);
        let form = first.at_height(second, vertex.height * params.bending_amount, bending(params.flags));
        let strain = Strain::saturated(clamp(params, form));
        look_up(params, axes, table, vertex.table_vertex, strain).map(|d| d * params.displacement)
    };
    map(params, patches, charts, site, vertex, delta)
}

/// I and II (1/m, times the pattern's scale) at the site.
pub fn forms(patch: &Patch, site: &YarnSite) -> (Sym2<f32>, Sym2<f32>) {
    let at = |c0: [f32; 4], cb: [f32; 4], cc: [f32; 4]| {
        let [xx, xy, yy] = [0, 1, 2].map(|k| c0[k] + cb[k] * site.b + cc[k] * site.c);
        Sym2::new(xx, xy, yy)
    };
    (at(patch.first, patch.first_b, patch.first_c), at(patch.second, patch.second_b, patch.second_c))
}

/// The bending model that the flags name.
fn bending(flags: u32) -> Bending {
    match flags & (flags::LINEARIZED | flags::QUADRATIC) {
        0 => Bending::None,
        flags::LINEARIZED => Bending::Linearized,
        _ => Bending::Quadratic,
    }
}

/// Raises the eigenvalues of I(h) to lambda_min [Sperl21, Section 4.3]; the one place where the reference program's clamp
/// differs.
pub fn clamp(params: &YarnParams, form: Sym2<f32>) -> Sym2<f32> {
    let min = params.min_eigenvalue;
    if min <= 0.0 {
        return form;
    }
    let square = (0.5 * (form.xx - form.yy)).powi(2) + form.xy * form.xy;
    if params.flags & flags::COMPAT_CLAMP != 0 && 4.0 * square < EQUAL_EIGENVALUES {
        let l = form.xx.max(min);
        return Sym2::new(l, form.xy, l);
    }
    form.clamp_eigenvalues(min)
}

/// Cell and weight on one axis; beyond its ends the weight stays 0 or 1.
pub fn locate(cells: &[AxisCell], value: f32) -> (usize, f32) {
    let cell = cells[1..].iter().filter(|c| value >= c.low).count();
    let weight = (value - cells[cell].low) * cells[cell].inverse;
    (cell, weight.clamp(0.0, 1.0))
}

/// Trilinear interpolation in a sample-major table.
pub fn look_up(
    params: &YarnParams,
    axes: &[AxisCell],
    table: &[[f32; 4]],
    vertex: u32,
    strain: Strain<f32>,
) -> [f32; 4] {
    let [nx, na, ny] = params.cells.map(|n| n as usize);
    let (ix, wx) = locate(&axes[..nx], strain.sx);
    let (ia, wa) = locate(&axes[nx..nx + na], strain.sa);
    let (iy, wy) = locate(&axes[nx + na..nx + na + ny], strain.sy);
    let mut sum = [0.0; 4];
    for corner in 0..8 {
        let (jx, ja, jy) = (corner & 1, corner >> 1 & 1, corner >> 2);
        let side = |j: usize, w: f32| if j == 1 { w } else { 1.0 - w };
        let weight = side(jx, wx) * (side(ja, wa) * side(jy, wy));
        let sample = (ix + jx) + (nx + 1) * ((ia + ja) + (na + 1) * (iy + jy));
        let value = table[sample * params.table_vertices as usize + vertex as usize];
        for k in 0..4 {
            sum[k] += weight * value[k];
        }
    }
    sum
}

/// Displaces by `delta` (pattern units) and maps to the world.
pub fn map(
    params: &YarnParams,
    patches: &[Patch],
    charts: &[FaceChart],
    site: &YarnSite,
    vertex: &PatternVertex,
    delta: [f32; 4],
) -> Deformed {
    let inverse = patches[site.face as usize].inverse;
    let b = site.b + (inverse[0] * delta[0] + inverse[1] * delta[1]);
    let c = site.c + (inverse[2] * delta[0] + inverse[3] * delta[1]);
    let (face, b, c) =
        if params.flags & flags::FOLLOW != 0 { walk(charts, site.face, b, c) } else { (site.face, b, c) };
    let patch = &patches[face as usize];
    let normal = normalized(std::array::from_fn(|k| patch.normal[k] + patch.normal_b[k] * b + patch.normal_c[k] * c));
    let height = (vertex.height + delta[2]) * patch.scale();
    let surface = surface(patch, b, c);
    Deformed {
        position: combine(surface, 1.0, normal, height),
        twist: vertex.twist + delta[3],
        director: director(gradient(patch, b, c), normal, vertex.director),
    }
}

/// The point of the surface at (b, c).
pub fn surface(patch: &Patch, b: f32, c: f32) -> Vec3 {
    std::array::from_fn(|k| {
        let linear = patch.position[k] + patch.position_b[k] * b + patch.position_c[k] * c;
        linear + (patch.position_bb[k] * (b * b) + patch.position_bc[k] * (b * c) + patch.position_cc[k] * (c * c))
    })
}

/// The gradient (dx/du, dx/dv) at (b, c) that directors follow.
fn gradient(patch: &Patch, b: f32, c: f32) -> [Vec3; 2] {
    let at = |g: [f32; 4], g_b: [f32; 4], g_c: [f32; 4]| std::array::from_fn(|k| g[k] + g_b[k] * b + g_c[k] * c);
    [at(patch.du, patch.du_b, patch.du_c), at(patch.dv, patch.dv_b, patch.dv_c)]
}

/// [du dv n]^-T d = ((d1 dv - d2 du) x n + d3 du x dv) / det; the direction alone where the matrix is singular.
fn director([du, dv]: [Vec3; 2], n: Vec3, d: Vec3) -> Vec3 {
    let area = cross(du, dv);
    let det = dot(n, area);
    let v = combine(cross(combine(dv, d[0], du, -d[1]), n), 1.0, area, d[2]);
    if det.abs() > MIN_FRAME { scaled(v, 1.0 / det) } else { v }
}
