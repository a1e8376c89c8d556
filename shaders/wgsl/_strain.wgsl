// From the fundamental forms at a yarn vertex to its strains; twin: `yarnwise_shared::table::strain`.

const MIN_DETERMINANT: f32 = 1e-6;
const MIN_SPREAD: f32 = 1e-20;
const MIN_AREA: f32 = 1e-12;
const EQUAL_EIGENVALUES: f32 = 1e-4;

// I at the site and at height h (m) [Sperl21, Eq. 7, 21]: I11, I12, I22.
fn form_at_height(surface: Patch, site: YarnSite, h: f32) -> vec3f {
    let first = surface.first.xyz + surface.first_b.xyz * site.b + surface.first_c.xyz * site.c;
    if (params.flags & (LINEARIZED | QUADRATIC)) == 0u {
        return first;
    }
    let second = surface.second.xyz + surface.second_b.xyz * site.b + surface.second_c.xyz * site.c;
    let linear = first + second * (-2.0 * h);
    if (params.flags & QUADRATIC) == 0u {
        return linear;
    }
    // h^2 II I^-1 II with the adjugate of I.
    let factor = h * h / max(first.x * first.z - first.y * first.y, MIN_DETERMINANT);
    let x1 = first.z * second.x - first.y * second.y;
    let y1 = first.x * second.y - first.y * second.x;
    let x2 = first.z * second.y - first.y * second.z;
    let y2 = first.x * second.z - first.y * second.y;
    let square = vec3f(
        second.x * x1 + second.y * y1,
        second.x * x2 + second.y * y2,
        second.y * x2 + second.z * y2,
    );
    return linear + square * factor;
}

// Raises the eigenvalues of a symmetric matrix (xx, xy, yy) to lambda_min [Sperl21, Section 4.3].
fn clamp_eigenvalues(m: vec3f) -> vec3f {
    let least = params.min_eigenvalue;
    if least <= 0.0 {
        return m;
    }
    let mean = 0.5 * (m.x + m.z);
    let difference = 0.5 * (m.x - m.z);
    let square = difference * difference + m.y * m.y;
    if (params.flags & COMPAT_CLAMP) != 0u && 4.0 * square < EQUAL_EIGENVALUES {
        let l = max(m.x, least);
        return vec3f(l, m.y, l);
    }
    let d = sqrt(square);
    let l1 = max(mean - d, least);
    let l2 = max(mean + d, least);
    let k = 0.5 * (l2 - l1) / max(d, MIN_SPREAD);
    let center = 0.5 * (l1 + l2);
    return vec3f(center + k * difference, k * m.y, center - k * difference);
}

// (sx, sa, sy) of I [Sperl21, Eq. 4]; finite also where I is not positive.
fn strains_of(m: vec3f) -> vec3f {
    let x = sqrt(max(m.x, 0.0));
    let y = sqrt(max(m.z, 0.0));
    return vec3f(x - 1.0, m.y / max(x * y, MIN_AREA), y - 1.0);
}
