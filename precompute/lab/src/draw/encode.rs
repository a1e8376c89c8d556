//! PNG files of at most 256 colors: a quarter of the size, and shaded yarns do not need more.

use super::Picture;
use crate::Result;
use std::path::Path;
use yarnwise_shared::{Error, file};

/// The bytes of a PNG file.
pub fn png(picture: &Picture) -> Result<Vec<u8>> {
    let colors: Vec<[u8; 3]> = picture.pixels().map(|p| p.0).collect();
    let palette = Palette::new(&colors);
    let indices: Vec<u8> = colors.iter().map(|c| palette.index(*c)).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.colors.concat());
    encoder.set_compression(png::Compression::High);
    // Differences of palette indices mean nothing: unfiltered rows are the shortest.
    encoder.set_filter(png::Filter::NoFilter);
    let failed = |e: png::EncodingError| Error::invalid("picture", e.to_string());
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&indices).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

/// Writes a PNG file.
pub fn write_png(picture: &Picture, path: &Path) -> Result<()> {
    let bytes = png(picture)?;
    Ok(file::write_atomically(path, |w| w.write_all(&bytes))?)
}

/// Bits kept of each channel when colors are counted.
const BITS: usize = 5;

/// Up to 256 colors that stand for all others.
struct Palette {
    colors: Vec<[u8; 3]>,
    /// For each color of [`BITS`] bits a channel the place in `colors`.
    index: Vec<u8>,
}

impl Palette {
    /// Median cut: the box of colors with the largest spread times count is halved until there are 256.
    fn new(pixels: &[[u8; 3]]) -> Self {
        let mut cells = vec![Cell::default(); 1 << (3 * BITS)];
        for p in pixels {
            let cell = &mut cells[cell_of(*p)];
            cell.count += 1;
            (0..3).for_each(|k| cell.sum[k] += u64::from(p[k]));
        }
        let used: Vec<usize> = (0..cells.len()).filter(|i| cells[*i].count > 0).collect();
        let mut boxes = vec![used];
        while boxes.len() < 256 {
            let weight = |b: &Vec<usize>| widest(b).1 * b.iter().map(|i| cells[*i].count).sum::<u64>().isqrt();
            let Some(largest) = (0..boxes.len()).max_by_key(|k| weight(&boxes[*k])).filter(|k| boxes[*k].len() > 1)
            else {
                break;
            };
            let (low, high) = halve(boxes.swap_remove(largest), &cells);
            boxes.extend([low, high]);
        }
        let mut index = vec![0; cells.len()];
        let mut colors = Vec::with_capacity(boxes.len());
        for (place, members) in boxes.iter().enumerate() {
            let count = members.iter().map(|i| cells[*i].count).sum::<u64>().max(1);
            colors.push([0, 1, 2].map(|k| (members.iter().map(|i| cells[*i].sum[k]).sum::<u64>() / count) as u8));
            members.iter().for_each(|i| index[*i] = place as u8);
        }
        Palette { colors, index }
    }

    fn index(&self, color: [u8; 3]) -> u8 {
        self.index[cell_of(color)]
    }
}

/// How many pixels have about one color, and the sum of their colors.
#[derive(Clone, Default)]
struct Cell {
    count: u64,
    sum: [u64; 3],
}

fn cell_of(color: [u8; 3]) -> usize {
    color.iter().fold(0, |cell, c| cell << BITS | usize::from(*c) >> (8 - BITS))
}

fn channel(cell: usize, k: usize) -> u64 {
    (cell >> (BITS * (2 - k)) & ((1 << BITS) - 1)) as u64
}

/// The channel in which a box spreads most, and by how much.
fn widest(members: &[usize]) -> (usize, u64) {
    let spread = |k: usize| {
        let values = members.iter().map(|i| channel(*i, k));
        values.clone().max().unwrap_or(0) - values.min().unwrap_or(0)
    };
    (0..3).map(|k| (k, spread(k))).max_by_key(|(_, s)| *s).unwrap_or((0, 0))
}

/// Two boxes of about as many pixels each; neither is empty if there are two members.
fn halve(mut members: Vec<usize>, cells: &[Cell]) -> (Vec<usize>, Vec<usize>) {
    let (k, _) = widest(&members);
    members.sort_by_key(|i| channel(*i, k));
    let half = members.iter().map(|i| cells[*i].count).sum::<u64>() / 2;
    let mut seen = 0;
    let at = members.iter().position(|i| {
        seen += cells[*i].count;
        seen > half
    });
    let high = members.split_off(at.unwrap_or(0).clamp(1, members.len() - 1));
    (members, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Picture {
        image::load_from_memory(bytes).unwrap().to_rgb8()
    }

    #[test]
    fn a_picture_of_few_colors_comes_back_exactly() {
        let color = |x: u32, y: u32| image::Rgb([(x * 8) as u8, (y * 16) as u8, 200]);
        let picture = Picture::from_fn(16, 16, color);
        assert_eq!(decode(&png(&picture).unwrap()), picture);
        let plain = Picture::from_pixel(3, 2, image::Rgb([1, 2, 3]));
        assert_eq!(decode(&png(&plain).unwrap()), plain);
    }

    #[test]
    fn many_colors_are_replaced_by_near_ones() {
        let color = |x: u32, y: u32| image::Rgb([x as u8, y as u8, ((x + y) / 2) as u8]);
        let picture = Picture::from_fn(256, 256, color);
        let again = decode(&png(&picture).unwrap());
        let difference =
            |a: &image::Rgb<u8>, b: &image::Rgb<u8>| (0..3).map(|k| a.0[k].abs_diff(b.0[k])).max().unwrap();
        let largest = picture.pixels().zip(again.pixels()).map(|(a, b)| difference(a, b)).max().unwrap();
        assert!(largest > 0 && largest <= 32, "{largest}");
    }
}
