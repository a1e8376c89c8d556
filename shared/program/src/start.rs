//! From the command line to the exit code.

use clap::Parser;
use std::process::ExitCode;

/// Parses the command line and runs the program; an error is reported as one line and exit code 1.
pub fn run<C: Parser>(program: impl FnOnce(C) -> anyhow::Result<ExitCode>) -> ExitCode {
    match program(C::parse()) {
        Ok(code) => code,
        Err(error) => {
            crate::note!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
