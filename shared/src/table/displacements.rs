//! Tables of yarn displacements over a grid of strains, and their interpolation.
//!
//! A table holds ΔQ = (dX1, dX2, dX3 in meters, dθ in radians) for every sample of its grid and every vertex of the
//! pattern [Sperl21, Section 4.2]. It is *sample-major*: the vertices of one sample lie side by side, because yarn
//! vertices that are neighbors see nearly the same strain and so read the same few samples. (The published tables are
//! vertex-major.)

use crate::table::difference;
use crate::table::grid::{AXIS_NAMES, Grid};
use crate::words::{self, count};
use crate::{Error, Result};

/// Displacement of a yarn vertex: dX1, dX2, dX3 in meters, dθ in radians.
pub type Displacement = [f32; 4];

/// Displacements of all vertices of a pattern at one sample, with every digit that a bake knows: dX1, dX2, dX3 in meters, dθ in
/// radians. A slice of them by vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Displacements(Vec<[f64; 4]>);

impl Displacements {
    /// `vertices` vertices that have not moved: the affine state of the fabric.
    pub fn zero(vertices: usize) -> Self {
        Displacements(vec![[0.0; 4]; vertices])
    }

    /// The mean of `states` of the same vertices.
    pub fn mean(states: [&Displacements; 2]) -> Self {
        let [a, b] = states;
        a.0.iter().zip(&b.0).map(|(a, b)| std::array::from_fn(|k| 0.5 * (a[k] + b[k]))).collect()
    }

    /// The largest distance of a vertex to where it is in `other`, m.
    pub fn jump(&self, other: &Displacements) -> f64 {
        difference::jump(&self.0, &other.0)
    }

    /// The largest second difference of a vertex over three samples on a line, m.
    pub fn second_difference(line: [&Displacements; 3]) -> f64 {
        difference::second_difference(line.map(|d| &d.0[..]))
    }

    /// The same as a table stores them.
    pub fn rounded(&self) -> impl Iterator<Item = Displacement> + '_ {
        self.0.iter().map(|d| d.map(|c| c as f32))
    }
}

impl std::ops::Deref for Displacements {
    type Target = [[f64; 4]];

    fn deref(&self) -> &[[f64; 4]] {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Displacements {
    type Item = &'a [f64; 4];
    type IntoIter = std::slice::Iter<'a, [f64; 4]>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl From<Vec<[f64; 4]>> for Displacements {
    fn from(values: Vec<[f64; 4]>) -> Self {
        Displacements(values)
    }
}

impl FromIterator<[f64; 4]> for Displacements {
    fn from_iter<I: IntoIterator<Item = [f64; 4]>>(values: I) -> Self {
        Displacements(values.into_iter().collect())
    }
}

/// Displacements of all vertices at all samples of a grid: always complete and finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<const N: usize> {
    grid: Grid<N>,
    vertices: usize,
    values: Vec<Displacement>,
}

impl<const N: usize> Table<N> {
    /// A table with `values[sample * vertices + vertex]`; refused unless complete and finite.
    pub fn new(grid: Grid<N>, vertices: usize, values: Vec<Displacement>) -> Result<Self> {
        let fail = |problem: String| Err(Error::invalid("displacement table", problem));
        let samples = grid.sample_count();
        if vertices == 0 || samples.checked_mul(vertices) != Some(values.len()) {
            return fail(format!(
                "has {}, {samples} samples of {} need one each and at least one vertex",
                count(values.len(), "value", None),
                words::vertices(vertices)
            ));
        }
        if let Some(i) = values.iter().position(|v| !v.iter().all(|c| c.is_finite())) {
            let (sample, vertex) = (i / vertices, i % vertices);
            return fail(format!(
                "vertex {vertex} at sample {sample} ({}) is {}: displacements must be finite numbers",
                grid.describe(sample),
                crate::text::join(&values[i], ", ")
            ));
        }
        Ok(Table { grid, vertices, values })
    }

    /// The axes.
    pub fn grid(&self) -> &Grid<N> {
        &self.grid
    }

    /// How many vertices each sample has, at least one.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// All values: vertex `v` of sample `s` is at `s * vertices + v`.
    pub fn values(&self) -> &[Displacement] {
        &self.values
    }

    /// The displacements of all vertices at one sample.
    pub fn sample(&self, sample: usize) -> &[Displacement] {
        &self.values[sample * self.vertices..][..self.vertices]
    }

    /// The sample at rest, where every axis is exactly 0, if there is one.
    pub fn rest_sample(&self) -> Option<usize> {
        let mut indices = [0; N];
        for (index, axis) in indices.iter_mut().zip(&self.grid.0) {
            *index = axis.zero()?;
        }
        Some(self.grid.sample(indices))
    }

