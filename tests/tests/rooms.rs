//! The rooms of the house: which crate sees which, no modules that import each other in a circle, plain words.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is in the repository").to_owned()
}

/// Each crate, its folder, and the crates of ours that it may depend on. Arrows point one way: whatever a crate may see
/// stands above it.
const CRATES: [(&str, &str, &[&str]); 13] = [
    ("shared", "shared", &[]),
    ("program", "shared/program", &["shared"]),
    ("picture", "shared/picture", &["shared"]),
    ("shaders", "shaders", &["shared"]),
    ("device", "runtime/device", &["shaders"]),
    ("runtime", "runtime", &["shared", "shaders", "device"]),
    ("solvers", "runtime/solvers", &["shared", "shaders", "device"]),
    ("precompute", "precompute", &["shared"]),
    ("lab", "precompute/lab", &["shared", "picture", "precompute", "runtime", "solvers"]),
    ("viewer", "runtime/viewer", &["shared", "picture", "runtime", "solvers"]),
    ("view", "runtime/view", &["shared", "program", "picture", "runtime", "solvers", "viewer"]),
    ("bake", "precompute/bake", &["shared", "program", "picture", "precompute", "lab"]),
    // Its plots are drawn by the lab's one plot module.
    ("experiments", "runtime/solvers/experiments", &["shared", "program", "picture", "solvers", "lab"]),
];

/// The crates of ours in the section `[dependencies]` of a manifest.
fn dependencies(folder: &str) -> BTreeSet<String> {
    let path = root().join(folder).join("Cargo.toml");
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut section = "";
    let mut found = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section == "[dependencies]" || section == "[build-dependencies]" {
            let name = line.split(['.', '=', ' ']).next().and_then(|word| word.strip_prefix("yarnwise-"));
            found.extend(name.map(str::to_owned));
        }
    }
    found
}

#[test]
fn crates_see_only_what_they_may() {
    let mut above = BTreeSet::new();
    for (name, folder, allowed) in CRATES {
        assert!(allowed.iter().all(|a| above.contains(a)), "{name}: the table itself has an arrow that points down");
        above.insert(name);
        for seen in dependencies(folder) {
            assert!(
                allowed.contains(&seen.as_str()),
                "yarnwise-{name} depends on yarnwise-{seen}, which it may not see"
            );
        }
    }
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = workspace.split("members = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    for member in members.split('"').skip(1).step_by(2).filter(|m| *m != "tests") {
        assert!(CRATES.iter().any(|(_, folder, _)| *folder == member), "{member} is not in the table of crates");
    }
}

/// The sources of a crate without its tests: the path of each module and its text.
fn modules(folder: &str) -> Vec<(Vec<String>, String)> {
    let src = root().join(folder).join("src");
    let mut found = Vec::new();
    let mut folders = vec![(src, Vec::<String>::new())];
    while let Some((folder, path)) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let entry = entry.unwrap().path();
            let stem = entry.file_stem().unwrap().to_string_lossy().into_owned();
            if stem.contains("tests") || stem.starts_with("test_") {
                continue;
            }
            let below = |name: &str| [path.as_slice(), &[name.to_owned()]].concat();
            if entry.is_dir() {
                folders.push((entry, below(&stem)));
            } else if entry.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&entry).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
                let code: Vec<&str> = code.lines().map(|l| l.split("//").next().unwrap_or_default()).collect();
                let own = if matches!(stem.as_str(), "mod" | "lib" | "main") { path.clone() } else { below(&stem) };
                found.push((own, code.join("\n")));
            }
        }
    }
    found
}

/// All paths of a use tree such as `a::{b, c::d}`, and what is left of the text behind it.
fn tree<'a>(prefix: &[String], mut text: &'a str, out: &mut Vec<Vec<String>>) -> &'a str {
    let mut path = prefix.to_vec();
    loop {
        text = text.trim_start();
        if let Some(mut rest) = text.strip_prefix('{') {
            loop {
                rest = tree(&path, rest, out).trim_start();
                match rest.strip_prefix(',') {
                    Some(more) if !more.trim_start().starts_with('}') => rest = more,
                    Some(more) => return more.trim_start().strip_prefix('}').unwrap_or(more),
                    None => return rest.strip_prefix('}').unwrap_or(rest),
                }
            }
        }
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if !name.is_empty() {
            path.push(name.to_owned());
        }
        match rest.strip_prefix("::") {
            Some(more) if !name.is_empty() => text = more,
            _ => {
                out.push(path);
                // A new name, or a star.
                let after = rest.trim_start().strip_prefix("as ").map_or(rest, |r| {
                    let r = r.trim_start();
                    &r[r.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(r.len())..]
                });
                return after.strip_prefix('*').unwrap_or(after);
            }
        }
    }
}

