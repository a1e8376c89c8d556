//! The displacement table in a buffer: as floats, or as signed 16 bit numbers with a scale for each channel.
//!
//! At 16 bits the published tables are off by at most 2e-4 yarn radii, take half the memory and half the cache.

use yarnwise_shaders::gpu::TablePacking;
use yarnwise_shared::table::Displacement;

/// How the displacement table is kept on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TablePrecision {
    /// Floats where they fit one binding, 16 bits where only those do.
    #[default]
    Automatic,
    /// 32 bit floats: 16 B a vertex and sample.
    Float,
    /// Signed 16 bit numbers, a scale for each channel: 8 B a vertex and sample.
    Snorm16,
}

impl TablePrecision {
    /// Whether a table of `count` displacements is packed, on a device whose bindings hold `limit` bytes.
    pub(super) fn packs(self, count: usize, limit: u64) -> bool {
        match self {
            TablePrecision::Automatic => (count * size_of::<Displacement>()) as u64 > limit,
            TablePrecision::Float => false,
            TablePrecision::Snorm16 => true,
        }
    }
}

/// How a table of floats lies in its buffer.
pub(super) fn floats() -> TablePacking {
    TablePacking { scale: [0.0; 4], packed: 0, padding: [0; 3] }
}

/// The displacements as 16 bit numbers, and how to read them.
pub(super) fn pack(values: &[Displacement]) -> (Vec<[i16; 4]>, TablePacking) {
    let largest = |k: usize| values.iter().fold(0.0f32, |m, v| m.max(v[k].abs()));
    let scale: [f32; 4] = std::array::from_fn(largest);
    let factor = scale.map(|s| if s > 0.0 { f32::from(i16::MAX) / s } else { 0.0 });
    let packed = values.iter().map(|v| std::array::from_fn(|k| (v[k] * factor[k]).round() as i16)).collect();
    (packed, TablePacking { scale, packed: 1, padding: [0; 3] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_values_are_off_by_at_most_half_a_step() {
        let values: Vec<Displacement> = (0..1000)
            .map(|i| [i as f32 * 1e-6, -(i as f32).sin() * 3e-3, 0.0, (i as f32 * 0.37).cos() * 4.0])
            .collect();
        let (packed, packing) = pack(&values);
        for (value, packed) in values.iter().zip(&packed) {
            for k in 0..4 {
                let back = packing.scale[k] * f32::from(packed[k]) / 32767.0;
                assert!((back - value[k]).abs() <= packing.scale[k] * 0.51 / 32767.0, "{back} {}", value[k]);
            }
        }
        assert_eq!(packing.scale[2], 0.0);
    }

    #[test]
    fn a_table_is_packed_when_it_would_not_fit() {
        assert!(!TablePrecision::Automatic.packs(10, 160));
        assert!(TablePrecision::Automatic.packs(11, 160));
        assert!(!TablePrecision::Float.packs(11, 160));
        assert!(TablePrecision::Snorm16.packs(1, 160));
    }
}
