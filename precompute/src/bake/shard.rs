//! A part of a bake, for machines that share one.

use super::plan::{Reached, Role, Tables};
use super::summary::Tally;
use super::{Bake, Progress, RunOptions, beside, journal_path, log_path};
use crate::cell::Cell;
use crate::job::{ExecuteOptions, JobShare, Journal, Records, Run};
use crate::vector::VectorLevel;
use crate::{Error, Result};
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use yarnwise_shared::table::database;

/// One of several parts of a bake, such as 2/8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    count: u32,
    number: u32,
}

/// More parts than this would have less than one line of samples each.
pub const MOST_SHARDS: u32 = 100_000;

impl Shard {
    /// Part `number` of `count`, counted from 1; none where there is no such part.
    pub fn new(number: u32, count: u32) -> Option<Self> {
        ((1..=count).contains(&number) && count <= MOST_SHARDS).then_some(Shard { count, number })
    }

    /// Its number, from 1.
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many parts there are.
    pub fn count(self) -> u32 {
        self.count
    }

    fn share(self) -> JobShare {
        JobShare { number: self.number - 1, count: self.count }
    }

    /// Its journal beside `output`.
    pub fn journal(self, output: &Path) -> PathBuf {
        beside(output, &format!(".shard-{}-of-{}.journal", self.number, self.count))
    }

    /// The part whose journal beside `output` has this name.
    fn of_journal(name: &OsStr, output: &Path) -> Option<Self> {
        let start = format!("{}.shard-", output.file_name()?.to_str()?);
        let (number, count) = name.to_str()?.strip_prefix(&start)?.strip_suffix(".journal")?.split_once("-of-")?;
        let shard = Shard::new(number.parse().ok()?, count.parse().ok()?)?;
        // Another spelling, such as 02, is not ours.
        (shard.journal(output).file_name() == Some(name)).then_some(shard)
    }

    /// The parts whose journals are beside `output`, in their order.
    pub fn beside(output: &Path) -> Result<Vec<Self>> {
        let folder = output.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let entries = std::fs::read_dir(folder).map_err(|e| Error::io(folder, e))?;
        let names = entries.flatten().map(|entry| entry.file_name());
        let mut shards: Vec<Shard> = names.filter_map(|name| Shard::of_journal(&name, output)).collect();
        shards.sort_unstable();
        Ok(shards)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('/').and_then(|(i, n)| Shard::new(i.parse().ok()?, n.parse().ok()?));
        parsed.ok_or_else(|| {
            format!("must be a part and the number of parts, such as 2/8, at most {MOST_SHARDS} of them")
        })
    }
}

/// How the run of a part ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardOutcome {
    /// All of its own that can be solved now is solved; by this run so much.
    Delivered {
        /// Solves.
        solves: usize,
    },
    /// The database is there already.
    Baked,
    /// It was asked to stop; this many solves of this run are safe.
    Stopped {
        /// Solves.
        solves: usize,
    },
}

impl Bake {
    /// Solves a part of what can be solved now of the bake into `output`, and keeps it in a journal of its own; [`Bake::merge`]
    /// unites the journals and says what comes next. Started twice, or again after the end, it does no harm.
    pub fn shard(
        &self,
        output: &Path,
        shard: Shard,
        options: RunOptions,
        report: &mut dyn FnMut(Progress),
    ) -> Result<ShardOutcome> {
        self.check()?;
        let united = journal_path(output);
        let Some(known) = self.united(&united)? else {
            return match self.is_baked(output, &options) {
                true => Ok(ShardOutcome::Baked),
                false => Err(Error::NotBegun { journal: united }),
            };
        };
        let cell = Cell::new(&self.pattern, &self.material)?;
        let path = shard.journal(output);
        let (mut journal, opened) = Journal::open(&path, &self.description(), options.restart)?;
        journal.mark(VectorLevel::in_use().name());
        journal.consult(known);
        report(Progress::Begun { samples: 0, opened });
        let outcome = self.run_share(&cell, &mut journal, output, shard, options, report);
        // What was found is safe; a journal without results is of no use to anybody.
        let _ = journal.remove_if_empty();
        outcome
    }

    fn run_share(
        &self,
        cell: &Cell,
        journal: &mut Journal,
        output: &Path,
        shard: Shard,
        options: RunOptions,
        report: &mut dyn FnMut(Progress),
    ) -> Result<ShardOutcome> {
        let paths = [log_path(output), journal.path().to_owned()];
        let execute = ExecuteOptions { threads: options.threads, pool: options.pool, stop: options.stop };
        let run = Run::new(Some(journal), execute)?;
        let role = Role::Share(shard.share());
        let mut tables = Tables { bake: self, cell, run, role, paths, log: None, tally: Tally::default(), report };
        let reached = tables.solve()?;
        let solves = tables.tally.solves;
        Ok(match reached {
            Reached::Stopped => ShardOutcome::Stopped { solves },
            Reached::End(_) | Reached::Left(_) => ShardOutcome::Delivered { solves },
        })
    }

    /// What the united journal of this bake holds.
    fn united(&self, path: &Path) -> Result<Option<Records>> {
        Records::read(path, &self.description()).map_err(|error| match error {
            Error::ForeignJournal { path, difference } => Error::AnotherJob { path, difference },
            other => other,
        })
    }

    /// Whether the database of this bake is in its place.
    pub(super) fn is_baked(&self, output: &Path, options: &RunOptions) -> bool {
        database::read_head(output).is_ok_and(|head| self.difference_from(&head, &options.encoding).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_what_it_says() {
        let parse = |text: &str| text.parse::<Shard>();
        assert_eq!(parse("2/8").unwrap().to_string(), "2/8");
        for wrong in ["0/8", "9/8", "2", "2/", "/8", "-1/8", "2/0", "1.5/8", "1/1000000", "a/b"] {
            assert!(parse(wrong).unwrap_err().contains("such as 2/8"), "{wrong}");
        }
    }

    #[test]
    fn journals_of_parts_are_found_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("rib ü.ydb");
        let shards = [(1, 1), (10, 12), (2, 12)].map(|(i, n)| Shard::new(i, n).unwrap());
        for shard in shards {
            std::fs::write(shard.journal(&output), "").unwrap();
        }
        for other in ["rib ü.ydb.shard-02-of-12.journal", "other.ydb.shard-1-of-2.journal", "rib ü.ydb.journal"] {
            std::fs::write(folder.path().join(other), "").unwrap();
        }
        assert_eq!(Shard::beside(&output).unwrap(), [shards[0], shards[2], shards[1]]);
    }
}
