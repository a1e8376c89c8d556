//!use _groups

const GROUP: u32 = 64u;

// The number of a node, for workgroups of 64.
fn node_number(group: vec3u, groups: vec3u, local: u32) -> u32 {
    return group_number(group, groups) * GROUP + local;
}
