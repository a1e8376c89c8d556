//! What a simulation writes.

use super::check::{between, positive};
use serde::{Deserialize, Serialize};

/// The most frames, those of a `.bin` file.
const MAX_FRAMES: f64 = 9_999.0;

/// What a simulation writes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// Simulated seconds.
    pub duration: f64,
    /// Frames a second.
    pub frames_per_second: f64,
}

impl Default for Output {
    fn default() -> Self {
        Output { duration: 3.0, frames_per_second: 30.0 }
    }
}

impl Output {
    /// Frames after the first.
    pub fn frame_count(&self) -> usize {
        (self.duration * self.frames_per_second).round() as usize
    }

    /// What is wrong, if anything.
    pub(crate) fn fault(&self) -> Option<String> {
        let frames = (self.duration * self.frames_per_second).round();
        positive("duration", self.duration, 3600.0)
            .or_else(|| positive("frames_per_second", self.frames_per_second, 1000.0))
            .or_else(|| between("duration times frames_per_second", frames, [1.0, MAX_FRAMES]))
    }
}
