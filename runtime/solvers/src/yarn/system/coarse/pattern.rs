//! Which nodes of a lattice are coupled, and the order in which they are smoothed.

use super::lattice::Lattice;
use crate::yarn::model::Weave;

/// Columns of the rows, which are in the order of colors: no two rows of a color are coupled.
#[derive(Clone, Debug, Default)]
pub(super) struct Pattern {
    /// Where rows begin, and the end.
    pub(super) starts: Vec<u32>,
    /// Columns of each row, ascending.
    pub(super) columns: Vec<u32>,
    /// Where colors begin, and the end.
    pub(super) colors: Vec<u32>,
}

impl Pattern {
    /// Nodes that share an element of the weave. Renumbers the lattice.
    pub(super) fn of_weave(weave: &Weave, lattice: &mut Lattice) -> Self {
        let mut couples = Couples::new(lattice);
        let node = |i: usize, port: usize| weave.links[i][port].node();
        for i in 0..weave.node_count() {
            for port in 0..4 {
                let Some(n) = node(i, port) else { continue };
                couples.join(lattice, i, n);
                // Ends of a bend, arms of corners.
                for other in port + 1..4 {
                    if let Some(other) = node(i, other) {
                        couples.join(lattice, n, other);
                    }
                }
            }
        }
        couples.pattern(lattice)
    }

    /// Nodes that finer nodes which are coupled hang on.
    pub(super) fn of_pattern(finer: &Pattern, lattice: &mut Lattice) -> Self {
        let mut couples = Couples::new(lattice);
        for i in 0..finer.starts.len() - 1 {
            for k in &finer.columns[finer.starts[i] as usize..finer.starts[i + 1] as usize] {
                if (*k as usize) < i {
                    couples.join(lattice, i, *k as usize);
                }
            }
        }
        couples.pattern(lattice)
    }

    /// Where the block of a row and a column is.
    #[inline]
    pub(super) fn find(&self, row: u32, column: u32) -> Option<usize> {
        let (first, end) = (self.starts[row as usize] as usize, self.starts[row as usize + 1] as usize);
        self.columns[first..end].iter().position(|c| *c == column).map(|k| first + k)
    }
}

/// The nodes that each node is coupled with.
struct Couples {
    of: Vec<Vec<u32>>,
}

impl Couples {
    /// Nodes that fine nodes of the same cell hang on are coupled.
    fn new(lattice: &Lattice) -> Self {
        let mut couples = Couples { of: (0..lattice.count()).map(|i| vec![i as u32]).collect() };
        for cell in 0..lattice.cell_count() {
            let mut nodes: Vec<u32> = Vec::with_capacity(4);
            for (p, _) in lattice.in_cell(cell).iter().flat_map(|i| lattice.parents(*i as usize)) {
                if !nodes.contains(&p) {
                    nodes.push(p);
                }
            }
            nodes.iter().for_each(|p| nodes.iter().for_each(|q| couples.add(*p, *q)));
        }
        couples
    }

    fn add(&mut self, p: u32, q: u32) {
        let row = &mut self.of[p as usize];
        if !row.contains(&q) {
            row.push(q);
        }
    }

    /// Couples what two fine nodes hang on.
    fn join(&mut self, lattice: &Lattice, a: usize, b: usize) {
        if lattice.cell_of(a) == lattice.cell_of(b) {
            return;
        }
        for (p, _) in lattice.parents(a) {
            for (q, _) in lattice.parents(b) {
                self.add(p, q);
                self.add(q, p);
            }
        }
    }

    /// Colors the nodes greedily and puts them in the order of colors.
    fn pattern(self, lattice: &mut Lattice) -> Pattern {
        let n = self.of.len();
        const NONE: u32 = u32::MAX;
        let mut color = vec![NONE; n];
        let mut colors = Vec::new();
        for i in 0..n {
            let free = |c: &u32| self.of[i].iter().all(|k| color[*k as usize] != *c);
            let own = (0..).find(free).unwrap_or(0);
            color[i] = own;
            if colors.len() <= own as usize {
                colors.push(0_u32);
            }
            colors[own as usize] += 1;
        }
        let mut starts = vec![0; colors.len() + 1];
        (0..colors.len()).for_each(|c| starts[c + 1] = starts[c] + colors[c]);
        let mut next = starts.clone();
        let number: Vec<u32> = color
            .iter()
            .map(|c| {
                next[*c as usize] += 1;
                next[*c as usize] - 1
            })
            .collect();
        lattice.renumber(&number);
        let mut old = vec![0; n];
        number.iter().enumerate().for_each(|(i, n)| old[*n as usize] = i);
        let mut pattern = Pattern { starts: vec![0], columns: Vec::new(), colors: starts };
        for i in old {
            let first = pattern.columns.len();
            pattern.columns.extend(self.of[i].iter().map(|k| number[*k as usize]));
            pattern.columns[first..].sort_unstable();
            pattern.starts.push(pattern.columns.len() as u32);
        }
        pattern.starts.shrink_to_fit();
        pattern.columns.shrink_to_fit();
        pattern
    }
}
