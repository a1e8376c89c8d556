//! A campaign's file as it is written: lists, defaults, overrides. `docs/reference/campaigns.md` describes every field.

use crate::bake::StartMode;
use crate::relax::Period;
use serde::Serialize;
use std::path::Path;

/// Something of the file with its line, from 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct At<T> {
    /// What it is.
    pub value: T,
    /// Its line.
    #[serde(skip_serializing)]
    pub line: usize,
}

/// A campaign's file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CampaignFile {
    /// A short name for people; the file's without its ending unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The folder of the databases; called as the file without its ending unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What databases are called, with `{pattern}`, `{material}`, `{grid}`, `{bending}` for names.
    pub naming: At<String>,
    /// The patterns.
    pub patterns: Vec<At<PatternEntry>>,
    /// The materials.
    pub materials: Vec<At<MaterialEntry>>,
    /// The strains.
    pub grids: Vec<At<GridEntry>>,
    /// Whether and how far fabric is bent.
    pub bending: Vec<At<BendingEntry>>,
    /// How patterns are relaxed before they are baked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relax: Option<RelaxEntry>,
    /// Settings of all bakes.
    pub bake: Settings,
    /// Settings of some of them; later ones win.
    #[serde(rename = "override")]
    pub overrides: Vec<At<Override>>,
    /// Combinations that are left out.
    pub exclude: Vec<At<NameFilter>>,
}

/// A pattern.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum PatternEntry {
    /// A file, or several with a `*` in the name.
    File(String),
    /// A file with more to it.
    Table {
        /// What it is called; the file's name without its ending unless given.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// The file.
        file: String,
        /// Whether and how it is relaxed, instead of what the campaign says.
        #[serde(skip_serializing_if = "Option::is_none")]
        relax: Option<RelaxMode>,
    },
}

/// Whether and how a pattern is relaxed before it is baked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RelaxMode {
    /// Its period takes the size at which the fabric pulls in no direction.
    Free,
    /// Its period stays.
    Fixed,
    /// It is baked as it is.
    None,
}

impl RelaxMode {
    /// The period of a pattern that is relaxed.
    pub fn period(self) -> Option<Period> {
        match self {
            RelaxMode::Free => Some(Period::Free),
            RelaxMode::Fixed => Some(Period::Fixed),
            RelaxMode::None => None,
        }
    }
}

/// A material.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum MaterialEntry {
    /// A named one.
    Preset(String),
    /// One of the campaign's own.
    Table {
        /// What it is called.
        name: String,
        /// The named material whose numbers hold where none is given.
        #[serde(skip_serializing_if = "Option::is_none")]
        like: Option<String>,
        /// Young's modulus, Pa.
        #[serde(skip_serializing_if = "Option::is_none")]
        young: Option<f64>,
        /// Shear modulus, Pa.
        #[serde(skip_serializing_if = "Option::is_none")]
        shear: Option<f64>,
        /// Factor on bend and twist stiffness.
        #[serde(skip_serializing_if = "Option::is_none")]
        gamma: Option<f64>,
        /// Contact stiffness, N/m.
        #[serde(skip_serializing_if = "Option::is_none")]
        contact: Option<f64>,
    },
}

impl MaterialEntry {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            MaterialEntry::Preset(name) | MaterialEntry::Table { name, .. } => name,
        }
    }
}

/// A grid of strains.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum GridEntry {
    /// A published one, by its samples along each axis.
    Preset(usize),
    /// A file with axes.
    File(String),
    /// Axes from a file or from here.
    Table {
        /// What it is called.
        name: String,
        /// A file with axes.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// Strains along x.
        #[serde(skip_serializing_if = "Option::is_none")]
        sx: Option<Vec<f64>>,
        /// Shears.
        #[serde(skip_serializing_if = "Option::is_none")]
        sa: Option<Vec<f64>>,
        /// Strains along y.
        #[serde(skip_serializing_if = "Option::is_none")]
        sy: Option<Vec<f64>>,
    },
}

impl GridEntry {
    /// What it is called.
    pub fn name(&self) -> String {
        match self {
            GridEntry::Preset(samples) => samples.to_string(),
            GridEntry::File(file) => stem(Path::new(file)),
            GridEntry::Table { name, .. } => name.clone(),
        }
    }
}

/// Whether and how far fabric is bent.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum BendingEntry {
    /// Not at all, or at five curvatures that suit the pattern.
    Suited(bool),
    /// A file with curvatures.
    File(String),
    /// Curvatures from a file or from here.
    Table {
        /// What it is called.
        name: String,
        /// A file with curvatures.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// Curvatures, 1/m.
        #[serde(skip_serializing_if = "Option::is_none")]
        curvatures: Option<Vec<f64>>,
    },
}

impl BendingEntry {
    /// What it is called.
    pub fn name(&self) -> String {
        match self {
            BendingEntry::Suited(false) => "flat".to_owned(),
            BendingEntry::Suited(true) => "bent".to_owned(),
            BendingEntry::File(file) => stem(Path::new(file)),
            BendingEntry::Table { name, .. } => name.clone(),
        }
    }
}

/// What a file is called, without its folder and ending.
pub(super) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// How patterns are relaxed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RelaxEntry {
    /// Whether the period may change.
    pub period: RelaxMode,
    /// The most steps of the search.
    pub max_steps: usize,
    /// The unbalanced force at rest, as a fraction of the forces that balance.
    pub residual: f64,
}

impl Default for RelaxEntry {
    fn default() -> Self {
        RelaxEntry {
            period: RelaxMode::Free,
            max_steps: crate::relax::MAX_STEPS,
            residual: crate::equilibrium::settings::SolverSettings::default().tolerance,
        }
    }
}

/// Settings of bakes; what is not given stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Settings {
    /// A sample is an equilibrium when the unbalanced force is below this fraction of the forces that balance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
    /// The most rounds of retries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
    /// A sample is retried where the energy half way to a neighbor stands out by this logarithm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
    /// Where samples start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<StartMode>,
    /// How exactly displacements are stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<Precision>,
    /// The most samples that are solved at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// Into how many parts it is cut on a cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shards: Option<usize>,
}

/// How exactly displacements are stored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Precision {
    /// With this error at most, radii and radians.
    Within(f64),
    /// Every bit is kept.
    Lossless(Lossless),
}

/// The word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lossless {
    /// Every bit is kept.
    Lossless,
}

/// Which combinations are meant: those that have one of the names of each list that is not empty. A name may have `*`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NameFilter {
    /// Names of patterns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pattern: Vec<String>,
    /// Names of materials.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub material: Vec<String>,
    /// Names of grids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grid: Vec<String>,
    /// Names of bendings; only where combinations are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bending: Vec<String>,
}

/// Settings of the combinations with these patterns, materials and grids.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Override {
    /// Which ones.
    #[serde(flatten)]
    pub selection: NameFilter,
    /// What is different there.
    #[serde(flatten)]
    pub settings: Settings,
    /// Whether and how far they are bent, instead of what the campaign says.
    #[serde(rename = "bending", skip_serializing_if = "Option::is_none")]
    pub bent: Option<Vec<At<BendingEntry>>>,
}
