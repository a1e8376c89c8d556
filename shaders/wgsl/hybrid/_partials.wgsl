// Sums of workgroups lie behind the vector w.

fn set_partial(at: u32, sum: vec2f) {
    let k = 5u * all_points() + 2u * at;
    w[k] = sum.x;
    w[k + 1u] = sum.y;
}

fn w_at(i: u32) -> Value {
    let k = 5u * i;
    return Value(vec3f(w[k], w[k + 1u], w[k + 2u]), vec2f(w[k + 3u], w[k + 4u]));
}

fn set_w(i: u32, v: Value) {
    let k = 5u * i;
    w[k] = v.x.x;
    w[k + 1u] = v.x.y;
    w[k + 2u] = v.x.z;
    w[k + 3u] = v.s.x;
    w[k + 4u] = v.s.y;
}
