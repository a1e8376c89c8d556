//! Long jobs that survive interruption: tasks in waves, run in parallel, each finished one kept in a journal.
//!
//! A [`Plan`] says what the tasks of each wave are; a wave may depend on everything that earlier waves found, never on
//! its own tasks. [`execute`] runs them on any number of threads and keeps each result in a [`Journal`]. Interrupted in
//! whatever way, the same job resumes from its journal, and because a task sees only finished waves, the outcome is the
//! same to the last bit whatever the number of threads, the order in which tasks finished or the number of interruptions.
//!
//! Several processes can share a job whose first waves are a [`Tree`]: each takes branches of it, and every nth task of later waves.
//!
//! Where the next wave comes out of a computation that has its own course, [`Run`] takes the waves one by one.

mod execute;
mod journal;
mod peek;
mod plan;
mod share;

pub(crate) use execute::beating;
pub use execute::{Event, ExecuteOptions, HEARTBEAT, Outcome, Run, core_seconds, execute, start_pool};
pub(crate) use journal::describe;
pub use journal::{Journal, Note, Opened, Record, Records, United};
pub use peek::{Peeked, peek};
pub use plan::{Plan, TaskPlace, Tasks, Tree};
pub use share::JobShare;
