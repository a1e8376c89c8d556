//! Cache files (`.ycache`): center lines of all frames of a simulation; `docs/reference/yarn-cache.md` describes them.
//!
//! A file grows frame by frame under a temporary name and is renamed when it is complete. Each frame has its own lengths,
//! because yarns may be cut, and a checksum.

use super::Strands;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use yarnwise_runtime::YarnVertex;
use yarnwise_shared::file::origin;
use yarnwise_solvers::scene::BodySpec;

const MAGIC: &[u8; 8] = b"YWYARNS1";
/// Largest header, bytes.
const MAX_HEADER: u64 = 16 << 20;
/// Lengths of a frame: yarns and vertices.
const LENGTHS: u64 = 8;
const CHECKSUM: u64 = 4;
/// The most vertices of a frame.
const MAX_VERTICES: u32 = 100_000_000;

/// What a cache says about all its frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheHeader {
    /// Seconds between frames.
    pub frame_time: f64,
    /// Radius of the yarns, meters.
    pub radius: f32,
    /// What is to be seen, for people.
    #[serde(default)]
    pub description: String,
    /// The bodies of the scene, to be drawn with the yarns.
    #[serde(default)]
    pub bodies: Vec<BodySpec>,
    /// Checksum of the scene: a simulation is resumed with the scene it began with.
    #[serde(default)]
    pub scene: u32,
    /// Whether each vertex has α, because cloth is yarns here and triangles there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blended: bool,
}

/// A cache that can be read frame by frame.
#[derive(Clone, Debug)]
pub struct CacheFile {
    path: PathBuf,
    header: CacheHeader,
    /// Where each frame begins, and the end of the last one.
    offsets: Vec<u64>,
}

impl CacheFile {
    /// Opens a complete cache.
    pub fn open(path: &Path) -> Result<Self> {
        let (file, rest) = CacheFile::scan(path)?;
        if rest != 0 {
            return Err(damaged(path, &format!("{rest} bytes after frame {} are no frame", file.frame_count())));
        }
        if file.frame_count() == 0 {
            return Err(damaged(path, "it has no frame"));
        }
        Ok(file)
    }

    /// Finds the frames of a cache, and how many bytes behind them are part of none.
    fn scan(path: &Path) -> Result<(Self, u64)> {
        let io = |e| Error::from(yarnwise_shared::Error::io(path, e));
        let file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut reader = BufReader::new(file);
        let header = read_header(&mut reader, path)?;
        let mut offsets = vec![reader.stream_position().map_err(io)?];
        loop {
            let at = offsets[offsets.len() - 1];
            let mut lengths = [0; LENGTHS as usize];
            if at + LENGTHS > length || reader.read_exact(&mut lengths).is_err() {
                break;
            }
            let size = frame_size(lengths, header.blended);
            let Some(end) = size.map(|s| at + s).filter(|end| *end <= length) else { break };
            reader.seek(SeekFrom::Start(end)).map_err(io)?;
            offsets.push(end);
        }
        let rest = length - offsets[offsets.len() - 1];
        Ok((CacheFile { path: path.to_owned(), header, offsets }, rest))
    }

