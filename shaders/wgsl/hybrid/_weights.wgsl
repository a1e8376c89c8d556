// The part of an element that yarns have [Casafranca20, Eq. 4].
fn element_weight(i: u32, k: u32) -> f32 {
    let at = links[i].flags / WEIGHTED;
    if at == 0u {
        return 1.0;
    }
    let pair = unpack2x16unorm(weights[at - 1u][k >> 1u]);
    return select(pair.x, pair.y, (k & 1u) == 1u);
}
