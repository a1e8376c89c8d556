// Yarns alone have all of their elements.
fn element_weight(i: u32, k: u32) -> f32 {
    return 1.0;
}
