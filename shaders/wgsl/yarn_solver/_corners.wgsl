// Shear with jamming and its friction at a corner. Needs `_elements`, `_friction`, compression and anchors.

// Weight and h times the moment of a corner.
fn corner_row(i: u32, k: u32, u: Piece, v: Piece, one: u32, three: u32) -> vec2f {
    let h = scalars.h;
    let flags = links[i].flags;
    let jams = interlaced(flags, links[one].flags) || interlaced(flags, links[three].flags);
    let t1 = u.t * select(-1.0, 1.0, (k >> 1u) == 1u);
    let t3 = v.t * select(-1.0, 1.0, (k & 1u) == 1u);
    let angle = angle_between(t1, t3);
    let phi = angle_of(angle.sine, angle.cosine);
    let force = compression[i];
    let elastic = shear_at(phi, params.shear * (1.0 + params.shear_compression * force), jams);
    let moment = elastic.x;
    let stiffness = elastic.y;
    let friction = anchored(params.turning, params.turning_friction * force, phi - anchors[i].corners[k]);
    let damping = h * params.stiffness_damping;
    var stress = h * (moment - friction.x);
    if scalars.newton > 0u {
        let here = velocity_at(i).x;
        let inverse_u = 1.0 / max(u.length, FOLDED * u.rest);
        let inverse_v = 1.0 / max(v.length, FOLDED * v.rest);
        let d1 = velocity_at(one).x - here;
        let d3 = velocity_at(three).x - here;
        stress += damping * stiffness * (-inverse_u * dot(angle.e1, d1) - inverse_v * dot(angle.e3, d3));
    }
    let share = element_weight(i, 4u + k);
    return vec2f(h * h * (stiffness + friction.y) + damping * stiffness, stress) * share;
}
