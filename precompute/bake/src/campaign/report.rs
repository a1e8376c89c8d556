//! `yarnwise-bake campaign report`: figures and pictures of all databases in one page.

use crate::writing;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use yarnwise_lab::report::campaign::campaign_report;
use yarnwise_precompute::campaign::Campaign;
use yarnwise_program::number::{Threads, count};
use yarnwise_program::{output, print_json, say};
use yarnwise_shared::file;

#[derive(clap::Args)]
pub(crate) struct Command {
    /// The campaign: a .toml file
    campaign: PathBuf,
    /// The page to write [default: report.html in the campaign's output folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The longer side of the pictures, pixels
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(64..=2048))]
    pixels: u32,
    #[command(flatten)]
    threads: Threads,
}

pub(crate) fn run(command: &Command, json: bool) -> anyhow::Result<ExitCode> {
    command.threads.start()?;
    let campaign = Campaign::read(&command.campaign)?;
    let page = command.output.clone().unwrap_or_else(|| campaign.folder.join("report.html"));
    let databases = campaign.bakes.iter().map(|bake| bake.output.as_path());
    let rests = campaign.rests.iter().map(|rest| rest.output.as_path());
    let inputs: Vec<&Path> = campaign.inputs.iter().map(PathBuf::as_path).chain(databases).chain(rests).collect();
    output::check(&page, &inputs)?;
    let report = campaign_report(&campaign, campaign.status(&writing::tool()), command.pixels)?;
    let html = report.html().context("the page")?;
    file::write_atomically(&page, |w| w.write_all(html.as_bytes()))?;
    if json {
        print_json(&report)?;
    } else {
        let (there, missing) = (count(report.databases.len(), "database", None), report.missing.len());
        let missing = if missing > 0 { format!(", {missing} are not there yet") } else { String::new() };
        say!("{}: {there}{missing}", page.display())?;
    }
    Ok(ExitCode::SUCCESS)
}
