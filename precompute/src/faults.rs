//! What is wrong with a campaign: all of it at once.

use std::fmt;
use std::path::{Path, PathBuf};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The line of the campaign's file, from 1, where there is one.
    pub line: Option<usize>,
    /// What is wrong, which element, and the cure; one line.
    pub problem: String,
}

/// Everything that is wrong with a campaign; at least one fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The campaign's file.
    pub file: PathBuf,
    /// In the order of the lines; those without a line come last.
    pub faults: Vec<Fault>,
}

impl Fault {
    /// A fault at a line.
    pub fn at(line: usize, problem: impl Into<String>) -> Self {
        Fault { line: Some(line), problem: one_line(problem.into()) }
    }

    /// A fault of the campaign as a whole.
    pub fn of_all(problem: impl Into<String>) -> Self {
        Fault { line: None, problem: one_line(problem.into()) }
    }
}

/// What a fault quotes may have line ends and characters that are not for terminals.
fn one_line(problem: String) -> String {
    problem.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl Faults {
    /// What is wrong with the campaign in `file`; `Ok` where nothing is.
    pub fn check(file: &Path, mut faults: Vec<Fault>) -> Result<(), Self> {
        if faults.is_empty() {
            return Ok(());
        }
        faults.sort_by_key(|fault| fault.line.unwrap_or(usize::MAX));
        faults.dedup();
        Err(Faults { file: file.to_owned(), faults })
    }
}

impl std::error::Error for Faults {}

/// One line for each.
impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let file = self.file.display();
        for (i, Fault { line, problem }) in self.faults.iter().enumerate() {
            let end = if i == 0 { "" } else { "\n" };
            match line {
                Some(line) => write!(f, "{end}{file}, line {line}: {problem}")?,
                None => write!(f, "{end}{file}: {problem}")?,
            }
        }
        Ok(())
    }
}
