// The angle between two unit vectors. Its CPU twin, cpu/yarn_solver/angle.rs, has the formulas.
//!use _angle

const PARALLEL_SINE: f32 = 1e-6;

struct Angle {
    sine: f32,
    cosine: f32,
    normal: vec3f,
    e1: vec3f,
    e3: vec3f,
}

fn across_unit(t: vec3f) -> vec3f {
    let other = select(vec3f(0.0, 1.0, 0.0), vec3f(1.0, 0.0, 0.0), abs(t.x) < 0.9);
    let product = cross(t, other);
    return product / sqrt(dot(product, product));
}

fn angle_between(t1: vec3f, t3: vec3f) -> Angle {
    let product = cross(t1, t3);
    let sine = sqrt(dot(product, product));
    var normal = across_unit(t1);
    if sine > PARALLEL_SINE {
        normal = product * (1.0 / sine);
    }
    return Angle(sine, dot(t1, t3), normal, cross(normal, t1), cross(t3, normal));
}
