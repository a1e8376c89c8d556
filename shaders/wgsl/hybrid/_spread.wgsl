// B times what vertices carry, at a hybrid node.
//!use hybrid/_rows

fn carried_at(v: u32) -> vec3f {
    return vec3f(carried[3u * v], carried[3u * v + 1u], carried[3u * v + 2u]);
}

fn spread(at: u32) -> vec3f {
    if at == NONE {
        return vec3f();
    }
    let row = rows[at];
    let beta = beta_of(row);
    let t = 3u * triangle_of(row);
    return carried_at(hybrid_triangles[t]) * beta.x
        + carried_at(hybrid_triangles[t + 1u]) * beta.y
        + carried_at(hybrid_triangles[t + 2u]) * beta.z;
}
