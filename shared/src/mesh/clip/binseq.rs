//! The binary sequences (`.bin`) of the reference data published with \[Sperl21\].
//!
//! Little endian, no magic number, no version, no padding:
//!
//! ```text
//! file      = size(frame count), frame*
//! frame     = matrix<f32> V (vertices x 3), matrix<u32> F (faces x 3), matrix<f32> U (UVs x 2), matrix<u32> Fms (faces x 3),
//!             size, transform* ; size, matrix<f32>* (vertices of each obstacle) ; size, matrix<u32>* (its faces)
//! matrix<T> = u32 rows, u32 columns, rows x columns T by rows
//! transform = f32 scale, matrix<f32> translation (3 x 1), matrix<f32> angle in degrees and axis (4 x 1)
//! size      = 1 byte below 0x80; 2 bytes 10xxxxxx yyyyyyyy (big end first); 4 bytes 11xxxxxx yyyyyyyy and a u16
//! ```
//!
//! A matrix of 0 x 0 after the first frame means "as before", and so does an empty list of transforms or obstacles.
//! A later frame may repeat its topology and UVs, but not change them: a clip has one topology.
//! The format knows no time between frames.

use super::bytes::{Bytes, rows_f32, rows_u32};
use super::{Clip, MAX_CLIP_BYTES, Obstacle, Transform};
use crate::mesh::{Mesh, MeshData, MeshPlace, Surface, check_points};
use crate::words::{self, count};
use crate::{Error, Result, file};
use std::io::{self, Write};
use std::path::Path;

/// The most frames, and the most obstacles, of a file; the reference program has the same limit.
pub const MAX_COUNT: usize = 10_000;

/// Reads a file; `frame_time` (seconds) is not in it.
pub fn read(path: &Path, frame_time: f64) -> Result<Clip> {
    parse(&file::read(path, MAX_CLIP_BYTES, check_start)?, &file::origin(path), frame_time)
}

/// Reads the bytes of a file; `origin` names it in messages.
pub fn parse(bytes: &[u8], origin: &str, frame_time: f64) -> Result<Clip> {
    let mut reader = Reader { bytes: Bytes::new(bytes, origin), frame: 0 };
    let frame_count = reader.size("frames")?;
    if frame_count == 0 {
        return Err(reader.error("the file has no frames"));
    }
    let mesh = reader.mesh()?;
    let mut obstacles = reader.first_obstacles()?;
    let mut positions = Vec::new();
    // What is left holds at most this many positions, whatever the frame count says.
    positions.reserve_exact(mesh.positions().len() + reader.bytes.left() / 12);
    positions.extend_from_slice(mesh.positions());
    let mut shape_of_frame = vec![0];
    for frame in 1..frame_count {
        reader.frame = frame;
        if let Some(shape) = reader.moved(mesh.positions().len())? {
            positions.extend(rows_f32::<3>(shape));
        }
        shape_of_frame.push((positions.len() / mesh.positions().len() - 1) as u32);
        reader.expect_same("faces (F)", 3, bytemuck::cast_slice(mesh.faces().as_flattened()))?;
        reader.expect_same("UVs (U)", 2, bytemuck::cast_slice(mesh.uvs().as_flattened()))?;
        reader.expect_same("UV faces (Fms)", 3, bytemuck::cast_slice(mesh.uv_faces().as_flattened()))?;
        reader.later_obstacles(&mut obstacles)?;
    }
    if reader.bytes.left() > 0 {
        let left = count(reader.bytes.left(), "byte", None);
        let problem = format!("{left} too many after the last frame: the file is damaged");
        return Err(reader.error(problem));
    }
    Clip { mesh, frame_time, positions, shape_of_frame, obstacles }.checked(origin)
}

