//! How far a bake is: a bar on a terminal, a line now and then elsewhere.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use yarnwise_precompute::bake::{Gathered, Progress, Stage};
use yarnwise_program::note;
use yarnwise_program::number::count;

/// Without a terminal a line is printed when this time has passed since the last one.
const LINE_EVERY: Duration = Duration::from_secs(10);

const STYLE: &str = "{prefix} {wide_bar} {pos}/{len} {per_sec} ETA {eta} {msg}";

/// A bar for work of `total` pieces that are done one after the other; hidden where there is no terminal.
pub(crate) fn bar(what: &'static str, total: usize) -> ProgressBar {
    let style = ProgressStyle::with_template(STYLE).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total as u64).with_style(style).with_prefix(what)
}

pub(crate) struct Meter {
    /// None where there is no terminal to draw on.
    bar: Option<ProgressBar>,
    total: usize,
    done: usize,
    recalled: usize,
    failed: usize,
    started: Instant,
    last_line: Instant,
    expected_first: usize,
}

impl Meter {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(STYLE).unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(0).with_style(style).with_prefix("solving")
        });
        Meter { bar, total: 0, done: 0, recalled: 0, failed: 0, started: now, last_line: now, expected_first: 0 }
    }

    pub(crate) fn report(&mut self, progress: Progress) {
        match progress {
            Progress::Begun { samples, opened } => self.begin(samples, opened),
            Progress::Gathered(gathered) => self.gathered(gathered),
            Progress::Levels([there, here]) => self.remark(&format!(
                "results of this bake were computed with vector instructions of two kinds ({there}, here {here}): its bytes may differ \
                 from those of a bake with one; --vector-level pins one"
            )),
            Progress::Share { solves } => {
                self.total += solves;
                self.resize();
            }
            Progress::Wave { solves, stage } => {
                match stage {
                    Stage::Strains => {}
                    Stage::Retries => {
                        self.total += solves;
                        self.prefix("retrying");
                    }
                    Stage::Polish => {
                        self.total += solves;
                        self.prefix("polishing");
                    }
                    Stage::Bending => self.prefix("bending"),
                }
                self.resize();
            }
            Progress::Solved { sound, recalled } => self.solved(sound, recalled),
            Progress::Writing => self.prefix("writing"),
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn begin(&mut self, samples: usize, opened: yarnwise_precompute::job::Opened) {
        self.total = samples;
        self.expected_first = opened.records;
        if opened.cut > 0 {
            let bytes = count(opened.cut as usize, "byte", None);
            self.remark(&format!("the journal ended in the middle of a record: {bytes} cut off"));
        }
        if opened.records > 0 {
            let kept = if opened.records == 1 { "is kept" } else { "are kept" };
            self.remark(&format!("resuming: {} of an earlier run {kept}", count(opened.records, "solve", None)));
        }
        self.resize();
        if let Some(bar) = &self.bar {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
    }

    fn gathered(&self, Gathered { journals, solves, differing }: Gathered) {
        if journals > 0 {
            let (solves, journals) = (count(solves, "solve", None), count(journals, "journal", None));
            self.remark(&format!("united: {solves} that are new, from {journals} of shards"));
        }
        if differing > 0 {
            let solves = count(differing, "solve was", Some("solves were"));
            self.remark(&format!(
                "{solves} done twice with different bits, by processors or programs of two kinds: the one that was united first counts"
            ));
        }
    }

    fn solved(&mut self, sound: bool, recalled: bool) {
        self.done += 1;
        self.recalled += usize::from(recalled);
        self.failed += usize::from(!sound);
        match &self.bar {
            Some(bar) => {
                bar.set_position(self.done as u64);
                if self.failed > 0 {
                    bar.set_message(format!("({} failed)", self.failed));
                }
                // What earlier runs did says nothing about the speed of this one.
                if recalled && self.recalled == self.expected_first {
                    bar.reset_eta();
                }
            }
            None if self.last_line.elapsed() >= LINE_EVERY => self.line(),
            None => {}
        }
    }

    fn line(&mut self) {
        self.last_line = Instant::now();
        let fresh = (self.done - self.recalled).max(1) as f64;
        let rate = fresh / self.started.elapsed().as_secs_f64();
        let left = (self.total.saturating_sub(self.done)) as f64 / rate;
        self.remark(&format!(
            "{} of {} solves, {rate:.2} a second, {} failed, about {left:.0} s left",
            self.done, self.total, self.failed
        ));
    }

    fn resize(&self) {
        if let Some(bar) = &self.bar {
            bar.set_length(self.total as u64);
        }
    }

    fn prefix(&self, what: &'static str) {
        if let Some(bar) = &self.bar {
            bar.set_prefix(what);
        }
    }

    fn remark(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => note!("{line}"),
        }
    }
}
