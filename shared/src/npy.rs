//! NumPy's `.npy` files: one array of numbers each.
//!
//! Versions 1 to 3 of the format, little-endian `f4`, `f8`, `i4` and `u4`, C order. Anything else is refused with the
//! cure. Format: numpy.lib.format in NumPy's documentation.

use crate::words::count;
use crate::{Error, Result, file, text};
use std::path::Path;

/// Largest `.npy` file that is read.
pub const MAX_BYTES: u64 = 32 << 30;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Headers are short; a longer one is not an array of plain numbers.
const MAX_HEADER: usize = 1 << 16;

/// The most dimensions NumPy knows.
const MAX_DIMENSIONS: usize = 64;

/// An array of numbers in C order: the last index runs fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Length along each dimension.
    pub shape: Vec<usize>,
    /// The numbers; as many as the product of the shape.
    pub data: Data,
}

/// The numbers of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// `<f4`
    F32(Vec<f32>),
    /// `<f8`
    F64(Vec<f64>),
    /// `<i4`
    I32(Vec<i32>),
    /// `<u4`
    U32(Vec<u32>),
}

impl Data {
    fn descr(&self) -> &'static str {
        match self {
            Data::F32(_) => "<f4",
            Data::F64(_) => "<f8",
            Data::I32(_) => "<i4",
            Data::U32(_) => "<u4",
        }
    }

    fn len(&self) -> usize {
        match self {
            Data::F32(v) => v.len(),
            Data::F64(v) => v.len(),
            Data::I32(v) => v.len(),
            Data::U32(v) => v.len(),
        }
    }
}

/// Reads a `.npy` file.
pub fn read(path: &Path) -> Result<Array> {
    parse(&file::read(path, MAX_BYTES, check_start)?, &file::origin(path))
}

/// Reads the bytes of a `.npy` file; `origin` names it in messages. Floats may be NaN or infinite.
pub fn parse(bytes: &[u8], origin: &str) -> Result<Array> {
    let (header_text, start) = split_header(bytes, origin)?;
    let header = NpyHeader::parse(header_text).map_err(|problem| Error::binary(origin, 10, problem))?;
    let width = if header.descr == "<f8" { 8 } else { 4 };
    let promised = header.shape.iter().try_fold(width, |n: usize, d| n.checked_mul(*d));
    let data = &bytes[start..];
    if promised != Some(data.len()) {
        let problem = format!(
            "the shape {} of '{}' does not fit the {} of data that follow: the file is cut off or damaged",
            text::join(&header.shape, " x "),
            header.descr,
            count(data.len(), "byte", None)
        );
        return Err(Error::binary(origin, start as u64, problem));
    }
    let words = || data.chunks_exact(4).map(|b| [b[0], b[1], b[2], b[3]]);
    let data = match header.descr {
        "<f4" => Data::F32(words().map(f32::from_le_bytes).collect()),
        "<i4" => Data::I32(words().map(i32::from_le_bytes).collect()),
        "<u4" => Data::U32(words().map(u32::from_le_bytes).collect()),
        "<f8" => Data::F64(
            data.chunks_exact(8)
                .map(|b| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
                .collect(),
        ),
        other => {
            let problem = format!(
                "holds numbers of type '{other}', only <f4, <f8, <i4 and <u4 are read: convert it with NumPy's astype"
            );
            return Err(Error::binary(origin, 10, problem));
        }
    };
    Ok(Array { shape: header.shape, data })
}

/// The header's text and where the data begin.
fn check_start(first: &[u8], origin: &str) -> Result<()> {
    if first.len() < 10 || !first.starts_with(MAGIC) {
        return Err(Error::binary(origin, 0, "is not a .npy file"));
    }
    Ok(())
}

fn split_header<'a>(bytes: &'a [u8], origin: &str) -> Result<(&'a str, usize)> {
    check_start(bytes, origin)?;
    let fail = |offset: u64, problem: &str| Err(Error::binary(origin, offset, problem));
    let (start, length) = match bytes[6] {
        1 => (10, usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))),
        2 | 3 if bytes.len() >= 12 => (12, u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize),
        _ => return fail(6, "is in an unknown version of the .npy format, versions 1 to 3 are read"),
    };
    if length > MAX_HEADER || start + length > bytes.len() {
        return fail(8, "the header is longer than the file: it is cut off or damaged");
    }
    match std::str::from_utf8(&bytes[start..start + length]) {
        Ok(text) => Ok((text, start + length)),
        Err(_) => fail(start as u64, "the header is not text"),
    }
}

