// The energy of a weave as a membrane; the solver has the formulas. CPU twin: cpu/hybrid/matched.rs.

// Force along the normal on the middle of a yarn that runs over (bit 1) and under as the bits say.
fn woven_force(sides: u32, stretch: f32) -> f32 {
    let step = params.spacing * stretch;
    var p: array<vec3f, 5>;
    for (var k = 0u; k < 5u; k++) {
        p[k] = vec3f((f32(k) - 2.0) * step, 0.0, select(-params.radius, params.radius, ((sides >> k) & 1u) == 1u));
    }
    let rest = params.spacing;
    var force = bent(p[0], p[1], p[2], rest, rest, -1.0, 0.0);
    force += bent(p[1], p[2], p[3], rest, rest, 1.0, 1.0);
    force += bent(p[2], p[3], p[4], rest, rest, 0.0, -1.0);
    let tension = max(params.stretch * (stretch - 1.0), 0.0);
    let behind = p[1] - p[2];
    let ahead = p[3] - p[2];
    let pull = behind * (tension / sqrt(dot(behind, behind))) + ahead * (tension / sqrt(dot(ahead, ahead)));
    return force.z + pull.z;
}

// Corners at phi that do not jam and that do, and at pi - phi, each times 1 + c_n F_n / F_0.
fn growth_of(weft: f32, warp: f32) -> vec4f {
    var growth = vec4f();
    for (var k = 0u; k < hybrid.crossings; k++) {
        let crossing = crossings[k];
        let over = select(-1.0, 1.0, ((crossing.warp >> 2u) & 1u) == 1u);
        let pressed = woven_force(crossing.warp, warp) - woven_force(crossing.weft, weft);
        let force = max(-0.5 * over * pressed, 0.0);
        let c = crossing.corners;
        growth += vec4f(c[0], c[1], c[2], c[3]) * (1.0 + params.shear_compression * force);
    }
    return growth;
}

// Moment and stiffness of all corners, per area.
fn woven_shear(phi: f32, growth: vec4f) -> vec2f {
    let one = shear_at(phi, params.shear, false) * growth.x + shear_at(phi, params.shear, true) * growth.y;
    let two = shear_at(PI - phi, params.shear, false) * growth.z + shear_at(PI - phi, params.shear, true) * growth.w;
    return vec2f(one.x - two.x, one.y + two.y) / (params.spacing * params.spacing);
}

// Stress and stiffness of one family of yarns, per area.
fn woven_stretch(length: f32) -> vec2f {
    let strain = length - 1.0;
    let k = params.stretch / params.spacing * select(1.0, params.compression_ratio, strain < 0.0);
    return vec2f(k * strain, k);
}

// Stress and tangent at F, whose compression is that of F too.
fn matched(u: vec3f, v: vec3f) -> Membrane {
    let length_u = sqrt(dot(u, u));
    let length_v = sqrt(dot(v, v));
    let t1 = select(vec3f(1.0, 0.0, 0.0), u / length_u, length_u > COLLAPSED);
    let t3 = select(vec3f(1.0, 0.0, 0.0), v / length_v, length_v > COLLAPSED);
    let iu = 1.0 / max(length_u, FOLDED);
    let iv = 1.0 / max(length_v, FOLDED);
    let angle = angle_between(t1, t3);
    let shear = woven_shear(angle_of(angle.sine, angle.cosine), growth_of(length_u, length_v));
    let along_u = woven_stretch(length_u);
    let along_v = woven_stretch(length_v);
    let g1 = angle.e1 * -iu;
    let g3 = angle.e3 * -iv;
    var out: Membrane;
    out.stress_u = t1 * along_u.x + g1 * shear.x;
    out.stress_v = t3 * along_v.x + g3 * shear.x;
    let turning = max(shear.y, 0.0);
    let c = material_factor();
    out.uu = outer(t1, t1) * (c * along_u.y) + outer(g1, g1) * (c * turning);
    out.vv = outer(t3, t3) * (c * along_v.y) + outer(g3, g3) * (c * turning);
    out.uv = outer(g1, g3) * (c * turning);
    let h = scalars.h;
    out.uu += in_plane(t1, angle.e1, shear.x * iu * iu, along_u.x * iu) * (h * h);
    out.vv += in_plane(t3, angle.e3, shear.x * iv * iv, along_v.x * iv) * (h * h);
    let sine = max(angle.sine, PARALLEL_SINE);
    let cotangent = angle.cosine / sine;
    let across = positive_part(vec3f(
        along_u.x * iu + shear.x * cotangent * iu * iu,
        -shear.x * iu * iv / sine,
        along_v.x * iv + shear.x * cotangent * iv * iv,
    )) * (h * h);
    let normal = outer(angle.normal, angle.normal);
    out.uu += normal * across.x;
    out.uv += normal * across.y;
    out.vv += normal * across.z;
    return out;
}

// The positive part of the stiffness of tension in the plane of a yarn's direction and the one across it.
fn in_plane(t: vec3f, e: vec3f, mixed: f32, along: f32) -> mat3x3f {
    let block = positive_part(vec3f(0.0, mixed, along));
    return outer(t, t) * block.x + (outer(t, e) + outer(e, t)) * block.y + outer(e, e) * block.z;
}