    /// What it says about all frames.
    pub fn header(&self) -> &CacheHeader {
        &self.header
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Reads a frame.
    pub fn frame(&self, frame: usize) -> Result<Strands> {
        let io = |e| Error::from(yarnwise_shared::Error::io(&self.path, e));
        let [start, end] = [self.offsets[frame], self.offsets[frame + 1]];
        let mut file = File::open(&self.path).map_err(io)?;
        file.seek(SeekFrom::Start(start)).map_err(io)?;
        let mut bytes = vec![0; (end - start) as usize];
        file.read_exact(&mut bytes).map_err(io)?;
        parse_frame(&bytes, &self.header).map_err(|p| damaged(&self.path, &format!("frame {frame}: {p}")))
    }
}

fn damaged(path: &Path, problem: &str) -> Error {
    let cure = "simulate the scene again";
    yarnwise_shared::Error::invalid(origin(path), format!("{problem}: the file is damaged or cut off; {cure}")).into()
}

fn read_header(reader: &mut impl Read, path: &Path) -> Result<CacheHeader> {
    let not_one = || damaged(path, "does not begin as a cache of yarns");
    let mut start = [0; 12];
    reader.read_exact(&mut start).map_err(|_| not_one())?;
    let length = u64::from(u32::from_le_bytes([start[8], start[9], start[10], start[11]]));
    if &start[..8] != MAGIC || length > MAX_HEADER {
        return Err(not_one());
    }
    let mut text = Vec::new();
    reader.take(length).read_to_end(&mut text).map_err(|_| not_one())?;
    let header: CacheHeader = serde_json::from_slice(&text).map_err(|e| damaged(path, &format!("header: {e}")))?;
    let fine = header.frame_time > 0.0 && header.frame_time < 1e6 && header.radius > 0.0 && header.radius < 1e3;
    if fine { Ok(header) } else { Err(damaged(path, "header: frame_time and radius must be positive")) }
}

/// Bytes of a frame with these lengths; none where they make no sense.
fn frame_size(lengths: [u8; LENGTHS as usize], blended: bool) -> Option<u64> {
    let [yarns, vertices] =
        [0, 4].map(|i| u32::from_le_bytes([lengths[i], lengths[i + 1], lengths[i + 2], lengths[i + 3]]));
    let fine = vertices <= MAX_VERTICES && yarns <= vertices;
    let each = if blended { 36 } else { 32 };
    fine.then(|| LENGTHS + 8 * u64::from(yarns) + each * u64::from(vertices) + CHECKSUM)
}

/// A frame as bytes: yarns, vertices; for each yarn its number of vertices and color; for each vertex position, director,
/// arc length and values; α of each vertex where there is one; a checksum.
pub fn frame_bytes(strands: &Strands) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |number: [u8; 4]| bytes.extend(number);
    put((strands.colors.len() as u32).to_le_bytes());
    put((strands.vertices.len() as u32).to_le_bytes());
    strands.counts().for_each(|count| put(count.to_le_bytes()));
    strands.colors.iter().for_each(|color| put(color.to_le_bytes()));
    for ((vertex, arc), values) in strands.vertices.iter().zip(&strands.arcs).zip(&strands.values) {
        vertex.position.iter().for_each(|c| put(c.to_le_bytes()));
        put(vertex.director.to_le_bytes());
        put(arc.to_le_bytes());
        values.iter().for_each(|v| put(v.to_le_bytes()));
    }
    strands.alphas.iter().for_each(|alpha| put(alpha.to_le_bytes()));
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// Reads the bytes of one frame.
fn parse_frame(bytes: &[u8], header: &CacheHeader) -> Result<Strands, String> {
    let lengths = bytes.first_chunk().ok_or("too short")?;
    if frame_size(*lengths, header.blended) != Some(bytes.len() as u64) {
        return Err("its lengths do not fit".into());
    }
    let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM as usize);
    if crc32fast::hash(content).to_le_bytes() != checksum {
        return Err("its checksum is wrong".into());
    }
    let mut words = content.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
    let mut word = move || words.next().unwrap_or_default();
    let (yarns, vertices) = (word(), word());
    let mut starts = vec![0];
    for _ in 0..yarns {
        let last = starts[starts.len() - 1];
        starts.push(word().checked_add(last).filter(|end| *end <= vertices).ok_or("a yarn ends beyond the vertices")?);
    }
    if starts[starts.len() - 1] != vertices {
        return Err("its yarns do not have all vertices".into());
    }
    let mut strands = Strands { starts, colors: (0..yarns).map(|_| word()).collect(), ..Strands::default() };
    for _ in 0..vertices {
        let mut number = || f32::from_bits(word());
        let position = [number(), number(), number()];
        if !position.iter().all(|c| c.is_finite()) {
            return Err("a position is not finite".into());
        }
        strands.vertices.push(YarnVertex { position, twist: 0.0, director: word(), radius: header.radius });
        strands.arcs.push(f32::from_bits(word()));
        strands.values.push(std::array::from_fn(|_| f32::from_bits(word())));
    }
    if header.blended {
        strands.alphas = (0..vertices).map(|_| f32::from_bits(word())).collect();
    }
    Ok(strands)
}

/// A cache that is being written, under another name until it is complete.
#[derive(Debug)]
pub struct CacheWriter {
    file: File,
    path: PathBuf,
    frames: usize,
}

impl CacheWriter {
    /// The name of an unfinished cache.
    pub fn unfinished(path: &Path) -> PathBuf {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        path.with_file_name(name)
    }

    /// Begins a cache, in a folder that is made; an unfinished one of the same name is replaced.
    pub fn create(path: &Path, header: &CacheHeader) -> Result<Self> {
        let partial = CacheWriter::unfinished(path);
        let io = |e| Error::from(yarnwise_shared::Error::io(&partial, e));
        let text = serde_json::to_vec(header).map_err(|e| io(e.into()))?;
        if let Some(folder) = partial.parent() {
            std::fs::create_dir_all(folder).map_err(io)?;
        }
        let mut file = File::create(&partial).map_err(io)?;
        let length = (text.len() as u32).to_le_bytes();
        file.write_all(&[MAGIC.as_slice(), &length, &text].concat()).map_err(io)?;
        Ok(CacheWriter { file, path: path.to_owned(), frames: 0 })
    }

    /// Continues an unfinished cache after its first `frames` frames, which are checked; what is behind them is dropped.
    pub fn resume(path: &Path, header: &CacheHeader, frames: usize) -> Result<Self> {
        let partial = CacheWriter::unfinished(path);
        let io = |e| Error::from(yarnwise_shared::Error::io(&partial, e));
        let (found, _) = CacheFile::scan(&partial)?;
        if found.header != *header {
            let problem = "belongs to another scene: simulate without --resume, or to another file";
            return Err(yarnwise_shared::Error::invalid(origin(&partial), problem).into());
        }
        if found.frame_count() < frames {
            return Err(damaged(&partial, &format!("it has {} frames, {frames} are needed", found.frame_count())));
        }
        (0..frames).try_for_each(|frame| found.frame(frame).map(|_| ()))?;
        let mut file = File::options().write(true).open(&partial).map_err(io)?;
        file.set_len(found.offsets[frames]).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        Ok(CacheWriter { file, path: path.to_owned(), frames })
    }

