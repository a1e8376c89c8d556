//! Nested dissection \[George73\]: an order of elimination for points in space whose neighbors are near.
//!
//! The points are cut in two across an axis, where the fewest points join both sides; those are eliminated last, each side before them
//! in the same way. On a sheet of n points the factor then has O(n log n) entries and takes O(n^1.5) operations, the least that is
//! possible. A sheet that closes on itself is cut twice at once, because its far ends reach across as well.

use nalgebra::Vector3;

/// Sets of so few points are not cut: all of them touch.
const SMALLEST: usize = 12;

/// Each side of a cut has at least this share of the points.
const SMALLER_SIDE: f64 = 0.3;

/// The place of each point in the elimination of the graph with these edges.
pub(super) fn dissection_order(points: &[Vector3<f64>], edges: &[(usize, usize)]) -> Vec<usize> {
    let mut neighbors = vec![Vec::new(); points.len()];
    for (a, b) in edges {
        neighbors[*a].push(*b as u32);
        neighbors[*b].push(*a as u32);
    }
    let mut dissection = Dissection {
        points,
        neighbors,
        set: vec![0; points.len()],
        sets: 0,
        position: vec![0; points.len()],
        place: vec![0; points.len()],
    };
    dissection.order((0..points.len()).collect(), 0);
    dissection.place
}

struct Dissection<'p> {
    points: &'p [Vector3<f64>],
    neighbors: Vec<Vec<u32>>,
    /// The set that each point is in, by number.
    set: Vec<usize>,
    sets: usize,
    /// Where each point is in its set, sorted along an axis.
    position: Vec<usize>,
    place: Vec<usize>,
}

/// A set cut in two: those before the cut, those after it, and those that join them.
struct Cut {
    before: Vec<usize>,
    after: Vec<usize>,
    separator: Vec<usize>,
    /// Extent of the set along the axis of the cut, m.
    extent: f64,
}

impl Cut {
    /// How good it is, the smaller the better: few points across a long side leave sides that are nearly as wide as long.
    fn narrowness(&self) -> f64 {
        self.separator.len() as f64 / self.extent.max(f64::MIN_POSITIVE)
    }
}

impl Dissection<'_> {
    /// Gives the points of a set the places from `first` on.
    fn order(&mut self, set: Vec<usize>, first: usize) {
        self.enter(&set);
        let Some(Cut { before, after, separator, .. }) = self.best_cut(&set) else {
            set.iter().enumerate().for_each(|(k, p)| self.place[*p] = first + k);
            return;
        };
        let starts = [first + before.len(), first + before.len() + after.len()];
        separator.iter().enumerate().for_each(|(k, p)| self.place[*p] = starts[1] + k);
        // Its points are in none of the sets that follow.
        self.enter(&separator);
        self.order(before, first);
        self.order(after, starts[0]);
    }

    /// Makes a set of points.
    fn enter(&mut self, set: &[usize]) {
        self.sets += 1;
        set.iter().for_each(|p| self.set[*p] = self.sets);
    }

    /// The best cut; none where the set is small, or where a third of it joins both sides and nothing is gained.
    fn best_cut(&mut self, set: &[usize]) -> Option<Cut> {
        if set.len() <= SMALLEST {
            return None;
        }
        let cuts = [0, 1, 2].map(|axis| self.cut_along(set, axis));
        let best = cuts.into_iter().min_by(|a, b| a.narrowness().total_cmp(&b.narrowness()))?;
        (3 * best.separator.len() < set.len()).then_some(best)
    }

    fn cut_along(&mut self, set: &[usize], axis: usize) -> Cut {
        let mut sorted = set.to_vec();
        let along = |p: &usize| self.points[*p][axis];
        sorted.sort_unstable_by(|a, b| along(a).total_cmp(&along(b)).then(a.cmp(b)));
        let extent = along(&sorted[sorted.len() - 1]) - along(&sorted[0]);
        sorted.iter().enumerate().for_each(|(k, p)| self.position[*p] = k);
        let at = self.place_of_cut(&sorted);
        let separator = self.cover(&sorted, at);
        let mut joins = vec![false; sorted.len()];
        separator.iter().for_each(|p| joins[self.position[*p]] = true);
        let kept = |part: &[usize]| part.iter().copied().filter(|p| !joins[self.position[*p]]).collect();
        Cut { before: kept(&sorted[..at]), after: kept(&sorted[at..]), separator, extent }
    }

    /// Before which position a sorted set is cut: where the fewest points of one side reach across.
    fn place_of_cut(&self, sorted: &[usize]) -> usize {
        let n = sorted.len();
        // By how much the numbers of points that reach across, from before and from after, change at each cut.
        let mut change = vec![[0_i64; 2]; n + 1];
        for (k, p) in sorted.iter().enumerate() {
            let [low, high] = self.reach(*p);
            change[k + 1][0] += 1;
            change[high + 1][0] -= 1;
            change[low + 1][1] += 1;
            change[k + 1][1] -= 1;
        }
        let add = |sum: &mut [i64; 2], change: &[i64; 2]| {
            *sum = [sum[0] + change[0], sum[1] + change[1]];
            Some(sum[0].min(sum[1]))
        };
        let counts: Vec<i64> = change.iter().scan([0; 2], add).collect();
        let least = ((SMALLER_SIDE * n as f64) as usize).max(1);
        (least..=n - least).min_by_key(|at| (counts[*at], at.abs_diff(n / 2))).unwrap_or(n / 2)
    }

    /// A point's neighbors in its set.
    fn own_neighbors(&self, p: usize) -> impl Iterator<Item = usize> {
        let own = self.set[p];
        self.neighbors[p].iter().map(|n| *n as usize).filter(move |n| self.set[*n] == own)
    }

    /// The first and the last position among a point and its neighbors.
    fn reach(&self, p: usize) -> [usize; 2] {
        let both = |[low, high]: [usize; 2], n: usize| [low.min(self.position[n]), high.max(self.position[n])];
        self.own_neighbors(p).fold([self.position[p]; 2], both)
    }

    /// The fewest points without which nothing joins the sides of a cut: as many as there are pairs across it that share no point
    /// (König's theorem).
    fn cover(&self, sorted: &[usize], at: usize) -> Vec<usize> {
        let across = |p: usize| self.own_neighbors(p).map(|n| self.position[n]).filter(move |n| *n >= at);
        let edges: Vec<Vec<usize>> = sorted[..at].iter().map(|p| across(*p).collect()).collect();
        let joined: Vec<usize> = (0..at).filter(|a| !edges[*a].is_empty()).collect();
        let mut pairs =
            Matching { edges: &edges, partner: vec![usize::MAX; sorted.len()], seen: vec![usize::MAX; sorted.len()] };
        for a in &joined {
            pairs.find(*a, *a);
        }
        // What is reached from points before the cut that have no partner.
        let mut reached = vec![false; sorted.len()];
        let mut open: Vec<usize> = joined.iter().copied().filter(|a| pairs.partner[*a] == usize::MAX).collect();
        open.iter().for_each(|a| reached[*a] = true);
        while let Some(a) = open.pop() {
            for b in &edges[a] {
                let next = pairs.partner[*b];
                if !std::mem::replace(&mut reached[*b], true) && !std::mem::replace(&mut reached[next], true) {
                    open.push(next);
                }
            }
        }
        let before = joined.into_iter().filter(|a| !reached[*a]);
        let after = (at..sorted.len()).filter(|b| reached[*b]);
        before.chain(after).map(|k| sorted[k]).collect()
    }
}

