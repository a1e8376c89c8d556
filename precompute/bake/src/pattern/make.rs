//! `yarnwise-bake pattern make`: knit charts and weave drafts.

use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::path::{Path, PathBuf};
use yarnwise_program::{note, output};
use yarnwise_shared::pattern::knit::{self, KnitChart, KnitOptions, knit};
use yarnwise_shared::pattern::weave::{self, Draft, WeaveOptions, weave};
use yarnwise_shared::{Error, Result, file};

/// The largest chart or draft file that is read, bytes.
const MAX_BYTES: u64 = 16 << 20;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Knit a chart of K and P stitches
    ///
    /// Each course (row of loops) is a yarn along x, its loops pulled through the loops of the course below. The chart is
    /// the period: it repeats in both directions.
    #[command(after_help = KNIT_EXAMPLES)]
    Knit(Knit),
    /// Weave a draft of zeros and ones
    ///
    /// Wefts run along x, warps along y. The draft is the period: it repeats in both directions.
    #[command(after_help = WEAVE_EXAMPLES)]
    Weave(Weave),
}

const KNIT_EXAMPLES: &str = "\
Examples:
  yarnwise-bake pattern make knit --preset rib2x2 -o rib.yarn
  yarnwise-bake pattern make knit --chart KKP/PKK/KPK --radius 0.4 -o diagonal.yarn
  yarnwise-bake pattern make knit --chart chart.txt -o cable.pyp";

const WEAVE_EXAMPLES: &str = "\
Examples:
  yarnwise-bake pattern make weave --preset twill -o twill.yarn
  yarnwise-bake pattern make weave --draft 110/011/101 --threads-per-cm 2 -o weave.yarn
  yarnwise-bake pattern make weave --preset plain --wefts-per-cm 1.8 -o open.yarn";

#[derive(Args)]
pub(crate) struct Knit {
    #[command(flatten)]
    source: KnitSource,
    /// Yarn radius in millimeters
    #[arg(long, value_name = "MM", default_value_t = 1e3 * KnitOptions::default().radius)]
    radius: f64,
    /// Loops per centimeter along x [default: so that the yarns just do not touch, 10/9 over the radius in mm]
    #[arg(long, value_name = "NUMBER")]
    wales_per_cm: Option<f64>,
    /// Courses per centimeter along y [default: 9/7 of the wales]
    #[arg(long, value_name = "NUMBER")]
    courses_per_cm: Option<f64>,
    /// Vertices of each loop
    #[arg(long, value_name = "NUMBER", default_value_t = KnitOptions::default().vertices_per_loop)]
    vertices: usize,
    /// The file to write: *.yarn or *.pyp
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct KnitSource {
    /// A well-known chart
    #[arg(long, value_name = "NAME", value_parser = knit_presets())]
    preset: Option<String>,
    /// A grid of K (knit) and P (purl), rows separated by '/' from the top down, as seen from the front; or a file with
    /// one row a line. The bottom row is knitted first
    #[arg(long, value_name = "GRID|FILE")]
    chart: Option<String>,
}

#[derive(Args)]
pub(crate) struct Weave {
    #[command(flatten)]
    source: WeaveSource,
    /// Yarn radius in millimeters
    #[arg(long, value_name = "MM", default_value_t = 1e3 * WeaveOptions::default().radius)]
    radius: f64,
    /// Threads per centimeter in both directions [default: as open as a plain weave with 2.5 over the radius in mm; more where
    /// threads float]
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["warps_per_cm", "wefts_per_cm"])]
    threads_per_cm: Option<f64>,
    /// Warps (ends) per centimeter along x
    #[arg(long, value_name = "NUMBER")]
    warps_per_cm: Option<f64>,
    /// Wefts (picks) per centimeter along y
    #[arg(long, value_name = "NUMBER")]
    wefts_per_cm: Option<f64>,
    /// Vertices of a thread for each thread it crosses
    #[arg(long, value_name = "NUMBER", default_value_t = WeaveOptions::default().vertices_per_crossing)]
    vertices: usize,
    /// The file to write: *.yarn or *.pyp
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct WeaveSource {
    /// A well-known draft
    #[arg(long, value_name = "NAME", value_parser = weave_presets())]
    preset: Option<String>,
    /// A matrix of 1 (warp over weft) and 0 (warp under weft), rows separated by '/' from the top down, as seen from the
    /// front; or a file with one row a line
    #[arg(long, value_name = "MATRIX|FILE")]
    draft: Option<String>,
}