/// The number of frames and the size of the first matrix: all that tells a file of this kind from another.
fn check_start(first: &[u8], origin: &str) -> Result<()> {
    let mut reader = Reader { bytes: Bytes::new(first, origin), frame: 0 };
    if reader.size("frames")? == 0 {
        return Err(reader.error("the file has no frames"));
    }
    let (rows, columns) = (reader.bytes.u32("positions (V)")?, reader.bytes.u32("positions (V)")?);
    if rows == 0 || columns != 3 {
        let problem = format!(
            "positions (V): a matrix of {rows} x {columns}, rows of 3 are expected: is this a file of another kind?"
        );
        return Err(reader.error(problem));
    }
    Ok(())
}

struct Reader<'a> {
    bytes: Bytes<'a>,
    frame: usize,
}

impl<'a> Reader<'a> {
    /// A length.
    fn size(&mut self, what: &str) -> Result<usize> {
        let b0 = self.bytes.u8(what)?;
        let size = match b0 {
            0..0x80 => usize::from(b0),
            0x80..0xc0 => usize::from(b0 & 0x3f) << 8 | usize::from(self.bytes.u8(what)?),
            _ => {
                let b1 = self.bytes.u8(what)?;
                let low = u16::from_le_bytes(self.bytes.array(what)?);
                usize::from(b0 & 0x3f) << 24 | usize::from(b1) << 16 | usize::from(low)
            }
        };
        if size > MAX_COUNT {
            return Err(
                self.error(format!("{size} {what}: at most {MAX_COUNT} are possible, the file is of another kind"))
            );
        }
        Ok(size)
    }

