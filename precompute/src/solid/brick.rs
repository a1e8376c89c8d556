//! Hexahedra with 8 or 20 nodes, both with the same eight Gauss points: a table of shape functions' gradients at eight points.
//!
//!   N_a = (1 + x x_a)(1 + y y_a)(1 + z z_a) / 8                              8 nodes, and geometry always
//!   N_a = (1 + x x_a)(1 + y y_a)(1 + z z_a)(x x_a + y y_a + z z_a - 2) / 8   20 nodes, corners
//!   N_a = (1 - x^2)(1 + y y_a)(1 + z z_a) / 4                                20 nodes, edges along x; y and z likewise
//!
//! \[MartinGarrido18\] have 8 nodes and eight points. Such bricks lock in bending; 20 nodes with the same points do not. Edges are straight
//! in the mesh at rest: the middle nodes of its edges lie halfway.

use nalgebra::{Matrix3, Vector3};

/// The kind of hexahedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Brick {
    /// Eight nodes: light, too stiff in bending (15 % for elements as long as the radius).
    Hex8,
    /// Twenty nodes.
    #[default]
    Hex20,
}

/// Corners of the element in its own coordinates: those of the lower quad counterclockwise, then those of the upper one.
const CORNERS: [[f64; 3]; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

/// Corners that edges join, in the order of their middle nodes.
pub(crate) const EDGES: [[usize; 2]; 12] =
    [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];

/// Number of Gauss points.
pub(crate) const POINTS: usize = 8;

/// The Gauss points are at +- this along each axis; their weights are 1.
const GAUSS: f64 = 0.577_350_269_189_625_8;

/// Value and derivatives by the three coordinates of one shape function.
type Shape = (f64, Vector3<f64>);

impl Brick {
    /// Number of nodes.
    pub(crate) fn nodes(self) -> usize {
        match self {
            Brick::Hex8 => 8,
            Brick::Hex20 => 20,
        }
    }

    /// Shape functions at a place in the element's own coordinates.
    pub(crate) fn shapes(self, at: Vector3<f64>) -> Vec<Shape> {
        let corners = CORNERS.iter().map(|c| Vector3::from(*c));
        match self {
            Brick::Hex8 => corners.map(|c| trilinear(&c, &at)).collect(),
            Brick::Hex20 => {
                let edges = EDGES.iter().map(|[a, b]| 0.5 * (Vector3::from(CORNERS[*a]) + Vector3::from(CORNERS[*b])));
                corners.map(|c| corner(&c, &at)).chain(edges.map(|c| edge(&c, &at))).collect()
            }
        }
    }

    /// The table of an element with these places of corners at rest (m); none when it is turned inside out somewhere.
    pub(crate) fn table(self, corners: &[Vector3<f64>; 8]) -> Option<Table> {
        let mut table = Table { gradient: Vec::with_capacity(POINTS * self.nodes()), weight: [0.0; POINTS] };
        for (k, place) in gauss_points().enumerate() {
            let mut jacobian = Matrix3::zeros();
            for (x, c) in corners.iter().zip(&CORNERS) {
                jacobian += x * trilinear(&Vector3::from(*c), &place).1.transpose();
            }
            let det = jacobian.determinant();
            let inverse = jacobian.try_inverse().filter(|_| det > 0.0)?.transpose();
            table.weight[k] = det;
            table.gradient.extend(self.shapes(place).iter().map(|(_, slope)| inverse * slope));
        }
        Some(table)
    }
}

/// The eight Gauss points, in the order of the corners.
fn gauss_points() -> impl Iterator<Item = Vector3<f64>> {
    CORNERS.iter().map(|c| Vector3::from(*c) * GAUSS)
}

/// What corner `k` gets of values at the eight Gauss points when they are extrapolated trilinearly.
pub(crate) fn extrapolation(k: usize) -> [f64; POINTS] {
    let at = Vector3::from(CORNERS[k]) / GAUSS;
    std::array::from_fn(|g| trilinear(&Vector3::from(CORNERS[g]), &at).0)
}

fn trilinear(c: &Vector3<f64>, at: &Vector3<f64>) -> Shape {
    let f = Vector3::repeat(1.0) + c.component_mul(at);
    (f.product() / 8.0, Vector3::new(c.x * f.y * f.z, f.x * c.y * f.z, f.x * f.y * c.z) / 8.0)
}

fn corner(c: &Vector3<f64>, at: &Vector3<f64>) -> Shape {
    let (n, slope) = trilinear(c, at);
    let factor = c.dot(at) - 2.0;
    (n * factor, slope * factor + c * n)
}

fn edge(c: &Vector3<f64>, at: &Vector3<f64>) -> Shape {
    // The coordinate along the edge is zero in its middle.
    let along = c.iamin();
    let f = Vector3::from_fn(|k, _| if k == along { 1.0 - at[k] * at[k] } else { 1.0 + c[k] * at[k] });
    let d = Vector3::from_fn(|k, _| if k == along { -2.0 * at[k] } else { c[k] });
    (f.product() / 4.0, Vector3::new(d.x * f.y * f.z, f.x * d.y * f.z, f.x * f.y * d.z) / 4.0)
}

/// Gradients of an element's shape functions at its Gauss points, and the points' volumes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Table {
    /// dN_a / dX (1/m): all nodes of the first point, then those of the next.
    gradient: Vec<Vector3<f64>>,
    /// Volume of each point, m^3.
    pub(crate) weight: [f64; POINTS],
}

