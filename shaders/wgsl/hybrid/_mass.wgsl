// Mass that is at a node alone, kg. Its diagonal has that of segments at rest with it.
fn lumped_mass(flags: u32, diagonal: NodeDiagonal) -> f32 {
    let heavy = (flags / HEAVY) & 7u;
    return 1.0 / abs(diagonal.x) - f32(heavy) * hybrid.heavy_mass;
}
