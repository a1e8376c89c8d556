//! The documents name only what exists, and guides stay short.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folders of the repository.
const ROOMS: [&str; 9] =
    ["shared/", "precompute/", "runtime/", "shaders/", "data/", "tests/", "docs/", "scripts/", ".ci/"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The Markdown pages in a folder and, if wanted, in the folders below it.
fn pages(folder: &Path, below: bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && below {
            found.extend(pages(&path, true));
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
    found
}

fn documents() -> Vec<PathBuf> {
    let folders = [("", false), ("docs", true), ("data", true), ("tests/fuzz", false)];
    folders.iter().flat_map(|(name, below)| pages(&root().join(name), *below)).collect()
}

/// A page without its fenced blocks: those hold commands and their output, not paths of ours.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Where links and pictures lead: file and heading, either of which may be empty. Also `[name]: target` lines.
fn links(text: &str) -> Vec<(String, String)> {
    let inline = text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let listed = text.lines().filter(|line| line.starts_with('[')).filter_map(|line| line.split_once("]: "));
    let targets = inline.chain(listed.filter_map(|(_, target)| target.split(' ').next()));
    let ours = targets.filter(|target| !target.contains("://"));
    ours.map(|target| target.split_once('#').unwrap_or((target, "")))
        .map(|(f, h)| (f.to_owned(), h.to_owned()))
        .collect()
}

/// The name under which a heading can be linked to: small letters, spaces as hyphens, punctuation left out.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn anchors(page: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let headings = prose(&text).lines().filter_map(|l| l.strip_prefix('#').map(str::to_owned)).collect::<Vec<_>>();
    headings.iter().map(|h| anchor(h.trim_start_matches('#'))).collect()
}

/// Whether a word between backticks is a path in this repository (and not an option, a type, or an output).
fn is_path(word: &str) -> bool {
    ROOMS.iter().any(|room| word.starts_with(room))
        && !word.contains([' ', '*', '{', '<', '\n'])
        && !word.ends_with(|c: char| c.is_ascii_uppercase())
}

#[test]
fn every_path_named_in_a_document_exists() {
    let mut checked = 0;
    for document in documents() {
        let text = prose(&std::fs::read_to_string(&document).unwrap());
        for word in quoted(&text).filter(|word| is_path(word)) {
            assert!(root().join(word).exists(), "{} names '{word}', which does not exist", document.display());
            checked += 1;
        }
    }
    assert!(checked > 10, "only {checked} paths found: the test does not look where it should");
}

#[test]
fn every_link_in_a_document_leads_to_a_file_and_a_heading() {
    let mut checked = 0;
    for document in documents() {
        let text = prose(&std::fs::read_to_string(&document).unwrap());
        for (file, heading) in links(&text) {
            let target = if file.is_empty() { document.clone() } else { document.parent().unwrap().join(&file) };
            let shown = document.display();
            assert!(target.exists(), "{shown} links to '{file}', which does not exist");
            assert!(
                heading.is_empty() || anchors(&target).contains(&heading),
                "{shown} links to '{file}#{heading}', which has no such heading"
            );
            checked += 1;
        }
    }
    assert!(checked > 40, "only {checked} links found: the test does not look where it should");
}

#[test]
fn every_page_and_picture_of_the_documentation_is_linked_from_a_document() {
    let mut linked = BTreeSet::new();
    for document in documents() {
        let text = prose(&std::fs::read_to_string(&document).unwrap());
        let targets = links(&text).into_iter().map(|(file, _)| document.parent().unwrap().join(file));
        linked.extend(targets.filter_map(|target| target.canonicalize().ok()));
    }
    let mut folders = vec![root().join("docs")];
    let mut checked = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path().canonicalize().unwrap();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert!(linked.contains(&path), "no document links to {}", path.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 30, "only {checked} files found: the test does not look where it should");
}

/// The paths of an indented tree: a name at the beginning of each line, two spaces for each level, a description after it.
fn tree_paths(tree: &str) -> Vec<PathBuf> {
    let mut levels: Vec<&str> = Vec::new();
    let mut paths = Vec::new();
    for line in tree.lines().filter(|line| !line.trim().is_empty()) {
        levels.truncate((line.len() - line.trim_start().len()) / 2);
        levels.extend(line.split_whitespace().next());
        paths.push(levels.iter().collect());
    }
    paths
}

#[test]
fn the_tree_of_the_architecture_exists() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let tree = page.split("```tree\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block ```tree");
    let paths = tree_paths(tree);
    assert!(paths.len() > 30, "only {} folders found", paths.len());
    for path in paths {
        assert!(
            root().join(&path).is_dir(),
            "ARCHITECTURE.md has {} in its tree, which does not exist",
            path.display()
        );
    }
}

/// Keys of papers such as Sperl21 that a text cites in square brackets.
fn citations(text: &str) -> Vec<&str> {
    let inner = text.split('[').skip(1).filter_map(|rest| rest.split([']', ',', '\\']).next());
    inner.filter(|key| is_key(key)).collect()
}

/// A name and a year of two digits.
fn is_key(word: &str) -> bool {
    let Some((name, year)) = word.split_at_checked(word.len() - word.len().min(2)) else { return false };
    let is_name = name.len() > 2 && name.chars().all(|c| c.is_ascii_alphabetic());
    is_name && name.starts_with(|c: char| c.is_ascii_uppercase()) && year.chars().all(|c| c.is_ascii_digit())
}

#[test]
fn every_paper_that_is_cited_is_in_the_bibliography() {
    let notation = std::fs::read_to_string(root().join("docs/reference/notation.md")).unwrap();
    let mut folders: Vec<PathBuf> = ROOMS.iter().map(|room| root().join(room)).filter(|room| room.is_dir()).collect();
    let mut cited = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap_or_default();
            if path.is_dir() && name != "target" {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs" || e == "wgsl" || e == "md") {
                let text = std::fs::read_to_string(&path).unwrap();
                cited.extend(citations(&text).into_iter().map(str::to_owned));
            }
        }
    }
    assert!(cited.len() > 5, "only {cited:?} found: the test does not look where it should");
    for key in cited {
        assert!(
            notation.contains(&format!("**[{key}]**")),
            "[{key}] is cited, but docs/reference/notation.md has no such paper"
        );
    }
}

#[test]
fn a_guide_has_at_most_150_lines() {
    let guides = pages(&root().join("docs/guide"), false);
    assert!(guides.len() > 1, "the guides are not where they should be");
    for guide in guides {
        let lines = std::fs::read_to_string(&guide).unwrap().lines().count();
        assert!(lines <= 150, "{} has {lines} lines: move what is not teaching to another shelf", guide.display());
    }
}

#[test]
fn links_and_headings_are_found() {
    let text = "See [a](b.md#c-d) and ![e](f.png).\n\n[g]: h/i.md\n[j]: https://example.org/k \"l\"\n";
    let expected = [("b.md", "c-d"), ("f.png", ""), ("h/i.md", "")];
    assert_eq!(links(text), expected.map(|(f, h)| (f.to_owned(), h.to_owned())));
    assert_eq!(anchor(" How dense, and why?"), "how-dense-and-why");
    assert_eq!(
        citations("see [Sperl21, Eq. 7], \\[Kaldor08\\], [f64; 3], a[i] and [link](b.md)"),
        ["Sperl21", "Kaldor08"]
    );
    assert_eq!(tree_paths("a/  b\n  c/ d\n    e/\nf/\n"), ["a/", "a/c/", "a/c/e/", "f/"].map(PathBuf::from));
}
