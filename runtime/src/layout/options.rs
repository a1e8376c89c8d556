//! How a pattern is laid over a mesh: one struct for hosts, scene files and command lines.

use crate::Result;
use crate::options::in_range;
use serde::{Deserialize, Serialize};

/// Where and how large the pattern lies on an island of the UV plane.
///
/// In files and on command lines the angle is in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Placement {
    /// Direction of the pattern's x axis in the UV plane, radians from the u axis.
    #[serde(with = "degrees")]
    pub angle: f64,
    /// How much larger than baked the pattern is, yarns included. Strains do not depend on it.
    pub scale: f64,
    /// Where the pattern's origin lies in the UV plane, meters.
    pub offset: [f64; 2],
}

impl Default for Placement {
    fn default() -> Self {
        Placement { angle: 0.0, scale: 1.0, offset: [0.0, 0.0] }
    }
}

impl Placement {
    fn check(&self) -> Result<()> {
        in_range("angle", self.angle.to_degrees(), [-360.0, 360.0])?;
        in_range("scale", self.scale, [1e-6, 1e6])?;
        in_range("offset", self.offset[0], [-1e6, 1e6])?;
        in_range("offset", self.offset[1], [-1e6, 1e6])
    }
}

/// Options of a layout. In files and on command lines the angle is in degrees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct LayoutOptions {
    /// Direction of the pattern's x axis in the UV plane, radians from the u axis; on islands without a placement of
    /// their own
    #[cfg_attr(feature = "clap", arg(long, value_parser = degrees::parse, default_value = "0", allow_negative_numbers = true, help = "Direction of the pattern's x axis in the UV plane, degrees from the u axis", help_heading = "Layout"))]
    #[serde(with = "degrees")]
    pub angle: f64,
    /// How much larger than baked the pattern is, yarns included; strains do not depend on it
    #[cfg_attr(feature = "clap", arg(id = "pattern_scale", long = "pattern-scale", default_value_t = Self::default().scale, allow_negative_numbers = true, help_heading = "Layout"))]
    pub scale: f64,
    /// Where the pattern's origin lies in the UV plane, meters
    #[cfg_attr(feature = "clap", arg(long, value_parser = text::offset, value_name = "U,V", default_value = "0,0", allow_hyphen_values = true, help_heading = "Layout"))]
    pub offset: [f64; 2],
    /// Placements of single islands by number; islands are numbered from 0 in the order of their first faces
    #[cfg_attr(feature = "clap", arg(long = "island", value_parser = text::island, value_name = "ISLAND:ANGLE,SCALE,U,V", help = "Placement on one island, may be repeated", help_heading = "Layout"))]
    #[serde(with = "islands")]
    pub islands: Vec<(usize, Placement)>,
    /// Yarns shorter than this many radii at rest are dropped, as are those of fewer than four vertices
    #[cfg_attr(feature = "clap", arg(long = "min-length", default_value_t = Self::default().min_yarn_length, allow_negative_numbers = true, help_heading = "Layout"))]
    pub min_yarn_length: f64,
    /// Modified Shepard weights for averages at vertices; otherwise all faces around count the same
    #[cfg_attr(feature = "clap", arg(long = "no-shepard", action = clap::ArgAction::SetFalse, help = "Average over the faces around a vertex with equal weights", help_heading = "Layout"))]
    pub shepard_weights: bool,
    /// The most vertices that may be tiled, before yarns are cut: keeps UVs that are not in meters from filling memory
    #[cfg_attr(feature = "clap", arg(long, default_value_t = Self::default().max_vertices, help_heading = "Layout"))]
    pub max_vertices: usize,
}

impl Default for LayoutOptions {
    fn default() -> Self {
        let Placement { angle, scale, offset } = Placement::default();
        LayoutOptions {
            angle,
            scale,
            offset,
            islands: Vec::new(),
            min_yarn_length: 16.0,
            shepard_weights: true,
            max_vertices: 400_000_000,
        }
    }
}

impl LayoutOptions {
    /// The placement on an island: its own, or else that of all. Of two for the same island the last counts.
    pub fn placement(&self, island: usize) -> Placement {
        let own = self.islands.iter().rev().find(|(number, _)| *number == island);
        own.map_or(Placement { angle: self.angle, scale: self.scale, offset: self.offset }, |(_, placement)| *placement)
    }

    /// An error that names the first field that is out of range, with its range.
    pub fn check(&self) -> Result<()> {
        Placement { angle: self.angle, scale: self.scale, offset: self.offset }.check()?;
        self.islands.iter().try_for_each(|(_, placement)| placement.check())?;
        in_range("min_yarn_length", self.min_yarn_length, [0.0, 1e6])
    }
}

/// Angles in radians that are written in degrees.
mod degrees {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(radians: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        // Rounded, so that 60 degrees are written as 60.
        serializer.serialize_f64((radians.to_degrees() * 1e9).round() / 1e9)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(f64::deserialize(deserializer)?.to_radians())
    }

    #[cfg(feature = "clap")]
    pub(super) fn parse(text: &str) -> Result<f64, std::num::ParseFloatError> {
        text.parse().map(f64::to_radians)
    }
}

/// Placements by island as a map from number to placement.
mod islands {
    use super::Placement;
    use serde::{Deserialize, Deserializer, Serializer};
    use std::collections::BTreeMap;

    pub(super) fn serialize<S: Serializer>(list: &[(usize, Placement)], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(list.iter().map(|(number, placement)| (number, placement)))
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Vec<(usize, Placement)>, D::Error> {
        Ok(BTreeMap::deserialize(deserializer)?.into_iter().collect())
    }
}

/// Values as a command line writes them.
#[cfg(feature = "clap")]
mod text {
    use super::Placement;

    fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
        let number = |n: &str| n.trim().parse::<f64>().map_err(|_| format!("'{n}' is not a number"));
        let parsed = text.split(',').map(number).collect::<Result<Vec<f64>, _>>()?;
        let wrong = |p: Vec<f64>| format!("{N} numbers with commas between them are expected, not {}", p.len());
        parsed.try_into().map_err(wrong)
    }

    /// U,V
    pub(super) fn offset(text: &str) -> Result<[f64; 2], String> {
        numbers(text)
    }

    /// ISLAND:ANGLE,SCALE,U,V
    pub(super) fn island(text: &str) -> Result<(usize, Placement), String> {
        let (number, rest) = text.split_once(':').ok_or("ISLAND:ANGLE,SCALE,U,V is expected")?;
        let number = number.trim().parse().map_err(|_| format!("'{number}' is not the number of an island"))?;
        let [angle, scale, u, v] = numbers(rest)?;
        Ok((number, Placement { angle: angle.to_radians(), scale, offset: [u, v] }))
    }
}
