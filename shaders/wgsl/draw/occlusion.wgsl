// Ambient occlusion from depths of one sample a pixel.
//!use draw/_occlusion

@group(0) @binding(1) var depths: texture_depth_2d;

fn depth_at(pixel: vec2i) -> f32 {
    return textureLoad(depths, pixel, 0);
}
