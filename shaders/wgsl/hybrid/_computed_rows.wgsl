// What rows are made of, computed from positions at the start of the step: nothing is stored but the weights of corners.
//!use yarn_solver/_segment

fn velocity_at(i: u32) -> Value {
    return Value(vec3f(), vec2f());
}

fn direction_at(node: u32, slot: u32) -> vec4f {
    let front = link(node, 2u * slot + 1u);
    if front == NONE {
        return vec4f();
    }
    let piece = piece_at(node, 2u * slot + 1u, front, 0.0);
    return vec4f(piece.t, 1.0 / max(piece.length, FOLDED * piece.rest));
}

fn row_at(node: u32, slot: u32, front: u32, piece: Piece) -> SegmentRow {
    let thick = thickness(links[node].flags, links[node_of(front)].flags);
    return segment_row(piece, thick, element_weight(node, slot));
}

fn segment_at(node: u32, slot: u32) -> SegmentAt {
    let front = link(node, 2u * slot + 1u);
    let piece = piece_at(node, 2u * slot + 1u, front, 0.0);
    let row = row_at(node, slot, front, piece);
    let lumped = (links[node].flags & (LUMPED_U << slot)) != 0u;
    return SegmentAt(row.direction, row.stiffness, select(piece.rest, 0.0, lumped));
}

fn bend_weights(node: u32, slot: u32, angle: Angle) -> vec3f {
    let two = link(node, 2u * slot);
    let one = link(node, 2u * slot + 1u);
    let rest = arc_difference(arcs[node_of(two)], slot_of(two), arcs[node_of(one)], slot_of(one));
    return bend_row(angle, rest, element_weight(node, 2u + slot));
}

fn corner_weight(node: u32, corner: u32) -> f32 {
    return corners[node][corner];
}
