// Nodes in fixed point after some motion. CPU twin: cpu/yarn_solver/commit.rs.

// Whole units and what is left, after 'units' are added.
fn moved(whole: i32, fraction: i32, units: f32, unit: f32, half: i32) -> vec2i {
    let sum = f32(fraction) * unit + units;
    let steps = round(sum);
    let rest = i32(round((sum - steps) / unit));
    return vec2i(whole + i32(steps), clamp(rest, -half, half - 1));
}

// x after a motion in units.
fn moved_position(p: NodePosition, units: vec3f) -> NodePosition {
    let rest = fractions(p.fraction);
    let x = moved(p.x, rest.x, units.x, POSITION_FRACTION, 512);
    let y = moved(p.y, rest.y, units.y, POSITION_FRACTION, 512);
    let z = moved(p.z, rest.z, units.z, POSITION_FRACTION, 512);
    let fraction = (x.y & 0x3ff) | ((y.y & 0x3ff) << 10u) | ((z.y & 0x3ff) << 20u);
    return NodePosition(x.x, y.x, z.x, fraction);
}

// Arc coordinates after a motion in units.
fn moved_arcs(arcs: NodeArcs, units: vec2f) -> NodeArcs {
    let a = arc(arcs, 0u);
    let b = arc(arcs, 1u);
    let s = moved(a.x, a.y, units.x, ARC_FRACTION, 32768);
    let t = moved(b.x, b.y, units.y, ARC_FRACTION, 32768);
    return NodeArcs(s.x, t.x, (s.y & 0xffff) | (t.y << 16u));
}
