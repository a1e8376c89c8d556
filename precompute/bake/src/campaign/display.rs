//! The one display of a campaign: a bar for all of it and a line for each bake at work; without a terminal a line now and then.

use super::meter::{Meter, Share};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::{Duration, Instant};
use yarnwise_precompute::bake::{Progress, Stage};
use yarnwise_precompute::campaign::{Campaign, CampaignEvent, CampaignStep, StepEnd};
use yarnwise_program::note;

/// Without a terminal a line is printed when this time has passed since the last one.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// A bar is redrawn at most this often.
const DRAW_EVERY: Duration = Duration::from_millis(100);

/// Bars have this many steps.
const STEPS: u64 = 1000;

/// More bakes at work than this are counted, not shown.
const MOST_LINES: usize = 12;

const OVERALL: &str = "{wide_bar} {percent}% {msg}";
const SINGLE: &str = "  {prefix} {bar:24} {msg}";

pub(super) struct Display<'a> {
    campaign: &'a Campaign,
    meter: Meter,
    screen: Option<Screen>,
    /// At work, and what they do.
    current: BTreeMap<String, Current>,
    steps: usize,
    ended: usize,
    failed: usize,
    drawn: Instant,
}

/// A step that is at work.
struct Current {
    what: String,
    bake: Option<usize>,
    bar: Option<ProgressBar>,
}

/// What is drawn on a terminal.
struct Screen {
    lines: MultiProgress,
    overall: ProgressBar,
}

impl Screen {
    fn new() -> Self {
        let lines = MultiProgress::new();
        let overall = lines.add(ProgressBar::new(STEPS).with_style(style(OVERALL)));
        overall.enable_steady_tick(Duration::from_millis(500));
        Screen { lines, overall }
    }

