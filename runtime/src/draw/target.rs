//! What the host's render passes draw into.

/// The host's target: what its render passes draw into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetOptions {
    /// Format of the colors. Where it does not encode sRGB by itself, the shaders do.
    pub color_format: wgpu::TextureFormat,
    /// Format of the depths.
    pub depth_format: wgpu::TextureFormat,
    /// What a depth must be, compared with the one before, to be drawn.
    pub depth_compare: wgpu::CompareFunction,
    /// Samples of a pixel, as the format allows: 1 or 4, for smooth outlines.
    pub sample_count: u32,
}

impl Default for TargetOptions {
    fn default() -> Self {
        TargetOptions {
            color_format: wgpu::TextureFormat::Rgba8UnormSrgb,
            depth_format: wgpu::TextureFormat::Depth32Float,
            depth_compare: wgpu::CompareFunction::Less,
            sample_count: 4,
        }
    }
}
