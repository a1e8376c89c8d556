//! The published tables in our database file: nothing is lost that was not agreed, and they get small.
#![allow(clippy::print_stdout, reason = "the figures reached are worth reading")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use yarnwise_shared::table::database::{self, Database, Encoding, FileInfo, Tolerance};
use yarnwise_shared::table::model_folder;
use yarnwise_shared::table::smoothness::Smoothness;

fn models(test: &str) -> Option<Vec<PathBuf>> {
    let folder = yarnwise_tests::reference(test)?.join("models");
    let mut models: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    models.sort();
    assert!(models.len() >= 7, "only {} models", models.len());
    Some(models)
}

fn import(folder: &Path) -> Database {
    let import = model_folder::read(folder, "test").unwrap();
    assert!(import.notes.is_empty(), "{:?}", import.notes);
    import.database
}

fn save(database: &Database, encoding: &Encoding) -> (Vec<u8>, FileInfo) {
    let bytes = database::to_bytes(database, encoding).unwrap();
    let info = database::inspect(&bytes, "test").unwrap();
    (bytes, info)
}

#[test]
fn lossless_files_export_the_published_numbers() {
    let Some(models) = models("lossless_files_export_the_published_numbers") else { return };
    for model in models {
        let (bytes, info) = save(&import(&model), &Encoding::Lossless);
        let folder = tempfile::tempdir().unwrap();
        model_folder::write(&database::parse(&bytes, "test").unwrap(), folder.path()).unwrap();
        let read = |root: &Path| fs::read(root.join("sxsasy/data.npy")).unwrap();
        assert!(read(folder.path()) == read(&model), "{}", model.display());
        let axes = |root: &Path| {
            model_folder::parse_axes::<3>(&fs::read(root.join("sxsasy/axes.txt")).unwrap(), "axes").unwrap()
        };
        assert_eq!(axes(folder.path()), axes(&model));
        let table = &info.tables[0];
        println!("{}: lossless {} of {} bytes", model.display(), info.file_bytes, table.raw_bytes);
        assert!(table.lossless && table.stored_bytes < table.raw_bytes);
    }
}

#[test]
fn quantized_files_keep_the_tolerance_and_the_pattern() {
    let Some(models) = models("quantized_files_keep_the_tolerance_and_the_pattern") else { return };
    for model in models {
        let original = import(&model);
        let (bytes, info) = save(&original, &Encoding::default());
        let started = Instant::now();
        let read = database::parse(&bytes, "test").unwrap();
        let opened = started.elapsed();
        assert_eq!(read.pattern(), original.pattern());
        assert_eq!(read.samples(), original.samples());
        let Tolerance { position, twist } = Tolerance::default();
        let mut largest = [0.0f64; 4];
        assert_eq!(read.table().values().len(), original.table().values().len(), "{}", model.display());
        for (a, b) in read.table().values().iter().zip(original.table().values()) {
            for c in 0..4 {
                let unit = if c < 3 { original.pattern().radius() } else { 1.0 };
                let error = (f64::from(a[c]) - f64::from(b[c])).abs() / unit;
                // `max` would pass over a NaN.
                largest[c] = if error.is_nan() { f64::INFINITY } else { largest[c].max(error) };
            }
        }
        println!(
            "{}: {} bytes, raw {}, largest error {:.2e} r {:.2e} rad, opened in {opened:?}",
            model.display(),
            info.file_bytes,
            info.tables[0].raw_bytes,
            largest[..3].iter().copied().fold(0.0, f64::max),
            largest[3]
        );
        assert!(largest[..3].iter().all(|e| *e <= position) && largest[3] <= twist, "{largest:?}");
        let again = database::parse(&save(&read, &Encoding::default()).0, "again").unwrap();
        assert!(again == read, "{}: saving again must not change values a second time", model.display());
    }
}

#[test]
fn the_rib_table_fits_into_a_megabyte() {
    let Some(models) = models("the_rib_table_fits_into_a_megabyte") else { return };
    let rib = models.iter().find(|m| m.ends_with("rib_9")).expect("the reference has rib_9");
    let (bytes, info) = save(&import(rib), &Encoding::Quantized(Tolerance { position: 2e-3, twist: 2e-3 }));
    println!("{info:?}");
    assert!(bytes.len() <= 1_000_000, "{} bytes", bytes.len());
}

/// Roughness of the published tables as measured by an independent program, which printed two digits.
#[test]
fn the_published_tables_are_as_rough_as_is_known() {
    let Some(models) = models("the_published_tables_are_as_rough_as_is_known") else { return };
    let known = [
        ("stocktiniest_9", [0.09, 0.43, 0.37, 0.80]),
        ("stock_9", [0.18, 0.50, 0.62, 0.84]),
        ("basket_9", [0.09, 0.27, 0.90, 1.0]),
        ("rib_9", [0.85, 1.0, 1.0, 1.0]),
    ];
    for (name, expected) in known {
        let database = import(models.iter().find(|m| m.ends_with(name)).unwrap());
        let measured = Smoothness::new(database.table(), database.pattern().radius());
        let close = measured.roughness.iter().zip(expected).all(|(m, e)| (m.unwrap() - e).abs() <= 0.006);
        assert!(close, "{name}: {:?} is not {expected:?}", measured.roughness);
    }
}