    /// The bytes of a matrix of 4-byte numbers with this many columns, and its rows; no rows for 0 x 0.
    fn matrix(&mut self, what: &str, columns: u32) -> Result<&'a [u8]> {
        let rows = self.bytes.u32(what)?;
        let found = self.bytes.u32(what)?;
        if (rows, found) == (0, 0) {
            return Ok(&[]);
        }
        if found != columns || rows == 0 {
            return Err(self.error(format!("{what}: a matrix of {rows} x {found} instead of rows of {columns}")));
        }
        // Saturated, it is more than any file has.
        let bytes = (rows as usize).saturating_mul(columns as usize).saturating_mul(4);
        let frame = self.frame;
        self.bytes.take(bytes, &format!("frame {frame}: {what}"))
    }

    /// Topology, UVs and first positions.
    fn mesh(&mut self) -> Result<Mesh> {
        let positions = rows_f32(self.matrix("positions (V)", 3)?).collect();
        let faces = rows_u32(self.matrix("faces (F)", 3)?).collect();
        let uvs = rows_f32(self.matrix("UVs (U)", 2)?).collect();
        let uv_faces = rows_u32(self.matrix("UV faces (Fms)", 3)?).collect();
        Mesh::new(MeshData { positions, uvs, faces, uv_faces }).map_err(|fault| self.error(fault.problem))
    }

    /// The positions of a later frame, or `None` where they are as before.
    fn moved(&mut self, vertices: usize) -> Result<Option<&'a [u8]>> {
        let shape = self.matrix("positions (V)", 3)?;
        match shape.len() / 12 {
            0 => Ok(None),
            n if n == vertices => Ok(Some(shape)),
            n => Err(self.changed(&format!("{}, the first frame has {vertices}", words::vertices(n)))),
        }
    }

    /// A matrix of a later frame: "as before", or the same again.
    fn expect_same(&mut self, what: &str, columns: u32, expected: &[[u8; 4]]) -> Result<()> {
        let found = self.matrix(what, columns)?;
        let same = |(a, b): (&[u8], &[u8; 4])| u32::from_le_bytes([a[0], a[1], a[2], a[3]]) == u32::from_ne_bytes(*b);
        if found.is_empty() || (found.len() == 4 * expected.len() && found.chunks_exact(4).zip(expected).all(same)) {
            return Ok(());
        }
        Err(self.changed(&format!("other {what} than the first frame")))
    }

    fn changed(&self, what: &str) -> Error {
        self.error(format!("{what}: a clip keeps its topology and UVs, export it without remeshing"))
    }

    /// A matrix of one column.
    fn column<const N: usize>(&mut self, what: &str) -> Result<[f32; N]> {
        let bytes = self.matrix(what, 1)?;
        match rows_f32(bytes).next() {
            Some(column) if bytes.len() == 4 * N => Ok(column),
            _ => {
                let numbers = count(bytes.len() / 4, "number", None);
                Err(self.error(format!("the {what} of a transform has {numbers}, {N} are needed")))
            }
        }
    }

    fn transform(&mut self) -> Result<Transform> {
        let scale = self.bytes.f32("the scale of a transform")?;
        let translation: [f32; 3] = self.column("translation")?;
        let [angle, x, y, z] = self.column("rotation")?;
        if [scale, angle, x, y, z].iter().chain(&translation).any(|v| !v.is_finite()) {
            return Err(self.error("a transform holds a number that is not finite"));
        }
        Ok(Transform { scale, translation, angle, axis: [x, y, z] })
    }

    fn first_obstacles(&mut self) -> Result<Vec<Obstacle>> {
        let mut transforms = Vec::new();
        for _ in 0..self.size("transforms of obstacles")? {
            transforms.push(self.transform()?);
        }
        let mut shapes = Vec::new();
        for _ in 0..self.size("obstacles")? {
            shapes.push(rows_f32(self.matrix("positions of an obstacle", 3)?).collect());
        }
        let n = self.size("obstacles")?;
        if n != shapes.len() || !(transforms.is_empty() || n == transforms.len()) {
            let (transforms, shapes) = (transforms.len(), shapes.len());
            let problem =
                format!("the transforms of obstacles are {transforms}, their positions {shapes}, their faces {n}");
            return Err(self.error(problem + ": these numbers must agree"));
        }
        let mut obstacles = Vec::new();
        for (i, shape) in shapes.into_iter().enumerate() {
            let faces = rows_u32(self.matrix("faces of an obstacle", 3)?).collect();
            let surface = Surface::new(shape, faces).map_err(|f| self.error(format!("obstacle {i}: {}", f.problem)))?;
            let mut obstacle = Obstacle::new(surface);
            obstacle.set_transform(0, transforms.get(i).copied().unwrap_or_default());
            obstacles.push(obstacle);
        }
        Ok(obstacles)
    }

    fn later_obstacles(&mut self, obstacles: &mut [Obstacle]) -> Result<()> {
        for i in 0..self.later_size("transforms", obstacles)? {
            let transform = self.transform()?;
            obstacles[i].set_transform(self.frame, transform);
        }
        for i in 0..self.later_size("positions", obstacles)? {
            let shape: Vec<[f32; 3]> = rows_f32(self.matrix("positions of an obstacle", 3)?).collect();
            if !shape.is_empty() {
                if shape.len() != obstacles[i].shape(0).len() {
                    return Err(self.changed(&format!("another number of vertices of obstacle {i}")));
                }
                check_points("vertex", &shape, MeshPlace::Position)
                    .map_err(|fault| self.error(format!("obstacle {i}: {fault}")))?;
                obstacles[i].set_shape(self.frame, shape);
            }
        }
        for i in 0..self.later_size("faces", obstacles)? {
            self.expect_same("faces of an obstacle", 3, bytemuck::cast_slice(obstacles[i].faces().as_flattened()))?;
        }
        Ok(())
    }

    /// The length of a list about the obstacles in a later frame: none, or one for each.
    fn later_size(&mut self, what: &str, obstacles: &[Obstacle]) -> Result<usize> {
        let n = self.size("obstacles")?;
        if n != 0 && n != obstacles.len() {
            let problem = format!("{what} of {}, the first frame has {}", count(n, "obstacle", None), obstacles.len());
            return Err(self.changed(&problem));
        }
        Ok(n)
    }

    fn error(&self, problem: impl Into<String>) -> Error {
        self.bytes.error(format!("frame {}: {}", self.frame, problem.into()))
    }
}

