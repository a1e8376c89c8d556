// What rows are made of, as the stage `elements` has left it.
//!use yarn_solver/_segment

fn row(part: u32, node: u32) -> vec4f {
    return rows[part * params.nodes + node];
}

fn direction_at(node: u32, slot: u32) -> vec4f {
    return row(slot, node);
}

fn segment_at(node: u32, slot: u32) -> SegmentAt {
    return SegmentAt(row(slot, node), row(2u + slot, node), row(4u + slot, node).w);
}

fn bend_weights(node: u32, slot: u32, angle: Angle) -> vec3f {
    return row(4u + slot, node).xyz;
}

fn corner_weight(node: u32, corner: u32) -> f32 {
    return row(6u, node)[corner];
}

fn own_diagonal(node: u32) -> vec2f {
    return row(7u, node).xy;
}
