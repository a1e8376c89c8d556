//! A campaign on this machine: several bakes at a time share one pool of threads, so that one's narrow waves are filled by another's
//! tasks. Each bake's tasks and waves are those that it has alone, so its bytes are, too.

use super::found::{OutputState, failed_path};
use super::{Campaign, PlannedBake, PlannedRest, Source};
use crate::bake::{Bake, BakeOutcome, Progress, RunOptions, Summary, journal_path};
use crate::equilibrium::{Follower, Seen};
use crate::job::{Journal, start_pool};
use crate::relax::Watch;
use crate::{Error, Result};
use rayon::ThreadPool;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use yarnwise_shared::file;

/// A step of a campaign: a number of its lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CampaignStep {
    /// A pattern is relaxed.
    Rest(usize),
    /// A database is baked.
    Bake(usize),
}

/// How a campaign is run. Nothing here changes a byte of its databases.
#[derive(Clone, Copy, Debug)]
pub struct CampaignOptions<'a> {
    /// How many samples are solved at a time, of all bakes together.
    pub threads: usize,
    /// The memory that all bakes at work may take together, bytes; one alone may always begin.
    pub memory: u64,
    /// Name and version of the program.
    pub tool: &'a str,
    /// Once this is true, nothing new begins.
    pub stop: &'a AtomicBool,
    /// Steps that are wanted; what they need is done, too.
    pub wanted: &'a [CampaignStep],
}

/// How a step ended.
#[derive(Debug)]
pub enum StepEnd {
    /// An earlier run had done it.
    Kept,
    /// It is done; figures of a bake.
    Done(Option<Box<Summary>>),
    /// Another process is at work on it.
    Busy,
    /// It was asked to stop; what is finished is kept.
    Stopped,
    /// It cannot be done.
    Failed(Error),
    /// The pattern that it needs did not come to rest, which is reported of that.
    Unrested(usize),
}

/// What happens.
#[derive(Debug)]
pub enum CampaignEvent {
    /// A step begins.
    Begun(CampaignStep),
    /// A search for rest took a step.
    Relaxing(usize, Seen),
    /// A bake advances.
    Baking(usize, Progress),
    /// A step ended.
    Ended(CampaignStep, StepEnd),
}

/// How every step ended; none for those that did not begin.
#[derive(Debug, Default)]
pub struct CampaignOutcome {
    /// The patterns.
    pub rests: Vec<Option<StepEnd>>,
    /// The bakes.
    pub bakes: Vec<Option<StepEnd>>,
}

/// Bakes that are open at a time, for each thread: with one alone, its narrow waves would leave threads without work.
pub(super) const OPEN_PER_THREAD: usize = 2;

impl Campaign {
    /// Does the steps that are wanted. What happens is reported on the calling thread.
    pub fn run(&self, options: CampaignOptions, report: &mut dyn FnMut(&CampaignEvent)) -> Result<CampaignOutcome> {
        let threads = options.threads.max(1);
        let pool = start_pool(threads)?;
        let board = Board::new(self, &options);
        let (sender, receiver) = mpsc::channel();
        let mut outcome = CampaignOutcome::default();
        outcome.rests.resize_with(self.rests.len(), || None);
        outcome.bakes.resize_with(self.bakes.len(), || None);
        std::thread::scope(|scope| {
            for _ in 0..(OPEN_PER_THREAD * threads).min(self.rests.len() + self.bakes.len()) {
                let work = Driver { campaign: self, options, pool: &pool, board: &board, events: sender.clone() };
                scope.spawn(move || work.drive());
            }
            drop(sender);
            for event in receiver {
                report(&event);
                match event {
                    CampaignEvent::Ended(CampaignStep::Rest(i), end) => outcome.rests[i] = Some(end),
                    CampaignEvent::Ended(CampaignStep::Bake(i), end) => outcome.bakes[i] = Some(end),
                    _ => {}
                }
            }
        });
        Ok(outcome)
    }
}

