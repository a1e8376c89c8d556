//! Takes a database file apart, trusting nothing.
//!
//! Lengths, version and checksums are checked first, sizes that follow from the header are bounded, and memory for
//! values is reserved only after the bytes that hold them were unpacked.

use super::codec::{self, Channel, Predictor, TableShape, runs};
use super::frames::{Damage, Unpacker};
use super::head::DatabaseHead;
use super::header::{self, ChannelHeader, ChunkEntry, Header, TableHeader};
use super::info::{FileInfo, TableInfo};
use super::prelude::{MAGIC, MAX_DISPLACEMENTS, OLDEST_VERSION, PRELUDE, VERSION, header_checksum};
use super::record;
use super::{BendingTables, Database, DatabaseData, SampleRecord};
use crate::pattern::{MAX_VERTICES, Pattern, pyp};
use crate::table::grid::{AXIS_NAMES, Axis, Grid};
use crate::table::{Displacement, Table};
use crate::words::count;
use crate::{Error, Result};

/// More than the text of any vertex takes: 14 numbers of at most 330 letters.
const MAX_VERTEX_TEXT: usize = 8192;

/// A file whose header and checksums are right, and whose chunks have the number that the header calls for.
pub(super) struct CheckedFile<'a> {
    origin: &'a str,
    version: u32,
    header: Header,
    header_bytes: usize,
    /// Where each chunk begins, and its bytes.
    chunks: Vec<(usize, &'a [u8])>,
    shapes: Vec<TableShape>,
    file_bytes: usize,
}

impl<'a> CheckedFile<'a> {
    pub(super) fn parse(bytes: &'a [u8], origin: &'a str) -> Result<Self> {
        let (mut file, rest) = CheckedFile::open(bytes, origin)?;
        file.chunks = split_chunks(&file.header, file.start(), rest, origin)?;
        file.check_chunks(file.chunks.len())?;
        file.file_bytes = bytes.len();
        Ok(file)
    }

    /// The same of a file of `file_bytes` bytes that begins with `bytes`: prelude, header and the chunks before the values, of which
    /// alone pattern and records can be had.
    pub(super) fn parse_head(bytes: &'a [u8], file_bytes: u64, origin: &'a str) -> Result<Self> {
        let (mut file, rest) = CheckedFile::open(bytes, origin)?;
        file.header.chunks.truncate(file.head_chunks());
        file.chunks = split_chunks(&file.header, file.start(), rest, origin)?;
        file.file_bytes = file_bytes as usize;
        Ok(file)
    }

    /// The file without its chunks, and what follows the header.
    fn open(bytes: &'a [u8], origin: &'a str) -> Result<(Self, &'a [u8])> {
        let (version, header, rest) = split_header(bytes, origin)?;
        let header_bytes = header.len();
        let header = header::parse(header)
            .map_err(|problem| Error::binary(origin, PRELUDE as u64, format!("the header is damaged: {problem}")))?;
        let shapes = check_header(&header).map_err(|problem| Error::invalid(origin, problem))?;
        let file = CheckedFile { origin, version, header, header_bytes, chunks: Vec::new(), shapes, file_bytes: 0 };
        Ok((file, rest))
    }

    /// Where the first chunk begins.
    fn start(&self) -> usize {
        PRELUDE + self.header_bytes
    }

    /// The chunks before the values: pattern and records.
    fn head_chunks(&self) -> usize {
        1 + self.shapes.len()
    }

    /// There must be as many chunks as the tables need.
    fn check_chunks(&self, chunks: usize) -> Result<()> {
        let values = (0..self.shapes.len()).map(|i| value_chunks(&self.header, &self.shapes, i)).sum::<usize>();
        let expected = self.head_chunks() + values;
        if chunks != expected {
            let problem = format!("has {}, its tables need {expected}", count(chunks, "chunk", None));
            return Err(Error::invalid(self.origin, problem));
        }
        Ok(())
    }

