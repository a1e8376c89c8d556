//! The command line.

use crate::arguments::{FrameArgs, within};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use yarnwise_program::Extra;
use yarnwise_program::number::Threads;
use yarnwise_viewer::export::Basis;
use yarnwise_viewer::scene::{CameraSpec, Quantity, Split};

/// Looks at yarns on moving cloth: in a window, as pictures, as curves for other programs.
///
/// Without a command a window opens. What can be looked at: a scene file (.json, see docs/reference/scenes.md), or a
/// database (.ydb) and a mesh or clip. Files may also be dropped onto the window.
#[derive(Debug, Parser)]
#[command(name = "yarnwise-view", version, max_term_width = 110, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    /// What to do instead of opening a window
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// What to look at
    #[command(flatten)]
    pub(crate) window: WindowArgs,
}

/// What a window shows.
#[derive(Debug, Args)]
pub(crate) struct WindowArgs {
    /// A scene file, or a database and a mesh or clip, in any order; two databases are compared
    pub(crate) files: Vec<PathBuf>,
    /// Inner size of the window in pixels, WIDTHxHEIGHT
    #[arg(long, value_parser = size, default_value = "1280x800")]
    pub(crate) size: [u32; 2],
    /// Loses the graphics device on purpose after this many pictures, to test that the viewer recovers
    #[arg(long, hide = true)]
    pub(crate) lose_device_after: Option<u64>,
}

/// Commands that need no window.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write pictures of a scene: PNG files, or an animated PNG
    Render(RenderArgs),
    /// Write the yarns as curves: USD text or OBJ polylines; needs no GPU
    Export(ExportArgs),
    /// Lay the yarns of a database on a clip and write frames as NumPy arrays and OBJ polylines
    Lay(crate::lay::LayArgs),
    /// Simulate a scene of cloth and write a clip, or one of yarns or of both and write the yarns' center lines
    Simulate(SimulateArgs),
    #[command(flatten)]
    Extra(Extra),
}

/// Arguments of `simulate`.
#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// The scene, a JSON file; see docs/reference/cloth-scenes.md, yarn-scenes.md and hybrid-scenes.md there
    pub(crate) scene: PathBuf,
    /// The file to write. Of cloth a clip: .bin, or .pc2 (beside which the mesh is written as .obj). Of yarns their center
    /// lines: NAME.ycache, or NAME_####.npz or NAME_####.obj for one file a frame. Of a hybrid scene either
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Hybrid scenes: which triangles are yarns, instead of what the scene says: all, none, half, or a file of face numbers
    #[arg(long, value_name = "REGION")]
    pub(crate) region: Option<PathBuf>,
    /// Hybrid scenes: write the mesh as a clip too, .bin or .pc2
    #[arg(long, value_name = "FILE")]
    pub(crate) clip: Option<PathBuf>,
    /// Draw the last frame into this PNG file
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
    /// Yarns: resume a simulation that was interrupted, from its last checkpoint
    #[arg(long)]
    pub(crate) resume: bool,
    /// Yarns: frames from checkpoint to checkpoint; 0 for none
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) checkpoint: usize,
    /// Yarns: points on each segment of a center line; hybrid scenes have at least 3
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(crate) points: u8,
    /// Yarns, hybrid scenes: write the energies of every frame to this CSV file, J
    #[arg(long, value_name = "FILE")]
    pub(crate) energies: Option<PathBuf>,
    /// Size of the picture in pixels, WIDTHxHEIGHT
    #[arg(long, value_parser = size, default_value = "720x720")]
    pub(crate) size: [u32; 2],
    #[command(flatten)]
    pub(crate) threads: Threads,
    /// Print the figures as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `render` and `export` have in common: a scene, its frames, and how the work is done.
#[derive(Debug, Args)]
pub(crate) struct SceneArgs {
    /// The scene file, or a database and a mesh or clip
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) frames: FrameArgs,
    #[command(flatten)]
    pub(crate) threads: Threads,
    /// Print the figures as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `render`; without a choice of frames, the scene's still frame is drawn.
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// The file to write: NAME.png, NAME_####.png for one file a frame, or NAME.apng for an animation
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) scene: SceneArgs,
    /// Size in pixels, WIDTHxHEIGHT
    #[arg(long, value_parser = size, default_value = "1280x800")]
    pub(crate) size: [u32; 2],
    /// What stands side by side, instead of what the scene says
    #[arg(long, value_enum)]
    pub(crate) split: Option<Split>,
    /// Leave out the looked-up displacements
    #[arg(long)]
    pub(crate) naive: bool,
    /// Color a number instead of the yarns
    #[arg(long, value_enum)]
    pub(crate) heat_map: Option<Quantity>,
    /// No titles and no legend
    #[arg(long)]
    pub(crate) no_labels: bool,
    /// Camera: degrees around the target
    #[arg(long, allow_negative_numbers = true, value_parser = within(CameraSpec::YAW))]
    pub(crate) yaw: Option<f32>,
    /// Camera: degrees above the horizon
    #[arg(long, allow_negative_numbers = true, value_parser = within(CameraSpec::PITCH))]
    pub(crate) pitch: Option<f32>,
    /// Camera: how much nearer than where the cloth fills the picture
    #[arg(long, allow_negative_numbers = true, value_parser = within(CameraSpec::ZOOM))]
    pub(crate) zoom: Option<f32>,
}

/// Arguments of `export`; without a choice of frames, all are written.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The file to write: NAME.usda, or NAME_####.obj for one file a frame
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) scene: SceneArgs,
    /// How points are joined in .usda
    #[arg(long, value_enum, default_value_t = Basis::Linear)]
    pub(crate) basis: Basis,
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let expected = || format!("'{text}' is not a size such as 1280x800 (1 to 16384 pixels along each side)");
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(expected)?;
    let side = |t: &str| t.trim().parse().ok().filter(|n| (1..=16384).contains(n)).ok_or_else(expected);
    Ok([side(width)?, side(height)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_are_read_as_typed() {
        assert_eq!(size("320x200"), Ok([320, 200]));
        for bad in ["320", "0x5", "axb", "320x", "99999x2", "-3x4"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    /// Same option, same name: what several commands have is called and described alike.
    #[test]
    fn every_command_that_writes_has_the_same_options() {
        for name in ["render", "export", "lay", "simulate"] {
            let command = Cli::command();
            let command = command.find_subcommand(name).unwrap();
            let longs: Vec<&str> = command.get_arguments().filter_map(|a| a.get_long()).collect();
            for option in ["output", "threads", "json"] {
                assert!(longs.contains(&option), "{name} has no --{option}");
            }
            let output = command.get_arguments().find(|a| a.get_long() == Some("output")).unwrap();
            assert_eq!(output.get_short(), Some('o'), "{name}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused_with_their_range() {
        let parse = |arguments: &[&str]| {
            let all = ["yarnwise-view", "render", "a.json", "-o", "a.png"].iter().chain(arguments);
            Cli::try_parse_from(all).map(|_| ()).map_err(|e| e.to_string())
        };
        assert!(parse(&["--yaw", "-30"]).is_ok());
        for bad in [["--yaw", "-400"], ["--pitch", "nan"], ["--zoom", "inf"], ["--zoom", "0"], ["--frame", "-1"]] {
            let message = parse(&bad).unwrap_err();
            assert!(message.contains(bad[0]) && message.contains(bad[1]), "{message}");
        }
    }
}
