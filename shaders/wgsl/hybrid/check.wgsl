// Stage `check`: whether a step leaves nodes and vertices where they can be. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use yarn_solver/_sums
//!use yarn_solver/_links
//!use yarn_solver/_fixed
//!use yarn_solver/_pieces
//!use yarn_solver/_check
//!use hybrid/_partials

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> d: array<NodeVector>;
@group(0) @binding(6) var<storage, read_write> w: array<f32>;

fn velocity_at(i: u32) -> Value {
    return value_of(d[i]);
}

// Whether the strain of a segment ahead changes too much.
fn is_strained(i: u32) -> bool {
    for (var slot = 0u; slot < 2u; slot++) {
        let n = link(i, 2u * slot + 1u);
        if n == NONE {
            continue;
        }
        let piece = piece_at(i, 2u * slot + 1u, n, scalars.h);
        if abs(piece.longer) > hybrid.strain_change * piece.rest_before {
            return true;
        }
    }
    return false;
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_CHECK {
        return;
    }
    var mine = vec2f();
    if i < all_points() {
        let v = velocity_at(i);
        if !all_fine(v) || leaves(i, v) {
            mine.y = 1.0;
        } else if i < params.nodes && (is_crowded(i) || is_strained(i)) {
            mine.x = 1.0;
        }
    }
    let sum = group_sum(local, mine);
    if local == 0u && i < all_points() {
        set_partial(i / GROUP, sum);
    }
}
