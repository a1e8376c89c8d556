//! Pictures as files: PNG, and animated PNG.

use std::path::Path;
use yarnwise_shared::{Error, Result, file};

/// A picture: RGBA, sRGB, row after row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Four bytes for each pixel.
    pub pixels: Vec<u8>,
}

/// The largest PNG file that is read.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// The most bytes that the pixels of a picture may take.
const MAX_PIXEL_BYTES: usize = 1 << 30;

/// The most bytes that a byte of compressed data (deflate) can stand for.
const MAX_DEFLATE: u64 = 1032;

fn check_start(first: &[u8], origin: &str) -> Result<()> {
    match first.starts_with(b"\x89PNG\r\n\x1a\n") {
        true => Ok(()),
        false => Err(Error::invalid(origin, "is not a PNG file")),
    }
}

/// Refuses a picture that is too large, or larger than the bytes of its file can be, before memory is reserved for it.
fn check_size(info: &png::Info, bytes: usize, origin: &str) -> Result<()> {
    let [width, height] = [info.width, info.height];
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MAX_PIXEL_BYTES as u64 / 4 {
        return Err(Error::invalid(origin, format!("{width} x {height} pixels are more than a picture may have")));
    }
    if pixels * info.bits_per_pixel() as u64 / 8 > bytes as u64 * MAX_DEFLATE {
        let problem = format!("its {bytes} bytes are too few for {width} x {height} pixels: is it cut off?");
        return Err(Error::invalid(origin, problem));
    }
    Ok(())
}

impl Picture {
    /// An opaque picture whose pixel in column x and row y has the color `color(x, y)`: red, green, blue.
    pub fn from_fn(width: u32, height: u32, color: impl Fn(u32, u32) -> [u8; 3]) -> Self {
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let pixel = |(x, y)| {
            let [r, g, b] = color(x, y);
            [r, g, b, 255]
        };
        Picture { width, height, pixels: places.flat_map(pixel).collect() }
    }

    /// Red, green and blue of the pixel in column `x` and row `y`.
    ///
    /// # Panics
    /// When the pixel is outside of the picture.
    pub fn color(&self, x: u32, y: u32) -> [u8; 3] {
        assert!(x < self.width && y < self.height, "pixel ({x}, {y}) of {} x {}", self.width, self.height);
        let at = 4 * (y as usize * self.width as usize + x as usize);
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    /// The bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>> {
        encode(std::slice::from_ref(self), 0.0).map_err(|e| Error::invalid("picture", e.to_string()))
    }

    /// Writes a PNG file.
    pub fn save(&self, path: &Path) -> Result<()> {
        save_all(std::slice::from_ref(self), 0.0, path)
    }

    /// Reads a PNG file.
    pub fn read(path: &Path) -> Result<Self> {
        Picture::parse(&file::read(path, MAX_FILE_BYTES, check_start)?, &file::origin(path))
    }

    /// Reads the bytes of a PNG file; `origin` names it in messages. The first picture of an animation is read.
    pub fn parse(bytes: &[u8], origin: &str) -> Result<Self> {
        let failed = |e: png::DecodingError| Error::invalid(origin, e.to_string());
        let limits = png::Limits { bytes: MAX_PIXEL_BYTES };
        let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(bytes), limits);
        decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        check_size(decoder.read_header_info().map_err(failed)?, bytes.len(), origin)?;
        let mut reader = decoder.read_info().map_err(failed)?;
        let size = reader.output_buffer_size().ok_or_else(|| Error::invalid(origin, "does not fit into memory"))?;
        let mut pixels = vec![0; size];
        let info = reader.next_frame(&mut pixels).map_err(failed)?;
        pixels.truncate(info.buffer_size());
        if info.color_type == png::ColorType::GrayscaleAlpha {
            pixels = pixels.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect();
        }
        Ok(Picture { width: info.width, height: info.height, pixels })
    }
}

/// Writes an animated PNG file of pictures of one size, `frame_time` seconds apart; a single picture is a plain PNG file.
pub fn save_all(pictures: &[Picture], frame_time: f64, path: &Path) -> Result<()> {
    let encoded = encode(pictures, frame_time);
    let bytes = encoded.map_err(|e| Error::invalid(file::origin(path), e.to_string()))?;
    file::write_atomically(path, |w| w.write_all(&bytes))?;
    Ok(())
}

fn encode(pictures: &[Picture], frame_time: f64) -> std::result::Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let Some(first) = pictures.first() else { return Ok(bytes) };
    let mut encoder = png::Encoder::new(&mut bytes, first.width, first.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    if pictures.len() > 1 {
        encoder.set_animated(pictures.len() as u32, 0)?;
        encoder.set_frame_delay((frame_time * 1000.0).round().clamp(1.0, 65535.0) as u16, 1000)?;
    }
    let mut writer = encoder.write_header()?;
    for picture in pictures {
        // Opaque: a fourth byte would only make the file larger.
        let rgb: Vec<u8> = picture.pixels.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        writer.write_image_data(&rgb)?;
    }
    writer.finish()?;
    Ok(bytes)
}