    /// The displacement of `vertex` at any point: multilinear between samples, constant beyond the axes' ends.
    pub fn interpolate(&self, point: [f64; N], vertex: usize) -> [f64; 4] {
        let mut sum = [0.0; 4];
        self.grid.corners(point, |sample, weight| {
            let value = self.values[sample * self.vertices + vertex];
            for (s, v) in sum.iter_mut().zip(value) {
                *s += weight * f64::from(v);
            }
        });
        sum
    }

    /// [`Table::interpolate`] for all vertices.
    pub fn interpolate_all(&self, point: [f64; N]) -> Displacements {
        let mut out = vec![[0.0; 4]; self.vertices];
        self.grid.corners(point, |sample, weight| {
            // At samples and beyond the ends most weights are zero.
            if weight != 0.0 {
                for (sum, value) in out.iter_mut().zip(self.sample(sample)) {
                    (0..4).for_each(|c| sum[c] += weight * f64::from(value[c]));
                }
            }
        });
        Displacements(out)
    }

    /// The table on fewer samples: every value of `grid`'s axes must be one of this table's, exactly.
    pub fn subset(&self, grid: &Grid<N>) -> Result<Self> {
        let samples = self.grid.subset(grid)?;
        let values = samples.iter().flat_map(|s| self.sample(*s)).copied().collect();
        Table::new(grid.clone(), self.vertices, values)
    }
}

impl<const N: usize> Grid<N> {
    /// The coordinates of a sample in words: `sx = 0.5, sa = 0, sy = 1`.
    pub fn describe(&self, sample: usize) -> String {
        let named = self.coordinates(sample).into_iter().zip(AXIS_NAMES).map(|(c, name)| format!("{name} = {c}"));
        named.collect::<Vec<_>>().join(", ")
    }

