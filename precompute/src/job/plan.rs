//! What a job is made of.

/// Work in pieces that need nothing of each other.
pub trait Tasks: Sync {
    /// What a task needs to know.
    type Task: Send + Sync;
    /// What a task finds.
    type Output: Send;

    /// Runs a task. It sees the results of earlier waves only. The same task must find the same, to the last bit.
    fn run(&self, task: &Self::Task) -> Self::Output;

    /// A result as bytes for the journal; [`Tasks::decode`] must give back the same result, bit for bit.
    fn encode(&self, output: &Self::Output) -> Vec<u8>;

    /// The result that these bytes hold; `None` when they hold none, in which case the task is rerun.
    fn decode(&self, bytes: &[u8]) -> Option<Self::Output>;
}

/// Tasks in waves, and what becomes of their results.
pub trait Plan: Tasks + Send {
    /// The tasks of the next wave, which may depend on what earlier waves found; none when the job is done.
    ///
    /// Must give the same tasks in the same order each time the job is run.
    fn next_wave(&mut self) -> Vec<Self::Task>;

    /// Takes the results of the wave, in the order of its tasks.
    fn accept(&mut self, tasks: Vec<Self::Task>, outputs: Vec<Self::Output>);

    /// The tasks of a wave as bytes for the journal, where they follow from results: a process that continues the job takes them from there.
    /// None where they follow from the input alone.
    fn list(&self, _tasks: &[Self::Task]) -> Option<Vec<u8>> {
        None
    }

    /// The tasks that these bytes hold; `None` when they cannot be tasks of this plan.
    fn parse_list(&self, _bytes: &[u8]) -> Option<Vec<Self::Task>> {
        None
    }
}

/// A plan whose first waves are a tree that follows from the input alone: a trunk, and branches from it. A task needs what was found
/// where it branches off and further in on its own branch, so that several processes can each take some branches to their ends.
///
/// Where a result is of no use, the next task on the branch takes a *detour*: it needs results of other branches.
pub trait Tree: Plan {
    /// The tasks of the tree, wave after wave.
    fn places(&self) -> &[TaskPlace];

    /// The task at a place, given by its number, if it can be told from what is known by now, and whether it is a detour.
    fn ready(&self, place: usize) -> Option<(Self::Task, bool)>;

    /// Takes the result of a place before its wave is complete.
    fn learn(&mut self, place: usize, output: Self::Output);

    /// Forgets what it was told of the tree: [`Plan::next_wave`] begins with it.
    fn forget_tree(&mut self);

    /// Leaves the tree, all of which is known: [`Plan::next_wave`] continues after it.
    fn leave_tree(&mut self);
}

/// A task of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskPlace {
    /// The wave, counted from the first of the plan.
    pub wave: u32,
    /// The number of the task in its wave.
    pub task: u32,
    /// The branch; none on the trunk.
    pub branch: Option<u32>,
}
