// r^T P^-1 r = r^T t - g^T lambda, and r^T r [Casafranca20, Eq. 15, for the reduced unknowns].

@group(0) @binding(3) var<storage, read> coarse: array<f32>;
@group(0) @binding(4) var<storage, read> lambda: array<f32>;

fn reduced(local: u32) -> vec2f {
    let sum = total(local, (all_points() + 63u) / 64u);
    var mine = 0.0;
    for (var k = local; k < 3u * hybrid.slaves; k += THREADS) {
        mine += coarse[k] * lambda[k];
    }
    return sum - vec2f(tree(local, vec2f(mine, 0.0)).x, 0.0);
}
