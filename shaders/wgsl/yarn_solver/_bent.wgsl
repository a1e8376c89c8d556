// Bends of crimped points. CPU twin: cpu/yarn_solver/compression.rs.

const COLLAPSED: f32 = 1e-12;
const FOLDED: f32 = 1e-4;

fn direction(d: vec3f, rest: f32) -> vec4f {
    let length = sqrt(dot(d, d));
    var t = vec3f(1.0, 0.0, 0.0);
    if length > COLLAPSED * rest {
        t = d * (1.0 / length);
    }
    return vec4f(t, max(length, FOLDED * rest));
}

// Moment times the gradients of the angle at c (weight 'ahead') and at a (weight 'behind').
fn bent(a: vec3f, b: vec3f, c: vec3f, rest_ab: f32, rest_bc: f32, ahead: f32, behind: f32) -> vec3f {
    let d3 = direction(b - a, rest_ab);
    let d1 = direction(c - b, rest_bc);
    let angle = angle_between(d1.xyz, d3.xyz);
    let moment = 2.0 * params.bend / (rest_ab + rest_bc) * angle_of(angle.sine, angle.cosine);
    let g1 = angle.e1 * (-1.0 / d1.w);
    let g2 = angle.e3 * (1.0 / d3.w);
    return (g1 * ahead + g2 * behind) * moment;
}
