//! How yarns follow the cloth: everything of [`FrameParams`] but the positions.

use super::range;
use serde::{Deserialize, Serialize};
use yarnwise_runtime::FrameParams;
use yarnwise_shared::table::strain::BendingModel;

/// How bending enters the look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bending {
    /// Not at all.
    None,
    /// I(h) = I - 2 h II.
    #[default]
    Linearized,
    /// I(h) with its quadratic term.
    Quadratic,
    /// By the database's bending tables.
    Tables,
}

impl Bending {
    /// All of them.
    pub const ALL: [Bending; 4] = [Bending::None, Bending::Linearized, Bending::Quadratic, Bending::Tables];

    /// For people.
    pub fn label(self) -> &'static str {
        match self {
            Bending::None => "none",
            Bending::Linearized => "linearized",
            Bending::Quadratic => "quadratic",
            Bending::Tables => "tables",
        }
    }
}

/// How yarns follow the cloth; see [`FrameParams`] for each field.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FrameSpec {
    /// Factor of the looked-up displacement: 1 full, 0 naive.
    pub displacement: f32,
    /// How bending enters the look-up.
    pub bending: Bending,
    /// Smallest eigenvalue of the first fundamental form; 0 is off.
    pub min_eigenvalue: f32,
    /// Amount of Phong deformation.
    pub phong: f32,
    /// A displaced vertex that leaves its triangle is mapped by the one it enters.
    pub follow_triangle: bool,
    /// Yarns become thinner where they stretch.
    pub volume_preservation: bool,
    /// Factor of the yarn radius.
    pub radius_factor: f32,
}

impl Default for FrameSpec {
    fn default() -> Self {
        let p = FrameParams::default();
        FrameSpec {
            displacement: p.displacement,
            bending: Bending::default(),
            min_eigenvalue: p.min_eigenvalue,
            phong: p.phong,
            follow_triangle: p.follow_triangle,
            volume_preservation: p.volume_preservation,
            radius_factor: p.radius_factor,
        }
    }
}

impl FrameSpec {
    /// As the runtime takes it, with a frame's positions.
    pub fn params<'a>(&self, positions: &'a [[f32; 3]]) -> FrameParams<'a> {
        FrameParams {
            positions,
            displacement: self.displacement,
            bending: match self.bending {
                Bending::None => BendingModel::None,
                Bending::Linearized | Bending::Tables => BendingModel::Linearized,
                Bending::Quadratic => BendingModel::Quadratic,
            },
            bending_amount: 1.0,
            bending_tables: self.bending == Bending::Tables,
            min_eigenvalue: self.min_eigenvalue,
            phong: self.phong,
            follow_triangle: self.follow_triangle,
            volume_preservation: self.volume_preservation,
            radius_factor: self.radius_factor,
        }
    }

    pub(super) fn fault(&self) -> Option<String> {
        range("frame.displacement", self.displacement.into(), -10.0, 10.0)
            .or_else(|| range("frame.min_eigenvalue", self.min_eigenvalue.into(), 0.0, 100.0))
            .or_else(|| range("frame.phong", self.phong.into(), 0.0, 1.0))
            .or_else(|| range("frame.radius_factor", self.radius_factor.into(), 0.0, 1000.0))
    }
}
