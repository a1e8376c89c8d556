//! From the outcome of an experiment to a table, JSON and plots.

use crate::options::Output;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use yarnwise_lab::plot::Plot;
use yarnwise_program::{note, output, print, print_json};

/// What an experiment has found.
pub(crate) trait Outcome: Serialize {
    /// The figures as text, beside those of the paper.
    fn table(&self) -> String;
    /// The figures as plots, each with the name of its file, without extension.
    fn plots(&self) -> Vec<(String, Plot)>;
}

/// The figures of an experiment with what is needed to repeat it.
#[derive(Serialize)]
struct Document<'a, S, O> {
    experiment: &'a str,
    settings: &'a S,
    figures: &'a O,
}

/// Runs an experiment and prints its outcome; where it goes is checked before.
pub(crate) fn report<S: Serialize, O: Outcome>(
    name: &str,
    settings: &S,
    to: &Output,
    experiment: impl FnOnce() -> Result<O>,
) -> Result<()> {
    if let Some(folder) = &to.output {
        output::check_folder(folder, &[])?;
    }
    let outcome = experiment()?;
    if to.json {
        print_json(&Document { experiment: name, settings, figures: &outcome })?;
    } else {
        print(&outcome.table())?;
    }
    if let Some(folder) = &to.output {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        for (name, plot) in outcome.plots() {
            let path = folder.join(name).with_extension("svg");
            plot.save(&path)?;
            note!("wrote {}", path.display());
        }
    }
    Ok(())
}

/// A progress bar over the runs of an experiment, on standard error.
pub(crate) fn progress(runs: usize) -> ProgressBar {
    progress_of("run", runs)
}

/// A progress bar over what an experiment consists of, on standard error.
pub(crate) fn progress_of(what: &str, count: usize) -> ProgressBar {
    let bar = ProgressBar::new(count as u64);
    match ProgressStyle::with_template(&format!("{{bar:40}} {what} {{pos}}/{{len}}, {{eta}} left")) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
