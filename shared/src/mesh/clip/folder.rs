//! Folders of `.obj` files, one a frame.
//!
//! Frames are the files whose name ends in `.obj` (in any case), in the order of their names with numbers counted as
//! numbers: `frame2.obj` comes before `frame10.obj`. Hidden files and all others are left alone. A folder `obs` within
//! may hold `.obj` files of bodies that stand still.

use super::{Clip, ClipOptions, MAX_CLIP_BYTES, Obstacle};
use crate::mesh::obj::{self, Frames};
use crate::words::count;
use crate::{Error, Result, file};
use std::cmp::Ordering;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) fn read(folder: &Path, options: &ClipOptions) -> Result<Clip> {
    let paths = obj_files(folder)?;
    let Some((first, later)) = paths.split_first() else {
        return Err(Error::invalid(
            file::origin(folder),
            "has no .obj files: a clip is a folder with one for each frame",
        ));
    };
    let (frames, mesh) = Frames::first(&file::read(first, obj::MAX_BYTES, file::text)?, &file::origin(first))?;
    let bytes = (paths.len() as u64).saturating_mul(12 * mesh.positions().len() as u64);
    if bytes > MAX_CLIP_BYTES {
        let problem =
            format!("{} take {bytes} bytes, at most {MAX_CLIP_BYTES} are possible", count(paths.len(), "frame", None));
        return Err(Error::invalid(file::origin(folder), problem));
    }
    let mut positions = mesh.positions().to_vec();
    for path in later {
        let bytes = file::read(path, obj::MAX_BYTES, file::text)?;
        positions.extend(frames.later(&bytes, &file::origin(path), !options.first_uvs)?);
    }
    let mut clip = Clip::new(&file::origin(folder), mesh, options.frame_time, positions)?;
    let obstacles = folder.join("obs");
    if obstacles.is_dir() {
        for path in obj_files(&obstacles)? {
            clip.obstacles.push(Obstacle::new(obj::read_surface(&path)?));
        }
    }
    Ok(clip)
}

/// The `.obj` files of a folder in order.
fn obj_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e| Error::io(folder, e);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let hidden = name(&path).starts_with('.');
        let is_obj = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("obj"));
        if is_obj && !hidden && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort_by(|a, b| natural_order(&name(a), &name(b)));
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Compares names with runs of digits counted as numbers; names that are equal so far, as text.
fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a, b);
    while !x.is_empty() && !y.is_empty() {
        let (dx, dy) = (digits(x), digits(y));
        let order = if dx > 0 && dy > 0 {
            compare_numbers(&x[..dx], &y[..dy])
        } else {
            x.chars().next().cmp(&y.chars().next())
        };
        if order != Ordering::Equal {
            return order;
        }
        x = &x[if dx > 0 { dx } else { x.chars().next().map_or(0, char::len_utf8) }..];
        y = &y[if dy > 0 { dy } else { y.chars().next().map_or(0, char::len_utf8) }..];
    }
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
}

/// How many digits `text` begins with.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Numbers of any length: without leading zeros, the longer one is larger.
fn compare_numbers(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let ordered = ["2.obj", "10.obj", "a.obj", "a1b2.obj", "a1b10.obj", "a01c.obj", "a2.obj", "é3.obj", "é20.obj"];
        for (i, a) in ordered.iter().enumerate() {
            for (j, b) in ordered.iter().enumerate() {
                assert_eq!(natural_order(a, b), i.cmp(&j), "{a} {b}");
            }
        }
        assert_ne!(natural_order("f01", "f1"), Ordering::Equal, "the order never depends on the file system");
        let long = format!("{}1", "9".repeat(50));
        assert_eq!(natural_order(&"9".repeat(50), &long), Ordering::Less);
    }
}
