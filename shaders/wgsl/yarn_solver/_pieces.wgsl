// Segments of q_n + h v. CPU twin: `piece` of cpu/yarn_solver/elements.rs. Needs positions, arcs, links, `velocity_at`.

const COLLAPSED: f32 = 1e-12;

struct Piece {
    t: vec3f,
    length: f32,
    rest: f32,
    rest_before: f32,
    longer: f32,
    slid: f32,
}

// The segment behind a port, in the direction of the arc coordinate; `ahead` seconds of motion are added.
fn piece_at(i: u32, port: u32, n: u32, ahead: f32) -> Piece {
    let slot = port >> 1u;
    let other = node_of(n);
    let sign = select(-1.0, 1.0, (port & 1u) == 1u);
    let before = difference(positions[i], positions[other]) * sign;
    let rest_before = sign * arc_difference(arcs[i], slot, arcs[other], slot_of(n));
    var moved = vec3f();
    var slid = 0.0;
    if ahead > 0.0 {
        let here = velocity_at(i);
        let there = velocity_at(other);
        moved = (there.x - here.x) * (sign * ahead);
        slid = sign * ahead * (there.s[slot_of(n)] - here.s[slot]);
    }
    let d = before + moved;
    let length = sqrt(dot(d, d));
    let length_before = sqrt(dot(before, before));
    let rest = rest_before + slid;
    var t = vec3f(1.0, 0.0, 0.0);
    if length > COLLAPSED * abs(rest) {
        t = d * (1.0 / length);
    }
    let sum = length + length_before;
    var longer = 0.0;
    if sum > 0.0 {
        longer = dot(moved, d + before) / sum;
    }
    return Piece(t, length, rest, rest_before, longer, slid);
}