/// Paths from the root of the crate that a module's text names.
fn references(module: &[String], text: &str) -> Vec<Vec<String>> {
    let mut out = Vec::new();
    for start in ["crate::", "super::"] {
        let mut from = 0;
        while let Some(at) = text[from..].find(start).map(|i| from + i) {
            from = at + start.len();
            let before = text[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '$')) {
                continue;
            }
            let mut rest = &text[from..];
            let mut base = module.to_vec();
            match start {
                "crate::" => base.clear(),
                _ => {
                    base.pop();
                    while let Some(more) = rest.strip_prefix("super::") {
                        base.pop();
                        rest = more;
                    }
                }
            }
            tree(&base, rest, &mut out);
        }
    }
    out
}

type Graph = BTreeMap<String, BTreeSet<String>>;

/// What a module has from its children under its own name, `use child::Name`: the path of the name there, and where it
/// leads. A child that names its parent's `Name` names its sibling.
fn from_children(module: &[String], text: &str, known: &BTreeSet<&[String]>) -> Vec<(Vec<String>, Vec<String>)> {
    let mut found = Vec::new();
    for line in text.split(';').filter_map(|statement| statement.split("use ").last().filter(|t| *t != statement)) {
        let mut paths = Vec::new();
        tree(module, line.trim_start().trim_start_matches("self::"), &mut paths);
        for path in paths.into_iter().filter(|p| p.len() > module.len() + 1 && known.contains(&p[..=module.len()])) {
            found.push(([module, &path[path.len() - 1..]].concat(), path));
        }
    }
    found
}

/// Where a path leads after all names that a module only passes on.
fn resolve(mut named: Vec<String>, passed_on: &BTreeMap<Vec<String>, Vec<String>>) -> Vec<String> {
    // No name is passed on through more modules than this.
    for _ in 0..8 {
        match (1..=named.len()).find_map(|n| Some((n, passed_on.get(&named[..n])?))) {
            Some((n, target)) => named = [target.as_slice(), &named[n..]].concat(),
            None => break,
        }
    }
    named
}

/// For each folder of modules, which of its modules names which other one.
fn siblings(folder: &str) -> BTreeMap<String, Graph> {
    let modules = modules(folder);
    let known: BTreeSet<&[String]> =
        modules.iter().flat_map(|(path, _)| (1..=path.len()).map(|n| &path[..n])).collect();
    let passed_on = modules.iter().flat_map(|(path, text)| from_children(path, text, &known)).collect();
    let mut graphs: BTreeMap<String, Graph> = BTreeMap::new();
    for (path, text) in &modules {
        for named in references(path, text).into_iter().map(|named| resolve(named, &passed_on)) {
            let common = path.iter().zip(&named).take_while(|(a, b)| a == b).count();
            if common < path.len() && common < named.len() && known.contains(&named[..=common]) {
                let graph = graphs.entry([&[folder.to_owned()], &path[..common]].concat().join("::")).or_default();
                graph.entry(path[common].clone()).or_default().insert(named[common].clone());
            }
        }
    }
    graphs
}

fn reach(graph: &Graph, from: &str) -> BTreeSet<String> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(at) = open.pop() {
        for next in graph.get(&at).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

/// The modules that reach themselves.
fn circles(graph: &Graph) -> Vec<&str> {
    graph.keys().filter(|name| reach(graph, name).contains(*name)).map(String::as_str).collect()
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let mut found = Vec::new();
    for (_, folder, _) in CRATES {
        for (place, graph) in siblings(folder) {
            let circle = circles(&graph);
            if !circle.is_empty() {
                found.push(format!("{place}: {}", circle.join(", ")));
            }
        }
    }
    assert!(found.is_empty(), "circles of modules:\n{}", found.join("\n"));
}

#[test]
fn a_circle_would_be_seen() {
    let mut paths = Vec::new();
    tree(&[], "a::{self, b::c as d, e::*, f}; x", &mut paths);
    let paths: Vec<String> = paths.iter().map(|p| p.join("::")).collect();
    assert_eq!(paths, ["a::self", "a::b::c", "a::e", "a::f"]);
    let module = ["cell".to_owned(), "pairs".to_owned()];
    let named =
        references(&module, "use super::super::contact::{Pair}; crate::cell::Cell; hyper::super::x; super::State");
    let named: BTreeSet<String> = named.iter().map(|p| p.join("::")).collect();
    assert_eq!(named, ["contact::Pair", "cell::Cell", "cell::State"].map(str::to_owned).into());
    let graph: Graph = [("a", "b"), ("b", "c"), ("c", "b")].map(|(a, b)| (a.into(), [b.to_owned()].into())).into();
    assert_eq!(circles(&graph), ["b", "c"]);
    // A sibling's item that the parent passes on.
    let path = |text: &str| text.split("::").map(str::to_owned).collect::<Vec<_>>();
    let (cell, pairs) = (path("cell"), path("cell::pairs"));
    let known = [cell.as_slice(), &pairs].into();
    let passed_on = from_children(&cell, "mod pairs;\npub use pairs::{Pair, list::Near};\nuse other::X;", &known);
    let passed_on = passed_on.into_iter().collect();
    assert_eq!(resolve(path("cell::Pair::new"), &passed_on), path("cell::pairs::Pair::new"));
    assert_eq!(resolve(path("cell::Near"), &passed_on), path("cell::pairs::list::Near"));
    assert_eq!(resolve(path("cell::X"), &passed_on), path("cell::X"));
}

/// Programs, in which every command has a `Command` and a `Report` of its own.
const PROGRAMS: [&str; 3] = ["view", "bake", "experiments"];

/// The name of the type that a line at the outermost level declares.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub").map_or(line, |rest| rest.trim_start_matches(|c| c != ' ').trim_start());
    let name = ["struct ", "enum ", "trait ", "type "].iter().find_map(|kind| line.strip_prefix(kind))?;
    name.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
}