fn knit_presets() -> PossibleValuesParser {
    PossibleValuesParser::new(
        knit::PRESETS.map(|p| PossibleValue::new(p.name).help(format!("{} ({})", p.description, p.chart))),
    )
}

fn weave_presets() -> PossibleValuesParser {
    PossibleValuesParser::new(
        weave::PRESETS.map(|p| PossibleValue::new(p.name).help(format!("{} ({})", p.description, p.draft))),
    )
}

pub(crate) fn run(command: Command, json: bool) -> anyhow::Result<()> {
    match command {
        Command::Knit(args) => run_knit(&args, json),
        Command::Weave(args) => run_weave(&args, json),
    }
}

fn run_knit(args: &Knit, json: bool) -> anyhow::Result<()> {
    check_output(&args.output, args.source.chart.as_deref())?;
    let chart = match (&args.source.preset, &args.source.chart) {
        (Some(name), _) => KnitChart::preset(name)?,
        (None, typed) => typed_or_file(typed.as_deref().unwrap_or_default(), "KkPp", KnitChart::parse)?,
    };
    let options = KnitOptions {
        radius: 1e-3 * args.radius,
        wales_per_meter: args.wales_per_cm.map(|w| 100.0 * w),
        courses_per_meter: args.courses_per_cm.map(|c| 100.0 * c),
        vertices_per_loop: args.vertices,
    };
    super::write(&knit(&chart, &options)?, &args.output, json)
}

fn run_weave(args: &Weave, json: bool) -> anyhow::Result<()> {
    check_output(&args.output, args.source.draft.as_deref())?;
    let draft = match (&args.source.preset, &args.source.draft) {
        (Some(name), _) => Draft::preset(name)?,
        (None, typed) => typed_or_file(typed.as_deref().unwrap_or_default(), "01", Draft::parse)?,
    };
    let per_meter = |own: Option<f64>| own.or(args.threads_per_cm).map(|t| 100.0 * t);
    let options = WeaveOptions {
        radius: 1e-3 * args.radius,
        warps_per_meter: per_meter(args.warps_per_cm),
        wefts_per_meter: per_meter(args.wefts_per_cm),
        vertices_per_crossing: args.vertices,
    };
    let pattern = weave(&draft, &options)?;
    if let Some(thread) = draft.loose_threads().first() {
        note!("warning: nothing holds {thread}: it lies on one side of all threads it crosses");
    }
    super::write(&pattern, &args.output, json)
}

fn check_output(output: &Path, source: Option<&str>) -> anyhow::Result<()> {
    let inputs: Vec<&Path> = source.and_then(crate::options::as_file).into_iter().collect();
    output::check(output, &inputs).map(|_| ())
}

/// A grid that is typed as it is, or stands in a file.
fn typed_or_file<T>(text: &str, letters: &str, parse: fn(&str) -> Result<T>) -> anyhow::Result<T> {
    if text.chars().all(|c| letters.contains(c) || c == '/' || c.is_whitespace()) {
        return Ok(parse(text)?);
    }
    if !Path::new(text).is_file() {
        return parse(text).with_context(|| format!("'{text}' is not a file, and not a grid either"));
    }
    let bytes = file::read(Path::new(text), MAX_BYTES, file::text)?;
    let content = String::from_utf8(bytes).map_err(|_| Error::invalid(text, "is not text (UTF-8)"))?;
    parse(&content).with_context(|| text.to_owned())
}
