//! Cell and weight of a strain on one axis of the table.

use crate::cpu::lanes::Lanes;
use yarnwise_shaders::gpu::AxisCell;

/// Cells that fit the fast way: those of the usual 9 samples.
const FEW: usize = 8;

/// The cells of one axis. Beyond its ends the weight stays 0 or 1.
#[derive(Clone, Debug)]
pub(in crate::cpu) struct Axis {
    cells: Vec<AxisCell>,
    /// Where the first cells begin and one over their widths; unused ones begin at infinity.
    low: [f32; FEW],
    inverse: [f32; FEW],
}

impl Axis {
    pub(in crate::cpu) fn new(cells: &[AxisCell]) -> Self {
        let (mut low, mut inverse) = ([f32::INFINITY; FEW], [0.0; FEW]);
        for (i, cell) in cells.iter().take(FEW).enumerate() {
            (low[i], inverse[i]) = (cell.low, cell.inverse);
        }
        Axis { cells: cells.to_vec(), low, inverse }
    }

    /// Number of cells.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Cell (as a whole number) and weight.
    #[inline(always)]
    pub(super) fn locate<L: Lanes>(&self, l: L, value: L::V) -> (L::V, L::V) {
        let (cell, low, inverse) = if self.cells.len() <= FEW { self.few(l, value) } else { self.many(l, value) };
        let weight = l.mul(l.sub(value, low), inverse);
        (cell, l.min(l.max(weight, l.splat(0.0)), l.splat(1.0)))
    }

    /// Counts the cells that begin at or below the value.
    #[inline(always)]
    fn few<L: Lanes>(&self, l: L, value: L::V) -> (L::V, L::V, L::V) {
        let mut count = l.splat(0.0);
        for low in &self.low[1..] {
            count = l.count_ge(count, value, l.splat(*low));
        }
        (l.whole(count), l.pick(&self.low, count), l.pick(&self.inverse, count))
    }

    #[inline(always)]
    fn many<L: Lanes>(&self, l: L, value: L::V) -> (L::V, L::V, L::V) {
        let first = self.cells[0];
        let (mut cell, mut low, mut inverse) = (l.splat(0.0), l.splat(first.low), l.splat(first.inverse));
        for (i, next) in self.cells.iter().enumerate().skip(1) {
            let start = l.splat(next.low);
            cell = l.where_ge(value, start, l.splat(i as f32), cell);
            low = l.where_ge(value, start, start, low);
            inverse = l.where_ge(value, start, l.splat(next.inverse), inverse);
        }
        (cell, low, inverse)
    }
}
