//! Colors between sRGB and linear light.

/// sRGB (0 to 1) to linear light.
pub fn linear(color: [f32; 3]) -> [f32; 3] {
    color.map(|c| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) })
}

/// Linear light to sRGB (0 to 1).
pub fn srgb(color: [f32; 3]) -> [f32; 3] {
    color.map(|c| if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 })
}
