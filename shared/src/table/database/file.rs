//! The database file: magic, version, header, chunks. `docs/reference/database-format.md` describes every byte.

use super::checked::{self, CheckedFile};
use super::codec::{self, Channel, Encoding, Tolerance};
use super::frames::pack;
use super::head::DatabaseHead;
use super::header::{self, ChannelHeader, ChunkEntry, Header, TableHeader};
use super::info::FileInfo;
use super::prelude::{MAGIC, MAX_DISPLACEMENTS, PRELUDE, VERSION, header_checksum};
use super::{Database, record};
use crate::pattern::pyp;
use crate::table::Table;
use crate::{Error, Result, file};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The usual ending of a database's file name.
pub const EXTENSION: &str = "ydb";

/// Largest file that is read.
pub const MAX_BYTES: u64 = 16 << 30;

/// Reads a database.
pub fn read(path: &Path) -> Result<Database> {
    parse(&read_bytes(path)?, &file::origin(path))
}

/// Reads the head of a database. Its checksums are verified, and that the file is as long as it should be; its tables are not read.
pub fn read_head(path: &Path) -> Result<DatabaseHead> {
    let origin = file::origin(path);
    let fail = |e| Error::io(path, e);
    let mut file = File::open(path).map_err(fail)?;
    let meta = file.metadata().map_err(fail)?;
    if !meta.is_file() || meta.len() > MAX_BYTES {
        return Err(Error::invalid(origin, "is not a file that can be a database"));
    }
    let mut bytes = Vec::new();
    (&mut file).take(PRELUDE as u64).read_to_end(&mut bytes).map_err(fail)?;
    let header_bytes = checked::header_bytes(&bytes, meta.len(), &origin)?;
    (&mut file).take(header_bytes).read_to_end(&mut bytes).map_err(fail)?;
    let chunk_bytes = checked::head_chunk_bytes(&bytes, meta.len(), &origin)?;
    (&mut file).take(chunk_bytes).read_to_end(&mut bytes).map_err(fail)?;
    CheckedFile::parse_head(&bytes, meta.len(), &origin)?.head()
}

/// The bytes of a database file, for [`parse`] and [`inspect`]; a file of another kind is refused by its first bytes.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    file::read(path, MAX_BYTES, checked::check_start)
}

/// Writes a database completely or not at all. The same database gives the same bytes.
pub fn write(database: &Database, path: &Path, encoding: &Encoding) -> Result<FileInfo> {
    let bytes = to_bytes(database, encoding)?;
    file::write_atomically(path, |w| w.write_all(&bytes))?;
    inspect(&bytes, &file::origin(path))
}

/// Reads the bytes of a database file; `origin` names it in messages.
pub fn parse(bytes: &[u8], origin: &str) -> Result<Database> {
    CheckedFile::parse(bytes, origin)?.database()
}

/// What is known of a file without unpacking it; header and checksums are verified.
pub fn inspect(bytes: &[u8], origin: &str) -> Result<FileInfo> {
    Ok(CheckedFile::parse(bytes, origin)?.info())
}

/// The bytes of a database file.
pub fn to_bytes(database: &Database, encoding: &Encoding) -> Result<Vec<u8>> {
    let (tolerance, lossless) = match encoding {
        Encoding::Quantized(tolerance) => (*tolerance, false),
        Encoding::Lossless => (Tolerance::default(), true),
    };
    let tolerance = tolerance.channels(database.pattern().radius());
    if !lossless && tolerance.iter().any(|t| !(t.is_finite() && *t > 0.0)) {
        return Err(Error::invalid("tolerance", "must be a positive number; choose lossless for an error of zero"));
    }
    let data = &database.data;
    let mut chunks = vec![pack(pyp::to_text(&data.pattern).as_bytes()), pack(&record::to_bytes(&data.samples))];
    let bending = data.bending.as_ref();
    chunks.extend(bending.iter().flat_map(|b| [&b.x_samples, &b.y_samples]).map(|r| pack(&record::to_bytes(r))));
    let mut tables = vec![write_table(&data.table, tolerance, lossless, &mut chunks)?];
    for table in bending.iter().flat_map(|b| [&b.x, &b.y]) {
        tables.push(write_table(table, tolerance, lossless, &mut chunks)?);
    }
    let header = Header {
        name: data.name.clone(),
        origin: data.origin.clone(),
        tool: data.tool.clone(),
        material: data.material,
        settings: data.settings.clone(),
        vertices: data.pattern.vertices().len() as u32,
        tables,
        chunks: chunks.iter().map(|c| ChunkEntry { bytes: c.len() as u64, checksum: crc32fast::hash(c) }).collect(),
    };
    assemble(&header, &chunks)
}

