//! How a model is made.

use crate::cloth::model::ClothMaterial;
use crate::yarn::YarnMaterial;
use yarnwise_shared::parameters::MembraneParameters;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_shared::table::database::Database;

/// What triangles are made of.
#[derive(Clone, Debug, Default)]
pub enum TriangleModel {
    /// The energy of the weave itself.
    #[default]
    Matched,
    /// St. Venant-Kirchhoff, fitted to the weave [Casafranca20, §7].
    StVenantKirchhoff,
    /// The energy density of a baked pattern.
    Table(Box<Database>),
    /// What was estimated: constants or splines.
    Parameters(Box<MembraneParameters<f64>>),
    /// The springs of the cloth solver.
    Springs(ClothMaterial),
}

/// How a model is made.
#[derive(Clone, Debug)]
pub struct HybridBuild {
    /// What yarns are made of.
    pub material: YarnMaterial,
    /// How they cross.
    pub draft: Draft,
    /// What triangles are made of.
    pub triangles: TriangleModel,
    /// Whether yarns slide where cloth is yarns alone.
    pub sliding: bool,
    /// Whether all of the mass is at nodes; otherwise segments of yarns alone have the mass matrix of [Cirio14, Eq. 5].
    pub lumped: bool,
    /// Whether yarns have nodes of their own where they end at the border of the cloth, through which they can be pulled. Short ends are stiff
    /// and light; without them the yarn beyond the last crossing is only mass.
    pub loose_ends: bool,
}
