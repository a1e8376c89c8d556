// Stage `elements`: rows and stresses of the elements that belong to a node. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_links
//!use yarn_solver/_fixed
//!use yarn_solver/_angle
//!use yarn_solver/_vectors
//!use yarn_solver/_pieces
//!use yarn_solver/_whole
//!use yarn_solver/_elements
//!use yarn_solver/_friction
//!use yarn_solver/_shear
//!use yarn_solver/_corners
//!use yarn_solver/_slide

@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> arcs: array<NodeArcs>;
@group(0) @binding(5) var<storage, read> velocity: array<NodeVector>;
@group(0) @binding(6) var<storage, read> compression: array<f32>;
@group(0) @binding(7) var<storage, read> anchors: array<NodeAnchors>;
@group(0) @binding(8) var<storage, read_write> vectors: array<f32>;
@group(0) @binding(9) var<storage, read_write> rows: array<vec4f>;

fn velocity_at(i: u32) -> Value {
    return value_add(value_of(velocity[i]), vector_at(i, 0u), 1.0);
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP || i >= params.nodes {
        return;
    }
    let n = params.nodes;
    let ahead = select(0.0, scalars.h, scalars.newton > 0u);
    let flags = links[i].flags;
    var pieces: array<Piece, 4>;
    for (var port = 0u; port < 4u; port++) {
        let l = link(i, port);
        if l != NONE {
            pieces[port] = piece_at(i, port, l, ahead);
        }
    }
    for (var slot = 0u; slot < 2u; slot++) {
        let behind = link(i, 2u * slot);
        let front = link(i, 2u * slot + 1u);
        var bend = vec3f();
        var rest = 0.0;
        if front != NONE {
            let ahead_piece = pieces[2u * slot + 1u];
            rest = ahead_piece.rest_before;
            let segment = segment_row(ahead_piece, thickness(flags, links[node_of(front)].flags), 1.0);
            rows[slot * n + i] = segment.direction;
            rows[(2u + slot) * n + i] = segment.stiffness;
            vectors[VECTOR_WORDS * i + 5u + 2u * slot] = segment.stress.x;
            vectors[VECTOR_WORDS * i + 6u + 2u * slot] = segment.stress.y;
            if behind != NONE {
                let behind_piece = pieces[2u * slot];
                let angle = angle_between(ahead_piece.t, behind_piece.t);
                bend = bend_row(angle, behind_piece.rest + ahead_piece.rest, 1.0);
            }
        } else {
            rows[slot * n + i] = vec4f();
            rows[(2u + slot) * n + i] = vec4f();
            vectors[VECTOR_WORDS * i + 5u + 2u * slot] = 0.0;
            vectors[VECTOR_WORDS * i + 6u + 2u * slot] = 0.0;
        }
        rows[(4u + slot) * n + i] = vec4f(bend, rest);
    }
    var weights = vec4f();
    for (var k = 0u; k < 4u; k++) {
        let one = link(i, k >> 1u);
        let three = link(i, 2u + (k & 1u));
        var corner = vec2f();
        if (flags & CROSSING) != 0u && one != NONE && three != NONE {
            corner = corner_row(i, k, pieces[k >> 1u], pieces[2u + (k & 1u)], node_of(one), node_of(three));
        }
        weights[k] = corner.x;
        vectors[VECTOR_WORDS * i + 9u + k] = corner.y;
    }
    rows[6u * n + i] = weights;
    let u = slide_row(i, 0u);
    let v = slide_row(i, 1u);
    rows[7u * n + i] = vec4f(u.x, v.x, u.y, v.y);
}
