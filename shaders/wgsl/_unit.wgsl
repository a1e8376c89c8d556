const MIN_SQUARE: f32 = 1.1754944e-38;

// Unit length, or zero where there is no direction.
fn unit(a: vec3f) -> vec3f {
    let square = dot(a, a);
    return a * select(0.0, 1.0 / sqrt(square), square > MIN_SQUARE);
}
