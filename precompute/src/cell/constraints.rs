//! What holds a cell, besides its periodicity [Sperl21, Eq. 3].
//!
//! - Mean: sum_i l_i R_i^T u_i = 0, three rows. R is the rotation of the midsurface, 1 in the plane: a fluctuation is
//!   periodic in the frame of the surface, so only there its mean does not depend on which copies of the vertices are
//!   taken. On a cylinder the row of the normal is physical: it keeps the fabric at the height where I is prescribed.
//! - Slide, one row a yarn: the head of the edge that crosses the border of the pattern has no material displacement
//!   along the axis that it crosses, u.(S^-T N) = 0; bent, S^-T N is the gradient of the material coordinate at the
//!   vertex. The paper prints u.(S N) = 0; under shear the published equilibria satisfy the former.
//! - Twist, one row a yarn: sum_i L_i theta_i = 0.

use super::Cell;
use super::energy::Problem;
use super::state::State;
use nalgebra::{DMatrix, DVector};
use yarnwise_shared::pattern::Yarn;

/// One linear constraint row.q = value, with a row of length one.
#[derive(Clone, Debug)]
pub struct Row {
    /// Unknown and coefficient.
    pub entries: Vec<(usize, f64)>,
    /// Right-hand side.
    pub value: f64,
    /// The entries in ascending order of their unknowns.
    order: Vec<usize>,
}

/// All constraints of a cell. The rows are independent of each other.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// Three rows of the mean, then those of the yarns: slide (where a yarn has one) and twist.
    pub rows: Vec<Row>,
    /// Indices of the slide rows.
    pub slides: Vec<usize>,
    /// Inverse of C C^T.
    gram_inverse: DMatrix<f64>,
}

impl Row {
    fn new(mut entries: Vec<(usize, f64)>, at: impl Fn(usize) -> f64) -> Self {
        let norm = entries.iter().map(|(_, c)| c * c).sum::<f64>().sqrt();
        entries.iter_mut().for_each(|(_, c)| *c /= norm);
        let value = entries.iter().map(|(i, c)| c * at(*i)).sum();
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_unstable_by_key(|k| entries[*k].0);
        Row { entries, value, order }
    }

    /// row.v
    pub fn dot(&self, v: &[f64]) -> f64 {
        self.entries.iter().map(|(i, c)| c * v[*i]).sum()
    }
}

/// The vertex that a yarn is held at, and the axis: the head of its first edge that crosses the border, counted from the
/// edge into its first vertex. None for a ring that stays within the cell.
pub fn slide_vertex(cell: &Cell, yarn: &Yarn) -> Option<(usize, usize)> {
    yarn.vertices.iter().map(|v| *v as usize).find_map(|v| {
        let shift = cell.shift[cell.previous[v]];
        shift.iter().position(|s| *s != 0).map(|axis| (v, axis))
    })
}

/// Component `c` of sum_i l_i R_i^T u_i.
fn mean(problem: &Problem, c: usize) -> Vec<(usize, f64)> {
    let cell = problem.cell;
    let lengths = cell.voronoi_length.iter().enumerate();
    let entries = |(i, l): (usize, &f64)| match problem.deformation.rotation(&cell.material_position[i]) {
        None => vec![(4 * i + c, *l)],
        Some(r) => (0..3).map(|k| (4 * i + k, l * r[(k, c)])).collect(),
    };
    lengths.flat_map(entries).collect()
}

impl Constraints {
    /// The constraints of `problem`; `slide` leaves those against sliding out when false.
    pub fn new(problem: &Problem, slide: bool) -> Self {
        let cell = problem.cell;
        let affine = |i: usize| if i % 4 == 3 { 0.0 } else { problem.affine[i / 4][i % 4] };
        let mut rows: Vec<Row> = (0..3).map(|c| Row::new(mean(problem, c), affine)).collect();
        let mut slides = Vec::new();
        for yarn in cell.pattern.yarns() {
            if let Some((v, axis)) = slide_vertex(cell, yarn).filter(|_| slide) {
                let normal = problem.deformation.material_normal(axis, &cell.material_position[v]);
                let entries = (0..3).map(|c| (4 * v + c, normal[c])).filter(|(_, n)| *n != 0.0).collect();
                slides.push(rows.len());
                rows.push(Row::new(entries, affine));
            }
            let twist = |v: &u32| (4 * *v as usize + 3, cell.rest_length[*v as usize]);
            rows.push(Row::new(yarn.vertices.iter().map(twist).collect(), affine));
        }
        Self::from_rows(rows, slides)
    }

    /// Keeps the rows that do not follow from earlier ones: a yarn of a single vertex is held by the mean already.
    fn from_rows(all: Vec<Row>, all_slides: Vec<usize>) -> Self {
        let (mut rows, mut slides): (Vec<Row>, Vec<usize>) = (Vec::new(), Vec::new());
        let mut gram_inverse = DMatrix::zeros(0, 0);
        for (index, row) in all.into_iter().enumerate() {
            let overlap = DVector::from_iterator(rows.len(), rows.iter().map(|r| sparse_dot(r, &row)));
            if 1.0 - overlap.dot(&(&gram_inverse * &overlap)) < 1e-9 {
                continue;
            }
            if all_slides.contains(&index) {
                slides.push(rows.len());
            }
            rows.push(row);
            let gram = DMatrix::from_fn(rows.len(), rows.len(), |a, b| sparse_dot(&rows[a], &rows[b]));
            let size = rows.len();
            gram_inverse = gram.cholesky().map_or_else(|| DMatrix::identity(size, size), |c| c.inverse());
        }
        Constraints { rows, slides, gram_inverse }
    }

    /// Removes from `v` its part along the rows: the orthogonal projection on the free directions.
    pub fn project(&self, v: &mut [f64]) {
        let c = DVector::from_iterator(self.rows.len(), self.rows.iter().map(|r| r.dot(v)));
        let multipliers = &self.gram_inverse * c;
        self.subtract(v, &multipliers);
    }

    /// Moves the unknowns `q` to the nearest ones that satisfy the constraints.
    pub fn satisfy(&self, q: &mut [f64]) {
        let c = DVector::from_iterator(self.rows.len(), self.rows.iter().map(|r| r.dot(q) - r.value));
        let multipliers = &self.gram_inverse * c;
        self.subtract(q, &multipliers);
    }

    fn subtract(&self, v: &mut [f64], multipliers: &DVector<f64>) {
        for (row, m) in self.rows.iter().zip(multipliers.iter()) {
            for (i, c) in &row.entries {
                v[*i] -= c * m;
            }
        }
    }
}

fn sparse_dot(a: &Row, b: &Row) -> f64 {
    let (short, long) = if a.entries.len() < b.entries.len() { (a, b) } else { (b, a) };
    let position = |i: usize| long.order.binary_search_by_key(&i, |k| long.entries[*k].0).ok();
    short.entries.iter().filter_map(|(i, c)| Some(c * long.entries[long.order[position(*i)?]].1)).sum()
}

/// The unknowns (x, y, z, r theta) of a state.
pub fn unknowns(state: &State, radius: f64) -> Vec<f64> {
    state.position.iter().zip(&state.twist).flat_map(|(x, t)| [x.x, x.y, x.z, t * radius]).collect()
}
