// Moment and stiffness of a corner of stiffness k0, with jamming where a segment of it is interlaced.
fn shear_at(phi: f32, k0: f32, jams: bool) -> vec2f {
    let psi = phi - 0.5 * PI;
    let y = select(0.0, max(1.0 - phi / params.jamming_angle, 0.0), jams);
    let c = k0 * params.jamming;
    let kx = k0 + c * y * y * y;
    let k1 = -3.0 * c * y * y / params.jamming_angle;
    let k2 = 6.0 * c * y / (params.jamming_angle * params.jamming_angle);
    let moment = params.spacing * (kx * psi + 0.5 * k1 * psi * psi);
    return vec2f(moment, params.spacing * (kx + 2.0 * k1 * psi + 0.5 * k2 * psi * psi));
}
