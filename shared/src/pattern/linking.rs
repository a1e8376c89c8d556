//! Linking numbers: what no deformation can change unless a yarn passes through another.
//!
//! For two strands count the crossings where the first is above the second, each with its sign. Moving yarns makes such
//! crossings appear and vanish in pairs of opposite sign only, so that the sum stays. It is taken for each pair of yarns and
//! each way in which their copies lie beside each other.
//!
//! Different numbers prove that two patterns are different fabrics. Equal numbers prove nothing: a warp and a weft are
//! told apart by who is above, but the courses of a knit have linking number 0 with each other, since a knit unravels. For
//! those see [`passages`](super::passages) and the list of [`crossings`](super::crossings).

use super::Pattern;
use super::crossings::crossings;
use super::strand::Strands;
use crate::Result;
use std::collections::BTreeMap;

/// Two strands and how they lie beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StrandPair {
    /// The yarn above.
    pub above: usize,
    /// The yarn below.
    pub below: usize,
    /// The cell of the lower strand, counted from the upper one, both taken at the first vertex of their yarn; of all cells
    /// that the two strands run through, the same one is named each time.
    pub cell: [i64; 2],
}

/// The linking numbers that are not 0. Crossings of a strand with itself do not count.
pub fn linking_numbers(pattern: &Pattern) -> Result<BTreeMap<StrandPair, i64>> {
    let strands = Strands::new(pattern);
    let mut numbers = BTreeMap::new();
    for crossing in crossings(pattern)? {
        let [a, b] = crossing.edges;
        let (above, below) = (strands.yarn(a), strands.yarn(b));
        let repeats = Lattice::new([above, below].map(|y| pattern.yarns()[y].shift.map(i64::from)));
        let cell = repeats.reduce(strands.offset(a, b, crossing.shift));
        if above != below || cell != [0, 0] {
            *numbers.entry(StrandPair { above, below, cell }).or_insert(0) += i64::from(crossing.sign);
        }
    }
    numbers.retain(|_, number| *number != 0);
    Ok(numbers)
}

/// The cells that following two yarns around leads to: all whole combinations of (g, h) and (0, d).
struct Lattice {
    skew: [i64; 2],
    upright: i64,
}

impl Lattice {
    fn new([mut u, mut v]: [[i64; 2]; 2]) -> Self {
        // Euclid's algorithm on the x components leaves a vector without one.
        while v[0] != 0 {
            let times = u[0].div_euclid(v[0]);
            (u, v) = (v, [u[0] - times * v[0], u[1] - times * v[1]]);
        }
        if u[0] < 0 {
            u = [-u[0], -u[1]];
        }
        // Two vectors along y are the multiples of one.
        let upright = if u[0] == 0 { gcd(u[1], v[1]) } else { v[1].abs() };
        Lattice { skew: u, upright }
    }

