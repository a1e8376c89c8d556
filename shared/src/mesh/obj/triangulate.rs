//! Polygons into triangles.

use super::statements::{Corner, Statements};
use crate::mesh::MAX_COUNT;
use crate::{Error, Result};

/// The triangles of all polygons.
pub(super) struct Triangles {
    pub(super) triangles: Vec<[Corner; 3]>,
    /// For each triangle the polygon it comes from.
    pub(super) polygons: Vec<u32>,
}

/// Splits polygons by the shape that they have in the UV plane.
pub(super) fn by_uv(statements: &Statements, lines: &[u32], origin: &str) -> Result<Triangles> {
    // A corner that leads nowhere is refused later, with a better message; its place is of no matter here.
    let place = |c: &Corner| {
        let [u, v] = statements.uvs.get(c.uv as usize).copied().unwrap_or_default();
        [f64::from(u), f64::from(v), 0.0]
    };
    let fan_fails = |polygon: usize| {
        let problem = format!(
            "face {} has {} corners and is not convex in the UV plane: split it into triangles before the export",
            polygon + 1,
            statements.polygon(polygon).len()
        );
        Err(Error::text(origin, lines[polygon] as usize, problem))
    };
    split(statements, origin, place, fan_fails)
}

/// Splits polygons by the shape that they have in space; polygons of more than four corners always become a fan.
pub(super) fn by_position(statements: &Statements, origin: &str) -> Result<Triangles> {
    let place = |c: &Corner| statements.positions.get(c.vertex as usize).copied().unwrap_or_default().map(f64::from);
    split(statements, origin, place, |_| Ok(()))
}

fn split(
    statements: &Statements,
    origin: &str,
    place: impl Fn(&Corner) -> [f64; 3],
    on_folded_fan: impl Fn(usize) -> Result<()>,
) -> Result<Triangles> {
    let n = statements.corners.len().saturating_sub(2 * statements.ends.len());
    if n > MAX_COUNT {
        return Err(Error::invalid(origin, format!("has {n} triangles, at most {MAX_COUNT} are possible")));
    }
    let mut out = Triangles { triangles: Vec::with_capacity(n), polygons: Vec::with_capacity(n) };
    for i in 0..statements.ends.len() {
        match *statements.polygon(i) {
            [a, b, c] => out.triangles.push([a, b, c]),
            [a, b, c, d] => out.triangles.extend(split_quad([a, b, c, d], [a, b, c, d].map(|x| place(&x)))),
            ref polygon => {
                let at: Vec<_> = polygon.iter().map(&place).collect();
                if !consistent((1..at.len() - 1).map(|k| [at[0], at[k], at[k + 1]])) {
                    on_folded_fan(i)?;
                }
                out.triangles.extend((1..polygon.len() - 1).map(|k| [polygon[0], polygon[k], polygon[k + 1]]));
            }
        }
        out.polygons.resize(out.triangles.len(), i as u32);
    }
    Ok(out)
}

fn split_quad([a, b, c, d]: [Corner; 4], [pa, pb, pc, pd]: [[f64; 3]; 4]) -> [[Corner; 3]; 2] {
    let across_02 = consistent([[pa, pb, pc], [pa, pc, pd]].into_iter());
    let across_13 = consistent([[pa, pb, pd], [pb, pc, pd]].into_iter());
    let shorter_02 = squared_distance(pa, pc) <= squared_distance(pb, pd);
    let use_02 = if across_02 == across_13 { shorter_02 } else { across_02 };
    if use_02 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
}

/// Whether no triangle is turned over against another.
fn consistent(triangles: impl Iterator<Item = [[f64; 3]; 3]>) -> bool {
    let mut first: Option<[f64; 3]> = None;
    for [a, b, c] in triangles {
        let n = cross(minus(b, a), minus(c, a));
        let reference = *first.get_or_insert(n);
        if dot(reference, n) < 0.0 {
            return false;
        }
        // A triangle without area has no side to compare with.
        if dot(reference, reference) == 0.0 {
            first = Some(n);
        }
    }
    true
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn squared_distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    dot(minus(a, b), minus(a, b))
}
