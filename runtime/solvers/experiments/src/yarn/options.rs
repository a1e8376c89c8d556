//! Options that the experiments with yarns share: drafts and materials.

use anyhow::{Context, Result, anyhow, ensure};
use serde::Serialize;
use std::path::Path;
use yarnwise_program::number::within;
use yarnwise_shared::pattern::weave::{Draft, PRESETS};
use yarnwise_solvers::yarn::YarnMaterial;

/// Drafts that the experiments know besides the presets of patterns: 2/1 twill and 8-end satin, with which the sheets of
/// \[Cirio14\] are ordered as its figures show.
const MORE_DRAFTS: [(&str, &str); 2] = [
    ("twill-2-1", "110/011/101"),
    ("satin-8", "01111111/11101111/11111101/10111111/11110111/11111110/11011111/11111011"),
];

/// The largest draft file that is read, bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Which weaves.
#[derive(Clone, Debug, clap::Args, Serialize)]
pub(super) struct DraftArgs {
    /// Drafts, with commas between them: plain, twill (2/2), satin (5-end), basket, twill-2-1, satin-8; rows of 0 and 1 such as
    /// 110/011/101, from the top, 1 where the warp is over the weft; or a file with such rows [default: plain; hang: the five that
    /// docs/results/yarns.md shows]
    #[arg(long, value_name = "NAME or FILE", value_delimiter = ',')]
    draft: Vec<String>,
}

/// A draft and what it is called.
pub(super) struct NamedDraft {
    pub(super) name: String,
    pub(super) draft: Draft,
}

impl DraftArgs {
    /// The drafts, at least one: plain weave where none is given.
    pub(super) fn read(&self) -> Result<Vec<NamedDraft>> {
        self.read_or(&["plain"])
    }

    /// The drafts, or others where none is given.
    pub(super) fn read_or(&self, others: &[&str]) -> Result<Vec<NamedDraft>> {
        let given: Vec<&str> = self.draft.iter().map(|d| d.trim()).collect();
        let one = |name: &&str| {
            let draft = read(name).with_context(|| format!("--draft {name}"))?;
            Ok(NamedDraft { name: (*name).to_owned(), draft })
        };
        if given.is_empty() { others.iter().map(one).collect() } else { given.iter().map(one).collect() }
    }
}

fn read(text: &str) -> Result<Draft> {
    let known = PRESETS.iter().map(|p| (p.name, p.draft)).chain(MORE_DRAFTS);
    if let Some((_, rows)) = known.clone().find(|(name, _)| *name == text) {
        return Ok(Draft::parse(rows)?);
    }
    if text.chars().all(|c| "01/".contains(c) || c.is_whitespace()) {
        return Ok(Draft::parse(text)?);
    }
    let path = Path::new(text);
    if !path.is_file() {
        let names: Vec<&str> = known.map(|(name, _)| name).collect();
        return Err(anyhow!("neither a file nor rows of 0 and 1 nor one of {}", names.join(", ")));
    }
    let size = path.metadata()?.len();
    ensure!(size <= MAX_BYTES, "the file has {size} bytes, a draft at most {MAX_BYTES}");
    Ok(Draft::parse(&std::fs::read_to_string(path)?)?)
}

/// Fields of the material that take the place of an experiment's own.
#[derive(Clone, Debug, Default, clap::Args, Serialize)]
pub(super) struct MaterialArgs {
    /// Distance of yarns, mm [default: 1]
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    spacing: Option<f64>,
    /// Radius of yarns, mm [default: 0.25]
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Young's modulus, Pa [default: 1e7]
    #[arg(long, value_name = "PA", allow_negative_numbers = true)]
    young: Option<f64>,
    /// Bending modulus, N [default: 0.01]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    bending: Option<f64>,
    /// Shear modulus, Pa [default: 1e4]
    #[arg(long, value_name = "PA", allow_negative_numbers = true)]
    shear: Option<f64>,
    /// Friction of turning crossings, as a multiple of μ R / 6 [default: 1]
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    shear_friction: Option<f64>,
    /// Growth of the shear stiffness where yarns jam, c_j [default: 100]
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    jamming: Option<f64>,
    /// Growth of the shear stiffness with compression, c_n [default: 1]
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    shear_compression: Option<f64>,
    /// Density of yarns, kg/m³ [default: 500]
    #[arg(long, value_name = "KG/M3", allow_negative_numbers = true)]
    density: Option<f64>,
    /// Damping α of the material velocity, 1/s [default: 10]
    #[arg(long, value_name = "1/S", allow_negative_numbers = true)]
    mass_damping: Option<f64>,
}

impl MaterialArgs {
    /// `own` with what is given in its place, once it makes sense.
    pub(super) fn apply(&self, own: YarnMaterial) -> Result<YarnMaterial> {
        let material = YarnMaterial {
            spacing: self.spacing.map_or(own.spacing, |mm| 1e-3 * mm),
            radius: self.radius.map_or(own.radius, |mm| 1e-3 * mm),
            young: self.young.unwrap_or(own.young),
            bending: self.bending.unwrap_or(own.bending),
            shear: self.shear.unwrap_or(own.shear),
            shear_friction: self.shear_friction.unwrap_or(own.shear_friction),
            jamming: self.jamming.unwrap_or(own.jamming),
            shear_compression: self.shear_compression.unwrap_or(own.shear_compression),
            density: self.density.unwrap_or(own.density),
            mass_damping: self.mass_damping.unwrap_or(own.mass_damping),
            ..own
        };
        checked(material)
    }
}

/// A material that makes sense.
pub(super) fn checked(material: YarnMaterial) -> Result<YarnMaterial> {
    match material.fault() {
        None => Ok(material),
        Some(fault) => Err(anyhow!("material: {fault}")),
    }
}

/// Steps in milliseconds, as seconds.
pub(super) fn steps(option: &str, milliseconds: &[f64]) -> Result<Vec<f64>> {
    milliseconds.iter().map(|ms| Ok(1e-3 * within(option, *ms, [1e-3, 1e3])?)).collect()
}

/// `value / expected − 1`.
pub(super) fn relative_error(value: f64, expected: f64) -> f64 {
    value / expected - 1.0
}

/// A relative error as text, in percent.
pub(super) fn percent(error: f64) -> String {
    if error.is_finite() { format!("{:+.2} %", 100.0 * error) } else { "-".into() }
}

/// A name as a part of a file's name.
pub(super) fn file_part(name: &str) -> String {
    let fine = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    name.chars().map(fine).take(40).collect()
}
