// Stage `vertex_gather`: A_v d at a vertex, and what it gives to the curvature. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use yarn_solver/_sums
//!use hybrid/_vertex
//!use hybrid/_partials

@group(0) @binding(2) var<storage, read> slots: array<vec4f>;
@group(0) @binding(3) var<storage, read> vertex_list: array<u32>;
@group(0) @binding(4) var<storage, read> vertex_mass: array<f32>;
@group(0) @binding(5) var<storage, read> d: array<NodeVector>;
@group(0) @binding(6) var<storage, read> diagonal: array<NodeDiagonal>;
@group(0) @binding(7) var<storage, read_write> w: array<f32>;
@group(0) @binding(8) var<storage, read_write> forces: array<f32>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let c = node_number(group, groups, local);
    if scalars.phase != PHASE_SOLVE {
        return;
    }
    var mine = vec2f();
    if c < active_count() {
        let i = point_of(c);
        let own = value_of(d[i]).x;
        let sum = own * (vertex_mass[c] * (1.0 + scalars.h * params.mass_damping)) + gathered(c);
        var y = Value(vec3f(), vec2f());
        if c < hybrid.free {
            y = kept(diagonal[i], Value(sum, vec2f()));
            mine.x = dot(own, y.x);
        } else {
            set_force(c - hybrid.free, sum);
            mine.x = dot(own, sum);
        }
        set_w(i, y);
    }
    let sum = group_sum(local, mine);
    if local == 0u && c < active_count() {
        set_partial((params.nodes + 63u) / 64u + c / GROUP, sum);
    }
}
