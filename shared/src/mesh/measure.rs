//! Areas and strains of single triangles, in `f64`.

use crate::table::strain::Sym2;

/// Twice the area of a triangle must exceed this share of its longest side squared; otherwise it counts as degenerate.
///
/// It is ten times the rounding of coordinates (`f32`) of the triangle's own size.
pub const DEGENERATE: f64 = 1e-6;

/// Area of a triangle of the UV plane in square meters, negative where its corners run clockwise.
pub fn uv_area(uv: [[f32; 2]; 3]) -> f64 {
    let [a, b] = edges(uv);
    0.5 * (a[0] * b[1] - a[1] * b[0])
}

/// Area of a triangle in space in square meters.
pub fn area(x: [[f32; 3]; 3]) -> f64 {
    let [a, b] = edges(x);
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    0.5 * dot(cross, cross).sqrt()
}

/// Whether a triangle with this area is too thin to have a shape.
pub fn is_degenerate<const N: usize>(corners: [[f32; N]; 3], area: f64) -> bool {
    let [a, b] = edges(corners);
    let c: [f64; N] = std::array::from_fn(|k| b[k] - a[k]);
    let longest = dot(a, a).max(dot(b, b)).max(dot(c, c));
    // Not "<": a triangle of one point is degenerate as well.
    2.0 * area.abs() <= DEGENERATE * longest
}

/// The first fundamental form of a face: how the UV plane is stretched into space.
///
///   I = F^T F,  F = [x1 - x0, x2 - x0] [U1 - U0, U2 - U0]^-1        [Sperl21, Section 4.1]
///
/// `None` where the UV triangle has no area.
pub fn first_form(uv: [[f32; 2]; 3], x: [[f32; 3]; 3]) -> Option<Sym2<f64>> {
    if is_degenerate(uv, uv_area(uv)) {
        return None;
    }
    let [u, v] = edges(uv);
    let [a, b] = edges(x);
    let inverse = 1.0 / (u[0] * v[1] - u[1] * v[0]);
    // F's columns: what one meter along each axis of the UV plane becomes.
    let along_u: [f64; 3] = std::array::from_fn(|k| (a[k] * v[1] - b[k] * u[1]) * inverse);
    let along_v: [f64; 3] = std::array::from_fn(|k| (b[k] * u[0] - a[k] * v[0]) * inverse);
    Some(Sym2::new(dot(along_u, along_u), dot(along_u, along_v), dot(along_v, along_v)))
}

/// From the first corner to the two others.
fn edges<const N: usize>(corners: [[f32; N]; 3]) -> [[f64; N]; 2] {
    let from_first = |k: usize| std::array::from_fn(|i| f64::from(corners[k][i]) - f64::from(corners[0][i]));
    [from_first(1), from_first(2)]
}

fn dot<const N: usize>(a: [f64; N], b: [f64; N]) -> f64 {
    (0..N).map(|k| a[k] * b[k]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::strain::Strain;
    use proptest::prelude::*;

    #[test]
    fn areas_and_orientation() {
        assert_eq!(uv_area([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]]), 1.0);
        assert_eq!(uv_area([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0]]), -1.0);
        assert_eq!(area([[0.0, 0.0, 1.0], [0.0, 2.0, 1.0], [0.0, 0.0, 2.0]]), 1.0);
        let thin = [[0.0, 0.0], [1.0, 0.0], [0.5, 1e-7]];
        assert!(is_degenerate(thin, uv_area(thin)) && first_form(thin, [[0.0; 3]; 3]).is_none());
        assert!(is_degenerate([[1.0f32; 2]; 3], 0.0), "a point");
        let slim = [[0.0, 0.0], [1.0, 0.0], [0.5, 1e-5]];
        assert!(!is_degenerate(slim, uv_area(slim)));
    }

    proptest! {
        /// A triangle that is mapped by a known F has the strains of that F.
        #[test]
        fn the_first_form_is_that_of_the_map(
            uv in prop::array::uniform6(-1.0f32..1.0), sx in -0.5..1.0f64, sa in -0.8..0.8f64, sy in -0.5..1.0f64,
        ) {
            let uv = [[uv[0], uv[1]], [uv[2], uv[3]], [uv[4], uv[5]]];
            prop_assume!(uv_area(uv).abs() > 0.05);
            let along_u = [1.0 + sx, 0.0, 0.0];
            let along_v = [(1.0 + sy) * sa, 0.0, (1.0 + sy) * (1.0 - sa * sa).sqrt()];
            let map = |[u, v]: [f32; 2]| {
                std::array::from_fn(|k| (f64::from(u) * along_u[k] + f64::from(v) * along_v[k]) as f32)
            };
            let found = Strain::from_first_form(first_form(uv, uv.map(map)).unwrap());
            // World positions are rounded to f32.
            for (a, b) in [(found.sx, sx), (found.sa, sa), (found.sy, sy)] {
                prop_assert!((a - b).abs() < 1e-4, "{:?}", found);
            }
        }
    }
}
