//! Which outputs of a campaign are there already.

use super::planned::PlannedBake;
use crate::Result;
use crate::bake::Bake;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use yarnwise_shared::table::database::read_head;

/// What is in the place of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputState {
    /// Nothing.
    Nothing,
    /// What the campaign puts there.
    Done,
    /// Something else: what, and the cure.
    Other(String),
}

/// Where the reason is kept why a bake into `output` failed.
pub fn failed_path(output: &Path) -> PathBuf {
    let mut name: OsString = output.as_os_str().to_owned();
    name.push(".failed");
    name.into()
}

impl PlannedBake {
    /// What is in the place of its database; `bake` is what it comes to.
    pub fn found(&self, bake: &Bake) -> Result<OutputState> {
        let file = self.output.display();
        let cure = "move it away, or choose another output folder";
        Ok(match read_head(&self.output) {
            Err(yarnwise_shared::Error::Io { cause, .. }) if cause.kind() == std::io::ErrorKind::NotFound => {
                OutputState::Nothing
            }
            Err(error @ yarnwise_shared::Error::Io { .. }) => return Err(error.into()),
            Err(error) => OutputState::Other(format!("{error}; {cure}")),
            Ok(head) => match bake.difference_from(&head, &self.encoding) {
                None => OutputState::Done,
                Some(difference) => {
                    OutputState::Other(format!("{file}: is the database of another job: {difference}; {cure}"))
                }
            },
        })
    }
}
