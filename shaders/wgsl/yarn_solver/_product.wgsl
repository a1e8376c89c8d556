// A times the vector of `value_at` at one node. CPU twin: cpu/yarn_solver/product.rs.

// What the bend and the corners of the neighbor behind a port give to a node: at x, and in its slot. `arm` is the direction to the neighbor.
fn neighbor_share(port: u32, n: u32, arm: vec4f) -> vec4f {
    let other = node_of(n);
    let back = port_of(n);
    let slot = slot_of(n);
    let toward = vec4f(-arm.xyz, arm.w);
    var share = vec4f();
    if link(other, back ^ 1u) != NONE {
        let far = away(other, back ^ 1u);
        let is_ahead = (back & 1u) == 1u;
        let bend = bend_of(other, slot, select(far, toward, is_ahead), select(toward, far, is_ahead));
        // Behind a plus port a node is the 2 of its neighbor's bend, otherwise the 1.
        let end = select(1u, 2u, (port & 1u) == 1u);
        let slid = bend.rate * bend.products.x;
        share = vec4f(bend_share(bend, end, bend.products.x, bend.products.y), select(-slid, slid, end == 2u));
    }
    let pair = corners_of(back);
    let is_warp = back < 2u;
    for (var k = 0u; k < 2u; k++) {
        let side = select(k, 2u + k, is_warp);
        if link(other, side) == NONE {
            continue;
        }
        let across = away(other, side);
        let corner = corner_of(other, pair[k], select(across, toward, is_warp), select(toward, across, is_warp));
        share += vec4f(select(corner.weft, corner.warp, is_warp) * corner.product, 0.0);
    }
    return share;
}

fn node_product(i: u32) -> Value {
    let own = value_at(i);
    let mass = mass_factor();
    var y = Value(vec3f(), own_diagonal(i) * own.s);
    var arms: array<vec4f, 4>;
    for (var port = 0u; port < 4u; port++) {
        let n = link(i, port);
        if n == NONE {
            continue;
        }
        arms[port] = away(i, port);
        let slot = port >> 1u;
        let share = segment_share(ends_of(i, port, n), mass) + neighbor_share(port, n, arms[port]);
        y.x += share.xyz;
        y.s[slot] += share.w;
    }
    for (var slot = 0u; slot < 2u; slot++) {
        if link(i, 2u * slot) == NONE || link(i, 2u * slot + 1u) == NONE {
            continue;
        }
        let bend = bend_of(i, slot, arms[2u * slot + 1u], arms[2u * slot]);
        y.x += bend_share(bend, 0u, bend.products.x, bend.products.y);
    }
    for (var k = 0u; k < 4u; k++) {
        if link(i, k >> 1u) == NONE || link(i, 2u + (k & 1u)) == NONE {
            continue;
        }
        let corner = corner_of(i, k, arms[k >> 1u], arms[2u + (k & 1u)]);
        y.x -= (corner.warp + corner.weft) * corner.product;
    }
    return y;
}
