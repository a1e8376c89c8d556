// Stage `product`: A_p d of yarn nodes, without a matrix, and what it gives to the curvature. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use yarn_solver/_sums
//!use hybrid/_flags
//!use yarn_solver/_links
//!use yarn_solver/_fixed
//!use yarn_solver/_angle
//!use yarn_solver/_pieces
//!use hybrid/_weights
//!use yarn_solver/_elements
//!use yarn_solver/_ends
//!use hybrid/_computed_rows
//!use yarn_solver/_rows
//!use yarn_solver/_product
//!use hybrid/_mass
//!use hybrid/_partials

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> corners: array<vec4f>;
@group(0) @binding(6) var<storage, read> weights: array<vec4u>;
@group(0) @binding(7) var<storage, read> diagonal: array<NodeDiagonal>;
@group(0) @binding(8) var<storage, read> d: array<NodeVector>;
@group(0) @binding(9) var<storage, read_write> w: array<f32>;

fn value_at(i: u32) -> Value {
    return value_of(d[i]);
}

// Friction of sliding, from one over its sum with the mass.
fn own_diagonal(i: u32) -> vec2f {
    let inverse = vec2f(diagonal[i].u, diagonal[i].v);
    let damped = 1.0 + scalars.h * params.mass_damping;
    let sum = 1.0 / select(vec2f(1.0), inverse, inverse > vec2f());
    return select(vec2f(), (sum - hybrid.slide_mass) * damped, inverse > vec2f());
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_SOLVE {
        return;
    }
    var mine = vec2f();
    if i < params.nodes {
        let flags = links[i].flags;
        let own = value_at(i);
        var sum = node_product(i);
        sum.x += own.x * (lumped_mass(flags, diagonal[i]) * (1.0 + scalars.h * params.mass_damping));
        let y = masked(flags, sum);
        set_w(i, y);
        mine.x = value_dot(own, y);
    }
    let sum = group_sum(local, mine);
    if local == 0u && i < params.nodes {
        set_partial(i / GROUP, sum);
    }
}