    /// What stands before the values.
    pub(super) fn head(&self) -> Result<DatabaseHead> {
        let mut records: Vec<Vec<SampleRecord>> =
            (0..self.shapes.len()).map(|i| self.records(i)).collect::<Result<_>>()?;
        let bent = (records.len() == 3).then(|| {
            let y = records.remove(2);
            [records.remove(1), y]
        });
        let header = &self.header;
        Ok(DatabaseHead {
            name: header.name.clone(),
            origin: header.origin.clone(),
            tool: header.tool.clone(),
            pattern: self.pattern()?,
            material: header.material,
            settings: header.settings.clone(),
            grid: grid(&header.tables[0]),
            curvatures: header.tables.get(1).map(|table| checked_axis(3, &table.axes[3])),
            lossless: header.tables[0].lossless,
            tolerance: header.tables[0].channels.each_ref().map(|channel| channel.tolerance),
            samples: records.remove(0),
            bent,
            file_bytes: self.file_bytes as u64,
        })
    }

    /// The database itself.
    pub(super) fn database(&self) -> Result<Database> {
        let pattern = self.pattern()?;
        let header = &self.header;
        let mut records: Vec<Vec<SampleRecord>> =
            (0..header.tables.len()).map(|i| self.records(i)).collect::<Result<_>>()?;
        let bending = match &header.tables[..] {
            [_, _, _] => Some(BendingTables {
                x: self.table::<4>(1)?,
                y: self.table::<4>(2)?,
                y_samples: records.remove(2),
                x_samples: records.remove(1),
            }),
            _ => None,
        };
        let data = DatabaseData {
            name: header.name.clone(),
            origin: header.origin.clone(),
            tool: header.tool.clone(),
            pattern,
            material: header.material,
            settings: header.settings.clone(),
            table: self.table::<3>(0)?,
            samples: records.remove(0),
            bending,
        };
        Database::new(data).map_err(|e| Error::invalid(self.origin, e.to_string()))
    }

    fn damage(&self, chunk: usize, what: &str, damage: Damage) -> Error {
        Error::binary(self.origin, self.chunks[chunk].0 as u64, format!("the {what} is damaged: {}", damage.0))
    }

    fn pattern(&self) -> Result<Pattern> {
        let vertices = self.header.vertices as usize;
        let text = Unpacker::new()
            .unpack_at_most(self.chunks[0].1, (vertices + 1) * MAX_VERTEX_TEXT)
            .map_err(|d| self.damage(0, "pattern", d))?;
        pyp::parse(&text, &format!("{} (its pattern)", self.origin))
    }

    fn records(&self, table: usize) -> Result<Vec<SampleRecord>> {
        let shape = &self.shapes[table];
        let length = shape.layer_samples() * shape.layers() * record::record_bytes(self.version);
        let unpacked = Unpacker::new().unpack(self.chunks[1 + table].1, length);
        let records =
            unpacked.and_then(|bytes| record::parse(&bytes, self.version).ok_or(Damage("a status does not exist")));
        records.map_err(|d| self.damage(1 + table, "list of samples", d))
    }

    /// The first chunk with values of a table.
    fn first_chunk(&self, table: usize) -> usize {
        let before = (0..table).map(|i| value_chunks(&self.header, &self.shapes, i)).sum::<usize>();
        1 + self.shapes.len() + before
    }

    fn table<const N: usize>(&self, table: usize) -> Result<Table<N>> {
        let (header, shape) = (&self.header.tables[table], &self.shapes[table]);
        let channels = channels(header, N)
            .ok_or_else(|| Error::invalid(self.origin, format!("table {table} has a predictor of the wrong size")))?;
        let mut values: Vec<Displacement> = Vec::new();
        let first = self.first_chunk(table);
        for (run, layers) in runs(shape.layers(), header.layers_per_chunk as usize).enumerate() {
            let chunk = first + 4 * run;
            let bytes = std::array::from_fn(|c| self.chunks[chunk + c].1);
            let [x, y, z, t] = codec::decode(shape, &channels, layers, bytes)
                .map_err(|(c, d)| self.damage(chunk + c, &format!("part {run} of table {table}, channel {c},"), d))?;
            // By half at least: the promised total may be a lie, and small steps would copy a large table many times.
            values.reserve_exact(x.len().max((values.len() / 2).min(shape.values() - values.len())));
            values.extend((0..x.len()).map(|i| [x[i], y[i], z[i], t[i]]));
        }
        Table::new(grid(header), shape.vertices, values).map_err(|e| Error::invalid(self.origin, e.to_string()))
    }

