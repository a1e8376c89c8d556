//! How far a campaign is, from its files alone: read-only, while it runs here or elsewhere.

use super::found::{OutputState, failed_path};
use super::{Campaign, PlannedBake, PlannedRest};
use crate::Result;
use crate::bake::{Bake, SOLVES_A_SAMPLE, Shard, journal_path, log_path, read_log};
use crate::job::peek;
use rayon::prelude::*;
use serde::Serialize;
use std::path::PathBuf;
use yarnwise_shared::table::database::{SampleStatus, read_head};

/// How a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Its output is there.
    Done,
    /// A process is at work on it.
    Running,
    /// Its journal is there, and no process is at work.
    Interrupted,
    /// The last attempt failed, or something else is in the place of its output.
    Failed,
    /// Nothing is there yet.
    Waiting,
}

impl Standing {
    /// All of them, in the order in which they are counted.
    pub const ALL: [Standing; 5] =
        [Standing::Done, Standing::Running, Standing::Interrupted, Standing::Failed, Standing::Waiting];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Done => "done",
            Standing::Running => "running",
            Standing::Interrupted => "interrupted",
            Standing::Failed => "failed",
            Standing::Waiting => "waiting",
        }
    }
}

/// A bake.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BakeStatus {
    /// Its name in the campaign.
    pub name: String,
    /// Its database.
    pub file: PathBuf,
    /// How it stands.
    pub standing: Standing,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Vertices of its pattern.
    pub vertices: usize,
    /// Samples that are solved.
    pub samples: u64,
    /// Solves that are done.
    pub solves: usize,
    /// Solves that it will have taken, about.
    pub expected_solves: usize,
    /// Processor time of the solves that are done, s.
    pub core_seconds: f64,
    /// Processor time that is left, s; none where nothing is known of the speed.
    pub left_core_seconds: Option<f64>,
    /// Time since its journal changed, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_seconds: Option<f64>,
    /// Samples of its database that are equilibria, of how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converged: Option<[usize; 2]>,
    /// Size of its database, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_bytes: Option<u64>,
}

/// A pattern that is relaxed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RestStatus {
    /// Its name in the campaign.
    pub name: String,
    /// The relaxed pattern.
    pub file: PathBuf,
    /// How it stands.
    pub standing: Standing,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// All of a campaign.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// The patterns.
    pub rests: Vec<RestStatus>,
    /// The bakes.
    pub bakes: Vec<BakeStatus>,
}

impl Campaign {
    /// How far it is; `tool` is the name and version of the program. Takes no lock and writes nothing.
    pub fn status(&self, tool: &str) -> Status {
        let rests = self.rests.iter().map(|rest| rest.status(tool)).collect();
        let bakes: Vec<BakeStatus> = self.bakes.par_iter().map(|bake| self.bake_status(bake, tool)).collect();
        let mut status = Status { rests, bakes };
        status.estimate();
        status
    }

    fn bake_status(&self, planned: &PlannedBake, tool: &str) -> BakeStatus {
        let mut status = BakeStatus {
            name: planned.name.clone(),
            file: planned.output.clone(),
            standing: Standing::Waiting,
            problem: None,
            vertices: 0,
            samples: 0,
            solves: 0,
            expected_solves: 0,
            core_seconds: 0.0,
            left_core_seconds: None,
            quiet_seconds: None,
            converged: None,
            file_bytes: None,
        };
        if let Ok(bake) = self.checked_bake(planned) {
            status.vertices = bake.pattern.vertices().len();
            status.samples = bake.solved_samples();
        }
        // A pattern that is not relaxed yet is no fault, and nothing of its bakes can be there.
        let file = self.pattern_file(planned);
        let found = match planned.bake(file, tool) {
            Ok(bake) => status.look(planned, &bake),
            Err(_) if !file.exists() => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = found {
            status.standing = Standing::Failed;
            status.problem = Some(error.to_string());
        }
        status
    }
}

impl BakeStatus {
    /// Fills in what the files of a bake say.
    fn look(&mut self, planned: &PlannedBake, bake: &Bake) -> Result<()> {
        self.vertices = bake.pattern.vertices().len();
        self.samples = bake.solved_samples();
        match planned.found(bake)? {
            OutputState::Done => self.look_at_database(planned),
            OutputState::Other(problem) => {
                self.standing = Standing::Failed;
                self.problem = Some(problem);
                Ok(())
            }
            OutputState::Nothing => self.look_at_journal(planned, bake),
        }
    }

    fn look_at_database(&mut self, planned: &PlannedBake) -> Result<()> {
        let head = read_head(&planned.output)?;
        let converged = head.all_samples().filter(|s| s.status == SampleStatus::Converged).count();
        self.standing = Standing::Done;
        self.converged = Some([converged, head.all_samples().count()]);
        self.file_bytes = Some(head.file_bytes);
        // The log is for people, who may have removed it.
        if let Ok(logged) = read_log(&log_path(&planned.output)) {
            self.solves = logged.solves;
            self.core_seconds = logged.core_seconds;
        }
        Ok(())
    }

