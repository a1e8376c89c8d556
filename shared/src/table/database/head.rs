//! What a database file says before its tables: enough to know whose it is and how good, without reading all of it.

use super::checked::CheckedFile;
use super::codec::Encoding;
use super::file::MAX_BYTES;
use super::prelude::PRELUDE;
use super::{SampleRecord, checked};
use crate::pattern::Pattern;
use crate::pattern::material::YarnMaterial;
use crate::table::grid::{Axis, StrainGrid};
use crate::{Error, Result, file};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A database without its displacements.
#[derive(Clone, Debug, PartialEq)]
pub struct DatabaseHead {
    /// A short name for people.
    pub name: String,
    /// Where the pattern comes from.
    pub origin: String,
    /// Name and version of the program that made it.
    pub tool: String,
    /// The pattern.
    pub pattern: Pattern,
    /// Its yarn's material, where it is known.
    pub material: Option<YarnMaterial>,
    /// Settings by name.
    pub settings: BTreeMap<String, String>,
    /// The strains.
    pub grid: StrainGrid,
    /// The curvatures of its bending tables, 1/m.
    pub curvatures: Option<Axis>,
    /// Whether every bit of every displacement was kept.
    pub lossless: bool,
    /// No displacement is further than this from the one that was given, m and radians; 0 where lossless.
    pub tolerance: [f64; 4],
    /// Records of the samples in the plane.
    pub samples: Vec<SampleRecord>,
    /// Those of the bending tables, along x and along y.
    pub bent: Option<[Vec<SampleRecord>; 2]>,
    /// Size of the file.
    pub file_bytes: u64,
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

impl DatabaseHead {
    /// Whether displacements are stored like this.
    pub fn is_stored_as(&self, encoding: &Encoding) -> bool {
        match encoding {
            Encoding::Lossless => self.lossless,
            Encoding::Quantized(tolerance) => {
                !self.lossless && self.tolerance == tolerance.channels(self.pattern.radius())
            }
        }
    }

    /// All records: in the plane and bent.
    pub fn all_samples(&self) -> impl Iterator<Item = &SampleRecord> {
        self.samples.iter().chain(self.bent.iter().flatten().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::database::tests::full_database;
    use crate::table::database::{self, Encoding, Tolerance};

    #[test]
    fn a_head_is_what_the_whole_file_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ydb");
        let whole = full_database();
        let quantized = Encoding::Quantized(Tolerance { position: 1e-3, twist: 4e-3 });
        for encoding in [Encoding::Lossless, quantized] {
            let info = database::write(&whole, &path, &encoding).unwrap();
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
    fn damage_and_cuts_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ydb");
        let info = database::write(&full_database(), &path, &Encoding::Lossless).unwrap();
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
