// Orthotropic St. Venant-Kirchhoff membrane [Casafranca20, Section 4.1]. CPU twin: cpu/hybrid/svk.rs.
fn st_venant_kirchhoff(u: vec3f, v: vec3f) -> Membrane {
    let e = vec3f(0.5 * (dot(u, u) - 1.0), 0.5 * dot(u, v), 0.5 * (dot(v, v) - 1.0));
    let c = hybrid.membrane;
    let s = vec3f(c.x * e.x + c.z * e.z, 2.0 * c.w * e.y, c.z * e.x + c.y * e.z);
    let p = hybrid.positive * material_factor();
    let tension = positive_part(s) * (scalars.h * scalars.h);
    let one = mat3x3f(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    return Membrane(
        u * s.x + v * s.y,
        u * s.y + v * s.z,
        outer(u, u) * p.x + outer(v, v) * p.w + one * tension.x,
        outer(v, v) * p.y + outer(u, u) * p.w + one * tension.z,
        outer(u, v) * p.z + outer(v, u) * p.w + one * tension.y,
    );
}
