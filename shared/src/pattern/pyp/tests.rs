use super::{parse, to_text};
use crate::pattern::Pattern;
use crate::pattern::test_patterns::{any_pattern, straight};
use proptest::prelude::*;

/// The text of a valid file, with line numbers that the tests below count on.
fn text() -> String {
    to_text(&Pattern::new(straight()).unwrap())
}

/// The message when `from`, which must be there, is replaced.
fn message(from: &str, to: &str) -> String {
    let text = text();
    assert!(text.contains(from), "{from:?} is not in\n{text}");
    parse(text.replacen(from, to, 1).as_bytes(), "file.pyp").unwrap_err().to_string()
}

#[test]
fn a_fault_names_file_line_and_element() {
    assert_eq!(text().lines().nth(4), Some("0 0 0 0"));
    let cases = [
        ("0.01 0.01 0.001 4", "0.01 0.01 0.001", "line 2: *pattern: 4 numbers are expected, the line has 3"),
        ("0.01 0.01 0.001 4", "0.01 0.01 0.001 3.5", "line 2: *pattern: the vertex count 3.5"),
        ("0.01 0.01 0.001 4", "0.01 0.01 0.001 1e18", "line 2: *pattern: the vertex count"),
        ("0.01 0.01 0.001 4", "0.01 -1 0.001 4", "line 2: period py is -1"),
        ("0.01 0.01 0.001 4", "0.01 0.01 0.001 5", "line 4: block *Q has 4 rows, *pattern says 5 vertices"),
        ("0.005 0 0 0", "0.005 NaN 0 0", "line 6: *Q, vertex 1: NaN is not a finite number"),
        ("0.005 0 0 0", "0.005 1e999 0 0", "line 6: *Q, vertex 1: 1e999 is not a finite number"),
        ("0.005 0 0 0", "0.005 x 0 0", "line 6: *Q, vertex 1: 'x' is not a number"),
        ("0.005 0 0 0", "0.005 9e9 0 0", "line 6: the position of vertex 1"),
        ("2 3 0 0", "2 4 0 0", "line 13: edge 2 from 2 to 4: vertices are numbered 0 to 3"),
        ("2 3 0 0", "2 3.5 0 0", "line 13: edge 2 from 2 to 3.5"),
        ("2 3 0 0", "1 3 0 0", "line 13: vertex 1 has two outgoing edges, the other is in line 12"),
        ("2 3 0 0", "2 1 0 0", "line 13: vertex 1 has two incoming edges, from vertices 0 and 2"),
        ("2 3 0 0", "2 3 0.5 0", "line 13: edge 2: the shift (0.5, 0) must be whole"),
        ("3 2 1 0", "3 2 0 1", "line 14: the edge from vertex 3 to vertex 2 with shift (0, 1)"),
        ("*RL # rest lengths\n0.005", "*RL # rest lengths\n0", "line 17: the rest length of vertex 0 is 0"),
        ("*RefD1 # reference directors\n0 0 1", "*RefD1\n0 0 9", "line 35: the reference director of vertex 0"),
        ("*RT", "*RX", "line 28: unknown block '*RX'"),
        ("*RT", "*RL", "line 28: block *RL appears twice"),
        ("*pattern", "", "line 2: a .pyp file begins with a line '*pattern'"),
    ];
    for (from, to, expected) in cases {
        let message = message(from, to);
        assert!(message.starts_with("file.pyp, "), "{message}");
        assert!(message.contains(expected), "{from:?} -> {to:?}: {message}");
    }
    assert!(parse(b"", "file.pyp").unwrap_err().to_string().contains("the block *pattern is missing"));
    assert!(parse(b"*pattern\n\xff", "file.pyp").unwrap_err().to_string().contains("line 2: is not text"));
}

#[test]
fn edges_may_stand_in_any_order() {
    let sorted = text();
    let shuffled = sorted.replace("0 1 0 0\n1 0 1 0\n2 3 0 0\n3 2 1 0\n", "3 2 1 0\n1 0 1 0\n0 1 0 0\n2 3 0 0\n");
    assert_ne!(sorted, shuffled);
    assert_eq!(parse(sorted.as_bytes(), "a").unwrap(), parse(shuffled.as_bytes(), "b").unwrap());
}

#[test]
fn optional_blocks_default_to_zero() {
    let text = text();
    let without =
        ["RK # rest kappas", "RT # rest twists", "RefT # reference twists"].iter().fold(text.clone(), |t, b| {
            let begin = t.find(b).unwrap() - 1;
            let end = t[begin + 1..].find('*').map_or(t.len(), |e| begin + 1 + e);
            format!("{}{}", &t[..begin], &t[end..])
        });
    assert!(!without.contains("*RK") && !without.contains("*RT") && !without.contains("*RefT"));
    assert_eq!(parse(without.as_bytes(), "a").unwrap(), parse(text.as_bytes(), "b").unwrap());
    for block in ["*Q", "*E", "*RL", "*RefD1"] {
        let begin = text.find(block).unwrap();
        let end = text[begin + 1..].find('*').map_or(text.len(), |e| begin + 1 + e);
        let error = parse(format!("{}{}", &text[..begin], &text[end..]).as_bytes(), "a").unwrap_err();
        assert!(error.to_string().contains(&format!("the block {block} is missing")), "{error}");
    }
}

#[test]
fn line_ends_spaces_and_comments_do_not_matter() {
    let text = text();
    let dressed = format!("# made by hand\r\n\r\n{}", text.replace('\n', "   # comment\r\n").replace(' ', "\t "));
    assert_eq!(parse(dressed.as_bytes(), "a").unwrap(), parse(text.as_bytes(), "b").unwrap());
}

proptest! {
    #[test]
    fn every_pattern_reads_back_to_the_bit(pattern in any_pattern()) {
        let again = parse(to_text(&pattern).as_bytes(), "again").unwrap();
        // Debug output shows the sign of zero and as many digits as a number needs.
        prop_assert_eq!(format!("{again:?}"), format!("{pattern:?}"));
    }
}
