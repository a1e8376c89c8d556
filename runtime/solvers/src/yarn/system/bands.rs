//! Bands: consecutive nodes that a thread takes at a time.
//!
//! Every node of a band has elements of its own, which give something to itself and to its neighbors (`shares`). What neighbors
//! outside the band give is computed once more, so that a band needs no other's results and everything stays in the cache. Numbers of
//! nodes inside a band are *local*: its own nodes, then the ring of their neighbors, then the neighbors of these, then one that stands
//! for nothing. Nodes are worked on in packs of [`LANES`], one in each lane of a vector register; in most packs the neighbors of
//! consecutive nodes are consecutive too.

use crate::yarn::model::{Link, Weave};
use rayon::prelude::*;

/// Nodes of a pack.
pub(super) const LANES: usize = 8;

/// The most nodes of a band: of a sheet of a million nodes a ring of a quarter of them is around it, and their shares take 0.9 MB in 32
/// bits, about a core's own cache.
const BAND: usize = 8192;

/// The fewest bands, so that small cloth too has work for several threads, as long as bands have this many nodes: in smaller ones more
/// would be done twice than a second thread takes off.
const BANDS: usize = 4;
const SMALL_BAND: usize = 1024;

/// In place of a node where a pack is filled up.
const NO_NODE: u32 = u32::MAX;

/// The bands of a weave; they stay while links do.
#[derive(Clone, Debug, Default)]
pub struct Bands {
    pub(super) bands: Vec<Band>,
}

/// Consecutive nodes and those around them.
#[derive(Clone, Debug)]
pub struct Band {
    /// The first node.
    pub(in crate::yarn) first: usize,
    /// Number of nodes.
    pub(super) count: usize,
    /// Nodes around the band: the ring of neighbors, filled up to whole packs, then their neighbors.
    around: Vec<u32>,
    /// Entries of `around` in the ring.
    ring: usize,
    /// The neighbors of each pack of the band and of the ring.
    packs: Vec<StoredLinks>,
    /// Links of the packs that are not regular, by port and lane.
    each: Vec<[[LocalLink; LANES]; 4]>,
}

/// The neighbor behind a port: its local number, and its port that leads back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::yarn) struct LocalLink(u32);

impl LocalLink {
    fn new(node: usize, back: usize) -> Self {
        LocalLink((node as u32) << 2 | back as u32)
    }

    #[inline(always)]
    pub(in crate::yarn) fn node(self) -> usize {
        (self.0 >> 2) as usize
    }

    #[inline(always)]
    pub(in crate::yarn) fn back(self) -> usize {
        (self.0 & 3) as usize
    }
}

#[derive(Clone, Copy, Debug)]
enum StoredLinks {
    Runs([LocalLink; 4]),
    Each(u32),
}

/// The neighbors of a pack.
#[derive(Clone, Copy)]
pub(super) enum PackLinks<'a> {
    /// Consecutive in every port, all of them with the same port that leads back: the first of each.
    Runs(&'a [LocalLink; 4]),
    /// Each for itself.
    Each(&'a [[LocalLink; LANES]; 4]),
}

/// The first entries of a slice, which keeps the others.
pub(super) fn take<'a, V>(from: &mut &'a mut [V], count: usize) -> &'a mut [V] {
    let (head, rest) = std::mem::take(from).split_at_mut(count);
    *from = rest;
    head
}

impl Bands {
    /// Cuts the nodes of a weave into bands.
    pub fn new(weave: &Weave) -> Self {
        let n = weave.node_count();
        let count = n.div_ceil(BAND).max(BANDS.min(n / SMALL_BAND)).max(1);
        Bands::of_size(weave, n.div_ceil(count).next_multiple_of(LANES).max(LANES))
    }

    /// Calls `work` with every band and the values of its nodes, of `values` for all nodes.
    pub(in crate::yarn) fn for_each<V: Send>(&self, values: &mut [V], work: impl Fn(&Band, &mut [V]) + Sync) {
        let mut rest = values;
        let pieces: Vec<_> = self.bands.iter().map(|band| (band, take(&mut rest, band.count))).collect();
        pieces.into_par_iter().for_each(|(band, values)| work(band, values));
    }

    /// With a number of nodes a band, a multiple of [`LANES`].
    pub(super) fn of_size(weave: &Weave, size: usize) -> Self {
        let n = weave.node_count();
        let mut local = vec![NO_NODE; n];
        let starts = (0..n).step_by(size);
        Bands { bands: starts.map(|first| Band::new(&weave.links, first, size.min(n - first), &mut local)).collect() }
    }
}

impl Band {
    /// `local` is for all nodes, and holds [`NO_NODE`] before and after.
    fn new(links: &[[Link; 4]], first: usize, count: usize, local: &mut [u32]) -> Self {
        let own = count.next_multiple_of(LANES);
        for k in 0..count {
            local[first + k] = k as u32;
        }
        let mut around = Vec::new();
        let ring_nodes = neighbors(links, (first..first + count).map(|i| i as u32), local);
        around.extend(&ring_nodes);
        around.resize(around.len().next_multiple_of(LANES), NO_NODE);
        let ring = around.len();
        number(&around, own, local);
        let second = neighbors(links, ring_nodes.iter().copied(), local);
        around.extend(&second);
        number(&around, own, local);
        let mut band = Band { first, count, around, ring, packs: Vec::new(), each: Vec::new() };
        for pack in 0..band.pack_count() {
            let link = |port: usize, lane: usize| {
                let nothing = LocalLink::new(band.len() - 1, 0);
                let Some(node) = band.global(LANES * pack + lane) else { return nothing };
                links[node][port].get().map_or(nothing, |(n, back)| LocalLink::new(local[n] as usize, back.index()))
            };
            let each: [[LocalLink; LANES]; 4] = std::array::from_fn(|p| std::array::from_fn(|lane| link(p, lane)));
            let follows = |lanes: &[LocalLink; LANES]| (0..LANES).all(|l| lanes[l].0 == lanes[0].0 + 4 * l as u32);
            if each.iter().all(follows) {
                band.packs.push(StoredLinks::Runs(each.map(|lanes| lanes[0])));
            } else {
                band.packs.push(StoredLinks::Each(band.each.len() as u32));
                band.each.push(each);
            }
        }
        (first..first + count).for_each(|i| local[i] = NO_NODE);
        band.around.iter().filter(|i| **i != NO_NODE).for_each(|i| local[*i as usize] = NO_NODE);
        band
    }

