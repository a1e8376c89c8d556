//! A campaign as one script for Slurm: run, it submits arrays of itself.

use super::quote::{shell, shell_line};
use super::{Layout, PlanOptions};
use std::path::{Path, PathBuf};

/// The script; words between @ are filled in.
const SCRIPT: &str = include_str!("slurm.sh");

/// Room for the program itself, and for what sites count that no bake needs, bytes.
const SPARE: u64 = 200 << 20;

/// The script. `name` is the campaign's.
pub fn slurm(layout: &Layout, options: &PlanOptions, name: &str) -> String {
    let rests = layout.rests.iter().map(|rest| (vec![&rest.name], vec![&rest.output], String::new()));
    let bundles = layout.bundles.iter().map(|bundle| {
        let (names, files) = bundle.bakes.iter().map(|(name, output)| (name, output)).unzip();
        (names, files, String::new())
    });
    let cuts = layout.cut.iter().map(|cut| (vec![&cut.name], vec![&cut.output], format!(" shards={}", cut.shards)));
    let path = |path: &Path| shell(&path.to_string_lossy());
    let bakes = layout.bundles.iter().map(|b| b.bakes.len()).sum::<usize>() + layout.cut.len();
    let title: String = name.chars().filter(|c| !c.is_control()).collect();
    let values = [
        ("@TITLE@", format!("{title}: {bakes} bakes, {} of them cut into shards", layout.cut.len())),
        ("@PROGRAM@", path(&options.program)),
        ("@CAMPAIGN@", path(&options.campaign)),
        ("@FOLDER@", path(&options.folder)),
        ("@LOGS@", path(&layout.logs)),
        ("@SECONDS@", options.seconds.to_string()),
        ("@THREADS@", options.threads.to_string()),
        ("@MEMORY@", (layout.memory + SPARE).div_ceil(1 << 20).to_string()),
        ("@RESTS@", layout.rests.len().to_string()),
        ("@BUNDLES@", layout.bundles.len().to_string()),
        ("@CUTS@", layout.cut.len().to_string()),
        ("@REST_CASES@", cases(rests)),
        ("@BUNDLE_CASES@", cases(bundles)),
        ("@CUT_CASES@", cases(cuts)),
    ];
    let mut script = String::new();
    let mut rest = SCRIPT;
    // In one pass: what is filled in is not looked through again.
    while let Some((at, (word, value))) = values.iter().filter_map(|v| Some((rest.find(v.0)?, v))).min_by_key(|v| v.0) {
        script += &rest[..at];
        script += value;
        rest = &rest[at + word.len()..];
    }
    script + rest
}

/// Branches of a `case`: names, files, and what else is set.
fn cases<'a>(items: impl Iterator<Item = (Vec<&'a String>, Vec<&'a PathBuf>, String)>) -> String {
    let case = |(number, (names, files, more)): (usize, (Vec<&String>, Vec<&PathBuf>, String))| {
        let files = files.iter().map(|file| file.to_string_lossy());
        format!("    {number}) names=({}) files=({}){more} ;;", shell_line(names), shell_line(files))
    };
    let lines: Vec<String> = items.enumerate().map(case).collect();
    if lines.is_empty() { "    *) names=() files=() ;;".to_owned() } else { lines.join("\n") }
}
