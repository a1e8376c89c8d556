//! The reference of the command line, held against what the programs print.

use crate::program::output;
use std::path::PathBuf;
use std::process::Command;

/// Set to write the page anew instead of comparing.
const REWRITE: &str = "YARNWISE_REWRITE";

fn page() -> PathBuf {
    crate::repository().join("docs/reference/command-line.md")
}

/// Fails when `docs/reference/command-line.md` does not show the help of this program and of all its commands; with the
/// environment variable `YARNWISE_REWRITE` set it writes the program's section instead.
///
/// # Panics
/// When the page is stale or has no section for the program.
pub fn check_reference(program: &str, name: &str) {
    let text = std::fs::read_to_string(page()).unwrap();
    let (begin, end) = (format!("<!-- {name}: begin -->\n"), format!("<!-- {name}: end -->"));
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("the page has no line {begin}"));
    let (section, after) = rest.split_once(&end).unwrap_or_else(|| panic!("the page has no line {end}"));
    let expected = reference(program, name, &mut Vec::new());
    if std::env::var_os(REWRITE).is_some() {
        std::fs::write(page(), format!("{before}{begin}{expected}{end}{after}")).unwrap();
    } else {
        assert!(
            section == expected,
            "docs/reference/command-line.md is stale: run this test with {REWRITE}=1.\nThe program says:\n{expected}"
        );
    }
}

/// A heading and the help of a command, then those of its own commands.
fn reference(program: &str, name: &str, commands: &mut Vec<String>) -> String {
    let help = help(program, commands);
    let title = std::iter::once(name).chain(commands.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
    let heading = "#".repeat(if commands.is_empty() { 2 } else { 3 });
    let mut text = format!("{heading} {title}\n\n```text\n{}\n```\n\n", help.trim_end());
    for command in subcommands(&help) {
        commands.push(command);
        text += &reference(program, name, commands);
        commands.pop();
    }
    text
}

/// What `--help` prints, as wide as a page.
fn help(program: &str, commands: &[String]) -> String {
    let run = output(Command::new(program).args(commands).arg("--help").env("COLUMNS", "100"));
    assert!(run.status.success(), "{commands:?} --help: {}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8(run.stdout).unwrap();
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// The commands that a help lists, without `help` itself.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_a_help() {
        let help = "Does things\n\nCommands:\n  make   Makes\n           more about it\n  check  Checks\n  help   Prints\n\nOptions:\n  -h\n";
        assert_eq!(subcommands(help), ["make", "check"]);
    }
}
