// A face's surface as polynomials of its barycentrics; see `yarnwise_shaders::gpu::Patch`.
struct Patch {
    position: vec4f,
    normal: vec4f,
    position_b: vec4f,
    normal_b: vec4f,
    position_c: vec4f,
    normal_c: vec4f,
    first: vec4f,
    second: vec4f,
    first_b: vec4f,
    second_b: vec4f,
    first_c: vec4f,
    second_c: vec4f,
    du: vec4f,
    dv: vec4f,
    du_b: vec4f,
    dv_b: vec4f,
    du_c: vec4f,
    dv_c: vec4f,
    position_bb: vec4f,
    position_bc: vec4f,
    position_cc: vec4f,
    inverse: vec4f,
}

// How much larger than baked the pattern lies here.
fn scale_of(surface: Patch) -> f32 {
    return surface.normal.w;
}
