//! How busy a campaign of 10 small databases keeps the cores: `cargo bench -p yarnwise-precompute --bench campaign`.
//!
//! The nine presets at rest and a bent one, over 5 x 5 x 5 strains, at once and one after the other, on as many threads as there are cores. Busy is
//! the time in which threads had work, on a core or waiting for one, over threads times wall time: other work on the machine makes
//! both longer, not the share. Linux counts both.
#![allow(clippy::print_stdout, reason = "a benchmark reports to its user")]

use cpu_time::ProcessTime;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use yarnwise_precompute::bake::RunOptions;
use yarnwise_precompute::campaign::{Campaign, CampaignEvent, CampaignOptions, CampaignStep, StepEnd};

const PATTERNS: [(&str, &str); 2] = [
    ("knit", r#""stockinette", "garter", "rib1x1", "rib2x2", "seed""#),
    ("woven", r#""plain", "twill", "satin", "basket""#),
];

/// The campaign in a folder.
fn campaign(folder: &Path) -> Campaign {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/patterns");
    let files: Vec<String> = PATTERNS
        .iter()
        .flat_map(|(_, names)| names.split(", "))
        .map(|name| format!("{:?}", data.join(format!("{}.yarn", name.trim_matches('"'))).display().to_string()))
        .collect();
    let text = format!(
        "patterns = [{}]\nmaterials = [\"knit\", \"woven\"]\ngrids = [5]\n\
         [[override]]\npattern = \"plain\"\nbending = [false, true]\n\
         [[exclude]]\nmaterial = \"woven\"\npattern = [{}]\n[[exclude]]\nmaterial = \"knit\"\npattern = [{}]\n",
        files.join(", "),
        PATTERNS[0].1,
        PATTERNS[1].1
    );
    let file = folder.join("ten.toml");
    std::fs::write(&file, text).expect("the folder can be written to");
    Campaign::read(&file).expect("the campaign has no faults")
}

/// Nanoseconds that all threads that there are now have run and have waited for a core; none where the system does not say.
fn had_work() -> Option<f64> {
    let times = |entry: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(entry.ok()?.path().join("schedstat")).ok()?;
        let mut numbers = text.split_whitespace().map(|word| word.parse::<f64>().unwrap_or(0.0));
        Some(numbers.next()? + numbers.next()?)
    };
    Some(std::fs::read_dir("/proc/self/task").ok()?.filter_map(times).sum())
}

struct Measured {
    seconds: f64,
    core_seconds: f64,
    busy: Option<f64>,
}

impl Measured {
    fn print(&self, name: &str, threads: usize) {
        let Measured { seconds, core_seconds, busy } = self;
        let of = 100.0 / (seconds * threads as f64);
        let busy = busy.map_or("unknown".to_owned(), |busy| format!("{:.1} %", of * busy));
        println!(
            "{name:<22} {seconds:7.2} s   {core_seconds:7.2} core-s ({:.1} % of the cores)   busy {busy}",
            of * core_seconds
        );
    }
}

/// All at once. Threads are asked before they end: when the last bake ends.
fn at_once(threads: usize) -> Measured {
    let folder = tempfile::tempdir().expect("a folder");
    let campaign = campaign(folder.path());
    let wanted: Vec<CampaignStep> = (0..campaign.bakes.len()).map(CampaignStep::Bake).collect();
    let stop = AtomicBool::new(false);
    let options = CampaignOptions { threads, memory: u64::MAX, tool: "bench", stop: &stop, wanted: &wanted };
    let (start, cores, before) = (Instant::now(), ProcessTime::now(), had_work());
    let (mut seconds, mut after) = (0.0, None);
    campaign
        .run(options, &mut |event| {
            if let CampaignEvent::Ended(step, end) = event {
                assert!(matches!(end, StepEnd::Done(_)), "{step:?}: {end:?}");
                (seconds, after) = (start.elapsed().as_secs_f64(), had_work());
            }
        })
        .expect("threads can be started");
    let busy = after.zip(before).map(|(after, before)| 1e-9 * (after - before));
    Measured { seconds, core_seconds: cores.elapsed().as_secs_f64(), busy }
}

/// One after the other, each with all threads, as single commands do it.
fn in_turn(threads: usize) -> Measured {
    let folder = tempfile::tempdir().expect("a folder");
    let campaign = campaign(folder.path());
    let stop = AtomicBool::new(false);
    let pool = yarnwise_precompute::job::start_pool(threads).expect("threads can be started");
    let (start, cores, before) = (Instant::now(), ProcessTime::now(), had_work());
    for planned in &campaign.bakes {
        let bake = planned.bake(campaign.pattern_file(planned), "bench").expect("a bake");
        let options =
            RunOptions { threads, pool: Some(&pool), restart: false, encoding: planned.encoding, stop: &stop };
        bake.run(&planned.output, options, &mut |_| ()).expect("a database");
    }
    let busy = had_work().zip(before).map(|(after, before)| 1e-9 * (after - before));
    Measured { seconds: start.elapsed().as_secs_f64(), core_seconds: cores.elapsed().as_secs_f64(), busy }
}

fn main() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("10 bakes of 125 samples and more on {threads} threads");
    at_once(threads).print("campaign", threads);
    in_turn(threads).print("one after the other", threads);
}
