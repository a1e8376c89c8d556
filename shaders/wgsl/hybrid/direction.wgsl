// Stage `direction`: the next direction of conjugate gradients, P^-1 r + beta d. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use hybrid/_spread

@group(0) @binding(2) var<storage, read> diagonal: array<NodeDiagonal>;
@group(0) @binding(3) var<storage, read> rows: array<HybridRow>;
@group(0) @binding(4) var<storage, read> hybrid_triangles: array<u32>;
@group(0) @binding(5) var<storage, read> carried: array<f32>;
@group(0) @binding(6) var<storage, read> r: array<NodeVector>;
@group(0) @binding(7) var<storage, read_write> d: array<NodeVector>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_SOLVE || i >= params.nodes + hybrid.free {
        return;
    }
    let own = diagonal[i];
    var rest = value_of(r[i]);
    rest.x -= spread(own.row);
    let y = scaled_by(own, rest);
    if scalars.beta == 0.0 {
        // The first one: what was there is no direction.
        d[i] = vector_of(y);
    } else {
        d[i] = vector_of(value_add(y, value_of(d[i]), scalars.beta));
    }
}
