// Deformation of triangles, from exact differences of positions.

fn column(a: vec3f, b: vec3f, gradients: array<f32, 4>, k: u32) -> vec3f {
    return select(a * gradients[0] + b * gradients[2], a * gradients[1] + b * gradients[3], k == 1u);
}

fn set_slot(k: u32, force: vec3f) {
    slots[k] = vec4f(force, 0.0);
}

// Forces on the corners from P: f_k = -A P grad N_k, weight included.
fn set_forces(t: u32, triangle: MembraneTriangle, u: vec3f, v: vec3f, sign: f32) {
    let g = triangle.gradients;
    let one = (u * g[0] + v * g[1]) * (sign * triangle.weight);
    let two = (u * g[2] + v * g[3]) * (sign * triangle.weight);
    set_slot(3u * t, -one - two);
    set_slot(3u * t + 1u, one);
    set_slot(3u * t + 2u, two);
}

fn change_of(triangle: MembraneTriangle, k: u32) -> vec3f {
    let zero = value_of(d[params.nodes + triangle.corners[0]]).x;
    let one = value_of(d[params.nodes + triangle.corners[1]]).x - zero;
    let two = value_of(d[params.nodes + triangle.corners[2]]).x - zero;
    return column(one, two, triangle.gradients, k);
}
