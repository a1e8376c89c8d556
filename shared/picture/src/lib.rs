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

/// Deflate, which PNG files are compressed by, makes at most this many bytes of one.
const MOST_PACKED: u64 = 1032;

fn check_start(first: &[u8], origin: &str) -> Result<()> {
    match first.starts_with(b"\x89PNG\r\n\x1a\n") {
        true => Ok(()),
        false => Err(Error::invalid(origin, "is not a PNG file")),
    }
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
        check_size(decoder.read_header_info().map_err(failed)?, bytes.len())
            .map_err(|problem| Error::invalid(origin, problem))?;
        let mut reader = decoder.read_info().map_err(failed)?;
        let size = reader.output_buffer_size().unwrap_or(usize::MAX);
        let mut pixels = Vec::new();
        if pixels.try_reserve_exact(size).is_err() {
            return Err(Error::invalid(origin, format!("its pixels take {size} bytes, which do not fit into memory")));
        }
        pixels.resize(size, 0);
        let info = reader.next_frame(&mut pixels).map_err(failed)?;
        pixels.truncate(info.buffer_size());
        if info.color_type == png::ColorType::GrayscaleAlpha {
            pixels = pixels.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect();
        }
        Ok(Picture { width: info.width, height: info.height, pixels })
    }
}

/// Refuses a picture by its header, before memory is reserved: one that is too large, or whose pixels cannot be in a file of
/// this many bytes.
fn check_size(header: &png::Info, bytes: usize) -> std::result::Result<(), String> {
    let [width, height] = [header.width, header.height].map(u64::from);
    // As they are read: four bytes each. Two numbers of 32 bits and a 4 do not overflow 128 bits.
    if u128::from(width) * u128::from(height) * 4 > MAX_PIXEL_BYTES as u128 {
        let most = MAX_PIXEL_BYTES / 4 / 1_000_000;
        return Err(format!(
            "{width} x {height} pixels are too many, a picture may have {most} million: make it smaller"
        ));
    }
    let row = (width * header.bits_per_pixel() as u64).div_ceil(8);
    if row * height > MOST_PACKED * bytes as u64 {
        return Err(format!("{width} x {height} pixels cannot be in {bytes} bytes: the file is cut off or damaged"));
    }
    Ok(())
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

    /// A header may promise anything: what it promises is not reserved.
    #[test]
    fn a_forged_size_is_refused_before_memory_is_reserved() {
        let forged = |width: u32, height: u32| {
            let mut bytes = gradient(7).png().unwrap();
            bytes[16..20].copy_from_slice(&width.to_be_bytes());
            bytes[20..24].copy_from_slice(&height.to_be_bytes());
            let checksum = crc32(&bytes[12..29]);
            bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
            Picture::parse(&bytes, "forged.png").map_err(|e| e.to_string())
        };
        assert_eq!(forged(40, 30).unwrap(), gradient(7), "the forger can write what is right");
        let huge = i32::MAX as u32;
        for (width, height) in [(huge, huge), (huge, 1), (1, huge), (20_000, 20_000)] {
            let message = forged(width, height).unwrap_err();
            assert!(message.starts_with(&format!("forged.png: {width} x {height} pixels are too many")), "{message}");
        }
        let message = forged(16_000, 16_000).unwrap_err();
        assert!(message.contains("16000 x 16000 pixels cannot be in"), "{message}");
        assert!(forged(0, 30).is_err() && forged(u32::MAX, 1).is_err());
    }

    /// The checksum of PNG chunks, bit by bit.
    fn crc32(bytes: &[u8]) -> u32 {
        let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
    }

    #[test]
    fn pixels_are_found_where_they_were_put() {
        let picture = Picture::from_fn(3, 2, |x, y| [x as u8, y as u8, 7]);
        assert_eq!(picture.color(2, 1), [2, 1, 7]);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.png"), picture.png().unwrap()).unwrap();
        assert_eq!(Picture::read(&folder.path().join("a.png")).unwrap(), picture);
    }

    #[test]
    fn a_picture_of_one_color_is_not_taken_for_a_forged_one() {
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
