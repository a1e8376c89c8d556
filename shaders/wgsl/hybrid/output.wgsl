// Stage `output`: positions of nodes and vertices for a renderer, meters from the origin of fixed point. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use yarn_solver/_fixed

@group(0) @binding(2) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(3) var<storage, read_write> node_points: array<f32>;
@group(0) @binding(4) var<storage, read_write> vertex_points: array<f32>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if i >= all_points() {
        return;
    }
    let meters = difference(NodePosition(0, 0, 0, 0), positions[i]);
    let k = 3u * select(i - params.nodes, i, i < params.nodes);
    if i < params.nodes {
        node_points[k] = meters.x;
        node_points[k + 1u] = meters.y;
        node_points[k + 2u] = meters.z;
    } else {
        vertex_points[k] = meters.x;
        vertex_points[k + 1u] = meters.y;
        vertex_points[k + 2u] = meters.z;
    }
}