/// Solvers: each may have a `Scene` of its own.
const SOLVERS: [&str; 3] = ["cloth::", "yarn::", "hybrid::"];

/// Whether types of one name, declared in these modules, can be mixed up: all but one in each of the solvers.
fn clash(places: &[String]) -> bool {
    let room = |place: &String| SOLVERS.iter().position(|solver| place.starts_with(solver));
    let rooms: BTreeSet<_> = places.iter().map(room).collect();
    places.len() > 1 && (rooms.contains(&None) || rooms.len() < places.len())
}

#[test]
fn a_type_name_means_one_thing_within_a_library() {
    let list = |places: &[&str]| places.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
    assert!(!clash(&list(&["cloth::scene"])) && !clash(&list(&["cloth::scene", "yarn::scene"])));
    assert!(clash(&list(&["yarn::a", "yarn::b"])) && clash(&list(&["contact::body", "yarn::friction"])));
    assert_eq!(declared("pub(super) struct Row<'a> {"), Some("Row"));
    assert_eq!(declared("type Rows = Vec<Row>;"), Some("Rows"));
    assert_eq!(declared("    type Output = f64;"), None);
    let mut twice = Vec::new();
    for (name, folder, _) in CRATES.iter().filter(|(name, ..)| !PROGRAMS.contains(name)) {
        let mut declarations: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, text) in modules(folder) {
            for found in text.lines().filter_map(declared) {
                declarations.entry(found.to_owned()).or_default().push(path.join("::"));
            }
        }
        assert!(!declarations.is_empty(), "{folder}: the test does not see what there is");
        let several = declarations.into_iter().filter(|(_, places)| clash(places));
        twice.extend(several.map(|(what, places)| format!("{name}: {what} in {}", places.join(", "))));
    }
    assert!(twice.is_empty(), "names of several types:\n{}", twice.join("\n"));
}

#[test]
fn the_three_rooms_of_shared_look_one_way() {
    let graph = &siblings("shared")["shared"];
    let sees = |a: &str, b: &str| reach(graph, a).contains(b);
    assert!(sees("table", "pattern"), "the test does not see what there is: {graph:?}");
    for (a, b) in [("pattern", "table"), ("pattern", "mesh"), ("table", "mesh")] {
        assert!(!sees(a, b), "{a} sees {b}");
    }
}

/// Words that the field does not use, or not in this sense, and British spellings.
const WORDS: [&str; 39] = [
    "goes on",
    "go on later",
    "is told",
    "are told",
    "tried again",
    "so many",
    "hurry",
    "hang together",
    "hangs together",
    "whoever",
    "nobody",
    "makes ready",
    "made ready",
    "lets go",
    "is let go",
    "are let go",
    "culprit",
    "tear_price",
    "not-a-number",
    "colour",
    "centre",
    "metre",
    "millimetre",
    "neighbour",
    "behaviour",
    "grey",
    "artefact",
    "chequer",
    "factoris",
    "optimis",
    "minimis",
    "rasteris",
    "quantis",
    "normalis",
    "initialis",
    "discretis",
    "linearis",
    "regularis",
    "parametris",
];

/// Sources, shaders, scripts and pages that are ours.
fn pages(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && !["target", "corpus", "artifacts", "first-run-output"].contains(&name.as_str())
            {
                pages(&path, out);
            }
        } else if ["rs", "wgsl", "md", "sh", "py", "toml"].iter().any(|e| path.extension().is_some_and(|x| x == *e)) {
            out.push(path);
        }
    }
}

#[test]
fn words_are_plain_and_american() {
    let (mut all, mut found) = (Vec::new(), Vec::new());
    pages(&root(), &mut all);
    // This file names the words; the rest of the list of exceptions is empty and should stay so.
    for path in all.iter().filter(|p| !p.ends_with("tests/tests/rooms.rs")) {
        let text = fs::read_to_string(path).unwrap().to_lowercase();
        // Names that files of before have must stay as they are.
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.contains("#[serde(rename")) {
            for word in WORDS.iter().filter(|word| contains_word(line, word)) {
                found.push(format!("{}:{}: {word}", path.strip_prefix(root()).unwrap().display(), number + 1));
            }
        }
    }
    assert!(all.len() > 300, "only {} files: the test does not look where it should", all.len());
    assert!(found.is_empty(), "{} words to replace:\n{}", found.len(), found.join("\n"));
}

/// Whether a line has the word, not only as the end of another one (`parameter` has no metre).
fn contains_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphabetic()))
}