    pub(super) fn info(&self) -> FileInfo {
        let stored = |table: usize| {
            let first = self.first_chunk(table);
            let chunks = &self.chunks[first..first + value_chunks(&self.header, &self.shapes, table)];
            chunks.iter().map(|(_, bytes)| bytes.len() as u64).sum()
        };
        let table = |i: usize| {
            let (header, shape) = (&self.header.tables[i], &self.shapes[i]);
            TableInfo {
                axis_lengths: shape.axes.clone(),
                raw_bytes: shape.values() as u64 * size_of::<Displacement>() as u64,
                stored_bytes: stored(i),
                lossless: header.lossless,
                tolerance: header.channels.each_ref().map(|c| c.tolerance),
                largest_error: header.channels.each_ref().map(|c| c.largest_error),
                step: header.channels.each_ref().map(|c| c.step),
            }
        };
        FileInfo {
            version: self.version,
            file_bytes: self.file_bytes as u64,
            header_bytes: (PRELUDE + self.header_bytes) as u64,
            pattern_bytes: self.chunks[0].1.len() as u64,
            record_bytes: self.chunks[1..=self.shapes.len()].iter().map(|(_, bytes)| bytes.len() as u64).sum(),
            tables: (0..self.shapes.len()).map(table).collect(),
        }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Refuses what is not a database of a version that is read.
pub(super) fn check_start(first: &[u8], origin: &str) -> Result<()> {
    version(first, origin).map(drop)
}

/// The version of the format.
fn version(first: &[u8], origin: &str) -> Result<u32> {
    if first.len() < PRELUDE || first[..8] != MAGIC {
        let problem = "is not a Yarnwise database (or was damaged by a transfer as text)";
        return Err(Error::binary(origin, 0, problem));
    }
    let version = u32_at(first, 8);
    if !(OLDEST_VERSION..=VERSION).contains(&version) {
        let problem = format!(
            "is in version {version} of the format, this program reads versions {OLDEST_VERSION} to {VERSION}: a newer \
             program may read it"
        );
        return Err(Error::binary(origin, 8, problem));
    }
    Ok(version)
}

/// The version, the header's bytes and what follows it.
fn split_header<'a>(bytes: &'a [u8], origin: &str) -> Result<(u32, &'a [u8], &'a [u8])> {
    let version = version(bytes, origin)?;
    let length = u32_at(bytes, 12) as usize;
    if length > header::MAX_BYTES || length > bytes.len() - PRELUDE {
        return Err(Error::binary(origin, 12, no_header(length)));
    }
    let (header, rest) = bytes[PRELUDE..].split_at(length);
    if header_checksum(bytes, header) != u32_at(bytes, 16) {
        return Err(Error::binary(origin, 16, "the checksum of the header is wrong: the file is damaged"));
    }
    Ok((version, header, rest))
}

/// The chunks, which must fill the rest of the file and have the right checksums.
fn split_chunks<'a>(header: &Header, start: usize, mut rest: &'a [u8], origin: &str) -> Result<Vec<(usize, &'a [u8])>> {
    let mut at = start;
    let mut chunks = Vec::new();
    for (i, entry) in header.chunks.iter().enumerate() {
        let length = usize::try_from(entry.bytes).ok().filter(|n| *n <= rest.len());
        let Some(length) = length else {
            return Err(Error::binary(origin, at as u64, format!("the file ends inside chunk {i}: it is cut off")));
        };
        let (chunk, after) = rest.split_at(length);
        if crc32fast::hash(chunk) != entry.checksum {
            let problem = format!("the checksum of chunk {i} ({length} bytes) is wrong: the file is damaged");
            return Err(Error::binary(origin, at as u64, problem));
        }
        chunks.push((at, chunk));
        (rest, at) = (after, at + length);
    }
    if !rest.is_empty() {
        let problem = format!("{} too many after the last chunk", count(rest.len(), "byte", None));
        return Err(Error::binary(origin, at as u64, problem));
    }
    Ok(chunks)
}

fn value_chunks(header: &Header, shapes: &[TableShape], table: usize) -> usize {
    4 * shapes[table].layers().div_ceil(header.tables[table].layers_per_chunk as usize)
}

fn axis(k: usize, values: &[f64]) -> Result<Axis> {
    Axis::new(AXIS_NAMES[k], values.to_vec())
}

