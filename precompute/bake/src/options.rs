//! Options that several commands share.

use std::path::{Path, PathBuf};
use yarnwise_program::note;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{self, Pattern};
use yarnwise_shared::table::grid::{Axis, PRESETS, StrainGrid};
use yarnwise_shared::table::model_folder;
use yarnwise_shared::{Error, Result, file};

/// Largest file of axes that is read.
const MAX_AXES_BYTES: u64 = 1 << 20;

/// The yarn's material.
#[derive(clap::Args)]
#[command(next_help_heading = "Material")]
pub(crate) struct MaterialOptions {
    /// A named material: knit (soft to bend), woven, or fine (for yarns of 0.1 mm)
    #[arg(long, value_name = "NAME", default_value = "knit")]
    material: String,
    /// Young's modulus in Pa, instead of the named material's
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    young: Option<f64>,
    /// Shear modulus in Pa, instead of the named material's
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    shear: Option<f64>,
    /// Factor on bend and twist stiffness, instead of the named material's
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    gamma: Option<f64>,
    /// Contact stiffness in N/m, instead of the named material's
    #[arg(long, value_name = "KC", allow_negative_numbers = true)]
    contact: Option<f64>,
}

impl MaterialOptions {
    pub(crate) fn material(&self) -> Result<YarnMaterial> {
        let named = YarnMaterial::preset(&self.material)?;
        let material = YarnMaterial {
            young: self.young.unwrap_or(named.young),
            shear: self.shear.unwrap_or(named.shear),
            gamma: self.gamma.unwrap_or(named.gamma),
            contact: self.contact.unwrap_or(named.contact),
        };
        material.check()?;
        Ok(material)
    }
}

/// The material in one line.
pub(crate) fn describe(m: &YarnMaterial) -> String {
    format!("E {:e} Pa, G {:e} Pa, gamma {}, contact {} N/m", m.young, m.shear, m.gamma, m.contact)
}

/// Reads a pattern; what its user should know is printed as warnings.
pub(crate) fn read_pattern(path: &Path) -> Result<Pattern> {
    let mut notes = Vec::new();
    let pattern = pattern::read_with_notes(path, &mut notes)?;
    for line in notes {
        note!("warning: {line}");
    }
    Ok(pattern)
}

/// A grid of strains from `5`, `9`, `15`, `31` or a file with axes.
pub(crate) fn strain_grid(text: &str) -> Result<StrainGrid> {
    if let Ok(samples) = text.parse() {
        return StrainGrid::preset(samples);
    }
    let path = Path::new(text);
    if !path.exists() {
        let problem = format!(
            "is neither a file with axes nor one of the published grids {}",
            PRESETS.map(|n| n.to_string()).join(", ")
        );
        return Err(Error::invalid(format!("grid {text}"), problem));
    }
    model_folder::parse_axes(&file::read(path, MAX_AXES_BYTES, file::text)?, &file::origin(path))
}

/// Curvatures from numbers with commas between them, or from a file with one line of them.
pub(crate) fn curvatures(argument: &str) -> Result<Axis> {
    let path = Path::new(argument);
    if path.exists() {
        return model_folder::parse_curvatures(&file::read(path, MAX_AXES_BYTES, file::text)?, &file::origin(path));
    }
    if !argument.contains(',') {
        let problem = "is neither a file with curvatures nor numbers with commas between them, such as -50,0,50";
        return Err(Error::invalid(format!("--bending {argument}"), problem));
    }
    model_folder::parse_curvatures(argument.replace(',', " ").as_bytes(), "--bending")
}

/// What a file is called, without its folder and ending.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Refuses an output that cannot be written, before hours are spent on it.
pub(crate) fn check_output(output: &Path) -> anyhow::Result<PathBuf> {
    if output.is_dir() {
        anyhow::bail!("{}: is a folder, the name of a file is expected after -o", output.display());
    }
    if output.file_name().is_none() {
        anyhow::bail!("{}: is not the name of a file", output.display());
    }
    Ok(output.to_owned())
}
