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
}
