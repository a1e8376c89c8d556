//! Options that the experiments with yarns and triangles share: sheets, regions, preconditioners.

use anyhow::{Result, bail, ensure};
use serde::Serialize;
use std::path::Path;
use std::str::FromStr;
use yarnwise_lab::woven_sheet::{estimated_constants, estimated_splines};
use yarnwise_shared::parameters::Parameters;
use yarnwise_solvers::hybrid::scene::mask;
use yarnwise_solvers::hybrid::{HybridBuild, HybridModel, HybridPreconditioner, HybridSheet, Region, TriangleModel};
use yarnwise_solvers::parameters::read_sheet;
use yarnwise_solvers::yarn::YarnMaterial;

/// Where cloth is yarns.
#[derive(Clone, Debug, Serialize)]
pub(super) enum RegionArg {
    /// The half with small u.
    Half,
    /// Two by two squares in the middle, or as many as are nearest to a quarter of the sheet's side.
    Island,
    /// Faces by number.
    File(String),
}

impl FromStr for RegionArg {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "half" => RegionArg::Half,
            "island" => RegionArg::Island,
            file => RegionArg::File(file.into()),
        })
    }
}

impl std::fmt::Display for RegionArg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            RegionArg::Half => "half",
            RegionArg::Island => "island",
            RegionArg::File(name) => name,
        })
    }
}

/// What triangles are made of.
#[derive(Clone, Copy, Debug, clap::ValueEnum, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum TrianglesArg {
    /// The energy of the weave itself
    Matched,
    /// St. Venant-Kirchhoff, fitted to the weave
    StVenantKirchhoff,
    /// Constants, estimated from energies of the yarns at small strains
    EstimatedConstants,
    /// Splines, estimated from energies of the yarns
    EstimatedSplines,
    /// What the file of --parameters says
    Parameters,
}

impl TrianglesArg {
    /// For the yarns of a sheet; `file` is that of --parameters.
    pub(super) fn model(self, sheet: &HybridBuild, file: Option<&Path>) -> Result<TriangleModel> {
        let estimated = |parameters: yarnwise_lab::Result<Parameters>| -> Result<TriangleModel> {
            Ok(TriangleModel::Parameters(Box::new(parameters?.membrane("estimated")?)))
        };
        Ok(match self {
            TrianglesArg::Matched => TriangleModel::Matched,
            TrianglesArg::StVenantKirchhoff => TriangleModel::StVenantKirchhoff,
            TrianglesArg::EstimatedConstants => estimated(estimated_constants(&sheet.material, &sheet.draft))?,
            TrianglesArg::EstimatedSplines => estimated(estimated_splines(&sheet.material, &sheet.draft))?,
            TrianglesArg::Parameters => {
                let Some(file) = file else { bail!("--triangles parameters needs a file: --parameters FILE") };
                TriangleModel::Parameters(Box::new(read_sheet(file)?))
            }
        })
    }
}

/// Preconditioners of the simulation.
#[derive(Clone, Copy, Debug, clap::ValueEnum, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PreconditionerArg {
    /// None
    None,
    /// Mass of nodes and vertices
    Mass,
    /// The paper's: the blended mass
    Paper,
    /// Yarns as lines, with the small correction
    Lines,
    /// Lines with the coarse correction
    LinesCoarse,
}

impl PreconditionerArg {
    pub(super) fn kind(self) -> HybridPreconditioner {
        match self {
            PreconditionerArg::None => HybridPreconditioner::None,
            PreconditionerArg::Mass => HybridPreconditioner::Mass,
            PreconditionerArg::Paper => HybridPreconditioner::BlendedMass,
            PreconditionerArg::Lines => HybridPreconditioner::Lines,
            PreconditionerArg::LinesCoarse => HybridPreconditioner::LinesCoarse,
        }
    }
}

/// The yarns of [Cirio14, Table 1], the tank top, without anything that takes energy.
pub(super) fn undamped() -> YarnMaterial {
    YarnMaterial {
        mass_damping: 0.0,
        stiffness_damping: 0.0,
        friction: 0.0,
        shear_friction: 0.0,
        sliding_damping: 0.0,
        ..YarnMaterial::default()
    }
}

/// A square sheet of about `size` crossings a side, squares of `cell` crossings, with stuck yarns and mass at nodes.
pub(super) fn stuck_sheet(size: usize, cell: usize, material: YarnMaterial) -> Result<HybridSheet> {
    ensure!(
        cell >= 4,
        "--cell {cell}: a triangle of the ring needs at least 6 nodes, so use at least 4 crossings a square"
    );
    ensure!(size.is_multiple_of(cell), "--size {size} is not a multiple of --cell {cell}");
    ensure!(size / cell >= 3, "--size {size} has fewer than three squares of {cell} crossings");
    let mut sheet = HybridSheet::new([size / cell; 2], cell, material)?;
    (sheet.build.sliding, sheet.build.lumped) = (false, true);
    Ok(sheet)
}

/// The model of a sheet with a region.
pub(super) fn model(sheet: &HybridSheet, region: &RegionArg) -> Result<HybridModel> {
    let n = sheet.cells[0] as f64;
    match region {
        RegionArg::Half => {
            let half = (sheet.cells[0] / 2) as f64;
            Ok(sheet.model(|x, _| x < half)?)
        }
        RegionArg::Island => {
            let half = (0.125 * n).round().max(1.0);
            // On the squares' corners.
            let middle = (0.5 * n).floor();
            Ok(sheet.model(|x, y| (x - middle).abs() < half && (y - middle).abs() < half)?)
        }
        RegionArg::File(name) => {
            let mesh = sheet.mesh()?;
            let full = mask::read(Path::new(name), &mesh)?;
            let region = Region::new(mesh.faces(), mesh.positions().len(), &full);
            Ok(HybridModel::new(mesh, region, &sheet.build, name)?)
        }
    }
}
