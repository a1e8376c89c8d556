//! From the command line to the exit code.

use clap::Parser;
use clap::error::ErrorKind;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::panic::PanicHookInfo;
use std::process::ExitCode;

/// The exit code of a failure after which the same command may succeed: `EX_TEMPFAIL` of `sysexits.h`.
pub const TEMPORARY: u8 = 75;

/// A failure after which the same command may succeed: a full disk, another process at work, something that is not there yet.
#[derive(Debug)]
pub struct Temporary(pub anyhow::Error);

impl fmt::Display for Temporary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}

impl std::error::Error for Temporary {}

/// Parses the command line and runs the program; an error is reported as one line and exit code 1, or [`TEMPORARY`]. Arguments that cannot be
/// parsed are reported as one line, with another one on where to find help, and exit code 2.
///
/// Negative numbers are values of the option before them, in every command. A panic, which is a defect of the program, is
/// reported as one line too, with exit code 101; its backtrace follows when `RUST_BACKTRACE` asks for one.
pub fn run<C: Parser>(program: impl FnOnce(C) -> anyhow::Result<ExitCode>) -> ExitCode {
    std::panic::set_hook(Box::new(report_panic));
    let parsed = match C::try_parse_from(with_negative_numbers(std::env::args_os())) {
        Ok(parsed) => parsed,
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand || !error.use_stderr() => {
            error.exit()
        }
        Err(error) => {
            crate::note!("{}", condensed(&error.render().to_string()));
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    match program(parsed) {
        Ok(code) => code,
        Err(error) => {
            crate::note!("error: {error:#}");
            if error.is::<Temporary>() { ExitCode::from(TEMPORARY) } else { ExitCode::FAILURE }
        }
    }
}

/// What the parser says on several lines and with the usage, as two lines: what is wrong, and where to find help.
fn condensed(text: &str) -> String {
    let (mut what, mut tips, mut command) = (Vec::new(), Vec::new(), None);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(usage) = line.strip_prefix("Usage: ") {
            let is_name = |word: &&str| !word.starts_with(['[', '<', '-']);
            command = Some(usage.split(' ').take_while(is_name).collect::<Vec<_>>().join(" "));
        } else if let Some(tip) = line.strip_prefix("tip: ") {
            tips.push(tip);
        } else if command.is_none() && !line.starts_with("For more information") {
            what.push(line);
        }
    }
    let mut out = what.join(" ");
    // A range of Rust: "5000 is not in 0..=1024".
    if let Some((before, range)) = out.rsplit_once(" is not in ").filter(|(_, range)| range.contains("..=")) {
        out = format!("{before} is not from {}", range.replacen("..=", " to ", 1));
    }
    tips.iter().for_each(|tip| out += &format!("; {tip}"));
    let command = command.map_or(String::new(), |name| name + " ");
    out + &format!("\nFor more information, try '{command}--help'.")
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

    #[derive(Debug, Parser)]
    #[command(name = "weave")]
    struct Cli {
        #[command(subcommand)]
        command: Command,
    }

    #[derive(Debug, clap::Subcommand)]
    enum Command {
        Cloth {
            pattern: String,
            #[arg(long, value_parser = ["fine", "coarse"], default_value = "fine")]
            yarn: String,
            #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=8))]
            shafts: u16,
            #[arg(long)]
            output: String,
        },
    }

    #[test]
    fn arguments_that_cannot_be_parsed_are_reported_in_two_lines() {
        let message =
            |arguments: &str| condensed(&Cli::try_parse_from(arguments.split(' ')).unwrap_err().render().to_string());
        for (arguments, expected) in [
            (
                "weave cloth a --output b --yarm fine",
                "error: unexpected argument '--yarm' found; a similar argument exists: '--yarn'\n\
                 For more information, try 'weave cloth --help'.",
            ),
            (
                "weave cloth a --output b --yarn fin",
                "error: invalid value 'fin' for '--yarn <YARN>' [possible values: fine, coarse]; a similar value exists: \
                 'fine'\nFor more information, try '--help'.",
            ),
            (
                "weave cloth a --output b --shafts 9",
                "error: invalid value '9' for '--shafts <SHAFTS>': 9 is not from 1 to 8\n\
                 For more information, try '--help'.",
            ),
            (
                "weave cloth",
                "error: the following required arguments were not provided: --output <OUTPUT> <PATTERN>\n\
                 For more information, try 'weave cloth --help'.",
            ),
            (
                "weave clothe",
                "error: unrecognized subcommand 'clothe'; a similar subcommand exists: 'cloth'\n\
                 For more information, try 'weave --help'.",
            ),
        ] {
            assert_eq!(message(arguments), expected, "{arguments}");
        }
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
