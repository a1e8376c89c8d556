// Stage `hinge_force`: moment and row of a hinge [Grinspun03]. CPU twin: cpu/hybrid/.
//!use yarn_solver/_params
//!use yarn_solver/_uniforms
//!use yarn_solver/_group
//!use hybrid/_params
//!use yarn_solver/_fixed
//!use _angle

@group(0) @binding(2) var<storage, read> hinges: array<HingeElement>;
@group(0) @binding(3) var<storage, read> positions: array<NodePosition>;
@group(0) @binding(4) var<storage, read> d: array<NodeVector>;
@group(0) @binding(5) var<storage, read_write> hinge_rows: array<HingeRow>;
@group(0) @binding(6) var<storage, read_write> slots: array<vec4f>;

const FLAT: f32 = 1e-4;

fn set_row(k: u32, hinge: u32, g: vec3f, moment: f32) {
    hinge_rows[hinge].gradients[3u * k] = g.x;
    hinge_rows[hinge].gradients[3u * k + 1u] = g.y;
    hinge_rows[hinge].gradients[3u * k + 2u] = g.z;
    slots[3u * hybrid.triangles + 4u * hinge + k] = vec4f(g * -moment, 0.0);
}

fn rate_of(c: u32, g: vec3f) -> f32 {
    return dot(g, value_of(d[params.nodes + c]).x);
}

@compute @workgroup_size(GROUP)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) local: u32,
) {
    let k = node_number(group, groups, local);
    if scalars.phase != PHASE_STEP || k >= hybrid.hinges {
        return;
    }
    let hinge = hinges[k];
    let c = hinge.corners;
    let zero = positions[params.nodes + c[0]];
    let e = difference(zero, positions[params.nodes + c[1]]);
    let a = difference(zero, positions[params.nodes + c[2]]);
    let b = difference(zero, positions[params.nodes + c[3]]);
    let n1 = cross(-a, e - a);
    let n2 = cross(e - b, -b);
    let shortest = FLAT * hinge.length;
    let length = sqrt(dot(e, e));
    let angle = angle_of(dot(cross(n1, n2), e) / max(length, shortest), dot(n1, n2));
    let least_1 = 2.0 * FLAT * hinge.area_1;
    let least_2 = 2.0 * FLAT * hinge.area_2;
    let g2 = n1 * (-length / max(dot(n1, n1), least_1 * least_1));
    let g3 = n2 * (-length / max(dot(n2, n2), least_2 * least_2));
    let square = max(length * length, shortest * shortest);
    let f2 = dot(a, e) / square;
    let f3 = dot(b, e) / square;
    let g0 = -(g2 * (1.0 - f2) + g3 * (1.0 - f3));
    let g1 = -(g2 * f2 + g3 * f3);
    let h = scalars.h;
    let stiffness = 2.0 * hinge.weight;
    let implicit = h * (h + params.stiffness_damping) * stiffness;
    let rate = rate_of(c[0], g0) + rate_of(c[1], g1) + rate_of(c[2], g2) + rate_of(c[3], g3);
    let moment = h * stiffness * (angle - hinge.rest_angle) + implicit * rate;
    set_row(0u, k, g0, moment);
    set_row(1u, k, g1, moment);
    set_row(2u, k, g2, moment);
    set_row(3u, k, g3, moment);
    hinge_rows[k].weight = implicit;
}
