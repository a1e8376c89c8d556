//! `yarnwise-bake pattern`: make, import, check and draw patterns.

mod check;
mod make;

use clap::Args;
use std::path::{Path, PathBuf};
use yarnwise_lab::draw::{self, DrawOptions, Yarns};
use yarnwise_shared::pattern::{self, Pattern};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Make a knitted or woven pattern
    #[command(subcommand)]
    Make(make::Command),
    /// Convert a pattern file into another format
    ///
    /// Reads .yarn and .pyp files, told apart by their content; writes the format that the output's name says.
    Import {
        /// The file to read
        file: PathBuf,
        /// The file to write: *.yarn or *.pyp
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Check pattern files and tell what is in them
    ///
    /// A file is bad when it cannot be read as a valid pattern, or when it cannot be baked: the center line of a yarn runs
    /// inside another yarn, or the yarn radius is out of all proportion. Lengths are in millimeters or yarn radii; round yarns touch where their center lines are 2 radii apart.
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

pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Make(command) => make::run(command),
        Command::Import { file, output } => {
            let pattern = crate::options::read_pattern(&file)?;
            write(&pattern, &output)
        }
        Command::Check { files } => check::run(&files),
        Command::Show(show) => run_show(&show),
    }
}

fn run_show(show: &Show) -> anyhow::Result<()> {
    if show.output.extension().is_none_or(|e| !e.eq_ignore_ascii_case("png")) {
        anyhow::bail!("{}: the name of a picture ends in .png", show.output.display());
    }
    let pattern = crate::options::read_pattern(&show.file)?;
    let options =
        DrawOptions { pixels: show.pixels, tiles: [show.tiles; 2], plies: !show.smooth, ..DrawOptions::default() };
    let picture = draw::draw(&Yarns::new(&pattern), &options);
    draw::write_png(&picture, &show.output)?;
    println!("{}: {} x {} pixels", show.output.display(), picture.width(), picture.height());
    Ok(())
}

/// Writes a pattern and says so.
fn write(pattern: &Pattern, path: &Path) -> anyhow::Result<()> {
    pattern::write(pattern, path)?;
    let [px, py] = pattern.period().map(|p| 1e3 * p);
    println!(
        "{}: {} vertices, {}, period {px:.3} x {py:.3} mm, radius {} mm",
        path.display(),
        pattern.vertices().len(),
        check::count(pattern.yarns().len(), "yarn", "yarns"),
        1e3 * pattern.radius()
    );
    Ok(())
}
