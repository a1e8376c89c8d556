// From triangle to triangle of one island, toward a point of the material plane; twin: cpu/walk.rs.

const WALK_STEPS: u32 = 32u;
const WALK_TOLERANCE: f32 = 1e-6;

// A point of the surface: a face and the barycentrics of its corners 1 and 2.
struct SurfacePoint {
    face: u32,
    b: f32,
    c: f32,
}

fn walk(start: SurfacePoint) -> SurfacePoint {
    var at = start;
    var came_from = NONE;
    for (var step = 0u; step < WALK_STEPS; step++) {
        let neighbors = charts[at.face].neighbors;
        // How far inside the edges 0, 1, 2; the walk leaves over the one that the point is farthest beyond.
        let inside = array<f32, 3>(at.c, 1.0 - at.b - at.c, at.b);
        var next = NONE;
        var least = -WALK_TOLERANCE;
        if inside[0] < least && neighbors[0] != NONE && neighbors[0] != came_from {
            least = inside[0];
            next = neighbors[0];
        }
        if inside[1] < least && neighbors[1] != NONE && neighbors[1] != came_from {
            least = inside[1];
            next = neighbors[1];
        }
        if inside[2] < least && neighbors[2] != NONE && neighbors[2] != came_from {
            least = inside[2];
            next = neighbors[2];
        }
        if next == NONE {
            break;
        }
        came_from = at.face;
        at = transfer(at, next);
    }
    return at;
}

// Barycentrics of the same point in a neighboring face of the same island.
fn transfer(at: SurfacePoint, next: u32) -> SurfacePoint {
    let edges = charts[at.face].edges;
    let p = edges.xy * at.b + edges.zw * at.c + (charts[at.face].origin - charts[next].origin);
    let inverse = charts[next].inverse;
    return SurfacePoint(next, dot(inverse.xy, p), dot(inverse.zw, p));
}
