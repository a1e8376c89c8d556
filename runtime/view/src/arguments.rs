//! Arguments that several commands have.

use clap::Args;
use yarnwise_viewer::frames::Frames;

/// Which frames a command works on.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct FrameArgs {
    /// One frame, counted from 0
    #[arg(long, value_name = "N", conflicts_with = "frames", allow_negative_numbers = true)]
    frame: Option<usize>,
    /// Several frames: 0..30 (both included), 10.. or all
    #[arg(long, value_name = "RANGE")]
    frames: Option<Frames>,
}

impl FrameArgs {
    /// The frames that were given, if any.
    pub(crate) fn chosen(self) -> Option<Frames> {
        self.frame.map(Frames::one).or(self.frames)
    }
}

/// A parser of numbers within a range, both ends included.
pub(crate) fn within([low, high]: [f32; 2]) -> impl Fn(&str) -> Result<f32, String> + Clone {
    move |text| match text.parse::<f32>() {
        Ok(value) if (low..=high).contains(&value) => Ok(value),
        _ => Err(format!("a number between {low} and {high} is expected")),
    }
}
