//! The published patterns read, and survive being written and read again.

use yarnwise_shared::pattern::{pyp, yarn};

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
