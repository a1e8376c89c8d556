//! Pairs of edges that may be near each other, over all periodic copies.
//!
//! Edges are sorted into the bins of a grid over one period by their boxes in the xy plane; pairs come from shared bins.

use super::Pattern;
use crate::{Error, Result};

/// More pairs than this are not looked at: the yarns of a pattern that has them run through a thousand copies of it.
const MAX_PAIRS: u64 = 400_000_000;

/// More places than this are not kept.
const MAX_ENTRIES: u64 = 40_000_000;

/// Coordinates further from the origin than this many periods are not looked at.
const MAX_CELLS: f64 = 1e6;

/// A copy of an edge in a bin.
#[derive(Clone, Copy)]
struct Entry {
    edge: u32,
    /// The copy that lies this many periods away from the cell (0, 0) is meant.
    shift: [i32; 2],
}

/// The box of an edge in units of bins, counted from the origin over all cells.
#[derive(Clone, Copy)]
struct Bins {
    low: [i64; 2],
    high: [i64; 2],
}

/// The bins of a pattern's edges.
pub(super) struct BroadPhase {
    counts: [i64; 2],
    boxes: Vec<Bins>,
    entries: Vec<Entry>,
    /// Where the entries of each bin begin; one more for the end.
    starts: Vec<usize>,
}

impl BroadPhase {
    /// Sorts the edges of `pattern`; pairs whose boxes are up to `reach` meters apart will be found.
    pub(super) fn new(pattern: &Pattern, reach: f64) -> Result<Self> {
        let ends = |i: usize| {
            let (from, along) = (pattern.vertices()[i].position, pattern.edge_vector(i));
            [0, 1].map(|k| (from[k].min(from[k] + along[k]), from[k].max(from[k] + along[k])))
        };
        BroadPhase::of_boxes(pattern.period(), pattern.vertices().len(), reach, ends)
    }

    /// Sorts `n` boxes, given by their lowest and highest coordinate along x and along y in meters.
    pub(super) fn of_boxes(
        period: [f64; 2],
        n: usize,
        reach: f64,
        ends: impl Fn(usize) -> [(f64, f64); 2],
    ) -> Result<Self> {
        if (0..n).any(|i| ends(i).iter().zip(period).any(|((l, h), p)| l.abs().max(h.abs()) > MAX_CELLS * p)) {
            return Err(too_spread());
        }
        let extent: f64 = (0..n).map(|i| ends(i).iter().map(|(l, h)| h - l).sum::<f64>()).sum::<f64>() / (2 * n) as f64;
        let counts = bin_counts(period.map(|p| p / (extent + reach)), n);
        let bin = |k: usize, x: f64| (x / period[k] * counts[k] as f64).floor() as i64;
        let boxes: Vec<Bins> = (0..n)
            .map(|i| {
                let [x, y] = ends(i).map(|(l, h)| (l - reach / 2.0, h + reach / 2.0));
                Bins { low: [bin(0, x.0), bin(1, y.0)], high: [bin(0, x.1), bin(1, y.1)] }
            })
            .collect();
        let (entries, starts) = sort(&boxes, counts)?;
        Ok(BroadPhase { counts, boxes, entries, starts })
    }

    /// Calls `visit(a, b, shift)` once for each pair of edge `a` and the copy of edge `b` that lies `shift` periods away,
    /// and not again with `a` and `b` exchanged. An edge may meet its own copies.
    pub(super) fn for_each_pair(&self, mut visit: impl FnMut(usize, usize, [i32; 2])) {
        for bin in 0..self.starts.len() - 1 {
            let at = [bin as i64 % self.counts[0], bin as i64 / self.counts[0]];
            let entries = &self.entries[self.starts[bin]..self.starts[bin + 1]];
            for (k, first) in entries.iter().enumerate() {
                for second in &entries[k + 1..] {
                    let (a, b) = if first.edge <= second.edge { (first, second) } else { (second, first) };
                    if self.meets_first_in(at, a, b) {
                        let shift = [b.shift[0] - a.shift[0], b.shift[1] - a.shift[1]];
                        visit(a.edge as usize, b.edge as usize, shift);
                    }
                }
            }
        }
    }

    /// Boxes may share many bins: the pair counts in the one at the lower corner of their overlap.
    fn meets_first_in(&self, at: [i64; 2], a: &Entry, b: &Entry) -> bool {
        (0..2).all(|k| {
            let low = |e: &Entry| self.boxes[e.edge as usize].low[k] + i64::from(e.shift[k]) * self.counts[k];
            low(a).max(low(b)) == at[k]
        })
    }
}

/// Bins as large as a typical inflated box, but not many more bins than edges.
fn bin_counts(wanted: [f64; 2], edges: usize) -> [i64; 2] {
    let most = 4 * edges as i64;
    let mut counts = wanted.map(|w| w.floor().clamp(1.0, most as f64) as i64);
    while counts[0] * counts[1] > most {
        let larger = usize::from(counts[1] > counts[0]);
        counts[larger] = (counts[larger] + 1) / 2;
    }
    counts
}

fn too_spread() -> Error {
    Error::invalid("the pattern", "its yarns run through too many copies of it to be compared: is the period right?")
}

/// The copies of edges in each bin of cell (0, 0), and where each bin begins.
fn sort(boxes: &[Bins], counts: [i64; 2]) -> Result<(Vec<Entry>, Vec<usize>)> {
    let size = |b: &Bins| (0..2).map(|k| b.high[k].abs_diff(b.low[k]).saturating_add(1)).fold(1, u64::saturating_mul);
    if boxes.iter().fold(0, |sum: u64, b| sum.saturating_add(size(b))) > MAX_ENTRIES {
        return Err(too_spread());
    }
    let bins = (counts[0] * counts[1]) as usize;
    let mut starts = vec![0; bins + 1];
    visit_bins(boxes, counts, |bin, _| starts[bin + 1] += 1);
    if starts.iter().fold(0, |sum: u64, c| sum.saturating_add((*c as u64).saturating_mul(*c as u64))) / 2 > MAX_PAIRS {
        return Err(too_spread());
    }
    for bin in 0..bins {
        starts[bin + 1] += starts[bin];
    }
    let mut next = starts.clone();
    let mut entries = vec![Entry { edge: 0, shift: [0, 0] }; starts[bins]];
    visit_bins(boxes, counts, |bin, entry| {
        entries[next[bin]] = entry;
        next[bin] += 1;
    });
    Ok((entries, starts))
}

fn visit_bins(boxes: &[Bins], counts: [i64; 2], mut visit: impl FnMut(usize, Entry)) {
    for (edge, b) in boxes.iter().enumerate() {
        for y in b.low[1]..=b.high[1] {
            for x in b.low[0]..=b.high[0] {
                let bin = x.rem_euclid(counts[0]) + y.rem_euclid(counts[1]) * counts[0];
                // The copy that brings this bin into cell (0, 0) lies the other way.
                let shift = [-x.div_euclid(counts[0]) as i32, -y.div_euclid(counts[1]) as i32];
                visit(bin as usize, Entry { edge: edge as u32, shift });
            }
        }
    }
}
