//! Which cells of a regular grid a triangle touches.

/// A regular grid of cells; cell (column, row) begins at origin + (column, row) * size.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellGrid {
    pub(super) origin: [f64; 2],
    pub(super) size: [f64; 2],
}

impl CellGrid {
    /// Column or row (`k` = 0, 1) of a coordinate.
    pub(super) fn index(&self, k: usize, value: f64) -> i64 {
        ((value - self.origin[k]) / self.size[k]).floor() as i64
    }

    /// Calls `each(column, row)` for the cells that the triangle touches, rows first.
    ///
    /// A cell is larger by `slack` on each side, but never beyond the cells of the triangle's bounding box grown by
    /// `grow`. The work is proportional to the cells found plus the rows passed.
    pub(super) fn touch(&self, corners: [[f64; 2]; 3], grow: f64, slack: f64, mut each: impl FnMut(i64, i64)) {
        let low = [0, 1].map(|k| corners.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min) - grow);
        let high = [0, 1].map(|k| corners.iter().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max) + grow);
        let columns = (self.index(0, low[0]), self.index(0, high[0]));
        for row in self.index(1, low[1])..=self.index(1, high[1]) {
            let bottom = self.origin[1] + row as f64 * self.size[1] - slack;
            let top = self.origin[1] + (row + 1) as f64 * self.size[1] + slack;
            let Some([left, right]) = extent(corners, bottom, top) else { continue };
            let first = self.index(0, left - slack).max(columns.0);
            let last = self.index(0, right + slack).min(columns.1);
            for column in first..=last {
                each(column, row);
            }
        }
    }
}

/// The extent in x of the part of a triangle between two heights.
fn extent(corners: [[f64; 2]; 3], bottom: f64, top: f64) -> Option<[f64; 2]> {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    let mut add = |x: f64| range = [range[0].min(x), range[1].max(x)];
    for i in 0..3 {
        let (p, q) = (corners[i], corners[(i + 1) % 3]);
        if p[1] >= bottom && p[1] <= top {
            add(p[0]);
        }
        for y in [bottom, top] {
            if (p[1] < y) != (q[1] < y) {
                add(p[0] + (q[0] - p[0]) * ((y - p[1]) / (q[1] - p[1])));
            }
        }
    }
    (range[0] <= range[1]).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Separating axes over all cells of the bounding box: the oracle.
    fn touches(corners: [[f64; 2]; 3], low: [f64; 2], high: [f64; 2]) -> bool {
        let mut axes = vec![[1.0, 0.0], [0.0, 1.0]];
        for i in 0..3 {
            let (p, q) = (corners[i], corners[(i + 1) % 3]);
            axes.push([q[1] - p[1], p[0] - q[0]]);
        }
        axes.iter().all(|a| {
            let range = |points: &[[f64; 2]]| {
                let values = points.iter().map(|p| a[0] * p[0] + a[1] * p[1]);
                values.fold([f64::INFINITY, f64::NEG_INFINITY], |r, v| [r[0].min(v), r[1].max(v)])
            };
            let (t, b) = (range(&corners), range(&[low, high, [low[0], high[1]], [high[0], low[1]]]));
            t[0] <= b[1] && b[0] <= t[1]
        })
    }

    #[test]
    fn cells_are_those_that_no_axis_separates() {
        let grid = CellGrid { origin: [-0.03, 0.02], size: [0.7, 0.4] };
        let mut seed = 7u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as f64 / 2f64.powi(24) * 6.0 - 3.0
        };
        let mut total = 0;
        for _ in 0..500 {
            let corners: [[f64; 2]; 3] = std::array::from_fn(|_| [random(), random()]);
            let mut found = Vec::new();
            grid.touch(corners, 0.0, 0.01, |c, r| found.push((c, r)));
            let mut expected = Vec::new();
            let bounds = |k: usize| {
                let values = corners.map(|p| grid.index(k, p[k]));
                *values.iter().min().unwrap()..=*values.iter().max().unwrap()
            };
            for row in bounds(1) {
                for column in bounds(0) {
                    let low = [-0.03 + column as f64 * 0.7 - 0.01, 0.02 + row as f64 * 0.4 - 0.01];
                    if touches(corners, low, [low[0] + 0.72, low[1] + 0.42]) {
                        expected.push((column, row));
                    }
                }
            }
            assert_eq!(found, expected, "{corners:?}");
            total += found.len();
        }
        assert!(total > 5000);
    }
}
