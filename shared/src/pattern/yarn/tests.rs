use super::{parse, parse_with_notes, to_text};
use crate::pattern::crossings::crossings;
use crate::pattern::test_patterns::{any_pattern, straight};
use crate::pattern::{self, Pattern};
use proptest::prelude::*;

const SMALL: &str = "\
yarn-pattern 1
unit mm
period 10 10
radius 1
columns x y z

yarn
0 0 0
5 0 0

yarn
0 5 0
5 5 0
";

/// The same in version 2 of the format, which says how much it holds.
fn two(text: &str) -> String {
    text.replace("yarn-pattern 1", "yarn-pattern 2").replace("radius 1\n", "radius 1\nyarns 2\nvertices 4\n")
}

/// Wherever a file is cut off, it is refused; version 1 cannot promise that, and says so.
#[test]
fn a_file_that_is_cut_off_is_refused() {
    let (whole, mut notes) = (two(SMALL), Vec::new());
    let pattern = parse_with_notes(whole.as_bytes(), "whole", &mut notes).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    for end in 0..whole.len() {
        assert!(parse(&whole.as_bytes()[..end], "cut").is_err(), "{}", &whole[..end]);
    }
    assert_eq!(parse_with_notes(SMALL.as_bytes(), "old.yarn", &mut notes).unwrap(), pattern);
    assert!(notes.len() == 1 && notes[0].contains("old.yarn: is in version 1"), "{notes:?}");
    for (from, to, expected) in [
        ("vertices 4", "vertices 5", "the line 'vertices 5' does not fit: the file holds 4"),
        ("yarns 2", "yarns 3", "the line 'yarns 3' does not fit: the file holds 2"),
        ("yarns 2\n", "", "the line 'yarns 2' is missing"),
        ("vertices 4", "vertices four", "line 6: vertices: one whole number is expected"),
        ("vertices 4", "vertices 4\nvertices 4", "line 7: 'vertices' is stated twice"),
    ] {
        let message = parse(whole.replacen(from, to, 1).as_bytes(), "file.yarn").unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

fn message(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from:?} is not there");
    parse(SMALL.replacen(from, to, 1).as_bytes(), "file.yarn").unwrap_err().to_string()
}

#[test]
fn a_file_of_positions_is_a_whole_pattern() {
    let pattern = parse(SMALL.as_bytes(), "small").unwrap();
    assert_eq!(pattern, Pattern::new(straight()).unwrap());
    let meters = SMALL.replace("unit mm\n", "").replace("10 10", "0.01 0.01").replace("radius 1", "radius 1e-3");
    let meters = meters.replace("5 ", "0.005 ").replace(" 5", " 0.005").replace("columns x y z\n", "");
    assert_eq!(parse(meters.as_bytes(), "meters").unwrap(), pattern);
}

#[test]
fn it_is_written_as_a_person_would_write_it() {
    let written = to_text(&parse(SMALL.as_bytes(), "small").unwrap());
    assert_eq!(written.replace("  ", " "), two(SMALL).replace("yarn\n", "yarn 1 0\n"));
}

#[test]
fn the_example_in_the_documentation_is_a_plain_weave() {
    let page = include_str!("../../../../docs/reference/pattern-format.md");
    let example = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let pattern = parse(example.as_bytes(), "docs/reference/pattern-format.md").unwrap();
    assert_eq!(pattern.yarns().iter().map(|y| y.shift).collect::<Vec<_>>(), [[1, 0], [1, 0], [0, 1], [0, 1]]);
    let above: Vec<usize> = crossings(&pattern).unwrap().iter().map(|c| c.edges[0] / 4).collect();
    assert_eq!(above.iter().filter(|yarn| **yarn < 2).count(), 2);
    assert_eq!(above.len(), 4);
}

#[test]
fn columns_come_in_any_order_and_state_the_rest() {
    let columns = "columns z twist y x rest_length id";
    let text = SMALL.replace("columns x y z", columns).replace("\n0 0 0\n", "\n0 0.5 0 0 6 3\n");
    let text = text.replace("\n5 0 0\n", "\n0 0 0 5 6 1\n").replace("\n0 5 0\n", "\n0 0 5 0 6 2\n");
    let text = text.replace("\n5 5 0\n", "\n0 0 5 5 6 0\n");
    let pattern = parse(text.as_bytes(), "small").unwrap();
    assert_eq!(pattern.vertices()[3].twist, 0.5);
    assert_eq!(pattern.vertices()[0].position, [0.005, 0.005, 0.0]);
    assert_eq!(pattern.vertices()[0].rest_length, 0.006);
    assert_eq!(pattern.yarns()[0].vertices, [0, 2]);
    assert_eq!(pattern.yarns()[1].vertices, [1, 3]);
}

#[test]
fn yarns_close_to_the_nearest_copy_or_as_stated() {
    let one = |head: &str| {
        parse(format!("yarn-pattern 1\nperiod 1 1\nradius 0.1\n{head}\n0.5 0 0\n0.1 0 0\n").as_bytes(), "one")
    };
    assert_eq!(one("yarn").unwrap().yarns()[0].shift, [0, 0]);
    // Rest lengths follow from the edges, so that a stated shift is never doubted.
    assert_eq!(one("yarn -1 0").unwrap().yarns()[0].shift, [-1, 0]);
    assert_eq!(one("yarn -2 3").unwrap().yarns()[0].shift, [-2, 3]);
    let text =
        "yarn-pattern 1\nperiod 1 1\nradius 0.1\ncolumns x y z shift_x shift_y\nyarn 0 1\n0 0 0 1 0\n0 .5 0 -1 1\n";
    assert_eq!(parse(text.as_bytes(), "stated").unwrap().vertices()[1].edge.shift, [-1, 1]);
    let error = parse(text.replace("yarn 0 1", "yarn 1 1").as_bytes(), "stated").unwrap_err().to_string();
    assert!(error.contains("line 5: the yarn is said to be shifted by 1 and 1 periods"), "{error}");
    let huge = text.replace("yarn 0 1", "yarn").replace("1 0\n", "2147483647 0\n").replace("-1 1", "2147483647 0");
    let error = parse(huge.as_bytes(), "huge").unwrap_err().to_string();
    assert!(error.contains("line 6: the edge from vertex 0 is shifted by 2147483647 and 0 periods"), "{error}");
    let alone = "yarn-pattern 1\nperiod 1 1\nradius 0.1\nyarn 1 0\n0 0 0\n";
    assert_eq!(parse(alone.as_bytes(), "alone").unwrap().vertices().len(), 1);
}

#[test]
fn a_fault_names_file_line_and_element() {
    let cases = [
        ("yarn-pattern 1", "yarn-pattern 3", "line 1: 'yarn-pattern 3': this program reads versions 1 and 2"),
        ("yarn-pattern 1", "", "line 2: a .yarn file begins with the line 'yarn-pattern 2'"),
        ("unit mm", "unit inch", "line 2: unit: one of m, cm, mm, um is expected"),
        ("unit mm", "unit mm mm", "line 2: unit"),
        ("radius 1", "radius 1\nunit m", "line 5: 'unit' is stated twice"),
        ("unit mm\nperiod 10 10", "period 10 10\nunit mm", "line 3: 'unit' must stand before the first length"),
        ("period 10 10", "period 10", "line 3: period: two lengths are expected"),
        ("period 10 10", "period 10 -10", "line 3: period py is -0.01"),
        ("period 10 10", "period 10 nan", "line 3: period py: 'nan' is not a number"),
        ("period 10 10\n", "", "file.yarn: the line 'period ...' is missing"),
        ("radius 1", "radius", "line 4: radius: one length is expected"),
        ("radius 1", "radius 1e999", "line 4: radius: 1e999 is not a finite number"),
        ("radius 1\n", "", "the line 'radius ...' is missing"),
        ("columns x y z", "columns x y", "line 5: columns: 'z' is missing, these go together: x y z"),
        ("columns x y z", "columns x y z x", "line 5: columns: 'x' is named twice"),
        ("columns x y z", "columns x y z shift_x", "line 5: columns: 'shift_y' is missing"),
        ("columns x y z", "columns x y z color", "line 5: columns: 'color' is not known, known are: id x y z"),
        ("columns x y z", "colums x y z", "line 5: 'colums' is not known here"),
        ("0 5 0", "0 5", "line 12: vertex 2: 3 numbers are expected (x y z), the line has 2"),
        ("0 5 0", "0 5 0 0", "line 12: vertex 2: 3 numbers are expected (x y z), the line has 4"),
        ("0 5 0", "0 5 0x", "line 12: z of vertex 2: '0x' is not a number"),
        ("0 5 0", "0 5 -1e999", "line 12: z of vertex 2: -1e999 is not a finite number"),
        ("0 5 0", "5 5 0", "line 12: the edge from vertex 2 to vertex 3 has no length"),
        ("yarn\n0 0 0", "0 0 0", "line 7: a line 'yarn' must stand before its first vertex"),
        ("yarn\n0 0 0", "yarn weft\n0 0 0", "line 7: after 'yarn' come no numbers, or two whole ones"),
        ("yarn\n0 0 0", "yarn 1\n0 0 0", "line 7: after 'yarn' come"),
        ("yarn\n0 5 0\n5 5 0\n", "yarn\n", "line 11: yarn 1 has no vertices"),
        ("5 5 0\n", "5 5 0\nradius 1\n", "line 14: 'radius' is stated twice"),
    ];
    for (from, to, expected) in cases {
        let message = message(from, to);
        assert!(message.starts_with("file.yarn"), "{message}");
        assert!(message.contains(expected), "{from:?} -> {to:?}: {message}");
    }
    assert!(parse(b"", "f").unwrap_err().to_string().contains("is empty"));
    assert!(parse(b"yarn-pattern 1\nperiod 1 1\nradius 0.1\n", "f").unwrap_err().to_string().contains("no yarn"));
}

#[test]
fn numbering_must_be_complete() {
    let numbered = |ids: [&str; 4]| {
        let mut text = SMALL.replace("columns x y z", "columns x y z id");
        for (row, id) in ["0 0 0\n", "5 0 0\n", "0 5 0\n", "5 5 0\n"].iter().zip(ids) {
            text = text.replace(&format!("\n{row}"), &format!("\n{} {id}\n", row.trim()));
        }
        parse(text.as_bytes(), "f")
    };
    assert!(numbered(["3", "2", "1", "0"]).is_ok());
    let cases = [
        (["0", "1", "1", "3"], "line 12: vertex 1 stands in line 9 too"),
        (["0", "1", "4", "3"], "line 12: vertex 4: the file has 4 vertices, numbered 0 to 3"),
        (["0", "1", "-2", "3"], "line 12: id of vertex 2: vertices are numbered from 0"),
        (["0", "1", "2.0", "3"], "line 12: id of vertex 2: '2.0' is not a whole number"),
        (["0", "1", "99999999999", "3"], "line 12: id of vertex 2: '99999999999' is not a whole number"),
    ];
    for (ids, expected) in cases {
        let message = numbered(ids).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn line_ends_spaces_and_comments_do_not_matter() {
    let dressed = format!("# by hand\r\n\r\n{}", SMALL.replace('\n', "\t# comment\r\n").replace(' ', "  "));
    assert_eq!(parse(dressed.as_bytes(), "a").unwrap(), parse(SMALL.as_bytes(), "b").unwrap());
}

#[test]
fn formats_are_told_apart_by_content_and_chosen_by_extension() {
    let folder = tempfile::tempdir().unwrap();
    let original = parse(SMALL.as_bytes(), "small").unwrap();
    for name in ["a.yarn", "b.pyp", "c.YARN"] {
        let path = folder.path().join(name);
        pattern::write(&original, &path).unwrap();
        assert_eq!(pattern::read(&path).unwrap(), original);
    }
    let begins = |name: &str, word: &str| std::fs::read_to_string(folder.path().join(name)).unwrap().starts_with(word);
    assert!(begins("a.yarn", "yarn-pattern") && begins("c.YARN", "yarn-pattern") && begins("b.pyp", "*pattern"));
    // The name of a file does not matter for reading.
    std::fs::rename(folder.path().join("b.pyp"), folder.path().join("a.yarn")).unwrap();
    assert_eq!(pattern::read(&folder.path().join("a.yarn")).unwrap(), original);
    let error = pattern::write(&original, &folder.path().join("d.obj")).unwrap_err().to_string();
    assert!(error.contains("d.obj: the name of a pattern file ends in .yarn or .pyp"), "{error}");
    for other in ["v 0 0 0\nf 1 2 3\n", "", "\n# nothing\n", "yarn\n"] {
        let error = pattern::parse(other.as_bytes(), "file.obj").unwrap_err().to_string();
        assert!(error.starts_with("file.obj: is not a pattern"), "{error}");
    }
}

proptest! {
    #[test]
    fn every_pattern_reads_back_to_the_bit(pattern in any_pattern()) {
        let text = to_text(&pattern);
        let again = parse(text.as_bytes(), "again").unwrap();
        // Debug output shows the sign of zero and as many digits as a number needs.
        prop_assert_eq!(format!("{again:?}"), format!("{pattern:?}"), "{}", text);
    }
}
