//! Stages of conjugate gradients: `start`, `update`, `direction`.

use super::view::Value;
use crate::gpu::BLOCK_WORDS;

/// P⁻¹ r at a node.
pub fn precondition(block: &[f32; BLOCK_WORDS], r: &Value) -> Value {
    let [a, b, c, d, e] = r.words();
    let m = block;
    Value::from_words(&[
        m[0] * a + m[1] * b + m[3] * c + m[6] * d + m[10] * e,
        m[1] * a + m[2] * b + m[4] * c + m[7] * d + m[11] * e,
        m[3] * a + m[4] * b + m[5] * c + m[8] * d + m[12] * e,
        m[6] * a + m[7] * b + m[8] * c + m[9] * d + m[13] * e,
        m[10] * a + m[11] * b + m[12] * c + m[13] * d + m[14] * e,
    ])
}

/// d = P⁻¹ r; rᵀd and rᵀr of the node.
pub fn start(block: &[f32; BLOCK_WORDS], r: &Value) -> (Value, [f32; 2]) {
    let d = precondition(block, r);
    (d, [Value::dot(r, &d), Value::dot(r, r)])
}

/// x += α d, r −= α w, then z = P⁻¹ r in place of w; rᵀz and rᵀr of the node.
pub fn update(
    block: &[f32; BLOCK_WORDS],
    alpha: f32,
    x: &mut Value,
    r: &mut Value,
    d: &Value,
    w: &mut Value,
) -> [f32; 2] {
    *x = Value::combine(x, 1.0, d, alpha);
    *r = Value::combine(r, 1.0, w, -alpha);
    let (z, sums) = start(block, r);
    *w = z;
    sums
}

/// d = z + β d.
pub fn direction(z: &Value, beta: f32, d: &Value) -> Value {
    Value::combine(z, 1.0, d, beta)
}
