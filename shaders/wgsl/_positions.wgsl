// World positions of the mesh, three floats each, in a buffer that may be the host's own.
@group(0) @binding(1) var<storage, read> positions: array<f32>;

// As in `yarnwise_shared::mesh`.
const MAX_COORDINATE: f32 = 1e6;

// The contents of a host's buffer are not checked: what is not finite counts as 0 (seen in its bits, because
// compilers may assume that there is no NaN), what is too large is cut.
fn coordinate(index: u32) -> f32 {
    let value = positions[index];
    let finite = (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u;
    return select(0.0, clamp(value, -MAX_COORDINATE, MAX_COORDINATE), finite);
}

fn position(vertex: u32) -> vec3f {
    return vec3f(coordinate(3u * vertex), coordinate(3u * vertex + 1u), coordinate(3u * vertex + 2u));
}