    /// The same cell for all that differ by a vector of the lattice.
    fn reduce(&self, mut cell: [i64; 2]) -> [i64; 2] {
        if self.skew[0] != 0 {
            let times = cell[0].div_euclid(self.skew[0]);
            cell = [cell[0] - times * self.skew[0], cell[1] - times * self.skew[1]];
        }
        if self.upright != 0 {
            cell[1] = cell[1].rem_euclid(self.upright);
        }
        cell
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::knit::{KnitChart, KnitOptions, knit};
    use crate::pattern::test_patterns::polygons;
    use crate::pattern::weave::{Draft, WeaveOptions, weave};

    #[test]
    fn a_weave_is_its_draft() {
        let draft = Draft::preset("satin").unwrap();
        let pattern = weave(&draft, &WeaveOptions::default()).unwrap();
        let numbers = linking_numbers(&pattern).unwrap();
        assert_eq!(numbers.len(), 25);
        for (pair, number) in &numbers {
            let warp_above = pair.above >= 5;
            let (weft, warp) = if warp_above { (pair.below, pair.above) } else { (pair.above, pair.below) };
            assert_eq!(warp_above, draft.warp_over(weft, warp - 5));
            assert_eq!(*number, if warp_above { -1 } else { 1 });
        }
    }

    #[test]
    fn deformation_changes_nothing_and_passing_through_does() {
        let pattern = weave(&Draft::preset("twill").unwrap(), &WeaveOptions::default()).unwrap();
        let numbers = linking_numbers(&pattern).unwrap();
        let mut data = pattern.data().clone();
        // Slanted heavily, as if looked at from the side: yarns cross in many more places.
        for v in &mut data.vertices {
            let [x, y, z] = v.position;
            v.position = [x + 5.0 * z, y - 4.0 * z, z];
        }
        let slanted = Pattern::new(data.clone()).unwrap();
        assert!(crossings(&slanted).unwrap().len() > 16);
        assert_eq!(linking_numbers(&slanted).unwrap(), numbers);
        data.vertices.iter_mut().take(16).for_each(|v| v.position[2] += 0.02);
        assert_ne!(linking_numbers(&Pattern::new(data).unwrap()).unwrap(), numbers);
    }

    #[test]
    fn linked_rings_are_linked_once() {
        let first: &[[f64; 3]] = &[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
        let ring = |z: [f64; 4], x: f64| [[x, 2.0, z[0]], [x + 4.0, 2.0, z[1]], [x + 4.0, 6.0, z[2]], [x, 6.0, z[3]]];
        // The second ring enters the first from the front and leaves it to the back, or stays in front of it.
        let numbers = |z: [f64; 4], x: f64| {
            linking_numbers(&polygons([10.0, 10.0], &[(first, [0, 0]), (&ring(z, x), [0, 0])])).unwrap()
        };
        let linked = numbers([1.0, 1.0, -1.0, -1.0], 2.0);
        let sums: Vec<i64> = linked.values().copied().collect();
        assert!(linked.keys().all(|k| k.cell == [0, 0]), "{linked:?}");
        // Both ways of counting agree for closed curves.
        assert!(sums == [1, 1] || sums == [-1, -1], "{linked:?}");
        assert!(numbers([1.0; 4], 2.0).is_empty());
        // Linked with the copy in the next cell.
        let next = numbers([1.0, 1.0, -1.0, -1.0], 12.0);
        assert_eq!(next.keys().map(|k| k.cell).collect::<Vec<_>>(), [[-1, 0], [1, 0]]);
    }

    #[test]
    fn copies_of_a_yarn_are_other_strands() {
        // A yarn that climbs one cell for each two along x, and dips under its own copy.
        let points: &[[f64; 3]] = &[[0.0, 0.0, 1.0], [9.0, 8.0, 1.0], [9.5, 8.0, -1.0], [19.5, -1.0, -1.0]];
        let numbers = linking_numbers(&polygons([10.0, 10.0], &[(points, [2, 1])])).unwrap();
        assert!(numbers.keys().all(|k| k.above == 0 && k.below == 0 && k.cell != [0, 0]), "{numbers:?}");
    }

    #[test]
    fn a_knit_unravels() {
        let pattern = knit(&KnitChart::preset("seed").unwrap(), &KnitOptions::default()).unwrap();
        assert_eq!(linking_numbers(&pattern).unwrap(), BTreeMap::new());
    }

    #[test]
    fn cells_reduce_to_one_of_each_class() {
        let classes = |u: [i64; 2], v: [i64; 2]| {
            let lattice = Lattice::new([u, v]);
            let cells = (-12..12).flat_map(|x| (-12..12).map(move |y| [x, y]));
            let reduced: std::collections::BTreeSet<_> = cells.clone().map(|c| lattice.reduce(c)).collect();
            for c in cells {
                assert_eq!(lattice.reduce([c[0] + u[0] - v[0], c[1] + u[1] - v[1]]), lattice.reduce(c));
                assert_eq!(lattice.reduce([c[0] + 3 * u[0], c[1] + 3 * u[1]]), lattice.reduce(c));
            }
            reduced.len()
        };
        assert_eq!(classes([1, 0], [0, 1]), 1);
        assert_eq!(classes([2, 1], [0, 3]), 6);
        assert_eq!(classes([2, 1], [1, 2]), 3);
        assert_eq!(classes([1, 0], [-1, 0]), 24);
        assert_eq!(classes([0, 4], [0, 6]), 24 * 2);
        assert_eq!(classes([0, 0], [0, 0]), 24 * 24);
    }
}
