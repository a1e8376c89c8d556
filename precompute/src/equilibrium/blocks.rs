//! A symmetric sparse matrix of 4x4 blocks, one row and column of blocks a vertex.
//!
//! Only blocks on and above the diagonal are kept, in the order of elimination that makes the factor sparse.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use nalgebra::{Matrix3, Matrix4};

/// Numbers of unknowns per vertex.
pub const BLOCK: usize = 4;

/// A symmetric block matrix with a fixed pattern.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    /// Place of each vertex in the order of elimination.
    place: Vec<usize>,
    column_start: Vec<usize>,
    /// Block rows, ascending in each block column, the diagonal last.
    rows: Vec<usize>,
    values: Vec<Matrix4<f64>>,
}

impl BlockMatrix {
    /// The matrix with blocks for these pairs of vertices (in any order, repeated or not) and the diagonal; all zero.
    pub fn new(vertices: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut pairs: Vec<(usize, usize)> = pairs.filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let place = elimination_order(vertices, &pairs);
        let mut placed: Vec<(usize, usize)> = pairs
            .iter()
            .map(|(a, b)| (place[*a].max(place[*b]), place[*a].min(place[*b])))
            .chain((0..vertices).map(|i| (i, i)))
            .collect();
        placed.sort_unstable();
        let mut column_start = vec![0; vertices + 1];
        placed.iter().for_each(|(column, _)| column_start[column + 1] += 1);
        for i in 0..vertices {
            column_start[i + 1] += column_start[i];
        }
        let rows: Vec<usize> = placed.into_iter().map(|(_, row)| row).collect();
        let values = vec![Matrix4::zeros(); rows.len()];
        BlockMatrix { place, column_start, rows, values }
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.place.len()
    }

    /// Where the unknowns of `vertex` begin in the order of elimination.
    pub fn unknown(&self, vertex: usize) -> usize {
        BLOCK * self.place[vertex]
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.values.fill(Matrix4::zeros());
    }

    /// The block of two vertices, if the pattern has it.
    pub fn slot(&self, i: usize, j: usize) -> Option<usize> {
        let (row, column) = (self.place[i].min(self.place[j]), self.place[i].max(self.place[j]));
        let range = self.column_start[column]..self.column_start[column + 1];
        self.rows[range.clone()].binary_search(&row).ok().map(|k| range.start + k)
    }

    /// Adds d2E / dq_i dq_j for two different unknown vectors of the same energy term; its transpose is implied.
    ///
    /// When i = j, two copies of one vertex, both are added.
    pub fn add_mixed(&mut self, slot: usize, i: usize, j: usize, block: &Matrix4<f64>) {
        let value = &mut self.values[slot];
        if i == j {
            *value += block + block.transpose();
        } else if self.place[i] < self.place[j] {
            *value += block;
        } else {
            *value += block.transpose();
        }
    }

    /// The same for a block that touches positions only.
    pub fn add_mixed_positions(&mut self, slot: usize, i: usize, j: usize, block: &Matrix3<f64>) {
        let transposed = self.place[i] > self.place[j];
        let value = &mut self.values[slot];
        for c in 0..3 {
            for r in 0..3 {
                value[(r, c)] += if transposed { block[(c, r)] } else { block[(r, c)] };
                if i == j {
                    value[(r, c)] += block[(c, r)];
                }
            }
        }
    }

    /// Adds to the diagonal block of a vertex.
    pub fn add_diagonal(&mut self, slot: usize, block: &Matrix4<f64>) {
        self.values[slot] += block;
    }

    /// Adds to the positions' part of the diagonal block of a vertex.
    pub fn add_diagonal_positions(&mut self, slot: usize, block: &Matrix3<f64>) {
        let mut part = self.values[slot].fixed_view_mut::<3, 3>(0, 0);
        part += block;
    }

    /// v^T A v for a vector over the unknowns in vertex order.
    pub fn quadratic_form(&self, v: &[f64]) -> f64 {
        let mut ordered = vec![0.0; v.len()];
        for (vertex, values) in v.chunks_exact(BLOCK).enumerate() {
            ordered[self.unknown(vertex)..][..BLOCK].copy_from_slice(values);
        }
        let part = |place: usize| nalgebra::Vector4::from_column_slice(&ordered[BLOCK * place..][..BLOCK]);
        let mut sum = 0.0;
        for column in 0..self.vertices() {
            for k in self.column_start[column]..self.column_start[column + 1] {
                let twice = if self.rows[k] == column { 1.0 } else { 2.0 };
                sum += twice * part(self.rows[k]).dot(&(self.values[k] * part(column)));
            }
        }
        sum
    }