/// Which points joined across a cut are paired, by position: each has at most one partner on the other side.
struct Matching<'e> {
    /// To which positions after the cut each one before it is joined.
    edges: &'e [Vec<usize>],
    partner: Vec<usize>,
    seen: Vec<usize>,
}

impl Matching<'_> {
    /// Finds a partner for `a`, others changing theirs if they must. `turn` tells this search from others.
    fn find(&mut self, a: usize, turn: usize) -> bool {
        let edges = self.edges;
        for b in &edges[a] {
            if std::mem::replace(&mut self.seen[*b], turn) == turn {
                continue;
            }
            let other = self.partner[*b];
            if other == usize::MAX || self.find(other, turn) {
                (self.partner[*b], self.partner[a]) = (a, *b);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of n x n points, closed on itself or not, each joined with the eight around it.
    fn grid(n: usize, closed: bool) -> (Vec<Vector3<f64>>, Vec<(usize, usize)>) {
        let points = (0..n * n).map(|k| Vector3::new((k / n) as f64, (k % n) as f64, 0.0)).collect();
        let mut edges = Vec::new();
        for k in 0..n * n {
            for (dx, dy) in [(0, 1), (1, 0), (1, 1), (1, n - 1)] {
                let (x, y) = (k / n + dx, k % n + dy);
                let inside = x < n && (y < n || dy == n - 1 && k % n > 0);
                if closed || inside {
                    let other = x % n * n + y % n;
                    edges.push((k.min(other), k.max(other)));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        (points, edges)
    }

    #[test]
    fn each_point_has_one_place_and_the_last_ones_cut_the_sheet() {
        for (closed, separator) in [(false, 16), (true, 32)] {
            let (points, edges) = grid(16, closed);
            let place = dissection_order(&points, &edges);
            let mut sorted = place.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..256).collect::<Vec<_>>());
            // Without the last ones the sheet falls into parts that nothing joins.
            let kept = |p: &usize| place[*p] < 256 - separator;
            let mut part: Vec<usize> = (0..256).collect();
            for _ in 0..256 {
                for (a, b) in edges.iter().filter(|(a, b)| kept(a) && kept(b)) {
                    let least = part[*a].min(part[*b]);
                    (part[*a], part[*b]) = (least, least);
                }
            }
            let mut parts: Vec<usize> = (0..256).filter(kept).map(|p| part[p]).collect();
            parts.sort_unstable();
            parts.dedup();
            assert_eq!(parts.len(), 2, "closed: {closed}");
        }
    }

    #[test]
    fn points_without_neighbors_and_points_in_one_place_have_places() {
        for edges in [vec![], (0..40).flat_map(|a| (a + 1..40).map(move |b| (a, b))).collect::<Vec<_>>()] {
            let mut place = dissection_order(&[Vector3::zeros(); 40], &edges);
            place.sort_unstable();
            assert_eq!(place, (0..40).collect::<Vec<_>>());
        }
    }
}
