// The smooth curve through a yarn's vertices, and the material frame along it.
//
// Between two vertices: the cubic with the vertices' positions and tangents (Hermite). The tangent at a vertex is that
// of the parabola through it and its neighbors, so unequal segments make no bumps; at a yarn's end, the segment's own.
//!use _unit
//!use _yarn

struct Ring {
    center: vec3f,
    radius: f32,
    tangent: vec3f,
    // Where the material frame's first director points, across the tangent.
    director: vec3f,
    // Rest arc length, meters.
    arc: f32,
}

fn position_of(v: YarnVertex) -> vec3f {
    return vec3f(v.position[0], v.position[1], v.position[2]);
}

fn unpack_director(bits: u32) -> vec3f {
    let p = unpack2x16snorm(bits);
    let z = 1.0 - abs(p.x) - abs(p.y);
    let under = max(-z, 0.0);
    return unit(vec3f(p - select(vec2f(-under), vec2f(under), p >= vec2f()), z));
}

// Some unit vector across a unit vector.
fn across(t: vec3f) -> vec3f {
    let axis = select(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), abs(t.x) > 0.7);
    return unit(cross(t, axis));
}

// d without its part along the unit vector t, of unit length.
fn square_to(d: vec3f, t: vec3f) -> vec3f {
    let rest = d - t * dot(d, t);
    return select(across(t), unit(rest), dot(rest, rest) > 1e-6 * dot(d, d));
}

// The first material director at a vertex: the reference director turned by the twist around the tangent.
fn material_director(v: YarnVertex, tangent: vec3f) -> vec3f {
    let d = square_to(unpack_director(v.director), tangent);
    return d * cos(v.twist) + cross(tangent, d) * sin(v.twist);
}

// Unit-speed tangent of the parabola whose incoming and outgoing chords are `before` and `after`.
fn parabola_tangent(before: vec3f, after: vec3f) -> vec3f {
    let l0 = length(before);
    let l1 = length(after);
    let sum = l0 + l1;
    let tangent = (before * (l1 / max(l0, 1e-12)) + after * (l0 / max(l1, 1e-12))) / max(sum, 1e-12);
    return tangent;
}

// The ring at t (0 to 1) of the segment from vertex i on.
fn ring_at(i: u32, t: f32) -> Ring {
    let a = vertices[i];
    let b = vertices[i + 1u];
    let pa = position_of(a);
    let pb = position_of(b);
    let chord = pb - pa;
    let l = length(chord);
    var before = chord;
    var after = chord;
    if (strands[i].yarn & FIRST) == 0u {
        before = pa - position_of(vertices[i - 1u]);
    }
    if (strands[i + 1u].yarn & LAST) == 0u {
        after = position_of(vertices[i + 2u]) - pb;
    }
    let ta = parabola_tangent(before, chord);
    let tb = parabola_tangent(chord, after);
    let u = 1.0 - t;
    let center = pa * (u * u * (1.0 + 2.0 * t)) + pb * (t * t * (3.0 - 2.0 * t))
        + (ta * u - tb * t) * (t * u * l);
    let speed = chord * (6.0 * t * u) + (ta * (u * (1.0 - 3.0 * t)) + tb * (t * (3.0 * t - 2.0))) * l;
    var tangent = unit(speed);
    if dot(tangent, tangent) == 0.0 {
        tangent = vec3f(1.0, 0.0, 0.0);
    }
    let da = material_director(a, unit(ta));
    let db = material_director(b, unit(tb));
    let s = t * t * (3.0 - 2.0 * t);
    return Ring(
        center,
        mix(a.radius, b.radius, s),
        tangent,
        square_to(mix(da, db, t), tangent),
        mix(strands[i].arc, strands[i + 1u].arc, t),
    );
}
