//! The header of a database file: the one place where `bincode` is used.
//!
//! Field order and types *are* the format (`docs/reference/database-format.md`): change nothing here without a new
//! [`VERSION`](super::prelude::VERSION).

use crate::pattern::material::YarnMaterial;
use crate::words::count;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most bytes a header may have.
pub(super) const MAX_BYTES: usize = 16 << 20;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) name: String,
    pub(super) origin: String,
    pub(super) tool: String,
    pub(super) material: Option<YarnMaterial>,
    pub(super) settings: BTreeMap<String, String>,
    /// Vertices of the pattern and of each sample.
    pub(super) vertices: u32,
    /// The in-plane table, then the bending tables x and y if there are any.
    pub(super) tables: Vec<TableHeader>,
    /// Length and checksum of every chunk, in file order.
    pub(super) chunks: Vec<ChunkEntry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TableHeader {
    /// Three or four axes: sx, sa, sy, curvature.
    pub(super) axes: Vec<Vec<f64>>,
    /// Layers (samples with the same place on the last axis) in each chunk; the last chunk may have fewer.
    pub(super) layers_per_chunk: u32,
    /// Whether values are exact; otherwise they are within the channels' tolerances.
    pub(super) lossless: bool,
    /// dX1, dX2, dX3 (meters) and dtheta (radians).
    pub(super) channels: [ChannelHeader; 4],
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ChannelHeader {
    /// Stored values are whole numbers of this.
    pub(super) step: f64,
    /// No value is further than this from the one that was given; 0 where `lossless`.
    pub(super) tolerance: f64,
    /// The largest difference that there is.
    pub(super) largest_error: f64,
    /// Coefficients of the predictor, all classes one after the other.
    pub(super) coefficients: Vec<i16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ChunkEntry {
    pub(super) bytes: u64,
    /// CRC-32 of the chunk's bytes.
    pub(super) checksum: u32,
}

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_limit::<MAX_BYTES>()
}

/// The header's bytes; an error says why there are none (it is larger than allowed).
pub(super) fn to_bytes(header: &Header) -> Result<Vec<u8>, String> {
    bincode::serde::encode_to_vec(header, config()).map_err(|e| e.to_string())
}

/// The header from all of its bytes.
pub(super) fn parse(bytes: &[u8]) -> Result<Header, String> {
    match bincode::serde::decode_from_slice(bytes, config()) {
        Ok((header, used)) if used == bytes.len() => Ok(header),
        Ok((_, used)) => Err(format!("{} too many after its end", count(bytes.len() - used, "byte", None))),
        Err(e) => Err(e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Header {
        let channel = || ChannelHeader { step: 1.0, tolerance: 0.5, largest_error: 0.25, coefficients: vec![1, -300] };
        Header {
            name: "ab".into(),
            origin: String::new(),
            tool: "t".into(),
            material: None,
            settings: [("k".to_owned(), "v".to_owned())].into(),
            vertices: 300,
            tables: vec![TableHeader {
                axes: vec![vec![0.0]],
                layers_per_chunk: 1,
                lossless: true,
                channels: [channel(), channel(), channel(), channel()],
            }],
            chunks: vec![ChunkEntry { bytes: 70_000, checksum: 7 }],
        }
    }

    /// The encoding that the format's document promises, spelled out.
    #[test]
    fn the_bytes_are_as_documented() {
        let f64s = |values: &[f64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let mut expected = vec![2, b'a', b'b', 0, 1, b't', 0, 1, 1, b'k', 1, b'v', 251, 44, 1, 1, 1, 1];
        expected.extend(f64s(&[0.0]));
        expected.extend([1, 1]);
        for _ in 0..4 {
            expected.extend(f64s(&[1.0, 0.5, 0.25]));
            expected.extend([2, 2, 251, 87, 2]);
        }
        expected.extend([1, 252, 112, 17, 1, 0, 7]);
        assert_eq!(to_bytes(&small()).unwrap(), expected);
        assert_eq!(parse(&expected).unwrap(), small());
    }

    #[test]
    fn damaged_headers_are_refused() {
        let bytes = to_bytes(&small()).unwrap();
        assert!(parse(&bytes[..bytes.len() - 1]).is_err());
        assert!(parse(&[&bytes[..], &[0]].concat()).unwrap_err().contains("1 byte too many"));
        let mut greedy = bytes;
        greedy.splice(0..1, [253, 255, 255, 255, 255, 255, 255, 255, 127]);
        assert!(parse(&greedy).is_err());
    }
}
