//! What the log of a bake says.

use super::log::LOG_COLUMNS;
use crate::{Error, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use yarnwise_shared::Error as DataError;
use yarnwise_shared::file;

/// More bytes of a log are not read.
const MAX_BYTES: u64 = 4 << 30;

/// Solves that failed are kept up to this many.
const MOST_FAILED: usize = 1000;

/// What the solves of a bake took.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Logged {
    /// Solves, retries included.
    pub solves: usize,
    /// Processor time of all of them, s.
    pub core_seconds: f64,
    /// Solves that did not converge or in which yarns passed through each other.
    pub failed: usize,
    /// The first of them.
    pub failures: Vec<FailedSolve>,
}

/// A solve that did not find an equilibrium of the fabric.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FailedSolve {
    /// (sx, sa, sy).
    pub strain: [String; 3],
    /// Along which direction it is bent, and the curvature in 1/m; none in the plane.
    pub bent: Option<[String; 2]>,
    /// The round that tried it: 0 the first time.
    pub round: String,
    /// How it ended.
    pub status: String,
    /// The unbalanced force that was left.
    pub residual: String,
}

/// Reads the log of a bake, while it is written, too: what is incomplete at its end is left out.
pub fn read_log(path: &Path) -> Result<Logged> {
    let fail = |e| Error::io(path, e);
    let reader = BufReader::new(File::open(path).map_err(fail)?.take(MAX_BYTES));
    parse(reader, &file::origin(path), fail)
}

fn parse(mut reader: impl BufRead, origin: &str, fail: impl Fn(std::io::Error) -> Error) -> Result<Logged> {
    let mut logged = Logged::default();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        reader.read_until(b'\n', &mut line).map_err(&fail)?;
        // A line without its end is being written.
        let Some(text) = line.strip_suffix(b"\n") else { break };
        let text = String::from_utf8_lossy(text);
        let columns: Vec<&str> = text.split('\t').collect();
        let wrong = |problem: &str| Err(DataError::text(origin, number, problem).into());
        if number == 1 {
            if columns != LOG_COLUMNS {
                return wrong("is not the log of a bake: its first line names other columns");
            }
            continue;
        }
        let Ok([_, round, _, sx, sa, sy, _, status, _, _, residual, _, seconds, bent, curvature, _]) =
            <[&str; LOG_COLUMNS.len()]>::try_from(columns)
        else {
            return wrong("does not have as many columns as the first line");
        };
        let Some(seconds) = seconds.parse::<f64>().ok().filter(|s| s.is_finite()) else {
            return wrong("its seconds are not a number");
        };
        logged.solves += 1;
        logged.core_seconds += seconds;
        if status != "converged" {
            logged.failed += 1;
            if logged.failures.len() < MOST_FAILED {
                logged.failures.push(FailedSolve {
                    strain: [sx, sa, sy].map(str::to_owned),
                    bent: (bent != "-").then(|| [bent, curvature].map(str::to_owned)),
                    round: round.to_owned(),
                    status: status.to_owned(),
                    residual: residual.to_owned(),
                });
            }
        }
    }
    Ok(logged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Logged> {
        parse(text.as_bytes(), "a.log", |e| Error::io(Path::new("a.log"), e))
    }

    #[test]
    fn solves_are_counted_and_a_half_line_waits() {
        let head = LOG_COLUMNS.join("\t");
        let line = |status: &str, seconds: &str, bent: &str| {
            format!("0\t1\t2\t0.5\t-0.2\t0\t-\t{status}\t3\t4\t1e-7\t17\t{seconds}\t{bent}\t-20\t1e-9\n")
        };
        let text = format!("{head}\n{}{}", line("converged", "0.25", "-"), line("not converged", "0.5", "x"));
        let logged = read(&(text.clone() + "0\t1")).unwrap();
        assert_eq!((logged.solves, logged.core_seconds, logged.failed), (2, 0.75, 1));
        assert_eq!(logged.failures[0].strain, ["0.5", "-0.2", "0"]);
        assert_eq!(logged.failures[0].bent, Some(["x".to_owned(), "-20".to_owned()]));
        assert_eq!(read("").unwrap(), Logged::default(), "a log that has just begun");
        for (bad, expected) in [
            ("a\tb\n".to_owned(), "line 1: is not the log"),
            (format!("{head}\n0\t1\n"), "line 2: does not have as many"),
            (format!("{head}\n{}", line("converged", "nan", "-")), "line 2: its seconds"),
        ] {
            assert!(read(&bad).unwrap_err().to_string().contains(expected), "{bad}");
        }
    }
}