fn assemble(header: &Header, chunks: &[Vec<u8>]) -> Result<Vec<u8>> {
    let header = header::to_bytes(header).map_err(|problem| {
        Error::invalid("header of the database", format!("{problem}: shorten texts and settings"))
    })?;
    let mut out = MAGIC.to_vec();
    out.extend(VERSION.to_le_bytes());
    out.extend((header.len() as u32).to_le_bytes());
    out.extend(header_checksum(&out, &header).to_le_bytes());
    out.extend(header);
    for chunk in chunks {
        out.extend(chunk);
    }
    Ok(out)
}

fn write_table<const N: usize>(
    table: &Table<N>,
    tolerance: [f64; 4],
    lossless: bool,
    chunks: &mut Vec<Vec<u8>>,
) -> Result<TableHeader> {
    if table.values().len() as u64 > MAX_DISPLACEMENTS {
        let problem = format!("has {} displacements, more than {MAX_DISPLACEMENTS}", table.values().len());
        return Err(Error::invalid("displacement table", problem));
    }
    let encoded = codec::encode(table, tolerance, lossless)?;
    chunks.extend(encoded.chunks.into_iter().flatten());
    let channel = |c: usize| {
        let Channel { step, predictor, lossless } = &encoded.channels[c];
        ChannelHeader {
            step: *step,
            tolerance: if *lossless { 0.0 } else { tolerance[c] },
            largest_error: encoded.largest_error[c],
            coefficients: predictor.coefficients().to_vec(),
        }
    };
    Ok(TableHeader {
        axes: table.grid().0.iter().map(|axis| axis.values().to_vec()).collect(),
        layers_per_chunk: encoded.layers_per_chunk as u32,
        lossless: encoded.channels[0].lossless,
        channels: std::array::from_fn(channel),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::database::repair;
    use crate::table::database::tests::full_database;

    fn lossless() -> Vec<u8> {
        to_bytes(&full_database(), &Encoding::Lossless).unwrap()
    }

    /// The bytes with a changed header and right checksums, so that damage gets past them.
    fn repaired(mut bytes: Vec<u8>, change: impl FnOnce(&mut Header)) -> Vec<u8> {
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let chunks = bytes.split_off(PRELUDE + length);
        let mut header = header::parse(&bytes[PRELUDE..]).unwrap();
        change(&mut header);
        repair(assemble(&header, &[chunks]).unwrap())
    }

    fn refusal(bytes: &[u8]) -> String {
        parse(bytes, "cloth.ydb").unwrap_err().to_string()
    }

    #[test]
    fn everything_comes_back_from_a_lossless_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b.ydb");
        let info = write(&full_database(), &path, &Encoding::Lossless).unwrap();
        assert_eq!(read(&path).unwrap(), full_database());
        assert_eq!(info.file_bytes, std::fs::metadata(&path).unwrap().len());
        assert_eq!(info.tables.len(), 3);
        let parts = info.header_bytes + info.pattern_bytes + info.record_bytes;
        assert_eq!(parts + info.tables.iter().map(|t| t.stored_bytes).sum::<u64>(), info.file_bytes);
    }

    #[test]
    fn a_quantized_file_is_within_its_tolerance_and_stays_so_when_saved_again() {
        let database = full_database();
        let encoding = Encoding::Quantized(Tolerance { position: 1e-3, twist: 4e-3 });
        let bytes = to_bytes(&database, &encoding).unwrap();
        let read = parse(&bytes, "test").unwrap();
        assert_eq!(read.samples(), database.samples());
        assert_eq!(read.pattern(), database.pattern());
        let tables = [(read.table().values(), database.table().values())];
        let (a, b) = (read.bending().unwrap(), database.bending().unwrap());
        for (read, given) in tables.into_iter().chain([(a.x.values(), b.x.values()), (a.y.values(), b.y.values())]) {
            for (read, given) in read.iter().zip(given) {
                let error: [f64; 4] = std::array::from_fn(|c| (f64::from(read[c]) - f64::from(given[c])).abs());
                assert!(error[..3].iter().all(|e| *e <= 1e-3 * 0.5e-3) && error[3] <= 4e-3, "{error:?}");
            }
        }
        assert_eq!(parse(&to_bytes(&read, &encoding).unwrap(), "again").unwrap(), read);
    }

    /// A file that the last program wrote that knew version 1 only.
    const VERSION_1: &[u8] = include_bytes!("version-1.ydb");

    #[test]
    fn a_file_of_version_1_is_read_without_kinds_and_stress_and_written_as_version_2() {
        assert_eq!(inspect(VERSION_1, "old").unwrap().version, 1);
        let old = parse(VERSION_1, "old").unwrap();
        let bending = old.bending().unwrap();
        for record in old.samples().iter().chain(&bending.x_samples).chain(&bending.y_samples) {
            assert_eq!((record.energy_density, record.residual), (Some(1.5), Some(1e-7)));
            assert_eq!((record.iterations, record.started_from), (12, Some(0)));
            assert_eq!((record.kinds, record.stress), (None, None));
        }
        let again = to_bytes(&old, &Encoding::Lossless).unwrap();
        assert_eq!(inspect(&again, "new").unwrap().version, VERSION);
        assert_eq!(parse(&again, "new").unwrap(), old);
    }

    #[test]
    fn a_file_that_names_the_wrong_version_is_refused() {
        let mut wrong = VERSION_1.to_vec();
        wrong[8] = 2;
        assert!(refusal(&repair(wrong)).contains("the list of samples is damaged: a frame holds less"));
        let mut wrong = lossless();
        wrong[8] = 1;
        assert!(refusal(&repair(wrong)).contains("the list of samples is damaged: a frame holds more"));
    }

    #[test]
    fn the_same_database_gives_the_same_bytes() {
        assert!(lossless() == lossless());
    }

    #[test]
    fn a_tolerance_must_be_positive() {
        for position in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let encoding = Encoding::Quantized(Tolerance { position, twist: 1.0 });
            assert!(to_bytes(&full_database(), &encoding).unwrap_err().to_string().contains("positive"));
        }
    }

    #[test]
    fn every_flipped_byte_and_every_cut_is_noticed() {
        let bytes = lossless();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(parse(&damaged, "test").is_err(), "byte {at}");
        }
        for end in 0..bytes.len() {
            assert!(parse(&bytes[..end], "test").is_err(), "cut at {end}");
        }
        assert!(refusal(&[&bytes[..], b"x"].concat()).contains("1 byte too many after the last chunk"));
    }

    #[test]
    fn messages_name_the_place() {
        let bytes = lossless();
        assert!(refusal(b"*pattern").contains("cloth.ydb, byte 0: is not a Yarnwise database"));
        for unknown in [0, 3] {
            let mut other = bytes.clone();
            other[8] = unknown;
            let expected = format!("version {unknown} of the format, this program reads versions 1 to 2");
            assert!(refusal(&other).contains(&expected), "{}", refusal(&other));
        }
        let mut damaged = bytes.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(refusal(&damaged).contains("the checksum of chunk"), "{}", refusal(&damaged));
        assert!(refusal(&bytes[..bytes.len() - 1]).contains("ends inside chunk"));
    }

    #[test]
    fn headers_that_promise_too_much_are_refused() {
        let refuse = |change: fn(&mut Header)| refusal(&repaired(lossless(), change));
        assert!(parse(&repaired(lossless(), |_| ()), "test").is_ok(), "repairing does no damage of its own");
        let huge: fn(&mut Header) = |h| h.tables[1].axes = vec![(0..256).map(f64::from).collect(); 4];
        assert!(refuse(huge).contains("more than 1073741824"), "{}", refuse(huge));
        let large: fn(&mut Header) = |h| h.tables[0].axes = vec![(0..256).map(f64::from).collect(); 3];
        assert!(refuse(large).contains("damaged") || refuse(large).contains("chunks"), "{}", refuse(large));
        assert!(refuse(|h| h.vertices = 6).contains("damaged"));
        assert!(refuse(|h| h.vertices = 0).contains("0 vertices"));
        assert!(refuse(|h| h.tables.truncate(2)).contains("has 2 tables"));
        assert!(refuse(|h| h.tables[0].layers_per_chunk = 0).contains("0 layers"));
        assert!(refuse(|h| h.tables[0].axes[1][0] = f64::NAN).contains("axis sa"));
        assert!(refuse(|h| h.tables[0].channels[2].step = f64::INFINITY).contains("finite"));
        assert!(refuse(|h| h.tables[0].channels[2].coefficients.truncate(9)).contains("predictor"));
        assert!(refuse(|h| h.chunks.truncate(9)).contains("after the last chunk"));
        assert!(refuse(|h| h.chunks[3].bytes = u64::MAX).contains("ends inside chunk 3"));
    }

    #[test]
    fn damage_behind_right_checksums_is_survived() {
        let bytes = lossless();
        let start = PRELUDE + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let mut refused = 0;
        let places = (start..bytes.len()).step_by(7);
        let count = places.len();
        for at in places {
            let mut damaged = bytes.clone();
            damaged[at] = damaged[at].wrapping_add(0x55);
            refused += usize::from(parse(&repaired(damaged, |_| ()), "test").is_err());
        }
        // Some bytes are extra bits, in which every value is as good as any other.
        assert!(refused > count / 10, "{refused} of {count}");
    }

    #[test]
    fn a_head_is_what_the_whole_file_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ydb");
        let whole = full_database();
        let quantized = Encoding::Quantized(Tolerance { position: 1e-3, twist: 4e-3 });
        for encoding in [Encoding::Lossless, quantized] {
            let info = write(&whole, &path, &encoding).unwrap();
            let head = read_head(&path).unwrap();
            assert_eq!(
                (&head.name[..], &head.origin[..], &head.tool[..]),
                (whole.name(), whole.origin(), whole.tool())
            );
            assert_eq!((&head.pattern, head.material.as_ref()), (whole.pattern(), whole.material()));
            assert_eq!((&head.settings, &head.grid), (whole.settings(), whole.table().grid()));
            let bending = whole.bending().unwrap();
            assert_eq!(head.curvatures.as_ref(), Some(&bending.x.grid().0[3]));
            assert_eq!(head.samples, whole.samples());
            assert_eq!(head.bent, Some([bending.x_samples.clone(), bending.y_samples.clone()]));
            assert_eq!(head.file_bytes, info.file_bytes);
            for other in [Encoding::Lossless, quantized, Encoding::Quantized(Tolerance::default())] {
                assert_eq!(head.is_stored_as(&other), other == encoding);
            }
        }
    }

    #[test]
    fn damage_and_cuts_of_a_head_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ydb");
        let info = write(&full_database(), &path, &Encoding::Lossless).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            read_head(&path).is_err()
        };
        for end in (0..bytes.len()).step_by(13) {
            assert!(refused(&bytes[..end]), "cut at {end}");
        }
        assert!(refused(&[&bytes[..], b"x"].concat()), "a byte too many");
        for at in (0..(info.header_bytes + info.pattern_bytes + info.record_bytes) as usize).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(refused(&damaged), "byte {at}");
        }
        assert!(!refused(&bytes));
    }
}