struct NpyHeader<'a> {
    descr: &'a str,
    shape: Vec<usize>,
}

impl<'a> NpyHeader<'a> {
    /// Parses the Python dictionary that NumPy writes: `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &'a str) -> Result<Self, String> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        let mut rest = text.trim().strip_prefix('{').ok_or("the header is not a dictionary")?.trim_start();
        while !rest.starts_with('}') {
            let (key, after) = quoted(rest).ok_or("the header has a key that is not quoted")?;
            let after = after.trim_start().strip_prefix(':').ok_or("the header has a key without a value")?;
            let after = after.trim_start();
            rest = match key {
                "descr" => {
                    let (value, after) =
                        quoted(after).ok_or("the numbers are records or objects: only plain numbers are read")?;
                    descr = Some(value);
                    after
                }
                "fortran_order" => {
                    let value = after.starts_with("True");
                    fortran = Some(value);
                    after
                        .strip_prefix(if value { "True" } else { "False" })
                        .ok_or("fortran_order is not a truth value")?
                }
                "shape" => {
                    let (value, after) = parse_shape(after).ok_or("the shape is not a tuple of whole numbers")?;
                    shape = Some(value);
                    after
                }
                _ => return Err("the header has an unknown key".to_owned()),
            }
            .trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        if !rest[1..].trim().is_empty() {
            return Err("something follows the header's dictionary".to_owned());
        }
        let (Some(descr), Some(fortran), Some(shape)) = (descr, fortran, shape) else {
            return Err("the header lacks descr, fortran_order or shape".to_owned());
        };
        if fortran && shape.len() > 1 {
            return Err("the array is in Fortran order: save numpy.ascontiguousarray(array) instead".to_owned());
        }
        Ok(NpyHeader { descr, shape })
    }
}

/// A quoted word without escapes, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote).filter(|(word, _)| !word.contains('\\'))
}

/// A tuple of whole numbers, and what follows it.
fn parse_shape(text: &str) -> Option<(Vec<usize>, &str)> {
    let (inner, after) = text.strip_prefix('(')?.split_once(')')?;
    let inner = inner.trim();
    let inner = inner.strip_suffix(',').unwrap_or(inner);
    if inner.is_empty() {
        return Some((Vec::new(), after));
    }
    let numbers: Option<Vec<usize>> =
        inner.split(',').take(MAX_DIMENSIONS + 1).map(|n| n.trim().trim_end_matches('L').parse().ok()).collect();
    numbers.filter(|n| n.len() <= MAX_DIMENSIONS).map(|n| (n, after))
}

/// Writes a `.npy` file, completely or not at all.
pub fn write(array: &Array, path: &Path) -> Result<()> {
    let bytes = to_bytes(array)?;
    file::write_atomically(path, |w| w.write_all(&bytes))
}

