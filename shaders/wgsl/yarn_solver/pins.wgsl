// Stage `pins`: the change of velocity of a node with a prescribed position. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_fixed
//!use yarn_solver/_vectors
//!use yarn_solver/_set_vectors

@group(0) @binding(2) var<storage, read> pins: array<PinTarget>;
@group(0) @binding(3) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(4) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(5) var<storage, read_write> vectors: array<f32>;

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP || i >= params.pins {
        return;
    }
    let pin = pins[i];
    let way = difference(positions[pin.node], NodePosition(pin.goal[0], pin.goal[1], pin.goal[2], 0));
    let v = value_of(velocity[pin.node]);
    var x = vector_at(pin.node, 0u);
    x.x = way * (1.0 / scalars.left) - v.x;
    set_vector(pin.node, 0u, x);
}
