// Stage `blocks`: the inverse of each node's block. CPU twin: cpu/yarn_solver/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use yarn_solver/_links
//!use yarn_solver/_angle
//!use yarn_solver/_ends
//!use yarn_solver/_stored_rows
//!use yarn_solver/_rows

@group(0) @binding(3) var<storage, read> rows: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> blocks: array<f32>;

fn value_at(i: u32) -> Value {
    return Value(vec3f(), vec2f());
}

var<private> block: array<f32, 15>;

fn entry(r: u32, c: u32) -> u32 {
    return r * (r + 1u) / 2u + c;
}

fn add_row(x: vec3f, slot: u32, s: f32, weight: f32) {
    for (var r = 0u; r < 3u; r++) {
        for (var c = 0u; c <= r; c++) {
            block[entry(r, c)] += weight * x[r] * x[c];
        }
        block[entry(3u + slot, r)] += weight * s * x[r];
    }
    block[entry(3u + slot, 3u + slot)] += weight * s * s;
}

fn add_segment(e: Ends, slot: u32, mass: f32) {
    let direction = row(e.slot_a, e.a);
    let stiffness = row(2u + e.slot_a, e.a);
    let rest = row(4u + e.slot_a, e.a).w;
    let t = direction.xyz;
    let w = t * (1.0 / (direction.w * rest));
    let m = 2.0 * mass * rest;
    for (var r = 0u; r < 3u; r++) {
        for (var c = 0u; c <= r; c++) {
            block[entry(r, c)] += stiffness.x * t[r] * t[c];
        }
        block[entry(r, r)] += stiffness.y + m;
        block[entry(3u + slot, r)] += stiffness.z * t[r] - m * w[r];
    }
    block[entry(3u + slot, 3u + slot)] += stiffness.w + m * dot(w, w);
}

fn is_fixed(flags: u32, k: u32) -> bool {
    let bit = select(select(HELD, STUCK_U, k == 3u), STUCK_V, k == 4u);
    return (flags & bit) != 0u;
}

// Replaces the block by its inverse, or by that of its diagonal.
fn invert() {
    var l = block;
    var sound = true;
    for (var r = 0u; r < 5u; r++) {
        for (var c = 0u; c <= r; c++) {
            var sum = l[entry(r, c)];
            for (var k = 0u; k < c; k++) {
                sum -= l[entry(r, k)] * l[entry(c, k)];
            }
            if r == c {
                sound = sound && sum > 0.0;
                l[entry(r, r)] = 1.0 / sqrt(select(1.0, sum, sum > 0.0));
            } else {
                l[entry(r, c)] = sum * l[entry(c, c)];
            }
        }
    }
    if !sound {
        for (var r = 0u; r < 5u; r++) {
            for (var c = 0u; c < r; c++) {
                block[entry(r, c)] = 0.0;
            }
            let d = block[entry(r, r)];
            block[entry(r, r)] = select(1.0, 1.0 / d, d > 0.0);
        }
        return;
    }
    for (var r = 1u; r < 5u; r++) {
        for (var c = 0u; c < r; c++) {
            var sum = l[entry(r, c)] * l[entry(c, c)];
            for (var k = c + 1u; k < r; k++) {
                sum += l[entry(r, k)] * l[entry(k, c)];
            }
            l[entry(r, c)] = -sum * l[entry(r, r)];
        }
    }
    for (var r = 0u; r < 5u; r++) {
        for (var c = 0u; c <= r; c++) {
            var sum = 0.0;
            for (var k = r; k < 5u; k++) {
                sum += l[entry(k, r)] * l[entry(k, c)];
            }
            block[entry(r, c)] = sum;
        }
    }
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let i = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP || scalars.newton > 0u || i >= params.nodes {
        return;
    }
    let mass = mass_factor();
    for (var k = 0u; k < 15u; k++) {
        block[k] = 0.0;
    }
    for (var port = 0u; port < 4u; port++) {
        let n = link(i, port);
        if n == NONE {
            continue;
        }
        let slot = port >> 1u;
        add_segment(ends_of(i, port, n), slot, mass);
        let bend = bend_at(node_of(n), slot_of(n));
        if bend.there {
            let end = select(1u, 2u, (port & 1u) == 1u);
            add_row(bend_share(bend, end, 1.0, 0.0), slot, select(-bend.rate, bend.rate, end == 2u), bend.weights.x);
            add_row(bend_share(bend, end, 0.0, 1.0), slot, 0.0, bend.weights.y);
        }
        let pair = corners_of(port_of(n));
        for (var k = 0u; k < 2u; k++) {
            let corner = corner_at(node_of(n), pair[k]);
            add_row(select(corner.weft, corner.warp, port_of(n) < 2u), 0u, 0.0, corner.weight);
        }
    }
    let diagonal = row(7u, i);
    for (var slot = 0u; slot < 2u; slot++) {
        let bend = bend_at(i, slot);
        if bend.there {
            add_row(bend_share(bend, 0u, 1.0, 0.0), slot, 0.0, bend.weights.x);
            add_row(bend_share(bend, 0u, 0.0, 1.0), slot, 0.0, bend.weights.y);
        }
        block[entry(3u + slot, 3u + slot)] += diagonal[slot];
    }
    for (var k = 0u; k < 4u; k++) {
        let corner = corner_at(i, k);
        add_row(-corner.warp - corner.weft, 0u, 0.0, corner.weight);
    }
    let flags = links[i].flags;
    for (var r = 0u; r < 5u; r++) {
        for (var c = 0u; c <= r; c++) {
            if is_fixed(flags, r) || is_fixed(flags, c) {
                block[entry(r, c)] = select(0.0, 1.0, r == c);
            }
        }
    }
    invert();
    for (var k = 0u; k < 15u; k++) {
        blocks[15u * i + k] = block[k];
    }
}
