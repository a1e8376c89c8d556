//! From the command line to the exit code.

use clap::Parser;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::ffi::{OsStr, OsString};
use std::panic::PanicHookInfo;
use std::process::ExitCode;

/// Parses the command line and runs the program; an error is reported as one line and exit code 1.
///
/// Negative numbers are values of the option before them, in every command. A panic, which is a defect of the program, is
/// reported as one line too, with exit code 101; its backtrace follows when `RUST_BACKTRACE` asks for one.
pub fn run<C: Parser>(program: impl FnOnce(C) -> anyhow::Result<ExitCode>) -> ExitCode {
    std::panic::set_hook(Box::new(report_panic));
    let parsed = C::parse_from(with_negative_numbers(std::env::args_os()));
    match program(parsed) {
        Ok(code) => code,
        Err(error) => {
            crate::note!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Joins an option and the negative number after it (`--amount -1e-3` becomes `--amount=-1e-3`), which otherwise would be
/// taken for an unknown option. Several numbers with commas or an `x` between them count as one.
fn with_negative_numbers(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut out: Vec<OsString> = Vec::new();
    let mut only_values = false;
    for argument in arguments {
        only_values |= argument == "--";
        match out.last_mut() {
            Some(option) if !only_values && is_option(option) && is_negative(&argument) => {
                option.push("=");
                option.push(argument);
            }
            _ => out.push(argument),
        }
    }
    out
}

fn is_option(argument: &OsStr) -> bool {
    argument.to_str().is_some_and(|text| text.len() > 2 && text.starts_with("--") && !text.contains('='))
}

fn is_negative(argument: &OsStr) -> bool {
    let is_number = |part: &str| part.trim().parse::<f64>().is_ok();
    argument.to_str().is_some_and(|text| text.starts_with('-') && text.split([',', 'x']).all(is_number))
}

fn report_panic(panic: &PanicHookInfo) {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("unknown").replace('\n', " ");
    let place = panic.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
    crate::note!("internal error: {text}{place}; please report it with the command line");
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        crate::note!("{backtrace}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(arguments: &str) -> String {
        let out = with_negative_numbers(arguments.split(' ').map(OsString::from));
        out.iter().map(|a| a.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    /// `--amount -1e-3` is a number, not an unknown option; an unknown option still is one.
    #[test]
    fn negative_numbers_are_values_of_the_option_before_them() {
        assert_eq!(joined("x bend --amount -1e-3 -o a"), "x bend --amount=-1e-3 -o a");
        assert_eq!(joined("x --uv-scale -1,2 --size -inf"), "x --uv-scale=-1,2 --size=-inf");
        for same in ["x --amount --quiet", "x --a=1 -2", "x --amount -o", "x -o -1", "x -- --amount -1"] {
            assert_eq!(joined(same), same);
        }
    }
}
