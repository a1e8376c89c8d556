//! The journals of a bake's parts united, and what comes next.

use super::next::Next;
use super::plan::{Reached, Remainder, Role, Tables};
use super::shard::Shard;
use super::summary::{Summary, Tally};
use super::{Bake, BakeOutcome, Progress, RunOptions, journal_path, log_path, mark};
use crate::cell::Cell;
use crate::job::{ExecuteOptions, Journal, Records, Run};
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use yarnwise_shared::file;

/// Where the journals are that a merge unites, and what it solves itself.
#[derive(Clone, Copy, Debug)]
pub struct MergeOptions<'a> {
    /// Journals of parts besides those that are found beside the output. They are left where they are.
    pub journals: &'a [PathBuf],
    /// What takes fewer core-seconds than this is solved here instead of being left to others.
    pub little: f64,
}

/// How a merge ended.
#[derive(Clone, Debug)]
pub enum MergeOutcome {
    /// Nothing is left for others.
    Baked(BakeOutcome),
    /// The database was there already.
    Before,
    /// This comes next.
    Next(Next),
}

/// What uniting journals came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// Journals with results.
    pub journals: usize,
    /// Results that were new.
    pub solves: usize,
    /// Results of one solve that two of them have with different bits.
    pub differing: usize,
}

impl Bake {
    /// Unites what parts of this bake found in the journal of `output`, solves what holds them up and what is little, and says what
    /// comes next; where nothing is left, the database is written, with the bytes that [`Bake::run`] gives it.
    pub fn merge(
        &self,
        output: &Path,
        merge: MergeOptions,
        options: RunOptions,
        report: &mut dyn FnMut(Progress),
    ) -> Result<MergeOutcome> {
        self.check()?;
        let started = Instant::now();
        let path = journal_path(output);
        if !path.exists() && !options.restart && self.is_baked(output, &options) {
            clear(output, &Shard::beside(output)?);
            return Ok(MergeOutcome::Before);
        }
        let (mut journal, opened) = Journal::open(&path, &self.description(), options.restart)?;
        let shards = Shard::beside(output)?;
        if options.restart {
            clear(output, &shards);
        }
        let gathered = self.gather(&mut journal, output, &shards, merge.journals)?;
        report(Progress::Begun { samples: self.solved_samples() as usize, opened });
        report(Progress::Gathered(gathered));
        mark(&mut journal, report);
        let cell = Cell::new(&self.pattern, &self.material)?;
        let paths = [log_path(output), path.clone()];
        let execute = ExecuteOptions { threads: options.threads, pool: options.pool, stop: options.stop };
        let run = Run::new(Some(&mut journal), execute)?;
        let role = Role::Merge { little: merge.little };
        let mut tables =
            Tables { bake: self, cell: &cell, run, role, paths, log: None, tally: Tally::default(), report };
        let reached = tables.solve()?;
        let tally = tables.tally;
        match reached {
            Reached::End(samples) => {
                let summary = self.finish(samples, tally, journal, output, options, report)?;
                clear(output, &shards);
                let summary = Summary { seconds: started.elapsed().as_secs_f64(), ..summary };
                Ok(MergeOutcome::Baked(BakeOutcome::Finished(Box::new(summary))))
            }
            Reached::Stopped => Ok(MergeOutcome::Baked(BakeOutcome::Stopped { solves: tally.solves })),
            // Where no shard has delivered anything, this merge is run again, perhaps because the last one was lost when it had ended.
            Reached::Left(Remainder { next: Some(next), owed }) if owed.is_empty() || gathered.journals == 0 => {
                clear(output, &shards);
                Ok(MergeOutcome::Next(next))
            }
            Reached::Left(Remainder { next, owed }) => {
                let solves = next.map_or(owed.len(), |next| next.solves);
                Err(Error::ShardsMissing { journal: path, missing: missing(&shards, &owed, solves) })
            }
        }
    }

    /// Takes over the results of all journals.
    fn gather(&self, journal: &mut Journal, output: &Path, shards: &[Shard], others: &[PathBuf]) -> Result<Gathered> {
        let mut gathered = Gathered::default();
        // Together they are far smaller than the time to lose by half a merge: all are read before the first is taken over.
        let paths = shards.iter().map(|shard| shard.journal(output)).chain(others.iter().cloned());
        let read = |path: PathBuf| {
            if others.contains(&path) {
                std::fs::metadata(&path).map_err(|e| Error::io(&path, e))?;
            }
            Records::read(&path, &self.description())
        };
        for records in paths.map(read).collect::<Result<Vec<_>>>()?.into_iter().flatten() {
            let united = journal.unite(records)?;
            gathered.journals += 1;
            gathered.solves += united.added;
            gathered.differing += united.differing;
        }
        Ok(gathered)
    }
}

/// Removes what the merge of `output` has made superfluous: journals of parts, and temporary files of processes that died while they
/// wrote the database. What cannot be removed does no harm.
fn clear(output: &Path, shards: &[Shard]) {
    for shard in shards {
        let _ = Journal::discard(&shard.journal(output));
    }
    file::remove_leftovers(output);
}

/// Which parts have not delivered what they should.
fn missing(shards: &[Shard], owed: &[u32], solves: usize) -> String {
    let mut by_count: BTreeMap<u32, Vec<Shard>> = BTreeMap::new();
    shards.iter().for_each(|shard| by_count.entry(shard.count()).or_default().push(*shard));
    let solves = format!("{solves} {} missing", if solves == 1 { "solve is" } else { "solves are" });
    // Of several divisions the one with the most parts is the one at work.
    let Some((count, present)) = by_count.into_iter().max_by_key(|(_, shards)| shards.len()) else {
        return format!("the given journals are not those of all shards, {solves}");
    };
    let owes = |number: &u32| owed.iter().any(|part| part % count + 1 == *number);
    let named: Vec<String> = (1..=count)
        .filter(owes)
        .filter_map(|number| Shard::new(number, count))
        .map(|shard| {
            let state = if present.contains(&shard) { " (not finished)" } else { "" };
            format!("{shard}{state}")
        })
        .collect();
    match named.as_slice() {
        [one] => format!("shard {one} has not delivered, {solves}"),
        several => format!("shards {} have not delivered, {solves}", several.join(", ")),
    }
}
