//! Colors as `#rrggbb`.

use serde::{Deserialize, Serialize};

/// A color, sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Color(pub [u8; 3]);

impl Color {
    /// Linear light from 0 to 1.
    pub fn linear(self) -> [f32; 3] {
        self.0.map(|c| {
            let c = f32::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        })
    }
}

impl From<Color> for String {
    fn from(Color([r, g, b]): Color) -> String {
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

impl TryFrom<String> for Color {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()));
        let number = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let number = number.ok_or_else(|| format!("'{text}' is not a color such as \"#c8102e\""))?;
        Ok(Color([(number >> 16) as u8, (number >> 8) as u8, number as u8]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_read_as_they_are_written() {
        let color = Color::try_from("#c8102e".to_owned()).unwrap();
        assert_eq!(color, Color([0xc8, 0x10, 0x2e]));
        assert_eq!(String::from(color), "#c8102e");
        for bad in ["c8102e", "#c8102", "#c8102g", "#+12345", "#ééé", ""] {
            assert!(Color::try_from(bad.to_owned()).is_err(), "{bad}");
        }
        assert_eq!(Color([0, 255, 0]).linear(), [0.0, 1.0, 0.0]);
        assert!((Color([188; 3]).linear()[0] - 0.5).abs() < 0.01);
    }
}
