//! How far an estimate is: a bar on a terminal, a line for each step elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;
use yarnwise_precompute::estimate::EstimateProgress;
use yarnwise_precompute::job::Opened;
use yarnwise_program::note;
use yarnwise_program::number::count;

const STYLE: &str = "{prefix} {wide_bar} {pos}/{len} states {msg}";

pub(super) struct Meter {
    /// None where there is no terminal to draw on.
    bar: Option<ProgressBar>,
    evaluation: u32,
    steps: u32,
}

impl Meter {
    pub(super) fn new(opened: Opened) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(STYLE).unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(0).with_style(style).with_prefix("estimating")
        });
        let meter = Meter { bar, evaluation: 0, steps: 0 };
        if opened.cut > 0 {
            let bytes = count(opened.cut as usize, "byte", None);
            meter.remark(&format!("the journal ended in the middle of a record: {bytes} cut off"));
        }
        if opened.records > 0 {
            let kept = if opened.records == 1 { "is kept" } else { "are kept" };
            meter.remark(&format!("resuming: {} of an earlier run {kept}", count(opened.records, "solve", None)));
        }
        if let Some(bar) = &meter.bar {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        meter
    }

    pub(super) fn report(&mut self, progress: EstimateProgress) {
        match progress {
            EstimateProgress::Evaluation { number, states } => {
                self.evaluation = number + 1;
                if let Some(bar) = &self.bar {
                    bar.set_length(states as u64);
                    bar.set_position(0);
                }
            }
            EstimateProgress::State { .. } => {
                if let Some(bar) = &self.bar {
                    bar.inc(1);
                }
            }
            EstimateProgress::Step { cost } => self.step(cost),
        }
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn step(&mut self, cost: f64) {
        let line = format!(
            "step {}: cost {cost:.4e} after {}",
            self.steps,
            count(self.evaluation as usize, "evaluation", None)
        );
        self.steps += 1;
        match &self.bar {
            Some(bar) => bar.set_message(line),
            None => note!("{line}"),
        }
    }

    fn remark(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => note!("{line}"),
        }
    }
}
