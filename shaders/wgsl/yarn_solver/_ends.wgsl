// Both ends of a segment, in the direction of its arc coordinate: node and slot of a, of b; whether b asks.
struct Ends {
    a: u32,
    slot_a: u32,
    b: u32,
    slot_b: u32,
    far: bool,
}

fn ends_of(node: u32, port: u32, n: u32) -> Ends {
    if (port & 1u) == 1u {
        return Ends(node, port >> 1u, node_of(n), slot_of(n), false);
    }
    return Ends(node_of(n), slot_of(n), node, port >> 1u, true);
}
