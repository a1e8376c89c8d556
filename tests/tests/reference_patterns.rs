//! The published patterns read, and survive being written and read again.

use yarnwise_shared::pattern::crossings::crossings;
use yarnwise_shared::pattern::knit::{KnitChart, KnitOptions, knit};
use yarnwise_shared::pattern::{Pattern, pyp, yarn};

#[test]
fn published_patterns_round_trip() {
    let Some(reference) = yarnwise_tests::reference("published_patterns_round_trip") else { return };
    let mut count = 0;
    for entry in std::fs::read_dir(reference.join("patterns")).unwrap() {
        let path = entry.unwrap().path();
        let pattern = pyp::read(&path).unwrap();
        let again = pyp::parse(pyp::to_text(&pattern).as_bytes(), "again").unwrap();
        assert_eq!(pattern, again, "{}", path.display());
        let again = yarn::parse(yarn::to_text(&pattern).as_bytes(), "again").unwrap();
        assert_eq!(pattern, again, "{}", path.display());
        count += 1;
    }
    assert!(count >= 5, "only {count} patterns");
}

/// Over (true) and under along a yarn, from its first vertex on.
fn over_and_under(pattern: &Pattern, yarn: usize) -> Vec<bool> {
    let order = &pattern.yarns()[yarn].vertices;
    let place = |edge: usize, at: f64| order.iter().position(|v| *v as usize == edge).map(|k| k as f64 + at);
    let mut met: Vec<(f64, bool)> = Vec::new();
    for crossing in crossings(pattern).unwrap() {
        met.extend(place(crossing.edges[0], crossing.at[0]).map(|p| (p, true)));
        met.extend(place(crossing.edges[1], crossing.at[1]).map(|p| (p, false)));
    }
    met.sort_by(|a, b| a.0.total_cmp(&b.0));
    met.into_iter().map(|(_, over)| over).collect()
}

#[test]
fn published_stockinette_is_knitted_like_ours() {
    let Some(reference) = yarnwise_tests::reference("published_stockinette_is_knitted_like_ours") else { return };
    let published = pyp::read(&reference.join("patterns/stockinette.pyp")).unwrap();
    let made = |chart: &str| knit(&KnitChart::parse(chart).unwrap(), &KnitOptions::default()).unwrap();
    let sequence = over_and_under(&published, 0);
    assert_eq!(sequence, over_and_under(&made("KK/KK"), 0));
    assert_ne!(sequence, over_and_under(&made("PP/PP"), 0));
    assert_ne!(sequence, over_and_under(&made("KP/KP"), 0));
}
