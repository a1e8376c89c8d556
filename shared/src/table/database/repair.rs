//! Makes the checksums of a damaged file right again, so that tests and fuzzers reach what lies behind them.

use super::header;
use super::prelude::{MAGIC, PRELUDE, header_checksum};

/// The bytes with right magic and checksums, where there is a header that can be read; otherwise only the magic is set.
#[doc(hidden)]
pub fn repair(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.len() < PRELUDE {
        return bytes;
    }
    bytes[..8].copy_from_slice(&MAGIC);
    let length = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    let Some(end) = length.checked_add(PRELUDE).filter(|end| *end <= bytes.len()) else { return bytes };
    let Ok(mut header) = header::parse(&bytes[PRELUDE..end]) else { return bytes };
    let mut chunks = &bytes[end..];
    for entry in &mut header.chunks {
        let (chunk, rest) = chunks.split_at(chunks.len().min(usize::try_from(entry.bytes).unwrap_or(usize::MAX)));
        entry.checksum = crc32fast::hash(chunk);
        chunks = rest;
    }
    let Ok(header) = header::to_bytes(&header) else { return bytes };
    bytes.splice(PRELUDE..end, header.iter().copied());
    bytes[12..16].copy_from_slice(&(header.len() as u32).to_le_bytes());
    let checksum = header_checksum(&bytes, &header);
    bytes[16..20].copy_from_slice(&checksum.to_le_bytes());
    bytes
}
