//! `yarnwise-bake pattern`: make, import, check and draw patterns.

mod check;
mod make;

use clap::Args;
use std::fmt;
use std::path::{Path, PathBuf};
use yarnwise_lab::draw::{self, DrawOptions, Yarns};
use yarnwise_program::number::count;
use yarnwise_program::{output, print_report};
use yarnwise_shared::pattern::{self, Pattern};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Make a knitted or woven pattern
    #[command(subcommand)]
    Make(make::Command),
    /// Convert a pattern file into another format
    ///
    /// Reads .yarn and .pyp files, recognized by their content; writes the format that the output's name says.
    Import {
        /// The file to read
        file: PathBuf,
        /// The file to write: *.yarn or *.pyp
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Check pattern files and report what is in them
    ///
    /// A file is bad when it cannot be read as a valid pattern, or when it cannot be baked: the center line of a yarn runs
    /// inside another yarn, or the yarn radius is out of all proportion. Lengths are in millimeters or yarn radii; round
    /// yarns touch where their center lines are 2 radii apart. JSON is a list with a report for each good file, in meters.
    Check {
        /// The files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Draw a pattern from the front and two sides
    ///
    /// The front of the fabric faces the viewer. Under it the view from below, beside it the view from the right. The dashed
    /// box is one period.
    Show(Show),
}

#[derive(Args)]
pub(crate) struct Show {
    /// The pattern: a .yarn or .pyp file
    file: PathBuf,
    /// The picture to write
    #[arg(short, long, value_name = "FILE.png")]
    output: PathBuf,
    /// Longer side of the front view in pixels
    #[arg(long, default_value_t = DrawOptions::default().pixels, value_parser = clap::value_parser!(u32).range(32..=4096))]
    pixels: u32,
    /// Periods shown along each side
    #[arg(long, default_value_t = DrawOptions::default().tiles[0], value_parser = clap::value_parser!(u32).range(1..=20))]
    tiles: u32,
    /// Draw smooth tubes instead of twisted plies
    #[arg(long)]
    smooth: bool,
}

pub(crate) fn run(command: Command, json: bool) -> anyhow::Result<()> {
    match command {
        Command::Make(command) => make::run(command, json),
        Command::Import { file, output } => {
            output::check(&output, &[&file])?;
            write(&crate::options::read_pattern(&file)?, &output, json)
        }
        Command::Check { files } => check::run(&files, json),
        Command::Show(show) => run_show(&show, json),
    }
}

fn run_show(show: &Show, json: bool) -> anyhow::Result<()> {
    if show.output.extension().is_none_or(|e| !e.eq_ignore_ascii_case("png")) {
        anyhow::bail!("{}: the name of a picture ends in .png", show.output.display());
    }
    output::check(&show.output, &[&show.file])?;
    let pattern = crate::options::read_pattern(&show.file)?;
    let options =
        DrawOptions { pixels: show.pixels, tiles: [show.tiles; 2], plies: !show.smooth, ..DrawOptions::default() };
    let picture = draw::draw(&Yarns::new(&pattern), &options);
    picture.save(&show.output)?;
    print_report(&Shown { file: &show.output, pixels: [picture.width, picture.height] }, json)
}

/// A picture that was written.
#[derive(serde::Serialize)]
struct Shown<'a> {
    file: &'a Path,
    pixels: [u32; 2],
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{}: {} x {} pixels", self.file.display(), self.pixels[0], self.pixels[1])
    }
}

/// A pattern that was written.
#[derive(serde::Serialize)]
struct Written<'a> {
    file: &'a Path,
    vertices: usize,
    yarns: usize,
    /// m.
    period: [f64; 2],
    /// m.
    radius: f64,
}

impl fmt::Display for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (vertices, yarns) = (count(self.vertices, "vertex", Some("vertices")), count(self.yarns, "yarn", None));
        let [px, py] = self.period.map(|p| 1e3 * p);
        let radius = 1e3 * self.radius;
        writeln!(f, "{}: {vertices}, {yarns}, period {px:.3} x {py:.3} mm, radius {radius} mm", self.file.display())
    }
}

/// Writes a pattern and says so.
fn write(pattern: &Pattern, path: &Path, json: bool) -> anyhow::Result<()> {
    pattern::write(pattern, path)?;
    let written = Written {
        file: path,
        vertices: pattern.vertices().len(),
        yarns: pattern.yarns().len(),
        period: pattern.period(),
        radius: pattern.radius(),
    };
    print_report(&written, json)
}
