//! The displacement table as the kernel reads it.

use yarnwise_shared::table::Table;

/// Two samples that are neighbors along sx, of one vertex: eight numbers.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair([f32; 8]);

/// A table in which both sx corners of a cell lie side by side: row (iy, ia, cell of sx), then vertex.
///
/// An interpolation then reads four pairs, and neighbors on a yarn read pairs next to each other. It takes twice the
/// memory of the plain table.
#[derive(Clone, Debug)]
pub(in crate::cpu) struct PairTable {
    pairs: Vec<Pair>,
    vertices: usize,
    /// From one sample of sa, or of sy, to the next.
    strides: [usize; 2],
}

impl PairTable {
    pub(in crate::cpu) fn new(table: &Table<3>) -> Self {
        let [nx, na, ny] = [0, 1, 2].map(|k| table.grid().0[k].len());
        let n = table.vertices();
        let mut pairs = Vec::with_capacity((nx - 1) * na * ny * n);
        for line in 0..na * ny {
            for ix in 0..nx - 1 {
                let (low, high) = (table.sample(line * nx + ix), table.sample(line * nx + ix + 1));
                pairs.extend(low.iter().zip(high).map(|(a, b)| Pair([a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]])));
            }
        }
        PairTable { pairs, vertices: n, strides: [(nx - 1) * n, (nx - 1) * n * na] }
    }

    /// The table as seen from the four corners of a cell in (sa, sy).
    #[inline(always)]
    pub(super) fn corners(&self) -> Corners<'_> {
        let [a, y] = self.strides;
        // All of one length, so that one comparison checks that all four pairs exist.
        let (all, count) = (&self.pairs[..], self.pairs.len() - a - y);
        let pairs = [&all[..count], &all[a..a + count], &all[y..y + count], &all[a + y..a + y + count]];
        Corners { pairs, vertices: self.vertices }
    }
}

/// The pairs at the corners (0, 0), (1, 0), (0, 1), (1, 1) of all cells.
#[derive(Clone, Copy)]
pub(super) struct Corners<'a> {
    pairs: [&'a [Pair]; 4],
    vertices: usize,
}

impl<'a> Corners<'a> {
    /// The pairs of a vertex at the corners of the cell that begins at `row`.
    #[inline(always)]
    pub(super) fn at(&self, row: u32, vertex: u32) -> [&'a [f32; 8]; 4] {
        let at = row as usize * self.vertices + vertex as usize;
        let [p00, p10, p01, p11] = self.pairs;
        [&p00[at].0, &p10[at].0, &p01[at].0, &p11[at].0]
    }
}
