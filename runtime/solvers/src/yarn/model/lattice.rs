//! Where nodes are in the weave, counted in yarns.

use super::Weave;
use std::collections::VecDeque;

/// Where a node is in the lattice of its panel: panel, along the wefts, along the warps.
pub type LatticePlace = (u32, i32, i32);

/// The place of each node: links along warps and wefts are steps of the lattice.
pub fn places(weave: &Weave) -> Vec<LatticePlace> {
    const NOWHERE: u32 = u32::MAX;
    const STEPS: [(i32, i32); 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];
    let mut places = vec![(NOWHERE, 0, 0); weave.node_count()];
    let mut waiting = VecDeque::new();
    let mut panels = 0;
    // Crossings first: other nodes take the place next to theirs.
    let (crossings, others): (Vec<_>, Vec<_>) = (0..weave.node_count()).partition(|i| weave.kinds[*i].is_crossing());
    for start in crossings.into_iter().chain(others) {
        if places[start].0 != NOWHERE {
            continue;
        }
        places[start] = (panels, 0, 0);
        waiting.push_back(start);
        while let Some(i) = waiting.pop_front() {
            // A seam joins panels, but not their lattices.
            if !weave.kinds[i].is_crossing() && i != start {
                continue;
            }
            for (link, (da, db)) in weave.links[i].iter().zip(STEPS) {
                let Some(n) = link.node().filter(|n| places[*n].0 == NOWHERE) else { continue };
                places[n] = (panels, places[i].1 + da, places[i].2 + db);
                waiting.push_back(n);
            }
        }
        panels += 1;
    }
    places
}
