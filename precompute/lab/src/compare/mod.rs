//! Sample sets side by side: how far coarse tables are from dense ones and from the physics, and what they cost.
//!
//! - [`Set`]: a sample set: a database file or a published folder, and what it costs.
//! - [`check`]: whether sets can be compared, and over which strains.
//! - [`compare`] fills a [`Comparison`], of each set:
//!   - [`ByRegion`]: distances from the densest set at random strains, in yarn radii;
//!   - [`ClothFigures`]: the same on a moving mesh, with a picture, and the time a frame takes;
//!   - [`HeldOut`]: distances from freshly solved equilibria between the samples;
//!   - [`Popping`]: what jumps in time while the strain changes slowly;
//!   - [`Suggestion`]: which axis to refine, and the smallest grid under a given error;
//!   - [`BendingFigures`]: the ways bending can enter the look-up, against the tables that know it.
//! - [`interpolant`](fn@interpolant): the interpolant of a set against equilibria, by region.
//! - [`text`](fn@text), [`csv`](fn@csv), [`html`](fn@html): the report for people and programs.
//!
//! Distances are between world positions. Over strains, where there is no mesh, a displacement difference (d1, d2, d3)
//! becomes (S (d1, d2), d3) with the stretch S of the strain, as the homogeneous fabric would move it.

mod bending;
mod cloth;
mod csv;
mod distance;
mod fit;
mod held_out;
mod html;
mod interpolant;
mod popping;
mod set;
mod strains;
mod suggest;
mod text;

pub use bending::{BendingFigures, ModelFigures, ShapeFigures};
pub use cloth::ClothFigures;
pub use csv::csv;
pub use distance::{Bar, ByRegion, DistanceSummary};
pub use fit::check;
pub use held_out::{HeldOut, WorstStrain};
pub use html::html;
pub use interpolant::{Between, Interpolant, InterpolantOptions, InterpolantRegion, interpolant};
pub use popping::{Popping, Ramp};
pub use set::{Cost, Set};
pub use suggest::Suggestion;
pub use text::text;

use crate::Result;
use yarnwise_shared::mesh::clip::Clip;
use yarnwise_shared::pattern::material::YarnMaterial;
use yarnwise_shared::table::smoothness::Smoothness;

/// What is compared and how thoroughly.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// Random strains at which tables are read.
    pub strains: usize,
    /// Seed of the random strains.
    pub seed: u64,
    /// Strains in each region at which equilibria are solved anew; 0 for none.
    pub held_out: usize,
    /// The yarn's material, for sets that do not know it.
    pub material: Option<YarnMaterial>,
    /// Frames of a clip that are looked at, spread evenly.
    pub frames: usize,
    /// Eigenvalues of I below this are raised to it, as the run time does; 0 for no clamp.
    pub min_eigenvalue: f64,
    /// The error in yarn radii that the suggested grid may have at 95 % of the yarn vertices.
    pub error: f64,
    /// Whether bending models are compared, for sets that have bending tables.
    pub bending: bool,
}

impl Default for CompareOptions {
    fn default() -> Self {
        CompareOptions {
            strains: 2000,
            seed: 1,
            held_out: 8,
            material: None,
            frames: 16,
            min_eigenvalue: 0.8,
            error: 0.1,
            bending: true,
        }
    }
}

/// All figures of one set.
#[derive(Clone, Debug, serde::Serialize)]
pub struct SetFigures {
    /// What it is and costs.
    pub cost: Cost,
    /// Distances from the reference set at random strains; nothing for the reference set itself.
    pub strains: Option<ByRegion>,
    /// The same on a clip.
    pub cloth: Option<ClothFigures>,
    /// Distances from fresh equilibria; why there are none otherwise.
    pub held_out: std::result::Result<HeldOut, String>,
    /// Jumps between neighboring samples.
    pub smoothness: Smoothness,
    /// Jumps in time.
    pub popping: Popping,
    /// What to change.
    pub suggestion: Suggestion,
    /// Bending models; nothing where the set has no bending tables.
    pub bending: Option<BendingFigures>,
}

/// A comparison of sets.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Comparison {
    /// The set that the others are held against: the one with the most samples.
    pub reference: String,
    /// The strains that all sets cover: sx, sa, sy from and to.
    pub range: [[f64; 2]; 3],
    /// How it was measured.
    pub measured: Measured,
    /// The sets, in the order they were given.
    pub sets: Vec<SetFigures>,
}

/// How a comparison was measured.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Measured {
    /// Random strains.
    pub strains: usize,
    /// Their seed.
    pub seed: u64,
    /// Strains in each region that were solved anew.
    pub held_out: usize,
    /// The clip, where there was one.
    pub clip: Option<String>,
    /// The compression clamp.
    pub min_eigenvalue: f64,
    /// The error asked of the suggested grid, radii.
    pub error: f64,
}

/// Compares sets that [`check`] allows. `clip` is a name and a clip; what is being done is reported to `report`.
pub fn compare(
    sets: &[Set],
    clip: Option<(&str, &Clip)>,
    options: &CompareOptions,
    report: &mut dyn FnMut(&str),
) -> Result<Comparison> {
    let range = fit::check(sets)?;
    let reference = densest(sets);
    let points = strains::random(range, options.strains, options.seed);
    let mut cloths = match clip {
        None => vec![None; sets.len()],
        Some((_, clip)) => cloth::figures(sets, reference, clip, options, report)?.into_iter().map(Some).collect(),
    };
    let mut figures = Vec::with_capacity(sets.len());
    for (i, set) in sets.iter().enumerate() {
        report(&format!("{}: tables", set.name));
        let table = set.database.table();
        let held_out = held_out::figures(set, range, options, report)?;
        report(&format!("{}: popping and suggestions", set.name));
        figures.push(SetFigures {
            cost: set.cost(),
            strains: (i != reference).then(|| strains::distances(set, &sets[reference], &points)),
            cloth: cloths[i].take(),
            held_out,
            smoothness: Smoothness::new(table, set.radius()),
            popping: popping::figures(set, range, options.min_eigenvalue),
            suggestion: suggest::suggest(set, &points, options),
            bending: match options.bending && set.database.bending().is_some() {
                true => Some(bending::figures(set, clip.map(|(_, clip)| clip), options, report)?),
                false => None,
            },
        });
    }
    Ok(Comparison {
        reference: sets[reference].name.clone(),
        range,
        measured: Measured {
            strains: options.strains,
            seed: options.seed,
            held_out: options.held_out,
            clip: clip.map(|(name, _)| name.to_owned()),
            min_eigenvalue: options.min_eigenvalue,
            error: options.error,
        },
        sets: figures,
    })
}

/// The set with the most samples, the last one among equals.
fn densest(sets: &[Set]) -> usize {
    (0..sets.len()).max_by_key(|i| (sets[*i].database.samples().len(), *i)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