    fn line(&self, name: &str) -> ProgressBar {
        let bar = ProgressBar::new(STEPS).with_style(style(SINGLE)).with_prefix(name.to_owned());
        self.lines.add(bar)
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl<'a> Display<'a> {
    pub(super) fn new(campaign: &'a Campaign, wanted: &[CampaignStep]) -> Self {
        let share = |i: usize| {
            let wanted = wanted.contains(&CampaignStep::Bake(i));
            let size = campaign.checked_bake(&campaign.bakes[i]).ok().filter(|_| wanted);
            size.map_or(Share::default(), |bake| Share::new(bake.solved_samples(), bake.pattern.vertices().len()))
        };
        Display {
            campaign,
            meter: Meter::new((0..campaign.bakes.len()).map(share).collect()),
            screen: std::io::stderr().is_terminal().then(Screen::new),
            current: BTreeMap::new(),
            steps: wanted.len(),
            ended: 0,
            failed: 0,
            drawn: Instant::now(),
        }
    }

    pub(super) fn report(&mut self, event: &CampaignEvent) {
        match event {
            CampaignEvent::Begun(step) => self.begin(*step),
            CampaignEvent::Relaxing(i, seen) => {
                let (step, residual) = (seen.factorizations, seen.residual);
                self.say(CampaignStep::Rest(*i), format!("relaxing, step {step}, unbalanced force {residual:.1e}"));
            }
            CampaignEvent::Baking(i, progress) => self.baking(*i, *progress),
            CampaignEvent::Ended(step, end) => self.end(*step, end),
        }
        self.draw();
    }

    pub(super) fn finish(&self) {
        if let Some(screen) = &self.screen {
            screen.overall.finish_and_clear();
        }
    }

    fn name(&self, step: CampaignStep) -> &'a str {
        match step {
            CampaignStep::Rest(i) => &self.campaign.rests[i].name,
            CampaignStep::Bake(i) => &self.campaign.bakes[i].name,
        }
    }

    fn begin(&mut self, step: CampaignStep) {
        let bake = match step {
            CampaignStep::Bake(i) => Some(i),
            CampaignStep::Rest(_) => None,
        };
        let few = self.current.len() < MOST_LINES;
        let bar = self.screen.as_ref().filter(|_| few).map(|screen| screen.line(self.name(step)));
        self.current.insert(self.name(step).to_owned(), Current { what: String::new(), bake, bar });
    }

    fn say(&mut self, step: CampaignStep, what: String) {
        if let Some(current) = self.current.get_mut(self.name(step)) {
            current.what = what;
        }
    }

    fn baking(&mut self, bake: usize, progress: Progress) {
        self.meter.report(bake, progress);
        let what = match progress {
            Progress::Begun { opened, .. } if opened.records > 0 => {
                let name = self.name(CampaignStep::Bake(bake));
                self.remark(&format!("{name}: resuming, {} solves of an earlier run are kept", opened.records));
                "solving"
            }
            Progress::Begun { .. } | Progress::Wave { stage: Stage::Strains, .. } => "solving",
            Progress::Wave { stage: Stage::Bending, .. } => "bending",
            Progress::Wave { stage: Stage::Retries, .. } => "retrying",
            Progress::Wave { stage: Stage::Polish, .. } => "polishing",
            Progress::Solved { .. } | Progress::Gathered(_) | Progress::Levels(_) | Progress::Share { .. } => return,
            Progress::Writing => "writing",
        };
        self.say(CampaignStep::Bake(bake), what.to_owned());
    }

    fn end(&mut self, step: CampaignStep, end: &StepEnd) {
        self.ended += 1;
        if let CampaignStep::Bake(i) = step {
            self.meter.end(i);
        }
        if let Some(bar) = self.current.remove(self.name(step)).and_then(|current| current.bar) {
            bar.finish_and_clear();
        }
        let name = self.name(step);
        match end {
            StepEnd::Failed(error) => {
                self.failed += 1;
                self.remark(&format!("{name}: failed: {error}"));
            }
            StepEnd::Unrested(_) => self.failed += 1,
            StepEnd::Busy => self.remark(&format!("{name}: another process is at work on it; it is left out")),
            StepEnd::Kept | StepEnd::Done(_) | StepEnd::Stopped => {}
        }
    }

    fn remark(&self, line: &str) {
        match &self.screen {
            Some(screen) => _ = screen.lines.println(line),
            None => note!("{line}"),
        }
    }

    fn draw(&mut self) {
        let every = if self.screen.is_some() { DRAW_EVERY } else { LINE_EVERY };
        if self.drawn.elapsed() < every {
            return;
        }
        self.drawn = Instant::now();
        match &self.screen {
            Some(screen) => {
                for current in self.current.values() {
                    self.draw_line(current);
                }
                screen.overall.set_position((STEPS as f64 * self.meter.fraction()) as u64);
                screen.overall.set_message(self.overall());
            }
            None => {
                let percent = 100.0 * self.meter.fraction();
                let at_work: Vec<&str> = self.current.keys().map(String::as_str).take(MOST_LINES).collect();
                note!("{percent:.0} %, {}; at work: {}", self.overall(), at_work.join(", "));
            }
        }
    }

    fn draw_line(&self, Current { what, bake, bar }: &Current) {
        let Some(bar) = bar else { return };
        let Some(bake) = bake else { return bar.set_message(what.clone()) };
        let share = &self.meter.bakes[*bake];
        bar.set_position((STEPS as f64 * share.fraction()) as u64);
        let failed = if share.failed > 0 { format!(", {} not converged", share.failed) } else { String::new() };
        bar.set_message(format!("{what}, {} of about {:.0} solves{failed}", share.solves, share.expected));
    }

    /// Counts and the time that is left.
    fn overall(&self) -> String {
        let failed = if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        let more = self.current.len().saturating_sub(MOST_LINES);
        let more = if more > 0 && self.screen.is_some() { format!(", {more} more at work") } else { String::new() };
        let left = self.meter.left().map_or(String::new(), |left| format!(", about {} left", duration(left)));
        format!("{} of {} done{failed}{more}{left}", self.ended - self.failed, self.steps)
    }
}

/// A time for people: `12 s`, `3 min`, `4.5 h`.
pub(super) fn duration(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
