// The mesh's side of the structs that host and shaders share; see `yarnwise_shaders::gpu` for their meaning.

const NONE: u32 = 0xffffffffu;

struct FaceLinks {
    corners: array<u32, 3>,
    scale: f32,
    material: array<u32, 3>,
    island: u32,
    opposite: array<u32, 3>,
    padding: u32,
}

struct FaceChart {
    edges: vec4f,
    inverse: vec4f,
    origin: vec2f,
    padding: vec2f,
    neighbors: array<u32, 3>,
    padding_2: u32,
}

struct SurfaceForms {
    du: vec4f,
    dv: vec4f,
    first: vec4f,
    second: vec4f,
}

struct SurfaceParams {
    faces: u32,
    vertices: u32,
    phong: f32,
    face_gradient: u32,
}

fn normal_of(forms: SurfaceForms) -> vec3f {
    return vec3f(forms.du.w, forms.dv.w, forms.first.w);
}
