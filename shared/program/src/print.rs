//! Printing that survives a closed pipe.

use serde::Serialize;
use std::io::{ErrorKind, Write};

/// Prints a line to standard output, formatted as by `format!`; returns a `Result`.
#[macro_export]
macro_rules! say {
    ($($argument:tt)*) => { $crate::print(&(format!($($argument)*) + "\n")) };
}

/// Prints a line to standard error, formatted as by `format!`: progress and remarks that are not the result.
#[macro_export]
macro_rules! note {
    ($($argument:tt)*) => { $crate::print_note(&format!($($argument)*)) };
}

/// Prints text to standard output. A reader that has seen enough and closes its end (`| head`) is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(anyhow::Error::new(e).context("standard output")),
        _ => Ok(()),
    }
}

/// Prints a value as JSON to standard output.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Prints figures to standard output: as JSON for programs, else as text for people. The text ends in a new line.
pub fn print_report(report: &(impl Serialize + std::fmt::Display), json: bool) -> anyhow::Result<()> {
    if json { print_json(report) } else { print(&report.to_string()) }
}

/// Prints a line to standard error; a failure of that cannot be reported.
pub fn print_note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
