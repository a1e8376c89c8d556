// Ambient occlusion from depths of several samples a pixel, the first of which is used.
//!use draw/_occlusion

@group(0) @binding(1) var depths: texture_depth_multisampled_2d;

fn depth_at(pixel: vec2i) -> f32 {
    return textureLoad(depths, pixel, 0);
}
