//! Runs the waves of a plan on several threads.

use super::{Journal, Note, Plan, Tasks};
use crate::{Error, Result};
use cpu_time::ThreadTime;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

/// How a job is run. Nothing here changes its outcome.
#[derive(Clone, Copy, Debug)]
pub struct ExecuteOptions<'a> {
    /// How many tasks are run at a time.
    pub threads: usize,
    /// Threads that several jobs have together, whose tasks then fill each other's gaps; none: the job starts its own.
    pub pool: Option<&'a ThreadPool>,
    /// Once this is true, no new task begins.
    pub stop: &'a AtomicBool,
}

/// While no task of a job is finished, its journal's time is set this often: those who look at it from elsewhere see that it is alive.
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// Starts `threads` threads for one job or several.
pub fn start_pool(threads: usize) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| Error::Threads { threads, problem: e.to_string() })
}

/// Runs `work` on this thread; what it gives, and the processor time that it took in s: blind to what else the machine does.
pub fn core_seconds<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = ThreadTime::now();
    let output = work();
    (output, start.elapsed().as_secs_f64())
}

/// What is reported to the caller while a job runs.
#[derive(Debug)]
pub enum Event<'a, T: Tasks> {
    /// A wave begins.
    Wave {
        /// Its number, from 0.
        wave: u32,
        /// Its tasks.
        tasks: &'a [T::Task],
    },
    /// A process that shares the job begins its share of what can be done now.
    Share {
        /// How many tasks that are.
        tasks: usize,
    },
    /// A task is finished and in the journal.
    Finished {
        /// Its wave.
        wave: u32,
        /// The task.
        task: &'a T::Task,
        /// What it found.
        output: &'a T::Output,
        /// Processor time that it took, s.
        seconds: f64,
        /// It was finished by an earlier run.
        recalled: bool,
    },
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All waves are done.
    Finished,
    /// It was asked to stop; what is finished is in the journal.
    Stopped,
    /// The rest of a wave is left to others.
    Left,
}

/// Whether a wave of these tasks is left to others, given the numbers of those without a result.
type Leave<'l, T> = dyn FnMut(&[T], &[u32]) -> bool + 'l;

/// Waves of tasks, one after the other.
#[derive(Debug)]
pub struct Run<'a> {
    /// What is found is kept here; without a journal it is not kept.
    pub(super) journal: Option<&'a mut Journal>,
    pool: Pool<'a>,
    threads: usize,
    stop: &'a AtomicBool,
    pub(super) wave: u32,
}

/// The threads of a job.
#[derive(Debug)]
enum Pool<'a> {
    Own(ThreadPool),
    Shared(&'a ThreadPool),
}

impl Pool<'_> {
    fn get(&self) -> &ThreadPool {
        match self {
            Pool::Own(pool) => pool,
            Pool::Shared(pool) => pool,
        }
    }
}

impl<'a> Run<'a> {
    /// Before the first wave.
    pub fn new(journal: Option<&'a mut Journal>, options: ExecuteOptions<'a>) -> Result<Self> {
        let threads = options.threads.max(1);
        let pool = match options.pool {
            Some(pool) => Pool::Shared(pool),
            None => Pool::Own(start_pool(threads)?),
        };
        Ok(Run { journal, pool, threads, stop: options.stop, wave: 0 })
    }

    /// Runs the tasks of the next wave and gives what they found, in their order; `None` when it was asked to stop before all
    /// were done.
    ///
    /// What happens is reported to `observe`, on the calling thread; an error from it ends the job like a full disk does.
    pub fn wave<T: Tasks>(
        &mut self,
        work: &T,
        tasks: &[T::Task],
        observe: &mut dyn FnMut(Event<T>) -> Result<()>,
    ) -> Result<Option<Vec<T::Output>>> {
        let wave = self.wave;
        self.wave += 1;
        observe(Event::Wave { wave, tasks })?;
        let mut outputs = self.recall(work, wave, tasks, observe)?;
        let missing = (0..tasks.len()).filter(|i| outputs[*i].is_none()).collect();
        self.run_tasks(work, tasks, missing, &|i| (wave, i as u32), &mut outputs, observe)?;
        let found: Vec<T::Output> = outputs.into_iter().flatten().collect();
        Ok((found.len() == tasks.len()).then_some(found))
    }

    /// Runs the waves of `plan` to its end, or until it is asked to stop. One plan can be run after the other.
    ///
    /// What happens is reported to `observe` as for a wave.
    pub fn plan<P: Plan>(&mut self, plan: &mut P, observe: &mut dyn FnMut(Event<P>) -> Result<()>) -> Result<Outcome> {
        self.plan_until(plan, &mut |_, _| false, observe)
    }

    /// The same, but ends before a wave of which `leave` says so: it gets the tasks and the numbers of those without a result, if there
    /// are any.
    pub fn plan_until<P: Plan>(
        &mut self,
        plan: &mut P,
        leave: &mut Leave<'_, P::Task>,
        observe: &mut dyn FnMut(Event<P>) -> Result<()>,
    ) -> Result<Outcome> {
        let outcome = loop {
            let tasks = self.next_tasks(plan)?;
            if tasks.is_empty() {
                break Outcome::Finished;
            }
            let missing = self.missing(tasks.len());
            if !missing.is_empty() && leave(&tasks, &missing) {
                break Outcome::Left;
            }
            match self.wave(plan, &tasks, observe)? {
                Some(found) => plan.accept(tasks, found),
                None => break Outcome::Stopped,
            }
        };
        self.flush()?;
        Ok(outcome)
    }

