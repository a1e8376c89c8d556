//! What every database file begins with, and what bounds it.

/// The version of the format that is written. Every version from [`OLDEST_VERSION`] on is read.
///
/// Versions count up by one. Version 2 added energy by kind and stress to the records; nothing else differs.
pub const VERSION: u32 = 2;

/// The oldest version of the format that is read.
pub const OLDEST_VERSION: u32 = 1;

/// The most displacements that a table may have.
pub const MAX_DISPLACEMENTS: u64 = 1 << 30;

/// The first eight bytes. A transfer that takes the file for text, or seven bits for enough, damages them.
pub(super) const MAGIC: [u8; 8] = *b"\x8aYDB\r\n\x1a\n";

/// Magic, version, length of the header, checksum.
pub(super) const PRELUDE: usize = 20;

/// CRC-32 of the first 16 bytes of the file and the header.
pub(super) fn header_checksum(prelude: &[u8], header: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&prelude[..PRELUDE - 4]);
    hasher.update(header);
    hasher.finalize()
}
