//! How far a search for rest is: a line that is written anew on a terminal, a line now and then elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use yarnwise_precompute::equilibrium::Seen;
use yarnwise_program::note;

/// Without a terminal a line is printed when this time has passed since the last one.
const LINE_EVERY: Duration = Duration::from_secs(10);

pub(super) struct Meter {
    /// None where there is no terminal to draw on.
    bar: Option<ProgressBar>,
    max_steps: usize,
    last_line: Instant,
}

impl Meter {
    pub(super) fn new(max_steps: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("relaxing {msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new_spinner().with_style(style)
        });
        Meter { bar, max_steps, last_line: Instant::now() }
    }

    pub(super) fn report(&mut self, seen: &Seen) {
        let line = format!(
            "step {} of at most {}: energy {:.6} uJ, unbalanced force {:.1e}",
            seen.factorizations,
            self.max_steps,
            1e6 * seen.energy,
            seen.residual
        );
        match &self.bar {
            Some(bar) => {
                bar.set_message(line);
                bar.tick();
            }
            None if self.last_line.elapsed() >= LINE_EVERY => {
                self.last_line = Instant::now();
                note!("{line}");
            }
            None => {}
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