    /// The tasks of the next wave: those that the journal names, else those of the plan, which the journal then names.
    ///
    /// Where a journal is continued on a machine that rounds otherwise, results stay with the tasks that they were found for.
    fn next_tasks<P: Plan>(&mut self, plan: &mut P) -> Result<Vec<P::Task>> {
        // What it computes in parallel runs on the threads of this job.
        let tasks = beating(self.journal.as_deref(), || self.pool.get().install(|| plan.next_wave()));
        if let Some(named) = self.named_tasks(plan) {
            return Ok(named);
        }
        if let (Some(journal), Some(list)) = (&mut self.journal, plan.list(&tasks)) {
            journal.keep_note(Note::Tasks { wave: self.wave }, &list)?;
        }
        Ok(tasks)
    }

    /// The tasks of the next wave that the journal names.
    pub(super) fn named_tasks<P: Plan>(&self, plan: &P) -> Option<Vec<P::Task>> {
        let bytes = self.journal.as_ref()?.note(Note::Tasks { wave: self.wave })?;
        plan.parse_list(bytes)
    }

    /// Leaves everything that was found on the disk.
    pub fn flush(&mut self) -> Result<()> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.flush())
    }

    /// What earlier runs found for the tasks of this wave.
    pub(super) fn recall<T: Tasks>(
        &mut self,
        work: &T,
        wave: u32,
        tasks: &[T::Task],
        observe: &mut dyn FnMut(Event<T>) -> Result<()>,
    ) -> Result<Vec<Option<T::Output>>> {
        let mut outputs = Vec::with_capacity(tasks.len());
        for (i, task) in tasks.iter().enumerate() {
            let record = self.journal.as_mut().and_then(|journal| journal.take(wave, i as u32));
            let output = record.and_then(|r| work.decode(&r.bytes).map(|output| (output, r.seconds)));
            if let Some((output, seconds)) = &output {
                observe(Event::Finished { wave, task, output, seconds: *seconds, recalled: true })?;
            }
            outputs.push(output.map(|(output, _)| output));
        }
        Ok(outputs)
    }

    /// Runs the tasks of these numbers, which have their results at `keys` in the journal (wave and number in the wave); after a stop
    /// some stay without.
    pub(super) fn run_tasks<T: Tasks>(
        &mut self,
        work: &T,
        tasks: &[T::Task],
        missing: Vec<usize>,
        keys: &dyn Fn(usize) -> (u32, u32),
        outputs: &mut [Option<T::Output>],
        observe: &mut dyn FnMut(Event<T>) -> Result<()>,
    ) -> Result<()> {
        // Set when a result cannot be kept: further work would be for nothing.
        let failed = AtomicBool::new(false);
        let stop = self.stop;
        let halted = || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
        let next = AtomicUsize::new(0);
        let next = || missing.get(next.fetch_add(1, Ordering::Relaxed)).copied().filter(|_| !halted());
        // Without room in between: a thread begins its next task only when its last result is on its way to the journal.
        let (sender, receiver) = mpsc::sync_channel(0);
        let journal = &mut self.journal;
        self.pool.get().in_place_scope_fifo(|scope| {
            for _ in 0..self.threads.min(missing.len()) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn_fifo(move |_| {
                    while let Some(i) = next() {
                        let (output, seconds) = core_seconds(|| work.run(&tasks[i]));
                        // The receiver only goes away after a failure, when the result is no longer needed.
                        let _ = sender.send((i, output, seconds));
                    }
                });
            }
            drop(sender);
            let mut result = Ok(());
            while let Some((i, output, seconds)) = receive(&receiver, journal.as_deref()) {
                let (wave, number) = keys(i);
                // After a failure the others in flight are still appended: there may be room for them.
                let kept = match journal {
                    Some(journal) => journal.append(wave, number, seconds, &work.encode(&output)),
                    None => Ok(()),
                };
                let kept = kept.and_then(|()| {
                    observe(Event::Finished { wave, task: &tasks[i], output: &output, seconds, recalled: false })
                });
                outputs[i] = Some(output);
                if kept.is_err() {
                    failed.store(true, Ordering::Relaxed);
                    result = result.and(kept);
                }
            }
            result
        })
    }
}

/// Does `work` while the journal of its job beats.
pub(crate) fn beating<T>(journal: Option<&Journal>, work: impl FnOnce() -> T) -> T {
    let Some(journal) = journal else { return work() };
    let (at_work, waiting) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while waiting.recv_timeout(HEARTBEAT) == Err(RecvTimeoutError::Timeout) {
                journal.beat();
            }
        });
        let output = work();
        drop(at_work);
        output
    })
}

/// The next result, waited for with a beating heart; none when all are there.
fn receive<T>(receiver: &Receiver<T>, journal: Option<&Journal>) -> Option<T> {
    loop {
        match receiver.recv_timeout(HEARTBEAT) {
            Ok(result) => return Some(result),
            Err(RecvTimeoutError::Timeout) => journal.iter().for_each(|journal| journal.beat()),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// Runs `plan` to its end, or until it is asked to stop.
///
/// What happens is reported to `observe`, on the calling thread; an error from it ends the job like a full disk does.
pub fn execute<P: Plan>(
    plan: &mut P,
    journal: &mut Journal,
    options: ExecuteOptions,
    observe: &mut dyn FnMut(Event<P>) -> Result<()>,
) -> Result<Outcome> {
    Run::new(Some(journal), options)?.plan(plan, observe)
}
