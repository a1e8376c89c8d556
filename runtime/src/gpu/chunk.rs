//! Yarn vertices in chunks, each small enough for one binding.
//!
//! A chunk also holds a few vertices of its neighbors, so that radius, tangents and drawn segments at its borders need
//! no other chunk.

use std::ops::Range;
use yarnwise_device::storage_limit;
use yarnwise_shaders::gpu::YarnVertex;

/// How many vertices of each neighbor a chunk holds: one for the radius, one more so that the next vertex has its
/// tangent.
const HALO: u32 = 2;

/// The most yarn vertices in one part on a device with these limits.
pub fn part_capacity(limits: &wgpu::Limits) -> u32 {
    let vertices = storage_limit(limits) / size_of::<YarnVertex>() as u64;
    vertices.min(u64::from(u32::MAX)) as u32
}

/// A run of yarn vertices in a buffer of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The yarn vertices that the buffer holds, in order.
    pub stored: Range<u32>,
    /// Those of them that this chunk is responsible for: each yarn vertex is owned by exactly one chunk. The others belong to
    /// the neighboring chunks; of them, the outermost has no radius of its own.
    pub owned: Range<u32>,
}

impl Chunk {
    /// How many vertices the buffer holds.
    pub fn len(&self) -> u32 {
        self.stored.end - self.stored.start
    }

    /// Never true for the chunks of a state.
    pub fn is_empty(&self) -> bool {
        self.stored.is_empty()
    }
}

/// Cuts `count` yarn vertices into the fewest chunks that hold at most `capacity` each, all of nearly the same size.
///
/// `None` when `capacity` leaves no room next to the neighbors' vertices.
pub fn chunks(count: u32, capacity: u32) -> Option<Vec<Chunk>> {
    if count <= capacity {
        let all = 0..count;
        return Some(if count == 0 { Vec::new() } else { vec![Chunk { stored: all.clone(), owned: all }] });
    }
    let room = capacity.checked_sub(2 * HALO).filter(|room| *room > 0)?;
    let pieces = u64::from(count.div_ceil(room));
    let cut = |piece: u64| (u64::from(count) * piece / pieces) as u32;
    let chunk = |piece: u64| {
        let owned = cut(piece)..cut(piece + 1);
        Chunk { stored: owned.start.saturating_sub(HALO)..owned.end.saturating_add(HALO).min(count), owned }
    };
    Some((0..pieces).map(chunk).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chunks own each vertex once, hold their neighbors' border vertices, and respect the capacity.
    #[test]
    fn chunks_own_every_vertex_once_and_overlap() {
        for count in [1, 2, 5, 63, 64, 65, 1000, 40_000_000, u32::MAX] {
            for capacity in [5, 6, 64, 999, 5_592_405] {
                if count / capacity > 10_000_000 / capacity {
                    continue;
                }
                let chunks = chunks(count, capacity).unwrap();
                assert_eq!(chunks.first().unwrap().owned.start, 0);
                assert_eq!(chunks.last().unwrap().owned.end, count);
                for pair in chunks.windows(2) {
                    assert_eq!(pair[0].owned.end, pair[1].owned.start);
                }
                for chunk in &chunks {
                    assert!(!chunk.owned.is_empty() && chunk.len() <= capacity, "{chunk:?} of {count}");
                    assert_eq!(chunk.stored.start, chunk.owned.start.saturating_sub(HALO));
                    assert_eq!(chunk.stored.end, chunk.owned.end.saturating_add(HALO).min(count));
                }
            }
        }
    }

    #[test]
    fn no_room_is_no_chunks() {
        assert_eq!(chunks(10, 4), None);
        assert_eq!(chunks(0, 4), Some(Vec::new()));
        assert_eq!(chunks(4, 4).unwrap().len(), 1);
    }
}
