//! Options that several commands share.

use std::path::Path;
use yarnwise_precompute::equilibrium::settings::SolverSettings;
use yarnwise_program::note;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::pattern::{self, Pattern};
use yarnwise_shared::table::grid::{Axis, PRESETS, StrainGrid};
use yarnwise_shared::table::model_folder;
use yarnwise_shared::{Error, Result};

/// The yarn's material.
#[derive(clap::Args)]
#[command(next_help_heading = "Material")]
pub(crate) struct MaterialOptions {
    /// A named material: knit (soft to bend), woven, or fine (for yarns of 0.1 mm) [default: knit]
    #[arg(long, value_name = "NAME")]
    material: Option<String>,
    /// Young's modulus in Pa, instead of the named material's
    #[arg(long, value_name = "E")]
    young: Option<f64>,
    /// Shear modulus in Pa, instead of the named material's
    #[arg(long, value_name = "G")]
    shear: Option<f64>,
    /// Factor on bend and twist stiffness, instead of the named material's
    #[arg(long, value_name = "FACTOR")]
    gamma: Option<f64>,
    /// Contact stiffness in N/m, instead of the named material's
    #[arg(long, value_name = "KC")]
    contact: Option<f64>,
}

impl MaterialOptions {
    pub(crate) fn material(&self) -> Result<YarnMaterial> {
        self.material_or(YarnMaterial::preset(KNIT)?)
    }

    /// Whether a named material was chosen.
    pub(crate) fn is_named(&self) -> bool {
        self.material.is_some()
    }

    /// The same where another material is the usual one.
    pub(crate) fn material_or(&self, usual: YarnMaterial) -> Result<YarnMaterial> {
        let named = self.material.as_deref().map_or(Ok(usual), YarnMaterial::preset)?;
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

/// The named material of knits.
pub(crate) const KNIT: &str = "knit";
/// The named material of weaves.
pub(crate) const WOVEN: &str = "woven";

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

/// The published grids in words: `5, 9, 15 and 31`.
fn presets() -> String {
    let names = PRESETS.map(|samples| samples.to_string());
    let [others @ .., last] = names.as_slice() else { return String::new() };
    format!("{} and {last}", others.join(", "))
}

/// The file that an argument names, where it may also be something else.
pub(crate) fn as_file(argument: &str) -> Option<&Path> {
    Some(Path::new(argument)).filter(|path| path.exists())
}

/// A grid of strains from `5`, `9`, `15`, `31` or a file with axes.
pub(crate) fn strain_grid(text: &str) -> Result<StrainGrid> {
    if let Ok(samples) = text.parse() {
        return StrainGrid::preset(samples);
    }
    let path = Path::new(text);
    if !path.exists() {
        let problem = format!("is neither a file with axes nor one of the published grids {}", presets());
        return Err(Error::invalid(format!("grid {text}"), problem));
    }
    model_folder::read_axes(path)
}

/// Curvatures from numbers with commas between them, or from a file with one line of them.
pub(crate) fn curvatures(argument: &str) -> Result<Axis> {
    let path = Path::new(argument);
    if path.exists() {
        return model_folder::read_curvatures(path);
    }
    if !argument.contains(',') {
        let problem = "is neither a file with curvatures nor numbers with commas between them, such as -50,0,50";
        return Err(Error::invalid(format!("--bending {argument}"), problem));
    }
    model_folder::parse_curvatures(argument.replace(',', " ").as_bytes(), "--bending")
}

/// When a sample counts as an equilibrium.
#[derive(clap::Args)]
pub(crate) struct Residual {
    /// A sample is an equilibrium when the unbalanced force is below this fraction of the forces that balance
    #[arg(long, value_name = "FRACTION", default_value_t = SolverSettings::default().tolerance)]
    residual: f64,
}

impl Residual {
    /// The solver's settings with this residual, if it can be reached.
    pub(crate) fn solver(&self) -> anyhow::Result<SolverSettings> {
        Ok(SolverSettings::with_tolerance("--residual", self.residual)?)
    }
}

/// What a file is called, without its folder and ending.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
