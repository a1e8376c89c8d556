// Rows of B: where a hybrid node is in its triangle.

const BETA_UNIT: f32 = 2.384185791015625e-7;
const BETA_ZERO: i32 = 4194304;

fn triangle_of(row: HybridRow) -> u32 {
    return row.low & 0xffffu;
}

fn beta_of(row: HybridRow) -> vec3f {
    let one = i32((row.low >> 16u) | ((row.high & 0xffu) << 16u)) - BETA_ZERO;
    let two = i32(row.high >> 8u) - BETA_ZERO;
    let b = vec2f(vec2i(one, two)) * BETA_UNIT;
    return vec3f(1.0 - b.x - b.y, b.x, b.y);
}