    /// Frames that are written.
    pub fn frame_count(&self) -> usize {
        self.frames
    }

    /// Adds a frame.
    pub fn push(&mut self, strands: &Strands) -> Result<()> {
        let io = |e| Error::from(yarnwise_shared::Error::io(&self.path, e));
        self.file.write_all(&frame_bytes(strands)).map_err(io)?;
        self.frames += 1;
        Ok(())
    }

    /// Makes sure that what is written is on disk.
    pub fn flush(&mut self) -> Result<()> {
        Ok(self.file.sync_data().map_err(|e| yarnwise_shared::Error::io(&self.path, e))?)
    }

    /// Removes the unfinished cache.
    pub fn discard(self) -> Result<()> {
        let partial = CacheWriter::unfinished(&self.path);
        Ok(std::fs::remove_file(&partial).map_err(|e| yarnwise_shared::Error::io(&partial, e))?)
    }

    /// Gives the complete cache its name.
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        let partial = CacheWriter::unfinished(&self.path);
        Ok(std::fs::rename(partial, &self.path).map_err(|e| yarnwise_shared::Error::io(&self.path, e))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> CacheHeader {
        CacheHeader {
            frame_time: 0.1,
            radius: 2e-4,
            description: "two".into(),
            bodies: Vec::new(),
            scene: 7,
            blended: false,
        }
    }

    fn strands(z: f32) -> Strands {
        let vertex = |i: usize| YarnVertex { position: [i as f32, 1.0, z], twist: 0.0, director: 9, radius: 2e-4 };
        Strands {
            starts: vec![0, 3, 5],
            colors: vec![0, 1],
            vertices: (0..5).map(vertex).collect(),
            arcs: vec![0.5; 5],
            values: (0..5).map(|i| [i as f32, z, -1.0]).collect(),
            alphas: Vec::new(),
        }
    }

    #[test]
    fn frames_survive_writing_reading_and_resuming() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ycache");
        let mut writer = CacheWriter::create(&path, &header()).unwrap();
        for z in 0..3 {
            writer.push(&strands(z as f32)).unwrap();
        }
        drop(writer);
        assert!(CacheFile::open(&path).is_err(), "an unfinished cache has its name already");
        // A frame that was cut off, and one that is to be computed again.
        let partial = CacheWriter::unfinished(&path);
        let mut bytes = std::fs::read(&partial).unwrap();
        bytes.extend([2, 0, 0]);
        std::fs::write(&partial, &bytes).unwrap();
        let other = CacheHeader { scene: 8, ..header() };
        assert!(CacheWriter::resume(&path, &other, 2).unwrap_err().to_string().contains("another scene"));
        assert!(CacheWriter::resume(&path, &header(), 4).is_err());
        let mut writer = CacheWriter::resume(&path, &header(), 2).unwrap();
        writer.push(&strands(9.0)).unwrap();
        writer.finish().unwrap();
        let file = CacheFile::open(&path).unwrap();
        assert_eq!((file.frame_count(), file.header()), (3, &header()));
        assert_eq!([0, 1, 2].map(|i| file.frame(i).unwrap()), [0.0, 1.0, 9.0].map(strands));
    }

    #[test]
    fn a_share_of_each_vertex_is_kept_where_there_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ycache");
        let blended = Strands { alphas: vec![0.0, 0.25, 0.5, 1.0, 1.0], ..strands(1.0) };
        let mut writer = CacheWriter::create(&path, &CacheHeader { blended: true, ..header() }).unwrap();
        writer.push(&blended).unwrap();
        writer.push(&blended).unwrap();
        writer.finish().unwrap();
        let file = CacheFile::open(&path).unwrap();
        assert_eq!([0, 1].map(|i| file.frame(i).unwrap()), [blended.clone(), blended]);
    }

    #[test]
    fn damage_is_reported_never_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ycache");
        let mut writer = CacheWriter::create(&path, &header()).unwrap();
        writer.push(&strands(1.0)).unwrap();
        writer.push(&strands(2.0)).unwrap();
        writer.finish().unwrap();
        let good = std::fs::read(&path).unwrap();
        let read =
            || CacheFile::open(&path).and_then(|f| (0..f.frame_count()).try_for_each(|i| f.frame(i).map(|_| ())));
        read().unwrap();
        for i in 0..good.len() {
            let mut bad = good.clone();
            bad[i] ^= 0x41;
            std::fs::write(&path, &bad).unwrap();
            // The header's text may say something else that makes sense.
            if let Ok(()) = read() {
                assert!((12..good.len() - 2 * 188).contains(&i), "byte {i} is not checked");
            }
            std::fs::write(&path, &good[..i]).unwrap();
            assert!(read().is_err() || i == good.len() - frame_bytes(&strands(1.0)).len(), "cut at {i}");
        }
    }
}
