// The number of a workgroup in a dispatch of one or two dimensions: row by row.
fn group_number(group: vec3u, groups: vec3u) -> u32 {
    return group.y * groups.x + group.x;
}
