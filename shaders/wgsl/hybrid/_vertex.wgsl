// Sums over the elements at a vertex, in the order of the list.

// The place of a vertex among nodes and vertices.
fn point_of(c: u32) -> u32 {
    return params.nodes + c;
}

fn gathered(c: u32) -> vec3f {
    var sum = vec3f();
    for (var at = vertex_list[c]; at < vertex_list[c + 1u]; at++) {
        sum += slots[vertex_list[active_count() + 1u + at]].xyz;
    }
    return sum;
}

fn set_force(v: u32, sum: vec3f) {
    forces[3u * v] = sum.x;
    forces[3u * v + 1u] = sum.y;
    forces[3u * v + 2u] = sum.z;
}
