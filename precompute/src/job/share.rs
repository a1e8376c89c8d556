//! A process's share of a job that several work on, each with a journal of its own.

use super::{Event, Note, Outcome, Run, TaskPlace, Tree};
use crate::Result;

/// Every nth part of what can be done at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobShare {
    /// Its number, from 0.
    pub number: u32,
    /// How many there are.
    pub count: u32,
}

impl JobShare {
    /// Whether it takes what has this number.
    pub fn has(self, number: u32) -> bool {
        number % self.count == self.number
    }

    fn has_place(self, place: &TaskPlace) -> bool {
        place.branch.is_some_and(|branch| self.has(branch))
    }
}

impl Run<'_> {
    /// Runs what can be run of the tree with which `plan` begins, of the places that `take` wants; it is also told which are detours.
    /// Nothing is taken out of the journal, and [`Run::plan`] may run the same plan afterwards, when it has forgotten the tree.
    ///
    /// Returns the places that still have no result, and whether it was asked to stop.
    pub fn tree<P: Tree>(
        &mut self,
        plan: &mut P,
        take: &dyn Fn(&TaskPlace, bool) -> bool,
        observe: &mut dyn FnMut(Event<P>) -> Result<()>,
    ) -> Result<(Vec<TaskPlace>, bool)> {
        let places = plan.places().to_vec();
        let mut known = self.learn_tree(plan, &places);
        let mut stopped = false;
        if let Some(journal) = &mut self.journal {
            journal.remember(true);
        }
        while !stopped {
            let ready =
                |n: usize| plan.ready(n).filter(|(_, detour)| take(&places[n], *detour)).map(|(task, _)| (n, task));
            let (numbers, tasks): (Vec<usize>, Vec<P::Task>) =
                (0..places.len()).filter(|n| !known[*n]).filter_map(ready).unzip();
            if tasks.is_empty() {
                break;
            }
            let key = |i: usize| (self.wave + places[numbers[i]].wave, places[numbers[i]].task);
            let keys: Vec<(u32, u32)> = (0..tasks.len()).map(key).collect();
            let mut outputs: Vec<Option<P::Output>> = tasks.iter().map(|_| None).collect();
            self.run_tasks(plan, &tasks, (0..tasks.len()).collect(), &|i| keys[i], &mut outputs, observe)?;
            for (n, output) in numbers.into_iter().zip(outputs) {
                match output {
                    Some(output) => {
                        plan.learn(n, output);
                        known[n] = true;
                    }
                    None => stopped = true,
                }
            }
        }
        self.flush()?;
        if let Some(journal) = &mut self.journal {
            journal.remember(false);
        }
        let missing = places.into_iter().zip(known).filter(|(_, known)| !known).map(|(place, _)| place);
        Ok((missing.collect(), stopped))
    }

    /// Whether the journal knows the result of a place of the tree that comes next.
    fn has(&self, place: &TaskPlace) -> bool {
        self.journal.as_ref().is_some_and(|journal| journal.peek(self.wave + place.wave, place.task).is_some())
    }

    /// Tells `plan` what the journal knows of its tree; which places that is.
    fn learn_tree<P: Tree>(&self, plan: &mut P, places: &[TaskPlace]) -> Vec<bool> {
        let mut known = vec![false; places.len()];
        for (n, place) in places.iter().enumerate() {
            let record = self.journal.as_ref().and_then(|journal| journal.peek(self.wave + place.wave, place.task));
            if let Some(output) = record.and_then(|record| plan.decode(&record.bytes)) {
                plan.learn(n, output);
                known[n] = true;
            }
        }
        known
    }

    /// Runs a share of what can be run now: of the tree, or of the first wave after it that is not complete. All that is complete is
    /// taken from the journal, where others have named the tasks of waves that follow from results.
    ///
    /// The outcome is that of the whole plan: finished only where nothing is missing and no further wave is named.
    pub fn share<P: Tree>(
        &mut self,
        plan: &mut P,
        share: JobShare,
        observe: &mut dyn FnMut(Event<P>) -> Result<()>,
    ) -> Result<Outcome> {
        let own = plan.places().iter().filter(|place| share.has_place(place) && !self.has(place));
        observe(Event::Share { tasks: own.count() })?;
        let (missing, stopped) = self.tree(plan, &|place, _| share.has_place(place), observe)?;
        if stopped || !missing.is_empty() {
            return Ok(if stopped { Outcome::Stopped } else { Outcome::Left });
        }
        self.wave += plan.places().last().map_or(0, |place| place.wave + 1);
        plan.leave_tree();
        while let Some(tasks) = self.named_tasks(plan) {
            let mut outputs = self.recall(plan, self.wave, &tasks, &mut |_| Ok(()))?;
            let missing: Vec<usize> = (0..tasks.len()).filter(|i| outputs[*i].is_none()).collect();
            if !missing.is_empty() {
                let wave = self.wave;
                let own: Vec<usize> = missing.into_iter().filter(|i| share.has(*i as u32)).collect();
                observe(Event::Share { tasks: own.len() })?;
                self.run_tasks(plan, &tasks, own.clone(), &|i| (wave, i as u32), &mut outputs, observe)?;
                self.flush()?;
                let done = own.iter().all(|i| outputs[*i].is_some());
                return Ok(if done { Outcome::Left } else { Outcome::Stopped });
            }
            plan.accept(tasks, outputs.into_iter().flatten().collect());
            self.wave += 1;
        }
        Ok(Outcome::Finished)
    }

    /// The branches of the tree with which `plan` begins whose next task anyone can run who knows what the journal knows.
    pub fn open_branches<P: Tree>(&self, plan: &mut P) -> Vec<u32> {
        let places = plan.places().to_vec();
        let known = self.learn_tree(plan, &places);
        let is_open = |n: &usize| !known[*n] && plan.ready(*n).is_some_and(|(_, detour)| !detour);
        (0..places.len()).filter(is_open).filter_map(|n| places[n].branch).collect()
    }

    /// Notes that the rest of the tree or wave that comes next is left to others; whether it was before.
    pub fn leave(&mut self) -> Result<bool> {
        let note = Note::Left { wave: self.wave };
        let Some(journal) = &mut self.journal else { return Ok(false) };
        let before = journal.note(note).is_some();
        journal.keep_note(note, &[])?;
        self.flush()?;
        Ok(before)
    }

    /// Whether the rest of the tree or wave that comes next was left to others.
    pub fn was_left(&self) -> bool {
        self.journal.as_ref().is_some_and(|journal| journal.note(Note::Left { wave: self.wave }).is_some())
    }

    /// The numbers of the tasks of the next wave that have no result, of this many.
    pub fn missing(&self, tasks: usize) -> Vec<u32> {
        let known = |task: &u32| self.journal.as_ref().is_some_and(|j| j.peek(self.wave, *task).is_some());
        (0..tasks as u32).filter(|task| !known(task)).collect()
    }

    /// What was decided at the end of a part of the job.
    pub fn decision(&self, part: u32) -> Option<Vec<u8>> {
        self.journal.as_ref()?.note(Note::Decision { part }).map(<[u8]>::to_vec)
    }

    /// Keeps what was decided at the end of a part of the job.
    pub fn decide(&mut self, part: u32, decision: &[u8]) -> Result<()> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.keep_note(Note::Decision { part }, decision))
    }

    /// The mean processor time of what the journal knows, s.
    pub fn mean_seconds(&self) -> Option<f64> {
        self.journal.as_ref()?.mean_seconds()
    }
}
