const PI: f32 = 3.14159265358979;
const ARC_TANGENT = array<f32, 9>(
    1.0, -0.33333067, 0.19992484, -0.1420257, 0.10636754, -0.07495445, 0.04258761, -0.01600503, 0.002834064,
);

// The angle of (x, y) in [-pi, pi]; 0 for (0, 0). That of WGSL may be off by thousands of units in the last place.
fn angle_of(y: f32, x: f32) -> f32 {
    let ax = abs(x);
    let ay = abs(y);
    let small = min(ax, ay);
    let large = max(ax, ay);
    let t = select(0.0, small / large, large > 0.0);
    let z = t * t;
    var sum = ARC_TANGENT[8];
    sum = sum * z + ARC_TANGENT[7];
    sum = sum * z + ARC_TANGENT[6];
    sum = sum * z + ARC_TANGENT[5];
    sum = sum * z + ARC_TANGENT[4];
    sum = sum * z + ARC_TANGENT[3];
    sum = sum * z + ARC_TANGENT[2];
    sum = sum * z + ARC_TANGENT[1];
    sum = sum * z + ARC_TANGENT[0];
    let octant = sum * t;
    let quadrant = select(octant, 0.5 * PI - octant, ay > ax);
    let half_turn = select(quadrant, PI - quadrant, x < 0.0);
    // By the sign bit, so that -0 counts as below.
    return bitcast<f32>(bitcast<u32>(half_turn) | (bitcast<u32>(y) & 0x80000000u));
}
