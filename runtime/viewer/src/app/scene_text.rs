//! One field of a JSON object, replaced in its text: every other byte stays.

use serde::de::{DeserializeOwned, IgnoredAny};
use std::ops::Range;

/// The text of a JSON object with another value for one of its fields; nothing where it has no such field.
pub(super) fn with_field(text: &str, name: &str, value: &str) -> Option<String> {
    let Range { start, end } = field(text, name)?;
    Some([&text[..start], value, &text[end..]].concat())
}

/// Where the value of a field is. Fields of objects inside do not count.
fn field(text: &str, name: &str) -> Option<Range<usize>> {
    let behind = |at: usize, mark: char| text[at..].find(mark).map(|n| at + n + 1);
    let mut at = behind(0, '{')?;
    loop {
        let (key, end) = next::<String>(text, at)?;
        let colon = behind(end, ':')?;
        let start = text.len() - text[colon..].trim_start().len();
        let (_, end) = next::<IgnoredAny>(text, start)?;
        if key == name {
            return Some(start..end);
        }
        at = behind(end, ',')?;
    }
}

/// The JSON value that begins at a place, and where it ends.
fn next<T: DeserializeOwned>(text: &str, at: usize) -> Option<(T, usize)> {
    let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter();
    let value = values.next()?.ok()?;
    Some((value, at + values.byte_offset()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_the_value_stays_to_the_last_byte() {
        for (before, behind) in [
            ("{\"region\":", "}"),
            ("\n{ \"z\" : 1e-3,\t\"a\": {\"region\": [1, 2]},\r\n  \"region\" : ", " , \"b\":true }\n\n"),
            ("{\"\\u007b\": \"region: , }\", \"n\": 5, \"region\":\n\n", ",\"ä\":[\"}\"]}"),
        ] {
            for value in ["\"half\"", "{\"faces\": [1, 2]}", "null", "7"] {
                let text = format!("{before}{value}{behind}");
                assert_eq!(with_field(&text, "region", "NEW"), Some(format!("{before}NEW{behind}")), "{text}");
            }
        }
    }

    #[test]
    fn what_has_no_such_field_is_left_alone() {
        for text in ["", "{}", "[]", "{\"a\": {\"region\": 1}}", "{\"region\"", "{\"region\": ", "{\"a\": 1, }"] {
            assert_eq!(with_field(text, "region", "NEW"), None, "{text}");
        }
    }
}