/// An axis of a header that was checked.
fn checked_axis(k: usize, values: &[f64]) -> Axis {
    axis(k, values).expect("the axes were checked")
}

/// The grid of a table whose header was checked.
fn grid<const N: usize>(header: &TableHeader) -> Grid<N> {
    Grid(std::array::from_fn(|k| checked_axis(k, &header.axes[k])))
}

/// How many bytes the header of a file of `file_bytes` bytes has, which begins with `first`.
pub(super) fn header_bytes(first: &[u8], file_bytes: u64, origin: &str) -> Result<u64> {
    version(first, origin)?;
    let length = u64::from(u32_at(first, 12));
    if length > header::MAX_BYTES as u64 || length + PRELUDE as u64 > file_bytes {
        return Err(Error::binary(origin, 12, no_header(length)));
    }
    Ok(length)
}

fn no_header(length: impl std::fmt::Display) -> String {
    format!("promises a header of {length} bytes that is not there: the file is cut off or damaged")
}

/// How many bytes pattern and records have in a file of `file_bytes` bytes whose prelude and header are `bytes`.
pub(super) fn head_chunk_bytes(bytes: &[u8], file_bytes: u64, origin: &str) -> Result<u64> {
    let (file, _) = CheckedFile::open(bytes, origin)?;
    let chunks = &file.header.chunks;
    file.check_chunks(chunks.len())?;
    let total = |entries: &[ChunkEntry]| entries.iter().try_fold(0u64, |sum, entry| sum.checked_add(entry.bytes));
    if total(chunks).and_then(|bytes| bytes.checked_add(file.start() as u64)) != Some(file_bytes) {
        return Err(Error::invalid(origin, "is not as long as its header says: it is cut off or damaged"));
    }
    Ok(total(&chunks[..file.head_chunks()]).unwrap_or(0))
}

/// Checks what the header says about sizes and numbers; gives the shapes of its tables.
fn check_header(header: &Header) -> Result<Vec<TableShape>, String> {
    let vertices = header.vertices as usize;
    if vertices == 0 || vertices > MAX_VERTICES {
        return Err(format!("is for {vertices} vertices, between 1 and {MAX_VERTICES} are possible"));
    }
    if header.tables.len() != 1 && header.tables.len() != 3 {
        return Err(format!("has {} tables, one or three (with bending) are possible", header.tables.len()));
    }
    let mut shapes = Vec::new();
    for (i, table) in header.tables.iter().enumerate() {
        let axis_count = if i == 0 { 3 } else { 4 };
        if table.axes.len() != axis_count {
            let axes = count(table.axes.len(), "axis", Some("axes"));
            return Err(format!("table {i} has {axes}, {axis_count} are needed"));
        }
        for (k, values) in table.axes.iter().enumerate() {
            axis(k, values).map_err(|e| format!("table {i}, {e}"))?;
        }
        let shape = TableShape { axes: table.axes.iter().map(Vec::len).collect(), vertices };
        // At most 256^4 samples of 2^20 vertices: no overflow in 64 bits.
        let displacements = shape.axes.iter().map(|n| *n as u64).product::<u64>() * vertices as u64;
        if displacements > MAX_DISPLACEMENTS {
            return Err(format!("table {i} has {displacements} displacements, more than {MAX_DISPLACEMENTS}"));
        }
        if table.layers_per_chunk == 0 || table.layers_per_chunk as usize > shape.layers() {
            return Err(format!(
                "table {i} cannot have chunks of {}",
                count(table.layers_per_chunk as usize, "layer", None)
            ));
        }
        let numbers = table.channels.iter().flat_map(|c| [c.step, c.tolerance, c.largest_error]);
        if numbers.into_iter().any(|v| !(v.is_finite() && v >= 0.0)) {
            return Err(format!("table {i} has a quantizer that is not made of finite numbers"));
        }
        shapes.push(shape);
    }
    Ok(shapes)
}

fn channels(header: &TableHeader, axis_count: usize) -> Option<Vec<Channel>> {
    let channel = |c: &ChannelHeader| {
        let predictor = Predictor::new(axis_count, c.coefficients.clone())?;
        Some(Channel { step: c.step, predictor, lossless: header.lossless })
    };
    header.channels.iter().map(channel).collect()
}
