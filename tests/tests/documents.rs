//! The documents name only what exists.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn documents() -> Vec<PathBuf> {
    let folder = |name: &str| std::fs::read_dir(root().join(name)).unwrap().map(|e| e.unwrap().path());
    let is_page = |p: &PathBuf| p.extension().is_some_and(|e| e == "md");
    folder(".").chain(folder("docs")).chain(folder("data")).filter(is_page).collect()
}

/// What stands between backticks, and where links and pictures lead.
fn references(text: &str) -> Vec<String> {
    let mut found: Vec<String> = text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    for link in text.split("](").skip(1) {
        found.extend(link.split([')', '#']).next().map(str::to_owned));
    }
    found
}

/// Whether a word between backticks is a path in this repository (and not an option, a type, or an output).
fn is_path(word: &str) -> bool {
    const ROOMS: [&str; 9] =
        ["shared/", "precompute/", "runtime/", "shaders/", "data/", "tests/", "docs/", "scripts/", ".ci/"];
    ROOMS.iter().any(|room| word.starts_with(room)) && !word.contains([' ', '*', '{', '<', '\n'])
}

#[test]
fn every_path_named_in_a_document_exists() {
    let mut checked = 0;
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        // Fenced blocks hold commands and their output, not paths of ours.
        let prose: String = text.split("```").step_by(2).collect();
        for word in references(&prose) {
            let link = text.contains(&format!("]({word}")) && !word.contains("://") && !word.is_empty();
            let base = if link { document.parent().unwrap().to_owned() } else { root() };
            if link || is_path(&word) {
                assert!(base.join(&word).exists(), "{} names '{word}', which does not exist", document.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 10, "only {checked} paths found: the test does not look where it should");
}
