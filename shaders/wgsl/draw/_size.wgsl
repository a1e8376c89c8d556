// The radius in pixels of a yarn of radius r (m) at a point whose clip coordinate is w.
fn pixels(r: f32, w: f32) -> f32 {
    return r * view.viewport.z / max(w, 1e-9);
}