    /// For each sample of the `coarse` grid, the sample of this grid at the same coordinates.
    ///
    /// An error names the first coarse value that this grid does not have.
    pub fn subset(&self, coarse: &Grid<N>) -> Result<Vec<usize>> {
        let mut positions: [Vec<usize>; N] = std::array::from_fn(|_| Vec::new());
        for k in 0..N {
            for value in coarse.0[k].values() {
                let found = self.0[k].values().iter().position(|v| v == value).ok_or_else(|| {
                    let problem = format!(
                        "has no sample at {value}: a subset takes values that the axis has, which are {}",
                        crate::text::join(self.0[k].values(), ", ")
                    );
                    Error::invalid(format!("axis {}", AXIS_NAMES[k]), problem)
                })?;
                positions[k].push(found);
            }
        }
        let fine = |sample: usize| {
            let indices = coarse.indices(sample);
            self.sample(std::array::from_fn(|k| positions[k][indices[k]]))
        };
        Ok((0..coarse.sample_count()).map(fine).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::grid::Axis;
    use proptest::prelude::*;

    /// Interpolation straight from the definition, one axis after the other by recursion, on lists instead of strides:
    /// shares nothing with [`Grid::corners`].
    fn interpolate_slowly<const N: usize>(table: &Table<N>, point: [f64; N], vertex: usize) -> [f64; 4] {
        fn along<const N: usize>(table: &Table<N>, point: [f64; N], vertex: usize, chosen: Vec<usize>) -> [f64; 4] {
            let axis = chosen.len();
            if axis == N {
                let mut sample = 0;
                let mut stride = 1;
                for (k, index) in chosen.iter().enumerate() {
                    sample += index * stride;
                    stride *= table.grid.0[k].len();
                }
                return table.sample(sample)[vertex].map(f64::from);
            }
            let values = table.grid.0[axis].values();
            let at = |i: usize| along(table, point, vertex, [&chosen[..], &[i]].concat());
            let x = point[axis];
            let last = values.len() - 1;
            if x <= values[0] {
                return at(0);
            }
            if x >= values[last] {
                return at(last);
            }
            let upper = values.iter().position(|v| *v >= x).unwrap();
            let (a, b) = (values[upper - 1], values[upper]);
            let (low, high) = (at(upper - 1), at(upper));
            std::array::from_fn(|c| low[c] + (high[c] - low[c]) * ((x - a) / (b - a)))
        }
        along(table, point, vertex, Vec::new())
    }

    fn any_axis() -> impl Strategy<Value = Axis> {
        (proptest::collection::vec(0.01..0.5f64, 1..6), -1.0..0.0f64).prop_map(|(steps, start)| {
            let mut at = start;
            let mut values = vec![start];
            values.extend(steps.iter().map(|s| {
                at += s;
                at
            }));
            Axis::new("test", values).unwrap()
        })
    }

    fn random_table<const N: usize>(grid: Grid<N>, vertices: usize, mut seed: u64) -> Table<N> {
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        let count = grid.sample_count() * vertices;
        let values = (0..count).map(|_| std::array::from_fn(|_| random())).collect();
        Table::new(grid, vertices, values).unwrap()
    }

    fn assert_agrees<const N: usize>(table: &Table<N>, point: [f64; N]) {
        let all = table.interpolate_all(point);
        for vertex in 0..table.vertices() {
            assert!((0..4).all(|c| (all[vertex][c] - table.interpolate(point, vertex)[c]).abs() < 1e-12));
            let (fast, slow) = (table.interpolate(point, vertex), interpolate_slowly(table, point, vertex));
            for c in 0..4 {
                assert!((fast[c] - slow[c]).abs() < 1e-12, "{point:?}: {fast:?} is not {slow:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn three_axes_agree_with_the_slow_version(
            axes in [any_axis(), any_axis(), any_axis()], point in proptest::array::uniform3(-2.0..2.5f64), seed: u64,
        ) {
            assert_agrees(&random_table(Grid(axes), 3, seed), point);
        }

        #[test]
        fn four_axes_agree_with_the_slow_version(
            axes in [any_axis(), any_axis(), any_axis(), any_axis()],
            point in proptest::array::uniform4(-2.0..2.5f64), seed: u64,
        ) {
            assert_agrees(&random_table(Grid(axes), 2, seed), point);
        }

        #[test]
        fn every_sample_interpolates_to_itself(axes in [any_axis(), any_axis(), any_axis()], seed: u64) {
            let table = random_table(Grid(axes), 2, seed);
            for sample in 0..table.grid().sample_count() {
                let point = table.grid().coordinates(sample);
                prop_assert_eq!(table.interpolate(point, 1), table.sample(sample)[1].map(f64::from));
            }
        }
    }

    fn axis(values: &[f64]) -> Axis {
        Axis::new("test", values.to_vec()).unwrap()
    }

    #[test]
    fn beyond_the_ends_the_end_value_continues() {
        let grid = Grid([axis(&[-0.1, 0.0, 1.0]), axis(&[0.0, 0.01]), axis(&[0.0, 0.01])]);
        let values = (0..12).map(|i| [i as f32, 0.0, 0.0, 0.0]).collect();
        let table = Table::new(grid, 1, values).unwrap();
        assert_eq!(table.interpolate([-9.0, 0.0, 0.0], 0)[0], 0.0);
        assert_eq!(table.interpolate([9.0, 0.0, 0.0], 0)[0], 2.0);
        assert_eq!(table.interpolate([9.0, 9.0, 9.0], 0)[0], 11.0);
        assert_eq!(table.rest_sample(), Some(1));
    }

    #[test]
    fn incomplete_and_non_finite_tables_are_refused() {
        let grid = Grid([axis(&[0.0, 1.0]), axis(&[0.0, 1.0]), axis(&[0.0, 1.0])]);
        let short = Table::new(grid.clone(), 2, vec![[0.0; 4]; 15]).unwrap_err().to_string();
        assert!(short.contains("has 15 values, 8 samples of 2 vertices"), "{short}");
        assert!(Table::new(grid.clone(), 0, vec![]).is_err());
        let mut values = vec![[0.0; 4]; 16];
        values[5][3] = f32::NAN;
        let nan = Table::new(grid, 2, values).unwrap_err().to_string();
        assert!(nan.contains("vertex 1 at sample 2 (sx = 0, sa = 1, sy = 0)"), "{nan}");
    }

    #[test]
    fn a_subset_keeps_the_values_at_its_coordinates() {
        let fine = Grid([axis(&[-0.2, 0.0, 0.5, 1.0]), axis(&[-0.5, 0.0, 0.5]), axis(&[-0.2, 0.0, 1.0])]);
        let coarse = Grid([axis(&[-0.2, 0.0, 1.0]), axis(&[0.0, 0.5]), axis(&[0.0, 1.0])]);
        let table = random_table(fine, 3, 1);
        let subset = table.subset(&coarse).unwrap();
        for sample in 0..coarse.sample_count() {
            for vertex in 0..3 {
                let point = coarse.coordinates(sample);
                assert_eq!(subset.interpolate(point, vertex), table.interpolate(point, vertex));
            }
        }
        let other = Grid([axis(&[-0.2, 0.0, 0.4]), axis(&[0.0, 0.5]), axis(&[0.0, 1.0])]);
        let error = table.subset(&other).unwrap_err().to_string();
        assert!(error.contains("axis sx: has no sample at 0.4"), "{error}");
    }
}
