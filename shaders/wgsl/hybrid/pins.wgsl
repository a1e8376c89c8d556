// Stage `pins`: the velocity of a node or vertex with a prescribed position. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use yarn_solver/_fixed

@group(0) @binding(2) var<storage, read> pins: array<PinTarget>;
@group(0) @binding(3) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(4) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(5) var<storage, read_write> x: array<NodeVector>;
@group(0) @binding(6) var<storage, read_write> d: array<NodeVector>;

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
    let speed = way * (1.0 / scalars.left);
    let v = value_of(velocity[pin.node]);
    x[pin.node] = vector_of(Value(speed - v.x, value_of(x[pin.node]).s));
    d[pin.node] = vector_of(Value(speed, value_of(d[pin.node]).s));
}
