//! Pairs of particles that are close, found with a hash of cells.

use nalgebra::Vector3;

/// Particles sorted by the hash of the cell they are in. Cells have the size of the search distance.
#[derive(Clone, Debug, Default)]
pub struct SpatialHash {
    start: Vec<u32>,
    particles: Vec<u32>,
    cell: f64,
}

impl SpatialHash {
    /// Sorts the particles for searches up to `distance` meters.
    pub fn new(positions: &[Vector3<f64>], distance: f64) -> Self {
        let buckets = (2 * positions.len()).next_power_of_two();
        let mut hash = SpatialHash { start: vec![0; buckets + 1], particles: vec![0; positions.len()], cell: distance };
        let bucket: Vec<u32> = positions.iter().map(|p| hash.bucket(&hash.cell_of(p)) as u32).collect();
        for b in &bucket {
            hash.start[*b as usize + 1] += 1;
        }
        for b in 0..buckets {
            hash.start[b + 1] += hash.start[b];
        }
        let mut next = hash.start.clone();
        for (particle, b) in bucket.iter().enumerate() {
            hash.particles[next[*b as usize] as usize] = particle as u32;
            next[*b as usize] += 1;
        }
        hash
    }

    /// All pairs i < j closer than the search distance, in ascending order of i.
    pub fn pairs(&self, positions: &[Vector3<f64>]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        let mut near = Vec::new();
        for (i, p) in positions.iter().enumerate() {
            near.clear();
            self.buckets_around(p, &mut near);
            let first = pairs.len();
            for b in &near {
                for j in &self.particles[self.start[*b] as usize..self.start[*b + 1] as usize] {
                    let close = (positions[*j as usize] - p).norm_squared() < self.cell * self.cell;
                    if *j as usize > i && close {
                        pairs.push((i as u32, *j));
                    }
                }
            }
            pairs[first..].sort_unstable();
        }
        pairs
    }

    /// Calls `found` with every particle closer to a point than the search distance, in an order that depends on positions alone.
    pub fn near(&self, positions: &[Vector3<f64>], p: &Vector3<f64>, mut found: impl FnMut(usize)) {
        let mut buckets = Vec::with_capacity(27);
        self.buckets_around(p, &mut buckets);
        for b in buckets {
            for j in &self.particles[self.start[b] as usize..self.start[b + 1] as usize] {
                if (positions[*j as usize] - p).norm_squared() < self.cell * self.cell {
                    found(*j as usize);
                }
            }
        }
    }

    /// The different buckets of the 27 cells around a point.
    fn buckets_around(&self, p: &Vector3<f64>, found: &mut Vec<usize>) {
        let [x, y, z] = self.cell_of(p);
        for dx in -1..=1 {
            for dy in -1..=1 {
                for dz in -1..=1 {
                    found.push(self.bucket(&[x + dx, y + dy, z + dz]));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
    }

    fn cell_of(&self, p: &Vector3<f64>) -> [i64; 3] {
        // Far away cells may share a number; then only the search takes longer.
        [p.x, p.y, p.z].map(|c| (c / self.cell).floor().clamp(-1e15, 1e15) as i64)
    }

    fn bucket(&self, cell: &[i64; 3]) -> usize {
        let mixed = cell.iter().zip([0x9E37_79B9_7F4A_7C15_u64, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9]);
        let hash = mixed.fold(0_u64, |h, (c, prime)| h ^ (*c as u64).wrapping_mul(prime));
        ((hash ^ (hash >> 29)) as usize) & (self.start.len() - 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_finds_the_pairs_that_brute_force_finds() {
        let seed = 7;
        let mut generator = yarnwise_shared::random::Random::new(seed);
        let mut random = || generator.unit();
        let positions: Vec<_> = (0..300).map(|_| Vector3::new(random(), random() - 0.5, 0.3 * random())).collect();
        let distance = 0.08;
        let mut expected = Vec::new();
        for i in 0..positions.len() {
            for j in i + 1..positions.len() {
                if (positions[i] - positions[j]).norm() < distance {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        assert!(expected.len() > 50, "seed {seed}: {}", expected.len());
        assert_eq!(SpatialHash::new(&positions, distance).pairs(&positions), expected);
        assert_ne!(SpatialHash::new(&positions, 0.9 * distance).pairs(&positions), expected);
        let hash = SpatialHash::new(&positions, distance);
        let mut near = Vec::new();
        for (i, p) in positions.iter().enumerate() {
            hash.near(&positions, p, |j| near.extend((i < j).then_some((i as u32, j as u32))));
        }
        near.sort_unstable();
        assert_eq!(near, expected);
    }
}
