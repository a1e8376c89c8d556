// Stress of a membrane, and h^2 times its tangent with damping, between the columns of F.
struct Membrane {
    stress_u: vec3f,
    stress_v: vec3f,
    uu: mat3x3f,
    vv: mat3x3f,
    uv: mat3x3f,
}

const MIN_SPREAD: f32 = 1e-20;

// a b^T: row r, column c is a_r b_c.
fn outer(a: vec3f, b: vec3f) -> mat3x3f {
    return mat3x3f(a * b.x, a * b.y, a * b.z);
}

// A symmetric matrix (xx, xy, yy) without its negative eigenvalues.
fn positive_part(m: vec3f) -> vec3f {
    let mean = 0.5 * (m.x + m.z);
    let difference = 0.5 * (m.x - m.z);
    let spread = sqrt(difference * difference + m.y * m.y);
    let low = max(mean - spread, 0.0);
    let high = max(mean + spread, 0.0);
    let k = 0.5 * (high - low) / max(spread, MIN_SPREAD);
    let center = 0.5 * (low + high);
    return vec3f(center + k * difference, k * m.y, center - k * difference);
}

// h^2 + h beta: what strain is multiplied with; tension has h^2 alone, damping must not brake rotation.
fn material_factor() -> f32 {
    return scalars.h * (scalars.h + params.stiffness_damping);
}
