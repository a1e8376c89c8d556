//! Text as one word of a shell, and as one of a TOML file.

/// One word of a POSIX shell: as it is where that is safe, else in single quotes.
pub fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The words of a command as a line for a POSIX shell.
pub(super) fn shell_line<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    words.into_iter().map(|word| shell(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// A basic string of TOML.
pub(super) fn toml(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04X}", c as u32),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// An array of basic strings of TOML.
pub(super) fn toml_list<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| toml(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 9] =
        ["plain", "a b", "it's", "\"x\"", "$HOME `id` \\", "*", "", "wool & silk; rm", "käse\tund\nmehr"];

    #[cfg(unix)]
    #[test]
    fn a_shell_gives_words_back_as_they_were() {
        let script = format!("printf '%s\\0' {}", shell_line(WORDS));
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        let words: Vec<String> =
            String::from_utf8(output.stdout).unwrap().split_terminator('\0').map(str::to_owned).collect();
        assert_eq!(words, WORDS);
    }

    #[test]
    fn toml_gives_texts_back_as_they_were() {
        let text = format!("a = {}", toml_list(WORDS));
        let table = toml::de::DeTable::parse(&text).unwrap().into_inner();
        let list = table["a"].get_ref().as_array().unwrap();
        let texts: Vec<&str> = list.iter().map(|v| v.get_ref().as_str().unwrap()).collect();
        assert_eq!(texts, WORDS);
    }
}