    /// Row and column of each stored block in the order of elimination, row <= column.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let column = |c: usize| self.rows[self.column_start[c]..self.column_start[c + 1]].iter().map(move |r| (*r, c));
        (0..self.vertices()).flat_map(column)
    }

    /// The blocks, in the order of [`BlockMatrix::blocks`].
    pub fn values(&self) -> &[Matrix4<f64>] {
        &self.values
    }
}

/// Approximate minimum degree order of the graph with these edges: the place of each vertex.
fn elimination_order(vertices: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut starts = vec![0; vertices + 1];
    edges.iter().for_each(|(_, b)| starts[b + 1] += 1);
    for i in 0..vertices {
        starts[i + 1] += starts[i];
    }
    let mut by_column: Vec<(usize, usize)> = edges.iter().map(|(a, b)| (*b, *a)).collect();
    by_column.sort_unstable();
    let rows: Vec<usize> = by_column.iter().map(|(_, a)| *a).collect();
    let (mut order, mut place) = (vec![0; vertices], vec![0; vertices]);
    let graph = SymbolicSparseColMatRef::new_checked(vertices, vertices, &starts, None, &rows);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(vertices, rows.len()));
    let done = amd::order(&mut order, &mut place, graph, amd::Control::default(), MemStack::new(&mut memory));
    if done.is_err() {
        // Any order is right, a good one is only faster.
        place = (0..vertices).collect();
    }
    let later = postorder(&elimination_tree(edges, &place));
    place.iter().map(|p| later[*p]).collect()
}

/// The parent of each place in the tree of elimination, itself for a root: the first row below the diagonal of its column of the factor.
fn elimination_tree(edges: &[(usize, usize)], place: &[usize]) -> Vec<usize> {
    let mut earlier = vec![Vec::new(); place.len()];
    for (a, b) in edges {
        earlier[place[*a].max(place[*b])].push(place[*a].min(place[*b]));
    }
    let mut parent: Vec<usize> = (0..place.len()).collect();
    // Ways to the root, shortened as they are walked.
    let mut ancestor = parent.clone();
    for (k, earlier) in earlier.iter().enumerate() {
        for start in earlier {
            let mut at = *start;
            while ancestor[at] != at && ancestor[at] != k {
                at = std::mem::replace(&mut ancestor[at], k);
            }
            if ancestor[at] == at {
                (ancestor[at], parent[at]) = (k, k);
            }
        }
    }
    parent
}

/// A renumbering after which each subtree is consecutive, its root last and the largest of its branches before that: columns
/// of the factor that have the same rows are then neighbors.
fn postorder(parent: &[usize]) -> Vec<usize> {
    let n = parent.len();
    let mut size = vec![1; n];
    // Parents come after their children.
    (0..n).filter(|k| parent[*k] != *k).for_each(|k| size[parent[k]] += size[k]);
    let mut children = vec![Vec::new(); n];
    (0..n).filter(|k| parent[*k] != *k).for_each(|k| children[parent[k]].push(k));
    let mut place = vec![0; n];
    let mut next = n;
    // Backwards: roots first, large branches before small ones.
    let mut stack: Vec<usize> = (0..n).filter(|k| parent[*k] == *k).collect();
    while let Some(k) = stack.pop() {
        next -= 1;
        place[k] = next;
        children[k].sort_by_key(|c| size[*c]);
        stack.append(&mut children[k]);
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_of_the_elimination_are_consecutive() {
        // 0 and 3 go to 5; 1 and 2 to 4; 4 and 5 to 6; 7 alone.
        let parent = [5, 4, 4, 5, 6, 6, 6, 7];
        let place = postorder(&parent);
        let mut sorted = place.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..8).collect::<Vec<_>>());
        for (child, parent) in parent.iter().enumerate().filter(|(c, p)| c != *p) {
            assert!(place[child] < place[*parent]);
        }
        let consecutive = |of: &[usize]| {
            let places: Vec<usize> = of.iter().map(|k| place[*k]).collect();
            places.iter().max().unwrap() - places.iter().min().unwrap() + 1 == of.len()
        };
        assert!(consecutive(&[0, 3, 5]) && consecutive(&[1, 2, 4]) && consecutive(&[0, 1, 2, 3, 4, 5, 6]));
    }

    #[test]
    fn the_tree_of_a_ring_is_a_path() {
        let ring: Vec<(usize, usize)> = (0..6).map(|i| (i.min((i + 1) % 6), i.max((i + 1) % 6))).collect();
        assert_eq!(elimination_tree(&ring, &[0, 1, 2, 3, 4, 5]), [1, 2, 3, 4, 5, 5]);
    }
}
