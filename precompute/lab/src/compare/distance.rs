//! Distributions of distances between yarn vertices.

use yarnwise_shared::table::region::Region;

/// Distances are sorted into bins, so that any number of them fits: this many to a factor of two.
const PER_OCTAVE: f64 = 64.0;

/// The smallest distance that has a bin of its own, radii; smaller ones share the first bin.
const SMALLEST: f64 = 1e-7;

/// Bins up to about 1e6 radii.
const BINS: usize = 43 * PER_OCTAVE as usize;

/// Many distances, in yarn radii.
#[derive(Clone, Debug)]
pub(super) struct Distances {
    count: u64,
    sum: f64,
    squares: f64,
    smallest: f64,
    largest: f64,
    bins: Vec<u64>,
}

/// What is reported of many distances, all in yarn radii.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct DistanceSummary {
    /// How many there are.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// The root of the mean of their squares (the L2 distance of all vertices, per vertex).
    pub rms: f64,
    /// Half of them are smaller; known to 1 %.
    pub median: f64,
    /// 95 % of them are smaller; known to 1 %.
    pub percentile_95: f64,
    /// The largest.
    pub largest: f64,
}

/// One bar of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Bar {
    /// Distances up to this many radii; infinite for the last bar.
    pub to: f64,
    /// The share of all distances.
    pub share: f64,
}

/// Upper ends of a histogram's bars, radii.
const BARS: [f64; 11] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, f64::INFINITY];

impl Default for Distances {
    fn default() -> Self {
        let bins = vec![0; BINS];
        Distances { count: 0, sum: 0.0, squares: 0.0, smallest: f64::INFINITY, largest: 0.0, bins }
    }
}

impl Distances {
    /// Adds a distance. A NaN makes mean, root of squares and largest NaN: it must not go unnoticed.
    pub(super) fn add(&mut self, distance: f64) {
        self.count += 1;
        self.sum += distance;
        self.squares += distance * distance;
        self.smallest = self.smallest.min(distance);
        self.largest = larger(self.largest, distance);
        self.bins[bin(distance)] += 1;
    }

    /// Adds all distances of `other`.
    pub(super) fn merge(&mut self, other: &Distances) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        self.smallest = self.smallest.min(other.smallest);
        self.largest = larger(self.largest, other.largest);
        self.bins.iter_mut().zip(&other.bins).for_each(|(a, b)| *a += b);
    }

    /// The distance that `share` of them do not exceed.
    fn quantile(&self, share: f64) -> f64 {
        let rank = (share * self.count as f64).ceil() as u64;
        let mut seen = 0;
        for (i, count) in self.bins.iter().enumerate() {
            seen += count;
            if seen >= rank.max(1) {
                // The middle of the bin, which may lie outside of what there is.
                let middle = SMALLEST * ((i as f64 + 0.5) / PER_OCTAVE).exp2();
                return if i == 0 { self.smallest } else { middle.max(self.smallest).min(self.largest) };
            }
        }
        0.0
    }

    /// What is reported of them; nothing where there are none.
    pub(super) fn summary(&self) -> Option<DistanceSummary> {
        let n = self.count as f64;
        (self.count > 0).then(|| DistanceSummary {
            count: self.count,
            mean: self.sum / n,
            rms: (self.squares / n).sqrt(),
            median: self.quantile(0.5),
            percentile_95: self.quantile(0.95),
            largest: self.largest,
        })
    }

    /// How many lie in which range.
    pub(super) fn histogram(&self) -> Vec<Bar> {
        let mut bars: Vec<Bar> = BARS.iter().map(|to| Bar { to: *to, share: 0.0 }).collect();
        for (i, count) in self.bins.iter().enumerate() {
            let middle = if i == 0 { 0.0 } else { SMALLEST * ((i as f64 + 0.5) / PER_OCTAVE).exp2() };
            let bar = BARS.iter().position(|to| middle < *to).unwrap_or(BARS.len() - 1);
            bars[bar].share += *count as f64 / self.count.max(1) as f64;
        }
        bars
    }
}

/// The larger of two, NaN if one is.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

fn bin(distance: f64) -> usize {
    let octaves = (distance / SMALLEST).log2();
    // 0 ends in the first bin; NaN does too, but the largest distance shows it.
    if octaves > 0.0 { ((octaves * PER_OCTAVE) as usize).min(BINS - 1) } else { 0 }
}

/// Distances by region of the strain.
#[derive(Clone, Debug, Default)]
pub(super) struct RegionDistances([Distances; 4]);

/// What is reported of distances by region.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ByRegion {
    /// Of all strains.
    pub all: Option<DistanceSummary>,
    /// Of the regions in the order of [`Region::ALL`]; nothing where a region was not met.
    pub regions: [Option<DistanceSummary>; 4],
    /// Of all strains.
    pub histogram: Vec<Bar>,
}

impl RegionDistances {
    /// Adds a distance at a strain in `region`.
    pub(super) fn add(&mut self, region: Region, distance: f64) {
        self.0[region as usize].add(distance);
    }

    /// Adds all distances of `other`.
    pub(super) fn merge(mut self, other: &RegionDistances) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| a.merge(b));
        self
    }

    /// What is reported of them.
    pub(super) fn summary(&self) -> ByRegion {
        let mut all = Distances::default();
        self.0.iter().for_each(|d| all.merge(d));
        ByRegion { all: all.summary(), regions: self.0.each_ref().map(Distances::summary), histogram: all.histogram() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_agree_with_sorted_lists() {
        let mut random = yarnwise_shared::random::Random::new(7);
        let mut list: Vec<f64> = (0..10_000).map(|_| 10f64.powf(random.between([-5.0, 1.0]))).collect();
        let mut distances = Distances::default();
        list.iter().for_each(|d| distances.add(*d));
        list.sort_by(f64::total_cmp);
        let summary = distances.summary().unwrap();
        assert!((summary.median / list[4999] - 1.0).abs() < 0.011, "{summary:?}");
        assert!((summary.percentile_95 / list[9499] - 1.0).abs() < 0.011);
        assert_eq!(summary.largest, list[9999]);
        assert!((summary.mean - list.iter().sum::<f64>() / 1e4).abs() < 1e-9);
        let below = list.iter().filter(|d| **d < 0.1).count() as f64 / 1e4;
        let bars: f64 = distances.histogram().iter().filter(|b| b.to <= 0.1).map(|b| b.share).sum();
        assert!((bars - below).abs() < 2e-3, "{bars} {below}");
    }

    #[test]
    fn equal_distances_are_reported_exactly_and_zero_stays_zero() {
        for value in [0.0, 0.25, 3.0] {
            let mut distances = Distances::default();
            (0..10).for_each(|_| distances.add(value));
            let s = distances.summary().unwrap();
            assert_eq!([s.mean, s.rms, s.median, s.percentile_95, s.largest], [value; 5]);
        }
        assert_eq!(Distances::default().summary(), None);
    }

    #[test]
    fn a_distance_that_is_nan_is_not_overlooked() {
        let mut distances = Distances::default();
        [0.1, f64::NAN, 0.2].iter().for_each(|d| distances.add(*d));
        let summary = distances.summary().unwrap();
        assert!(summary.largest.is_nan() && summary.mean.is_nan() && summary.rms.is_nan(), "{summary:?}");
    }
}
