//! Letters and legends on pictures, where there are no panels to show them.

use crate::scene::HeatMapSpec;
use font8x8::legacy::BASIC_LEGACY;
use yarnwise_picture::Picture;

/// Draws text in letters of `scale` times eight pixels, its upper left corner at `at`.
pub(super) fn text(picture: &mut Picture, at: [i64; 2], scale: i64, color: [u8; 3], text: &str) {
    for (i, letter) in text.chars().enumerate() {
        let Some(rows) = BASIC_LEGACY.get(letter as usize) else { continue };
        for (y, row) in rows.iter().enumerate() {
            for x in (0..8).filter(|x| row >> x & 1 == 1) {
                let corner = [at[0] + (i as i64 * 8 + x) * scale, at[1] + y as i64 * scale];
                fill(picture, corner, [scale, scale], color);
            }
        }
    }
}

/// Titles above the pictures and the legend of a heat map.
pub(crate) fn annotate(picture: &mut Picture, titles: &[String], columns: &[[u32; 2]], heat: Option<&HeatMapSpec>) {
    let scale = i64::from(picture.width.min(picture.height) / 200).max(1);
    let margin = 6 * scale;
    if titles.len() == 2 {
        fill(picture, [i64::from(columns[1][0]) - 2, 0], [2, i64::from(picture.height)], [255; 3]);
    }
    for (title, [left, _]) in titles.iter().zip(columns) {
        plate(picture, [i64::from(*left) + margin, margin], scale, title);
    }
    if let Some(heat) = heat {
        legend(picture, scale, margin, heat);
    }
}

/// Text on a plate that can be read on any background.
fn plate(picture: &mut Picture, at: [i64; 2], scale: i64, label: &str) {
    let size = [label.chars().count() as i64 * 8 * scale + 4 * scale, 12 * scale];
    fill(picture, at, size, [255; 3]);
    text(picture, [at[0] + 2 * scale, at[1] + 2 * scale], scale, [40; 3], label);
}

fn legend(picture: &mut Picture, scale: i64, margin: i64, heat: &HeatMapSpec) {
    let (width, height) = (120 * scale, 8 * scale);
    let at = [margin, i64::from(picture.height) - margin - height - 12 * scale];
    plate(picture, [at[0], at[1] - 14 * scale], scale, heat.value.label());
    for x in 0..width {
        let color = heat.palette().color(x as f32 / (width - 1) as f32).map(|c| (c * 255.0).round() as u8);
        fill(picture, [at[0] + x, at[1]], [1, height], color);
    }
    let [low, high] = heat.range().map(|v| format!("{v}"));
    let below = at[1] + height + scale;
    plate(picture, [at[0], below], scale, &low);
    plate(picture, [at[0] + width - (high.chars().count() as i64 * 8 + 4) * scale, below], scale, &high);
}

/// Fills a rectangle, as far as it is on the picture.
fn fill(picture: &mut Picture, at: [i64; 2], size: [i64; 2], [r, g, b]: [u8; 3]) {
    let (width, height) = (i64::from(picture.width), i64::from(picture.height));
    for y in at[1].max(0)..(at[1] + size[1]).min(height) {
        for x in at[0].max(0)..(at[0] + size[0]).min(width) {
            let i = (y * width + x) as usize * 4;
            picture.pixels[i..i + 4].copy_from_slice(&[r, g, b, 255]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_do_not_fit_are_cut_not_fatal() {
        let mut picture = Picture { width: 10, height: 6, pixels: vec![0; 240] };
        text(&mut picture, [-3, -3], 2, [255; 3], "Wä…");
        text(&mut picture, [9, 5], 1, [255; 3], "W");
        assert!(picture.pixels.contains(&255));
    }
}
