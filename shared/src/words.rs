//! Words of messages.

/// A number of things in words: `1 face`, `2 faces`. The plural of `one` is `one` with an s, or what `many` says.
pub fn count(n: usize, one: &str, many: Option<&str>) -> String {
    match (n, many) {
        (1, _) => format!("1 {one}"),
        (n, Some(many)) => format!("{n} {many}"),
        (n, None) => format!("{n} {one}s"),
    }
}

/// A number of vertices in words: `1 vertex`, `2 vertices`.
pub fn vertices(n: usize) -> String {
    count(n, "vertex", Some("vertices"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_right_number() {
        assert_eq!(count(1, "face", None), "1 face");
        assert_eq!(count(0, "face", None), "0 faces");
        assert_eq!(count(2, "axis", Some("axes")), "2 axes");
        assert_eq!([vertices(1), vertices(2)], ["1 vertex", "2 vertices"]);
    }
}