/// Writes a clip. Its frame time is lost: the format has none.
pub fn write(clip: &Clip, path: &Path) -> Result<()> {
    let count = clip.frame_count().max(clip.obstacles().len());
    if count > MAX_COUNT {
        let problem = format!("{count} frames or obstacles: the format holds at most {MAX_COUNT}, write a .pc2 file");
        return Err(Error::invalid(file::origin(path), problem));
    }
    file::write_atomically(path, |out| write_to(out, clip))
}

/// The bytes of a file. Counts beyond [`MAX_COUNT`] are written as they are and not read again.
pub fn to_bytes(clip: &Clip) -> Vec<u8> {
    let mut out = Vec::new();
    write_to(&mut out, clip).expect("a Vec takes every byte");
    out
}

fn write_to(out: &mut dyn Write, clip: &Clip) -> io::Result<()> {
    write_size(out, clip.frame_count())?;
    for frame in 0..clip.frame_count() {
        let mesh = clip.mesh();
        let moves = frame == 0 || clip.shape_of_frame[frame] != clip.shape_of_frame[frame - 1];
        write_matrix(out, if moves { clip.positions(frame) } else { &[] }, f32::to_le_bytes)?;
        write_matrix(out, if frame == 0 { mesh.faces() } else { &[] }, u32::to_le_bytes)?;
        write_matrix(out, if frame == 0 { mesh.uvs() } else { &[] }, f32::to_le_bytes)?;
        write_matrix(out, if frame == 0 { mesh.uv_faces() } else { &[] }, u32::to_le_bytes)?;
        write_obstacles(out, clip.obstacles(), frame)?;
    }
    Ok(())
}

fn write_obstacles(out: &mut dyn Write, obstacles: &[Obstacle], frame: usize) -> io::Result<()> {
    write_size(out, obstacles.len())?;
    for transform in obstacles.iter().map(|o| o.transform(frame)) {
        let Transform { scale, translation, angle, axis: [x, y, z] } = transform;
        out.write_all(&scale.to_le_bytes())?;
        write_matrix(out, &translation.map(|c| [c]), f32::to_le_bytes)?;
        write_matrix(out, &[[angle], [x], [y], [z]], f32::to_le_bytes)?;
    }
    let any_shape = obstacles.iter().any(|o| o.shape_begins(frame));
    write_size(out, if any_shape { obstacles.len() } else { 0 })?;
    for obstacle in obstacles.iter().filter(|_| any_shape) {
        let shape = if obstacle.shape_begins(frame) { obstacle.shape(frame) } else { &[] };
        write_matrix(out, shape, f32::to_le_bytes)?;
    }
    write_size(out, if frame == 0 { obstacles.len() } else { 0 })?;
    obstacles.iter().filter(|_| frame == 0).try_for_each(|o| write_matrix(out, o.faces(), u32::to_le_bytes))
}

fn write_size(out: &mut dyn Write, size: usize) -> io::Result<()> {
    match size {
        0..0x80 => out.write_all(&[size as u8]),
        0x80..0x4000 => out.write_all(&[0x80 | (size >> 8) as u8, size as u8]),
        _ => {
            out.write_all(&[0xc0 | (size >> 24) as u8, (size >> 16) as u8])?;
            out.write_all(&(size as u16).to_le_bytes())
        }
    }
}

/// A matrix; one without rows is 0 x 0.
fn write_matrix<T: Copy, const N: usize>(
    out: &mut dyn Write,
    rows: &[[T; N]],
    to_bytes: impl Fn(T) -> [u8; 4],
) -> io::Result<()> {
    let columns = if rows.is_empty() { 0 } else { N as u32 };
    out.write_all(&(rows.len() as u32).to_le_bytes())?;
    out.write_all(&columns.to_le_bytes())?;
    rows.as_flattened().iter().try_for_each(|v| out.write_all(&to_bytes(*v)))
}