/// How different two pictures look: the root mean square over all pixels of the difference of colors, 0 to 255, after
/// both are made coarser by averaging `block` x `block` pixels. A drift of an edge by part of a pixel, as between two
/// drivers, hardly counts; a yarn that is missing or has another color does. None for pictures of different size.
pub fn difference(a: &Picture, b: &Picture, block: u32) -> Option<f64> {
    if (a.width, a.height) != (b.width, b.height) || block == 0 {
        return None;
    }
    let (mut sum, mut count) = (0.0, 0);
    for y in (0..a.height).step_by(block as usize) {
        for x in (0..a.width).step_by(block as usize) {
            let (p, q) = (mean(a, x, y, block), mean(b, x, y, block));
            sum += (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>() / 3.0;
            count += 1;
        }
    }
    Some((sum / f64::from(count.max(1))).sqrt())
}

fn mean(picture: &Picture, x: u32, y: u32, block: u32) -> [f64; 3] {
    let (mut sum, mut count) = ([0.0; 3], 0.0);
    for v in y..(y + block).min(picture.height) {
        for u in x..(x + block).min(picture.width) {
            let at = (v as usize * picture.width as usize + u as usize) * 4;
            (0..3).for_each(|k| sum[k] += f64::from(picture.pixels[at + k]));
            count += 1.0;
        }
    }
    sum.map(|s| s / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gradient(shift: u8) -> Picture {
        let pixels = (0..40 * 30).flat_map(|i| [(i % 40) as u8 * 6, (i / 40) as u8 * 8, shift, 255]).collect();
        Picture { width: 40, height: 30, pixels }
    }

    #[test]
    fn a_picture_survives_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        gradient(7).save(&path).unwrap();
        assert_eq!(Picture::read(&path).unwrap(), gradient(7));
        std::fs::write(&path, b"no picture").unwrap();
        assert!(Picture::read(&path).unwrap_err().to_string().contains("a.png"));
    }

    #[test]
    fn pixels_are_found_where_they_were_put() {
        let picture = Picture::from_fn(3, 2, |x, y| [x as u8, y as u8, 7]);
        assert_eq!(picture.color(2, 1), [2, 1, 7]);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.png"), picture.png().unwrap()).unwrap();
        assert_eq!(Picture::read(&folder.path().join("a.png")).unwrap(), picture);
    }

    /// A PNG file that says it has this size and holds next to nothing.
    fn hollow(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().unwrap();
        writer.write_chunk(png::chunk::IDAT, &[0x78, 0x9c, 1, 2, 3]).unwrap();
        drop(writer);
        bytes
    }

    #[test]
    fn a_size_that_the_file_cannot_hold_is_refused_before_memory_is_reserved() {
        let refused = |width, height| Picture::parse(&hollow(width, height), "a.png").unwrap_err().to_string();
        assert!(refused(16_000, 16_000).contains("a.png: its "), "{}", refused(16_000, 16_000));
        assert!(refused(16_000, 16_000).contains("bytes are too few for 16000 x 16000 pixels"));
        assert!(refused(40_000, 40_000).contains("40000 x 40000 pixels are more than a picture may have"));
        assert!(refused(2_000_000_000, 2_000_000_000).contains("more than a picture may have"));
        // As large as a file that is all one color can be: the limit does not refuse what is right.
        let plain = Picture::from_fn(3000, 3000, |_, _| [7, 7, 7]);
        assert_eq!(Picture::parse(&plain.png().unwrap(), "plain").unwrap(), plain);
    }

    #[test]
    fn several_pictures_are_one_animation() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.apng");
        save_all(&[gradient(0), gradient(9), gradient(5)], 0.04, &path).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(std::fs::read(&path).unwrap())).read_info().unwrap();
        assert_eq!(reader.info().animation_control.unwrap().num_frames, 3);
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        for blue in [0, 9, 5] {
            reader.next_frame(&mut pixels).unwrap();
            assert_eq!(pixels[2], blue);
            assert_eq!(reader.info().frame_control.unwrap().delay_num, 40);
        }
    }

    #[test]
    fn the_difference_sees_changes_and_their_size() {
        assert_eq!(difference(&gradient(0), &gradient(0), 4), Some(0.0));
        let small = difference(&gradient(0), &gradient(3), 4).unwrap();
        let large = difference(&gradient(0), &gradient(90), 4).unwrap();
        assert!((small - 3.0 / 3f64.sqrt()).abs() < 1e-9 && large > 50.0, "{small} {large}");
        let other = Picture { width: 30, height: 40, ..gradient(0) };
        assert_eq!(difference(&gradient(0), &other, 4), None);
    }
}
