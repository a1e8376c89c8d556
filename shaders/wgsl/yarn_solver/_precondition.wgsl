// P^-1 r at a node.
fn precondition(i: u32, r: Value) -> Value {
    let k = 15u * i;
    let a = r.x.x;
    let b = r.x.y;
    let c = r.x.z;
    let d = r.s.x;
    let e = r.s.y;
    return Value(
        vec3f(
            blocks[k] * a + blocks[k + 1u] * b + blocks[k + 3u] * c + blocks[k + 6u] * d + blocks[k + 10u] * e,
            blocks[k + 1u] * a + blocks[k + 2u] * b + blocks[k + 4u] * c + blocks[k + 7u] * d + blocks[k + 11u] * e,
            blocks[k + 3u] * a + blocks[k + 4u] * b + blocks[k + 5u] * c + blocks[k + 8u] * d + blocks[k + 12u] * e,
        ),
        vec2f(
            blocks[k + 6u] * a + blocks[k + 7u] * b + blocks[k + 8u] * c + blocks[k + 9u] * d + blocks[k + 13u] * e,
            blocks[k + 10u] * a + blocks[k + 11u] * b + blocks[k + 12u] * c + blocks[k + 13u] * d + blocks[k + 14u] * e,
        ),
    );
}
