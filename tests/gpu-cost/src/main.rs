//! What the compute stages of Yarnwise cost on a graphics card, without one.
//!
//! Mesa's driver for AMD cards can compile for a card that is not there ("null hardware"): [`driver`] finds it, [`translate`]
//! writes each stage as SPIR-V, [`device`] makes its pipeline, and [`statistics`] reads what the compiler says about it.
//! `docs/results/gpu-cost.md` has the figures and how to read them.

mod device;
mod driver;
mod report;
mod statistics;
mod translate;

use anyhow::{Result, bail};
use clap::Parser;
use report::{Report, Row};
use std::process::ExitCode;

/// Prints what each compute stage costs on an AMD graphics card, as the compiler of Mesa's driver says. No card is needed.
#[derive(Parser)]
#[command(name = "yarnwise-gpu-cost", version)]
struct Cli {
    /// The chip to compile for, a name that the driver knows: navi21, navi10, vega10, polaris10, ...
    #[arg(long, default_value = report::RECORDED_FAMILY)]
    family: String,
    /// Only the stages whose name contains this, such as yarns or yarn_solver/
    #[arg(long, value_name = "NAME")]
    stage: Option<String>,
    /// Exit code 1 if a stage spills registers, or if the stage yarns is worse than recorded (navi21 only)
    #[arg(long, conflicts_with = "stage")]
    check: bool,
    /// Print JSON, with every statistic of the driver
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    yarnwise_program::run(|cli: Cli| {
        if !driver::is_chosen() {
            return driver::restart(&cli.family);
        }
        let report = measure(&cli.family, cli.stage.as_deref())?;
        yarnwise_program::print_report(&report, cli.json)?;
        let findings = if cli.check { report.findings()? } else { Vec::new() };
        findings.iter().for_each(|finding| yarnwise_program::note!("check: {finding}"));
        Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })
}

/// Compiles every compute stage whose name contains `wanted`.
fn measure(family: &str, wanted: Option<&str>) -> Result<Report> {
    let programs = translate::all(wanted)?;
    if programs.is_empty() {
        bail!("no compute stage has '{}' in its name; without --stage all are listed", wanted.unwrap_or_default());
    }
    let device = device::Device::open(family)?;
    let row = |program: &translate::Program| -> Result<Row> { Row::new(program, device.compile(program)?) };
    let rows = programs.iter().map(row).collect::<Result<_>>()?;
    Ok(Report { family: family.to_owned(), device: device.name(), driver: device.driver(), stages: rows })
}
