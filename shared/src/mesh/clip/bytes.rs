//! Little-endian numbers of binary formats, with errors that name the byte.

use crate::words::count;
use crate::{Error, Result};

/// A place in the bytes of a file.
pub(super) struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
    origin: &'a str,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(bytes: &'a [u8], origin: &'a str) -> Self {
        Bytes { bytes, at: 0, origin }
    }

    /// The next `n` bytes; nothing is copied or reserved.
    pub(super) fn take(&mut self, n: usize, what: &str) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        if rest.len() < n {
            let [needed, left] = [n, rest.len()].map(|n| count(n, "byte", None));
            let problem = format!("{what} needs {needed}, the file has {left} more: it is cut off or of another kind");
            return Err(self.error(problem));
        }
        self.at += n;
        Ok(&rest[..n])
    }

    pub(super) fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, what)?);
        Ok(out)
    }

    pub(super) fn u8(&mut self, what: &str) -> Result<u8> {
        self.array::<1>(what).map(|[b]| b)
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn f32(&mut self, what: &str) -> Result<f32> {
        self.array(what).map(f32::from_le_bytes)
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error at the place reached so far.
    pub(super) fn error(&self, problem: impl Into<String>) -> Error {
        Error::binary(self.origin, self.at as u64, problem)
    }
}

/// Rows of `N` numbers.
pub(super) fn rows_f32<const N: usize>(bytes: &[u8]) -> impl ExactSizeIterator<Item = [f32; N]> + '_ {
    bytes.chunks_exact(4 * N).map(|row| std::array::from_fn(|k| f32::from_le_bytes(word(row, k))))
}

/// Rows of three indices.
pub(super) fn rows_u32(bytes: &[u8]) -> impl ExactSizeIterator<Item = [u32; 3]> + '_ {
    bytes.chunks_exact(12).map(|row| std::array::from_fn(|k| u32::from_le_bytes(word(row, k))))
}

fn word(row: &[u8], k: usize) -> [u8; 4] {
    [row[4 * k], row[4 * k + 1], row[4 * k + 2], row[4 * k + 3]]
}