    /// Packs of the band alone.
    pub(super) fn own_packs(&self) -> usize {
        self.count.div_ceil(LANES)
    }

    /// Packs of the band and of the ring around it.
    pub(super) fn pack_count(&self) -> usize {
        self.own_packs() + self.ring / LANES
    }

    /// Local numbers, the one that stands for nothing included.
    pub(in crate::yarn) fn len(&self) -> usize {
        LANES * self.own_packs() + self.around.len() + 1
    }

    /// The node of the band or of the ring with a local number, where there is one.
    pub(in crate::yarn) fn global(&self, local: usize) -> Option<usize> {
        let own = LANES * self.own_packs();
        if local < own {
            return (local < self.count).then_some(self.first + local);
        }
        self.around[..self.ring].get(local - own).filter(|n| **n != NO_NODE).map(|n| *n as usize)
    }

    #[inline(always)]
    pub(super) fn links(&self, pack: usize) -> PackLinks<'_> {
        match &self.packs[pack] {
            StoredLinks::Runs(runs) => PackLinks::Runs(runs),
            StoredLinks::Each(k) => PackLinks::Each(&self.each[*k as usize]),
        }
    }

    /// The neighbor behind a port of a node of the band or of the ring.
    pub(in crate::yarn) fn link(&self, local: usize, port: usize) -> LocalLink {
        let lane = local % LANES;
        match self.links(local / LANES) {
            PackLinks::Runs(runs) => LocalLink(runs[port].0 + 4 * lane as u32),
            PackLinks::Each(each) => each[port][lane],
        }
    }

    /// Calls `work` with every local number and its node, where there is one.
    #[inline(always)]
    pub(super) fn each_node(&self, mut work: impl FnMut(usize, Option<usize>)) {
        for k in 0..self.count {
            work(k, Some(self.first + k));
        }
        let own = LANES * self.own_packs();
        (self.count..own).for_each(|k| work(k, None));
        for (k, n) in self.around.iter().enumerate() {
            work(own + k, (*n != NO_NODE).then_some(*n as usize));
        }
        work(self.len() - 1, None);
    }

    /// Fills a plane of values from those of all nodes. Where there is no node it has `nothing`.
    #[inline(always)]
    pub(super) fn fill<S: Copy>(&self, plane: &mut [S], nothing: S, values: &[S]) {
        plane[..self.count].copy_from_slice(&values[self.first..self.first + self.count]);
        let own = LANES * self.own_packs();
        plane[self.count..own].fill(nothing);
        for (p, n) in plane[own..].iter_mut().zip(&self.around) {
            *p = if *n == NO_NODE { nothing } else { values[*n as usize] };
        }
        plane[self.len() - 1] = nothing;
    }
}

/// Neighbors of nodes that have no local number yet, in order.
fn neighbors(links: &[[Link; 4]], nodes: impl Iterator<Item = u32>, local: &[u32]) -> Vec<u32> {
    let linked = nodes.flat_map(|i| links[i as usize].iter().filter_map(|l| l.node()));
    let mut found: Vec<u32> = linked.filter(|n| local[*n] == NO_NODE).map(|n| n as u32).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Numbers the nodes around a band, from `first` on.
fn number(around: &[u32], first: usize, local: &mut [u32]) {
    for (k, n) in around.iter().enumerate().filter(|(_, n)| **n != NO_NODE) {
        local[*n as usize] = (first + k) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yarn::material::YarnMaterial;
    use crate::yarn::model::Sheet;
    use yarnwise_shared::pattern::weave::Draft;

    #[test]
    fn links_of_packs_are_those_of_the_weave() {
        let draft = Draft::parse("10/01").unwrap();
        let weave = Sheet::new(21, 40, draft, YarnMaterial::default()).weave().unwrap();
        for size in [LANES, 64, 8 * weave.node_count()] {
            let mut seen = vec![0; weave.node_count()];
            let mut regular = 0;
            for band in &Bands::of_size(&weave, size).bands {
                let nothing = band.len() - 1;
                for local in 0..LANES * band.pack_count() {
                    let pack = local / LANES;
                    let link = |port: usize| band.link(local, port);
                    regular += usize::from(matches!(band.links(pack), PackLinks::Runs(_)));
                    let Some(node) = band.global(local) else {
                        assert!((0..4).all(|port| link(port).node() == nothing));
                        continue;
                    };
                    if local < band.count {
                        seen[node] += 1;
                    }
                    for port in 0..4 {
                        let found = (link(port).node() != nothing).then(|| {
                            let n = link(port).node();
                            let own = LANES * band.own_packs();
                            let global = if n < own { band.first + n } else { band.around[n - own] as usize };
                            (global, link(port).back())
                        });
                        let expected = weave.links[node][port].get().map(|(n, back)| (n, back.index()));
                        assert_eq!(found, expected, "node {node} port {port}");
                    }
                }
            }
            assert!(size < 64 || regular > 100, "{regular}");
            assert!(seen.iter().all(|s| *s == 1));
        }
    }
}
