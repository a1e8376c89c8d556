// Force and tangent of friction at an offset from its anchor.
fn anchored(stiffness: f32, limit: f32, offset: f32) -> vec2f {
    let trial = -stiffness * offset;
    if abs(trial) <= limit {
        return vec2f(trial, stiffness);
    }
    return vec2f(clamp(trial, -limit, limit), 0.0);
}
