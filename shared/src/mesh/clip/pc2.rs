//! Point caches `.pc2`: positions over time for the vertices of a mesh that is kept elsewhere, here in an OBJ file.
//!
//! Little endian:
//!
//! | bytes | | |
//! |---|---|---|
//! | 12 | | `POINTCACHE2` and a zero |
//! | 4 | i32 | version, 1 |
//! | 4 | i32 | number of points |
//! | 4 | f32 | start frame |
//! | 4 | f32 | sample rate: frames of the animation from one sample to the next |
//! | 4 | i32 | number of samples |
//! | 12 x points x samples | f32 | x y z of each point, sample after sample |
//!
//! A sample is a frame of our clip. The time between two is the sample rate times the seconds that one frame of the
//! animation takes, which the file does not say. The start frame is not used: a clip begins at its first sample.

use super::bytes::{Bytes, rows_f32};
use super::{Clip, DEFAULT_FRAME_TIME, MAX_CLIP_BYTES};
use crate::mesh::Mesh;
use crate::words::{count, vertices};
use crate::{Error, Result, file};
use std::io::{self, Write};
use std::path::Path;

const MAGIC: &[u8; 12] = b"POINTCACHE2\0";

/// Reads a file that moves the vertices of `mesh`; `frame_time` is how long one frame of the animation takes, seconds.
pub fn read(path: &Path, mesh: Mesh, frame_time: f64) -> Result<Clip> {
    parse(&file::read(path, MAX_CLIP_BYTES, check_start)?, &file::origin(path), mesh, frame_time)
}

/// Reads the bytes of a file; `origin` names it in messages.
pub fn parse(bytes: &[u8], origin: &str, mesh: Mesh, frame_time: f64) -> Result<Clip> {
    check_start(bytes, origin)?;
    let mut bytes = Bytes::new(bytes, origin);
    bytes.take(MAGIC.len(), "the header")?;
    let version = bytes.u32("the version")?;
    if version != 1 {
        return Err(bytes.error(format!("PC2 version {version}, only 1 is known")));
    }
    let points = bytes.u32("the number of points")? as usize;
    let expected = mesh.positions().len();
    if points != expected {
        let (points, vertices) = (count(points, "point", None), vertices(expected));
        let problem = format!("the cache moves {points}, the mesh has {vertices}: export both from the same object");
        return Err(bytes.error(problem));
    }
    bytes.f32("the start frame")?;
    let sample_rate = bytes.f32("the sample rate")?;
    if !(sample_rate.is_finite() && sample_rate > 0.0) {
        let problem =
            format!("the sample rate is {sample_rate}, it must be positive: export again, a sample each frame");
        return Err(bytes.error(problem));
    }
    let samples = bytes.u32("the number of samples")? as usize;
    let needed = samples.saturating_mul(points).saturating_mul(12);
    if samples == 0 || needed != bytes.left() {
        let problem = format!(
            "{} of {} are {needed} bytes, {} follow: the file is cut off or damaged",
            count(samples, "sample", None),
            count(points, "point", None),
            bytes.left()
        );
        return Err(bytes.error(problem));
    }
    let positions = rows_f32(bytes.take(needed, "the samples")?).collect();
    Clip::new(origin, mesh, frame_time * f64::from(sample_rate), positions)
}

fn check_start(first: &[u8], origin: &str) -> Result<()> {
    if &Bytes::new(first, origin).array::<12>("the header")? != MAGIC {
        return Err(Error::binary(origin, 0, "a PC2 file begins with POINTCACHE2: is this a file of another kind?"));
    }
    Ok(())
}

/// Writes the positions of a clip; its mesh goes into an OBJ file. The sample rate counts frames of a thirtieth of a second.
pub fn write(clip: &Clip, path: &Path) -> Result<()> {
    if i32::try_from(clip.frame_count()).is_err() {
        return Err(Error::invalid(file::origin(path), "the clip has more frames than the format holds"));
    }
    file::write_atomically(path, |out| write_to(out, clip))
}

/// The bytes of a file.
pub fn to_bytes(clip: &Clip) -> Vec<u8> {
    let mut out = Vec::new();
    write_to(&mut out, clip).expect("a Vec takes every byte");
    out
}

fn write_to(out: &mut dyn Write, clip: &Clip) -> io::Result<()> {
    let sample_rate = (clip.frame_time() / DEFAULT_FRAME_TIME) as f32;
    out.write_all(MAGIC)?;
    out.write_all(&1u32.to_le_bytes())?;
    out.write_all(&(clip.mesh().positions().len() as u32).to_le_bytes())?;
    out.write_all(&0f32.to_le_bytes())?;
    out.write_all(&sample_rate.to_le_bytes())?;
    out.write_all(&(clip.frame_count() as u32).to_le_bytes())?;
    for frame in 0..clip.frame_count() {
        clip.positions(frame).as_flattened().iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))?;
    }
    Ok(())
}
