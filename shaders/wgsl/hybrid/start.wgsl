// Stage `start`: the residual of the reduced unknowns, b_p + B K^-1 b_v. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use yarn_solver/_sums
//!use hybrid/_spread
//!use hybrid/_partials

@group(0) @binding(2) var<storage, read> diagonal: array<NodeDiagonal>;
@group(0) @binding(3) var<storage, read> rows: array<HybridRow>;
@group(0) @binding(4) var<storage, read> hybrid_triangles: array<u32>;
@group(0) @binding(5) var<storage, read> carried: array<f32>;
@group(0) @binding(6) var<storage, read_write> r: array<NodeVector>;
@group(0) @binding(7) var<storage, read_write> w: array<f32>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP {
        return;
    }
    var mine = vec2f();
    if i < all_points() {
        let own = diagonal[i];
        var sum = value_of(r[i]);
        sum.x += spread(own.row);
        sum = kept(own, sum);
        r[i] = vector_of(sum);
        mine = vec2f(value_dot(sum, scaled_by(own, sum)), value_dot(sum, sum));
    }
    let sum = group_sum(local, mine);
    if local == 0u && i < all_points() {
        set_partial(i / GROUP, sum);
    }
}