    fn look_at_journal(&mut self, planned: &PlannedBake, bake: &Bake) -> Result<()> {
        let reason = std::fs::read_to_string(failed_path(&planned.output)).ok();
        let Some(journal) = peek(&journal_path(&planned.output))? else {
            self.fail_if(reason);
            return Ok(());
        };
        self.quiet_seconds = Some(journal.age.as_secs_f64());
        let is_ours = journal.description.is_none_or(|text| text == crate::job::describe(&bake.description()));
        if !is_ours && journal.records > 0 {
            let path = journal_path(&planned.output);
            let problem = format!("{}: is the unfinished journal of another job", path.display());
            self.fail_if(Some(problem));
            return Ok(());
        }
        self.solves = journal.records;
        self.core_seconds = journal.core_seconds;
        let is_shared = self.look_at_shards(planned)?;
        match journal.is_alive || is_shared {
            true => self.standing = Standing::Running,
            false => {
                self.standing = Standing::Interrupted;
                self.fail_if(reason);
            }
        }
        Ok(())
    }

    /// Adds what shards have not handed over yet; whether one is at work.
    fn look_at_shards(&mut self, planned: &PlannedBake) -> Result<bool> {
        let mut is_alive = false;
        for shard in Shard::beside(&planned.output)? {
            let Some(journal) = peek(&shard.journal(&planned.output))? else { continue };
            self.solves += journal.records;
            self.core_seconds += journal.core_seconds;
            self.quiet_seconds = self.quiet_seconds.map(|quiet| quiet.min(journal.age.as_secs_f64()));
            is_alive |= journal.is_alive;
        }
        Ok(is_alive)
    }

    fn fail_if(&mut self, reason: Option<String>) {
        if let Some(reason) = reason {
            self.standing = Standing::Failed;
            self.problem = Some(reason.lines().collect::<Vec<_>>().join(" "));
        }
    }
}

impl PlannedRest {
    fn status(&self, tool: &str) -> RestStatus {
        let (standing, problem) = match self.found(tool) {
            Ok(OutputState::Done) => (Standing::Done, None),
            Ok(OutputState::Other(problem)) => (Standing::Failed, Some(problem)),
            Err(error) => (Standing::Failed, Some(error.to_string())),
            Ok(OutputState::Nothing) => match std::fs::read_to_string(failed_path(&self.output)) {
                Ok(reason) => (Standing::Failed, Some(reason.lines().collect::<Vec<_>>().join(" "))),
                Err(_) => (Standing::Waiting, None),
            },
        };
        RestStatus { name: self.name.clone(), file: self.output.clone(), standing, problem }
    }
}

impl Status {
    /// How many steps stand so.
    pub fn count(&self, standing: Standing) -> usize {
        let rests = self.rests.iter().map(|rest| rest.standing);
        rests.chain(self.bakes.iter().map(|bake| bake.standing)).filter(|s| *s == standing).count()
    }

    /// Processor time that is left, s; none where nothing is known of the speed.
    pub fn left_core_seconds(&self) -> Option<f64> {
        self.bakes.iter().map(|bake| bake.left_core_seconds).sum()
    }

    /// Estimates what is left from what was done: solves a sample from finished bakes, seconds a solve from a bake's own solves or,
    /// by the vertex, from all.
    fn estimate(&mut self) {
        let done = || self.bakes.iter().filter(|bake| bake.standing == Standing::Done && bake.solves > 0);
        let (solves, samples) = done().fold((0, 0), |(solves, samples), b| (solves + b.solves, samples + b.samples));
        let per_sample = if samples > 0 { solves as f64 / samples as f64 } else { SOLVES_A_SAMPLE };
        let known = self.bakes.iter().filter(|bake| bake.solves > 0);
        let (seconds, work) = known.fold((0.0, 0.0), |(seconds, work), bake| {
            (seconds + bake.core_seconds, work + (bake.solves * bake.vertices) as f64)
        });
        let per_vertex = (work > 0.0).then(|| seconds / work);
        for bake in &mut self.bakes {
            if bake.standing == Standing::Done {
                (bake.expected_solves, bake.left_core_seconds) = (bake.solves, Some(0.0));
                continue;
            }
            bake.expected_solves = bake.solves.max((per_sample * bake.samples as f64).round() as usize);
            let own = (bake.solves > 0).then(|| bake.core_seconds / bake.solves as f64);
            let each = own.or(per_vertex.map(|seconds| seconds * bake.vertices as f64));
            bake.left_core_seconds = each.map(|each| each * (bake.expected_solves - bake.solves) as f64);
        }
    }
}
