//! Cutting the implicit system into parts that do not know of each other [Boxerman03, §6].

use super::matrix::Connection;
use std::ops::Range;

/// Stands for a particle whose motion is known.
const NONE: u32 = u32::MAX;

/// Particles in the order in which the linear system has them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decomposition {
    /// The particle of each row.
    pub(crate) particles: Vec<u32>,
    /// The row of each particle; none where its motion is known.
    pub(crate) row_of_particle: Vec<Option<u32>>,
    /// The rows of each component.
    pub(crate) components: Vec<Range<usize>>,
}

impl Decomposition {
    /// One component with every particle, in its own order.
    pub(crate) fn whole(particles: usize) -> Self {
        let whole = 0..particles;
        Decomposition {
            particles: (0..particles as u32).collect(),
            row_of_particle: (0..particles as u32).map(Some).collect(),
            components: vec![whole],
        }
    }

    /// The connected components of the implicit connections; a fixed particle is a dead end and in none of them.
    ///
    /// Rows of a component follow each other and keep the order of the particles: neighbors stay near in memory.
    pub(crate) fn new(particles: usize, connections: &[Connection], is_fixed: impl Fn(usize) -> bool) -> Self {
        let parent_or_none = |p: usize| if is_fixed(p) { NONE } else { p as u32 };
        let mut parent: Vec<u32> = (0..particles).map(parent_or_none).collect();
        for c in connections {
            let (a, b) = (parent[c.i as usize], parent[c.j as usize]);
            // Most connections are inside a component that is known already; they must cost next to nothing.
            if a != b && a != NONE && b != NONE {
                let (a, b) = (find(&mut parent, a), find(&mut parent, b));
                // The smallest particle names the component, whatever the order of connections.
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        // A root is the smallest particle of its component, so it is met before the others.
        let mut component = vec![NONE; particles];
        let mut sizes: Vec<usize> = Vec::new();
        for p in 0..particles {
            if parent[p] == NONE {
                continue;
            }
            let root = find(&mut parent, p as u32) as usize;
            if root == p {
                component[p] = sizes.len() as u32;
                sizes.push(0);
            }
            component[p] = component[root];
            sizes[component[p] as usize] += 1;
        }
        let mut components = Vec::with_capacity(sizes.len());
        let mut next = Vec::with_capacity(sizes.len());
        let mut rows = 0;
        for size in sizes {
            components.push(rows..rows + size);
            next.push(rows);
            rows += size;
        }
        let mut order = vec![0_u32; rows];
        let mut row_of_particle = vec![None; particles];
        for p in (0..particles).filter(|p| component[*p] != NONE) {
            let row = &mut next[component[p] as usize];
            order[*row] = p as u32;
            row_of_particle[p] = Some(*row as u32);
            *row += 1;
        }
        Decomposition { particles: order, row_of_particle, components }
    }
}

/// The root of a particle's tree, halving the path to it.
fn find(parent: &mut [u32], mut p: u32) -> u32 {
    while parent[p as usize] != p {
        let up = parent[parent[p as usize] as usize];
        parent[p as usize] = up;
        p = up;
    }
    p
}

#[cfg(test)]
mod tests {
    use super::super::AxialBlock;
    use super::*;

    fn connect(pairs: &[(u32, u32)]) -> Vec<Connection> {
        pairs.iter().map(|(i, j)| Connection { i: *i, j: *j, block: AxialBlock::default() }).collect()
    }

    #[test]
    fn a_fixed_particle_separates_what_it_joins() {
        // 4 - 0 - 2 - 1 with 2 fixed, 3 alone.
        let connections = connect(&[(0, 2), (2, 1), (4, 0)]);
        let cut = Decomposition::new(5, &connections, |p| p == 2);
        assert_eq!(cut.components, [0..2, 2..3, 3..4]);
        assert_eq!(cut.particles, [0, 4, 1, 3]);
        assert_eq!(cut.row_of_particle, [Some(0), Some(2), None, Some(3), Some(1)]);
        let joined = Decomposition::new(5, &connections, |_| false);
        assert_eq!(joined.components, [0..4, 4..5]);
    }

    #[test]
    fn the_order_of_connections_does_not_matter() {
        let pairs = [(5, 3), (1, 2), (3, 9), (7, 8), (2, 9), (0, 6)];
        let mut reversed = pairs;
        reversed.reverse();
        let (a, b) = (
            Decomposition::new(10, &connect(&pairs), |_| false),
            Decomposition::new(10, &connect(&reversed), |_| false),
        );
        assert_eq!(a.particles, b.particles);
        assert_eq!(a.components, b.components);
    }
}