/// What is waiting, at work and done.
struct Board {
    state: Mutex<BoardState>,
    changed: Condvar,
}

/// How far a pattern is that is relaxed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RestStage {
    /// Not wanted.
    Idle,
    Waiting,
    AtWork,
    /// It ended; whether the pattern is at rest.
    Ended(bool),
}

struct BoardState {
    rests: Vec<RestStage>,
    /// Waiting bakes, the longest one first, so that what is left for the end is short; and the bytes that each takes.
    bakes: Vec<(usize, u64)>,
    /// Of what is at work, bytes.
    memory: u64,
}

impl Board {
    fn new(campaign: &Campaign, options: &CampaignOptions) -> Self {
        let mut rests = vec![RestStage::Idle; campaign.rests.len()];
        let mut bakes = Vec::new();
        for step in options.wanted {
            match step {
                CampaignStep::Rest(i) => rests[*i] = RestStage::Waiting,
                CampaignStep::Bake(i) => {
                    let planned = &campaign.bakes[*i];
                    if let Source::Relaxed(rest) = planned.source {
                        rests[rest] = RestStage::Waiting;
                    }
                    // What cannot be read fails when it is begun.
                    let size = campaign.checked_bake(planned);
                    let vertices = |bake: &Bake| bake.pattern.vertices().len() as u64;
                    let (work, memory) = size
                        .map_or((0, 0), |bake| (bake.solved_samples() * vertices(&bake), bake.memory(options.threads)));
                    bakes.push((work, *i, memory));
                }
            }
        }
        bakes.sort_by_key(|(work, i, _)| (Reverse(*work), *i));
        let bakes = bakes.into_iter().map(|(_, i, memory)| (i, memory)).collect();
        Board { state: Mutex::new(BoardState { rests, bakes, memory: 0 }), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, BoardState> {
        // A thread that panics ends the run anyway; the others may finish what they have.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next step and the memory that it takes, waited for; none when nothing is left to begin.
    fn next(&self, campaign: &Campaign, options: &CampaignOptions) -> Option<(CampaignStep, u64)> {
        let mut state = self.lock();
        loop {
            if options.stop.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(rest) = state.rests.iter().position(|stage| *stage == RestStage::Waiting) {
                state.rests[rest] = RestStage::AtWork;
                return Some((CampaignStep::Rest(rest), 0));
            }
            let can_begin = |(bake, memory): &(usize, u64)| {
                let is_ready = match campaign.bakes[*bake].source {
                    Source::Relaxed(rest) => matches!(state.rests[rest], RestStage::Ended(_)),
                    Source::Given(_) => true,
                };
                is_ready && (state.memory == 0 || state.memory + memory <= options.memory)
            };
            if let Some(at) = state.bakes.iter().position(can_begin) {
                let (bake, memory) = state.bakes.remove(at);
                state.memory += memory;
                return Some((CampaignStep::Bake(bake), memory));
            }
            if state.bakes.is_empty() {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether a pattern that a bake needs came to rest.
    fn is_rested(&self, rest: usize) -> bool {
        self.lock().rests[rest] == RestStage::Ended(true)
    }

    fn end(&self, step: CampaignStep, memory: u64, good: bool) {
        let mut state = self.lock();
        if let CampaignStep::Rest(i) = step {
            state.rests[i] = RestStage::Ended(good);
        }
        state.memory -= memory;
        self.changed.notify_all();
    }
}

/// What a driver needs.
struct Driver<'a> {
    campaign: &'a Campaign,
    options: CampaignOptions<'a>,
    pool: &'a ThreadPool,
    board: &'a Board,
    events: Sender<CampaignEvent>,
}

impl Driver<'_> {
    /// Does one step after the other until none is left.
    fn drive(&self) {
        while let Some((step, memory)) = self.board.next(self.campaign, &self.options) {
            self.tell(CampaignEvent::Begun(step));
            let end = match step {
                CampaignStep::Rest(i) => self.relax(i),
                CampaignStep::Bake(i) => self.bake(i),
            };
            let end = end.unwrap_or_else(|error| match error {
                Error::Busy { .. } => StepEnd::Busy,
                error => StepEnd::Failed(error),
            });
            let good = matches!(end, StepEnd::Kept | StepEnd::Done(_));
            self.tell(CampaignEvent::Ended(step, end));
            self.board.end(step, memory, good);
        }
    }

    fn tell(&self, event: CampaignEvent) {
        // The receiver outlives the drivers.
        let _ = self.events.send(event);
    }

    fn relax(&self, number: usize) -> Result<StepEnd> {
        let rest = &self.campaign.rests[number];
        let end = self.relax_planned(number, rest);
        keep_failure(&rest.output, &end);
        end
    }

    fn relax_planned(&self, number: usize, rest: &PlannedRest) -> Result<StepEnd> {
        let tool = self.options.tool;
        match rest.found(tool)? {
            OutputState::Done => return Ok(StepEnd::Kept),
            OutputState::Other(problem) => return Err(Error::InTheWay { problem }),
            OutputState::Nothing => {}
        }
        // On a thread of the pool, so that no more threads work than were asked for.
        let (events, stop) = (self.events.clone(), self.options.stop);
        let done = self.pool.install(move || {
            let follower = move |seen: &Seen| _ = events.send(CampaignEvent::Relaxing(number, *seen));
            let follower = Some(Rc::new(RefCell::new(follower)) as Follower);
            rest.run(tool, &Watch { max_steps: rest.max_steps, stop: Some(stop), follower })
        })?;
        Ok(if done { StepEnd::Done(None) } else { StepEnd::Stopped })
    }

    fn bake(&self, number: usize) -> Result<StepEnd> {
        let planned = &self.campaign.bakes[number];
        if let Source::Relaxed(rest) = planned.source
            && !self.board.is_rested(rest)
        {
            return Ok(StepEnd::Unrested(rest));
        }
        let end = self.bake_planned(number, planned);
        keep_failure(&planned.output, &end);
        end
    }

    fn bake_planned(&self, number: usize, planned: &PlannedBake) -> Result<StepEnd> {
        let bake = planned.bake(self.campaign.pattern_file(planned), self.options.tool)?;
        match planned.found(&bake)? {
            OutputState::Done => {
                clear_away(planned, &bake);
                return Ok(StepEnd::Kept);
            }
            OutputState::Other(problem) => return Err(Error::InTheWay { problem }),
            OutputState::Nothing => {}
        }
        let options = RunOptions {
            threads: planned.threads.unwrap_or(self.options.threads),
            pool: Some(self.pool),
            restart: false,
            encoding: planned.encoding,
            stop: self.options.stop,
        };
        let outcome =
            bake.run(&planned.output, options, &mut |progress| self.tell(CampaignEvent::Baking(number, progress)))?;
        Ok(match outcome {
            BakeOutcome::Finished(summary) => StepEnd::Done(Some(summary)),
            BakeOutcome::Stopped { .. } => StepEnd::Stopped,
        })
    }
}

/// Removes the journal of a bake that was killed between its last two steps: the database is written, the journal is still there.
fn clear_away(planned: &PlannedBake, bake: &Bake) {
    let path = journal_path(&planned.output);
    if path.exists()
        && let Ok((journal, _)) = Journal::open(&path, &bake.description(), false)
    {
        // What remains is of no use, and no harm.
        let _ = journal.remove();
    }
}

/// Leaves the reason of a failure beside the output, for those who look at the campaign later.
fn keep_failure(output: &Path, end: &Result<StepEnd>) {
    let path = failed_path(output);
    match end {
        // The other process says how it ends.
        Err(Error::Busy { .. }) => {}
        // A full disk takes no reason either.
        Err(error) => _ = file::write_atomically(&path, |w| w.write_all(error.to_string().as_bytes())),
        Ok(_) => _ = std::fs::remove_file(&path),
    }
}
