//! The embedding example runs without a window and draws yarns.

#[allow(dead_code, reason = "the example's own main is not called here")]
#[path = "../../runtime/examples/embed.rs"]
mod embed;

#[test]
fn the_embedding_example_draws_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("embed.png");
    embed::run(embed::knitted().unwrap(), &picture).unwrap();
    let picture = yarnwise_picture::Picture::read(&picture).unwrap();
    // The sheet of 18 by 12 cm covers 0.69 of a picture that is 25 cm wide.
    let inside = |x: u32, y: u32| {
        let at = |i: u32| (i as f32 + 0.5) / 768.0 * 0.25 - 0.125;
        at(x).abs() < 0.0875 && at(y).abs() < 0.0575
    };
    let (mut within, mut outside) = (0, 0);
    for (x, y) in (0..picture.height).flat_map(|y| (0..picture.width).map(move |x| (x, y))) {
        let drawn = picture.color(x, y)[1] < 128;
        *if inside(x, y) { &mut within } else { &mut outside } += u32::from(drawn);
    }
    assert!(within > 20_000, "only {within} pixels of yarn on the sheet");
    assert!(outside < within / 10, "{outside} pixels of yarn beside the sheet, {within} on it");
}