impl Table {
    /// The gradients at Gauss point `k`, one a node.
    pub(crate) fn gradients(&self, k: usize) -> &[Vector3<f64>] {
        let nodes = self.gradient.len() / POINTS;
        &self.gradient[k * nodes..(k + 1) * nodes]
    }

    /// F at Gauss point `k` of nodes at `x` (m).
    pub(crate) fn deformation(&self, k: usize, x: &[Vector3<f64>]) -> Matrix3<f64> {
        x.iter().zip(self.gradients(k)).fold(Matrix3::zeros(), |f, (x, g)| f + x * g.transpose())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A distorted element, and the places of its nodes.
    fn distorted(brick: Brick) -> ([Vector3<f64>; 8], Vec<Vector3<f64>>) {
        let wave =
            |k: usize| 0.2 * Vector3::new((3.7 * k as f64).sin(), (5.1 * k as f64).cos(), (2.3 * k as f64).sin());
        let corners: [Vector3<f64>; 8] = std::array::from_fn(|k| Vector3::from(CORNERS[k]) + wave(k));
        let edges = EDGES.iter().map(|[a, b]| 0.5 * (corners[*a] + corners[*b]));
        (corners, corners.into_iter().chain(edges).take(brick.nodes()).collect())
    }

    #[test]
    fn shapes_interpolate_and_their_derivatives_agree_with_differences() {
        for brick in [Brick::Hex8, Brick::Hex20] {
            let edges = EDGES.iter().map(|[a, b]| 0.5 * (Vector3::from(CORNERS[*a]) + Vector3::from(CORNERS[*b])));
            let nodes: Vec<Vector3<f64>> = CORNERS.iter().map(|c| Vector3::from(*c)).chain(edges).collect();
            for (a, at) in nodes[..brick.nodes()].iter().enumerate() {
                for (b, (n, _)) in brick.shapes(*at).iter().enumerate() {
                    assert!((n - f64::from(u8::from(a == b))).abs() < 1e-15);
                }
            }
            let (at, h) = (Vector3::new(0.3, -0.7, 0.45), 1e-6);
            for k in 0..3 {
                let mut d = Vector3::zeros();
                d[k] = h;
                let [up, down] = [at + d, at - d].map(|p| brick.shapes(p));
                for (a, (_, slope)) in brick.shapes(at).iter().enumerate() {
                    assert!(((up[a].0 - down[a].0) / (2.0 * h) - slope[k]).abs() < 1e-9);
                }
            }
            assert!((brick.shapes(at).iter().map(|(n, _)| n).sum::<f64>() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn affine_motions_have_one_gradient_also_in_distorted_elements() {
        let f = Matrix3::new(1.1, 0.2, -0.3, 0.4, 0.9, 0.1, -0.2, 0.3, 1.2);
        for brick in [Brick::Hex8, Brick::Hex20] {
            let (corners, nodes) = distorted(brick);
            let table = brick.table(&corners).unwrap();
            let moved: Vec<_> = nodes.iter().map(|x| f * x + Vector3::new(3.0, 1.0, 2.0)).collect();
            for k in 0..POINTS {
                assert!((table.deformation(k, &moved) - f).norm() < 1e-14);
            }
            assert!(brick.table(&corners.map(|x| -x)).is_none(), "inside out");
        }
    }

    #[test]
    fn what_is_linear_is_extrapolated_exactly() {
        let linear = |p: Vector3<f64>| 2.0 + p.dot(&Vector3::new(1.0, -3.0, 0.5));
        for k in 0..8 {
            let sum: f64 = gauss_points().zip(extrapolation(k)).map(|(p, w)| w * linear(p)).sum();
            assert!((sum - linear(Vector3::from(CORNERS[k]))).abs() < 1e-14);
        }
    }
}
