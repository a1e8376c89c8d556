// A times the vector of `value_at` at one node. CPU twin: cpu/yarn_solver/product.rs.

fn node_product(i: u32) -> Value {
    let own = value_at(i);
    let mass = mass_factor();
    var y = Value(vec3f(), own_diagonal(i) * own.s);
    for (var port = 0u; port < 4u; port++) {
        let n = link(i, port);
        if n == NONE {
            continue;
        }
        let slot = port >> 1u;
        let share = segment_share(ends_of(i, port, n), mass);
        y.x += share.xyz;
        y.s[slot] += share.w;
        let bend = bend_at(node_of(n), slot_of(n));
        if bend.there {
            let end = select(1u, 2u, (port & 1u) == 1u);
            y.x += bend_share(bend, end, bend.products.x, bend.products.y);
            y.s[slot] += select(-bend.rate, bend.rate, end == 2u) * bend.products.x;
        }
        let pair = corners_of(port_of(n));
        for (var k = 0u; k < 2u; k++) {
            let corner = corner_at(node_of(n), pair[k]);
            y.x += select(corner.weft, corner.warp, port_of(n) < 2u) * corner.product;
        }
    }
    for (var slot = 0u; slot < 2u; slot++) {
        let bend = bend_at(i, slot);
        y.x += bend_share(bend, 0u, bend.products.x, bend.products.y);
    }
    for (var k = 0u; k < 4u; k++) {
        let corner = corner_at(i, k);
        y.x -= (corner.warp + corner.weft) * corner.product;
    }
    return y;
}
