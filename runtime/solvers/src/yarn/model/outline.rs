//! Polygons: what is wrong with them, and where lines cross them.

/// The most vertices of an outline.
const MAX_VERTICES: usize = 4000;

/// Where a line crosses the outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    /// Coordinate along the line, meters.
    pub(super) at: f64,
    /// The edge, by its first vertex.
    pub(super) edge: usize,
    /// Where on the edge, 0 to 1.
    pub(super) part: f64,
}

/// The pieces inside a polygon of the line on which coordinate `axis` is `level`, in ascending order; even-odd rule.
pub(super) fn inside(polygon: &[[f64; 2]], axis: usize, level: f64) -> Vec<[Cut; 2]> {
    let n = polygon.len();
    let mut cuts: Vec<Cut> = (0..n)
        .filter_map(|edge| {
            let (a, b) = (polygon[edge], polygon[(edge + 1) % n]);
            let crosses = (a[axis] > level) != (b[axis] > level);
            let part = (level - a[axis]) / (b[axis] - a[axis]);
            crosses.then(|| Cut { at: a[1 - axis] + part * (b[1 - axis] - a[1 - axis]), edge, part })
        })
        .collect();
    cuts.sort_by(|a, b| a.at.total_cmp(&b.at));
    cuts.as_chunks::<2>().0.to_vec()
}

/// Smallest and largest coordinates.
pub(super) fn bounds(polygon: &[[f64; 2]]) -> [[f64; 2]; 2] {
    polygon.iter().fold([[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]], |[least, most], p| {
        [[least[0].min(p[0]), least[1].min(p[1])], [most[0].max(p[0]), most[1].max(p[1])]]
    })
}

/// Distance of a point from a segment, meters.
pub(super) fn distance_to_segment(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let (d, r) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let t = ((r[0] * d[0] + r[1] * d[1]) / (d[0] * d[0] + d[1] * d[1])).clamp(0.0, 1.0);
    (r[0] - t * d[0]).hypot(r[1] - t * d[1])
}

/// The first thing that makes no sense of an outline of yarns at a distance of `spacing` meters, with the vertex and the cure.
pub(super) fn fault(polygon: &[[f64; 2]], spacing: f64) -> Option<String> {
    let n = polygon.len();
    if n < 3 {
        return Some(format!("an outline of {n} vertices: give at least 3"));
    }
    if n > MAX_VERTICES {
        return Some(format!("an outline of {n} vertices: at most {MAX_VERTICES} are possible, give fewer"));
    }
    if let Some(k) = polygon.iter().position(|p| !p.iter().all(|c| c.abs() <= 1e3)) {
        return Some(format!("vertex {k} is at {:?}: coordinates are meters, at most 1000", polygon[k]));
    }
    let edge = |k: usize| (polygon[k], polygon[(k + 1) % n]);
    let length = |k: usize| (edge(k).1[0] - edge(k).0[0]).hypot(edge(k).1[1] - edge(k).0[1]);
    if let Some(k) = (0..n).find(|k| length(*k) < 1e-3 * spacing) {
        return Some(format!("vertex {k} and the next one are at the same place: leave one out"));
    }
    let [least, most] = bounds(polygon);
    let size = [most[0] - least[0], most[1] - least[1]];
    if size.iter().any(|s| *s < spacing * (1.0 - 1e-9)) {
        return Some(format!(
            "{:.3e} m by {:.3e} m: it is smaller than the distance of yarns ({spacing:.3e} m), make it larger",
            size[0], size[1]
        ));
    }
    self_intersection(polygon).map(|(j, k)| {
        format!(
            "the edges from vertex {j} and from vertex {k} intersect: list the vertices in order around the outline"
        )
    })
}

/// Two edges that are not neighbors and touch, or neighbors that fold back on each other.
fn self_intersection(polygon: &[[f64; 2]]) -> Option<(usize, usize)> {
    let n = polygon.len();
    let at = |k: usize| polygon[k % n];
    (0..n).find_map(|j| {
        (j + 1..n).find_map(|k| {
            let touch = if k == j + 1 || (j == 0 && k == n - 1) {
                let (middle, one, other) = if k == j + 1 { (k, j, k + 1) } else { (0, n - 1, 1) };
                folds_back(at(one), at(middle), at(other))
            } else {
                segments_touch([at(j), at(j + 1)], [at(k), at(k + 1)])
            };
            touch.then_some((j, k))
        })
    })
}

/// Twice the area of a triangle, positive where it turns left.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn folds_back(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> bool {
    let (d, e) = ([a[0] - b[0], a[1] - b[1]], [c[0] - b[0], c[1] - b[1]]);
    let dot = d[0] * e[0] + d[1] * e[1];
    dot > 0.0 && turn(a, b, c).abs() <= 1e-12 * dot
}

fn segments_touch([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> bool {
    let within =
        |p: [f64; 2], q: [f64; 2], r: [f64; 2]| (0..2).all(|k| r[k] >= p[k].min(q[k]) && r[k] <= p[k].max(q[k]));
    let [s1, s2, s3, s4] = [turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)];
    let proper = (s1 > 0.0) != (s2 > 0.0) && (s3 > 0.0) != (s4 > 0.0) && [s1, s2, s3, s4].iter().all(|s| *s != 0.0);
    proper
        || (s1 == 0.0 && within(a, b, c))
        || (s2 == 0.0 && within(a, b, d))
        || (s3 == 0.0 && within(c, d, a))
        || (s4 == 0.0 && within(c, d, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_a_notch_has_two_pieces() {
        let u = [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [2.0, 2.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        assert_eq!(fault(&u, 0.5), None);
        let ends = |pieces: Vec<[Cut; 2]>| pieces.iter().map(|p| [p[0].at, p[1].at]).collect::<Vec<_>>();
        assert_eq!(ends(inside(&u, 1, 1.5)), [[0.0, 1.0], [2.0, 3.0]]);
        assert_eq!(ends(inside(&u, 1, 0.5)), [[0.0, 3.0]]);
        assert_eq!(inside(&u, 0, 0.5)[0].map(|c| c.edge), [0, 6]);
    }

    #[test]
    fn outlines_that_cannot_be_filled_are_named() {
        let problem = |outline: &[[f64; 2]]| fault(outline, 0.1).unwrap_or_default();
        assert!(problem(&[]).contains("at least 3"));
        assert!(problem(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]).contains("from vertex 0 and from vertex 2"));
        assert!(problem(&[[0.0, 0.0], [1.0, f64::NAN], [1.0, 0.0]]).contains("vertex 1"));
        assert!(problem(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).contains("vertex 1 and the next"));
        assert!(problem(&[[0.0, 0.0], [0.05, 0.0], [0.05, 1.0]]).contains("smaller than"));
        // A spike that goes out and back.
        assert!(problem(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]).contains("intersect"));
        assert_eq!(problem(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), "");
    }

    #[test]
    fn distance_to_a_segment_ends_at_its_ends() {
        assert_eq!(distance_to_segment([3.0, 4.0], [-2.0, 0.0], [0.0, 0.0]), 5.0);
        assert_eq!(distance_to_segment([1.0, 2.0], [0.0, 0.0], [5.0, 0.0]), 2.0);
    }
}