/// The bytes of a `.npy` file in version 1 of the format, as NumPy writes them.
pub fn to_bytes(array: &Array) -> Result<Vec<u8>> {
    if array.shape.len() > MAX_DIMENSIONS
        || array.shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d)) != Some(array.data.len())
    {
        let numbers = count(array.data.len(), "number", None);
        let problem = format!("its shape {} does not fit its {numbers}", text::join(&array.shape, " x "));
        return Err(Error::invalid("array", problem));
    }
    let shape = match &array.shape[..] {
        [one] => format!("({one},)"),
        many => format!("({})", many.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut header = format!("{{'descr': '{}', 'fortran_order': False, 'shape': {shape}, }}", array.data.descr());
    // Padded so that the data begin at a multiple of 64 bytes.
    let padding = (64 - (10 + header.len() + 1) % 64) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let mut out = MAGIC.to_vec();
    out.extend([1, 0]);
    // 64 dimensions of 20 digits stay far below 65,536.
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.bytes());
    match &array.data {
        Data::F32(v) => v.iter().for_each(|n| out.extend(n.to_le_bytes())),
        Data::F64(v) => v.iter().for_each(|n| out.extend(n.to_le_bytes())),
        Data::I32(v) => v.iter().for_each(|n| out.extend(n.to_le_bytes())),
        Data::U32(v) => v.iter().for_each(|n| out.extend(n.to_le_bytes())),
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_with(header: &str, data: &[u8]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend([1, 0]);
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.bytes());
        out.extend(data);
        out
    }

    #[test]
    fn arrays_round_trip() {
        let arrays = [
            Array { shape: vec![2, 3], data: Data::F32(vec![1.0, -0.0, 3.5, f32::MAX, 1e-40, 6.0]) },
            Array { shape: vec![2], data: Data::F64(vec![1e-300, 2.0]) },
            Array { shape: vec![1, 1, 2], data: Data::I32(vec![-7, i32::MAX]) },
            Array { shape: vec![], data: Data::U32(vec![u32::MAX]) },
            Array { shape: vec![0, 4], data: Data::F32(vec![]) },
        ];
        for array in arrays {
            let bytes = to_bytes(&array).unwrap();
            assert_eq!(bytes.windows(1).position(|b| b == b"\n").map(|i| (i + 1) % 64), Some(0));
            assert_eq!(parse(&bytes, "test").unwrap(), array);
        }
        assert!(to_bytes(&Array { shape: vec![3], data: Data::F32(vec![0.0]) }).is_err());
    }

    #[test]
    fn headers_of_other_writers_are_understood() {
        let header = "{\"shape\": (2L,),'fortran_order':True, \"descr\":'<i4'}\n";
        assert_eq!(parse(&bytes_with(header, &[1, 0, 0, 0, 2, 0, 0, 0]), "t").unwrap().data, Data::I32(vec![1, 2]));
        let mut version2 = MAGIC.to_vec();
        let header = "{'descr': '<u4', 'fortran_order': False, 'shape': (), }";
        version2.extend([2, 0]);
        version2.extend((header.len() as u32).to_le_bytes());
        version2.extend(header.bytes());
        version2.extend([9, 0, 0, 0]);
        assert_eq!(parse(&version2, "t").unwrap(), Array { shape: vec![], data: Data::U32(vec![9]) });
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_the_cure() {
        let refuse = |header: &str| parse(&bytes_with(header, &[0; 8]), "t").unwrap_err().to_string();
        let fortran = refuse("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }");
        assert!(fortran.contains("ascontiguousarray"), "{fortran}");
        let big = refuse("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }");
        assert!(big.contains("'>f4'") && big.contains("astype"), "{big}");
        assert!(refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }").contains("does not fit"));
        let huge = "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615, 4), }";
        assert!(refuse(huge).contains("does not fit"));
        assert!(refuse("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }").contains("plain numbers"));
        assert!(refuse("{'descr': '<f4', 'shape': (2,), }").contains("lacks"));
        assert!(refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } x").contains("follows"));
        assert!(refuse("{").contains("key"));
        assert!(parse(b"PK\x03\x04 a zip file", "t").unwrap_err().to_string().contains("not a .npy file"));
        assert!(parse(b"\x93NUMPY\x02\x00\x01\x00", "t").is_err());
        assert!(parse(b"\x93NUMPY\x01\x00\xff\xff", "t").unwrap_err().to_string().contains("cut off"));
    }
}
