//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use yarnwise_viewer::export::Basis;
use yarnwise_viewer::frames::Frames;
use yarnwise_viewer::scene::{HeatMapSpec, Quantity, Scene, Split};

/// Looks at yarns on moving cloth: in a window, as pictures, as curves for other programs.
///
/// Without a command a window opens. What can be looked at: a scene file (.json, see docs/scenes.md), or a database (.ydb)
/// and a mesh or clip. Files may also be dropped onto the window.
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
    /// Loses the graphics device on purpose after so many pictures, to see that the viewer goes on
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
    /// Simulate a cloth scene and write a clip
    Simulate(SimulateArgs),
}

/// Arguments of `simulate`.
#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// The scene, a JSON file; see docs/reference/cloth-scenes.md
    pub(crate) scene: PathBuf,
    /// The clip to write, .bin or .pc2 (beside which the mesh is written as .obj)
    #[arg(short, long)]
    pub(crate) output: PathBuf,
    /// Draw the last frame into this PNG file
    #[arg(long)]
    pub(crate) picture: Option<PathBuf>,
}

/// Arguments of `render`.
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// The scene file, or a database and a mesh or clip
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Which frame [default: the scene's still frame]
    #[arg(long, conflicts_with = "frames")]
    pub(crate) frame: Option<usize>,
    /// Which frames: 0..30 (both included), 10.. or all
    #[arg(long)]
    pub(crate) frames: Option<Frames>,
    /// Size in pixels, WIDTHxHEIGHT
    #[arg(long, value_parser = size, default_value = "1280x800")]
    pub(crate) size: [u32; 2],
    /// The file to write: NAME.png, NAME_####.png for one file a frame, or NAME.apng for an animation
    #[arg(short, long)]
    pub(crate) out: PathBuf,
    /// What stands side by side, instead of what the scene says
    #[arg(long, value_enum)]
    pub(crate) split: Option<SplitName>,
    /// Leave out the looked-up displacements
    #[arg(long)]
    pub(crate) naive: bool,
    /// Color a number instead of the yarns
    #[arg(long, value_enum)]
    pub(crate) heat_map: Option<ValueName>,
    /// No titles and no legend
    #[arg(long)]
    pub(crate) no_labels: bool,
    /// Camera: degrees around the target
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) yaw: Option<f32>,
    /// Camera: degrees above the horizon
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) pitch: Option<f32>,
    /// Camera: how much nearer than where the cloth fills the picture
    #[arg(long)]
    pub(crate) zoom: Option<f32>,
}

impl RenderArgs {
    /// Changes a scene as the arguments say; what is wrong, if anything.
    pub(crate) fn apply(&self, scene: &mut Scene) -> Option<String> {
        if self.naive {
            scene.frame.displacement = 0.0;
        }
        match self.split {
            None => {}
            Some(SplitName::None) => scene.split = Split::None,
            Some(SplitName::Naive) => scene.split = Split::Naive,
            Some(SplitName::Compare) => scene.split = Split::Compare,
        }
        if let Some(name) = self.heat_map {
            scene.style.heat_map = Some(HeatMapSpec { value: name.into(), range: None });
        }
        let camera = &mut scene.camera;
        camera.yaw = self.yaw.unwrap_or(camera.yaw);
        camera.pitch = self.pitch.unwrap_or(camera.pitch);
        if let Some(zoom) = self.zoom {
            (camera.zoom, camera.distance) = (zoom, None);
        }
        scene.fault()
    }
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The scene file, or a database and a mesh or clip
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Which frames: 7, 0..30 (both included), 10.. or all
    #[arg(long, default_value = "all")]
    pub(crate) frames: Frames,
    /// How points are joined in .usda
    #[arg(long, value_enum, default_value = "linear")]
    pub(crate) basis: BasisName,
    /// The file to write: NAME.usda, or NAME_####.obj for one file a frame
    #[arg(short, long)]
    pub(crate) out: PathBuf,
}

/// [`Basis`] as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BasisName {
    /// Straight lines, which every program reads
    Linear,
    /// Smooth curves through all points
    CatmullRom,
}

impl From<BasisName> for Basis {
    fn from(name: BasisName) -> Self {
        match name {
            BasisName::Linear => Basis::Linear,
            BasisName::CatmullRom => Basis::CatmullRom,
        }
    }
}

/// [`Split`] as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SplitName {
    /// One picture
    None,
    /// Left without, right with the looked-up displacements
    Naive,
    /// Left the scene's yarns, right those it is compared with
    Compare,
}

/// [`Quantity`] as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ValueName {
    /// How much longer the yarn is than at rest
    YarnStrain,
    /// Largest stretch of the cloth, minus one
    ClothStretch,
    /// Smallest stretch of the cloth, minus one
    ClothCompression,
    /// How far vertices are displaced, in radii
    Displacement,
    /// Where the clamp acts
    Clamp,
}

impl From<ValueName> for Quantity {
    fn from(name: ValueName) -> Self {
        match name {
            ValueName::YarnStrain => Quantity::YarnStrain,
            ValueName::ClothStretch => Quantity::ClothStretch,
            ValueName::ClothCompression => Quantity::ClothCompression,
            ValueName::Displacement => Quantity::Displacement,
            ValueName::Clamp => Quantity::Clamp,
        }
    }
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
}
