// Stage `donors`: crossings where yarns are cut have the compression of others of their kind. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params

@group(0) @binding(2) var<storage, read> donors: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> compression: array<f32>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP || i >= hybrid.donors {
        return;
    }
    compression[donors[i].x] = compression[donors[i].y];
}
