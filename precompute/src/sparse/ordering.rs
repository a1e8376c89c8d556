//! The order in which a sparse symmetric matrix is eliminated.
//!
//! Approximate minimum degree \[Amestoy96\], then a postorder of the elimination tree. Any order is right: a good one makes the
//! factor sparse.

/// The place of each vertex in the elimination of the graph with these edges (a, b), a < b, each once.
pub(super) fn elimination_order(vertices: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    in_postorder(edges, &minimum_degree(vertices, edges))
}

/// An order with the same factor, in which each subtree of the elimination is consecutive.
pub(super) fn in_postorder(edges: &[(usize, usize)], place: &[usize]) -> Vec<usize> {
    let later = postorder(&elimination_tree(edges, place));
    place.iter().map(|p| later[*p]).collect()
}

/// Approximate minimum degree order: the place of each vertex.
fn minimum_degree(vertices: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let (starts, rows) = upper_triangle(vertices, edges);
    match amd::order(vertices, &starts, &rows, &amd::Control::default()) {
        Ok((_, place, _)) => place,
        Err(_) => (0..vertices).collect(),
    }
}

/// The columns of the upper triangle of the graph's matrix, diagonal included (`amd` counts on at least one entry a column).
fn upper_triangle(vertices: usize, edges: &[(usize, usize)]) -> (Vec<usize>, Vec<usize>) {
    let mut by_column: Vec<(usize, usize)> =
        edges.iter().map(|(a, b)| (*b, *a)).chain((0..vertices).map(|i| (i, i))).collect();
    by_column.sort_unstable();
    let mut starts = vec![0; vertices + 1];
    by_column.iter().for_each(|(column, _)| starts[column + 1] += 1);
    for i in 0..vertices {
        starts[i + 1] += starts[i];
    }
    (starts, by_column.into_iter().map(|(_, row)| row).collect())
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
    use crate::cell::Cell;
    use crate::cell::energy::Problem;
    use crate::equilibrium::assembly::Assembly;
    use faer::dyn_stack::{MemBuffer, MemStack};
    use faer::sparse::SymbolicSparseColMatRef;
    use faer::sparse::linalg::amd as oracle;
    use yarnwise_shared::pattern::Pattern;
    use yarnwise_shared::pattern::knit::{KnitChart, KnitOptions, knit};
    use yarnwise_shared::pattern::material::YarnMaterial;
    use yarnwise_shared::pattern::weave::{Draft, WeaveOptions, weave};
    use yarnwise_shared::random::Random;
    use yarnwise_shared::table::strain::Strain;

    /// faer's approximate minimum degree order.
    fn minimum_degree_of_faer(vertices: usize, edges: &[(usize, usize)]) -> Vec<usize> {
        let (starts, rows) = upper_triangle(vertices, edges);
        let (mut order, mut place) = (vec![0; vertices], vec![0; vertices]);
        let graph = SymbolicSparseColMatRef::new_checked(vertices, vertices, &starts, None, &rows);
        let mut memory = MemBuffer::new(oracle::order_scratch::<usize>(vertices, rows.len()));
        let stack = MemStack::new(&mut memory);
        oracle::order(&mut order, &mut place, graph, oracle::Control::default(), stack).unwrap();
        place
    }

    /// The graph of a preset's matrix at rest, in the numbers of its vertices.
    fn graph_of(pattern: &Pattern) -> (usize, Vec<(usize, usize)>) {
        let cell = Cell::new(pattern, &YarnMaterial::preset("knit").unwrap()).unwrap();
        let problem = Problem::planar(&cell, Strain::new(0.1, 0.2, -0.05));
        let pairs = problem.pairs(&problem.affine, 0.5 * pattern.radius());
        let matrix = Assembly::new(&problem, &pairs, &vec![true; pairs.pairs.len()]).matrix;
        let n = matrix.vertices();
        let mut vertex = vec![0; n];
        (0..n).for_each(|v| vertex[matrix.unknown(v) / crate::sparse::BLOCK] = v);
        let edge = |(a, b): (usize, usize)| (vertex[a].min(vertex[b]), vertex[a].max(vertex[b]));
        let mut edges: Vec<_> = matrix.blocks().filter(|(a, b)| a != b).map(edge).collect();
        edges.sort_unstable();
        (n, edges)
    }

    /// The bytes of a database depend on the order of elimination: it is that of an independent implementation, to the last
    /// vertex.
    #[test]
    fn presets_are_eliminated_in_the_order_of_faer() {
        let knits = ["stockinette", "garter", "rib1x1", "rib2x2", "seed"]
            .map(|name| knit(&KnitChart::preset(name).unwrap(), &KnitOptions::default()).unwrap());
        let weaves = ["plain", "twill", "satin", "basket"]
            .map(|name| weave(&Draft::preset(name).unwrap(), &WeaveOptions::default()).unwrap());
        for pattern in knits.iter().chain(&weaves) {
            let (n, edges) = graph_of(pattern);
            assert!(edges.len() > n, "contact adds blocks to those of the rods");
            assert_eq!(minimum_degree(n, &edges), minimum_degree_of_faer(n, &edges));
        }
    }

    /// Sizes and densities of all kinds: forests and graphs without edges, and rows that count as dense.
    #[test]
    fn random_graphs_are_eliminated_in_the_order_of_faer() {
        for seed in 0..400 {
            let mut random = Random::new(seed);
            let n = 1 + random.below(if seed % 20 == 0 { 800 } else { 60 });
            let edges_per_vertex = random.choose(&[1, 2, 8]);
            let count = random.below(n * edges_per_vertex + 1);
            let mut edges: Vec<(usize, usize)> = (0..count).map(|_| (random.below(n), random.below(n))).collect();
            if seed % 4 == 0 {
                edges.extend((1..n).map(|i| (0, i)));
            }
            edges.retain(|(a, b)| a != b);
            edges.iter_mut().for_each(|(a, b)| (*a, *b) = (*a.min(b), *a.max(b)));
            edges.sort_unstable();
            edges.dedup();
            assert_eq!(minimum_degree(n, &edges), minimum_degree_of_faer(n, &edges), "seed {seed}");
            let mut place = elimination_order(n, &edges);
            place.sort_unstable();
            assert_eq!(place, (0..n).collect::<Vec<_>>(), "seed {seed}: each place once");
        }
    }

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
