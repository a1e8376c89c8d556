//! What holds the yarns of a scene.

use super::garment::{EdgeSpec, WovenGarment};
use crate::motion::Motion;
use crate::scene::{End, is_inside};
use crate::yarn::model::{Family, Sheet, Weave};
use serde::{Deserialize, Serialize};

/// Nodes that are held, and how they are moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinSpec {
    /// Which nodes.
    pub hold: Selection,
    /// How they move; still where not given.
    #[serde(default)]
    pub motion: Motion,
    /// When they are released, seconds; never where not given.
    #[serde(default)]
    pub until: Option<f64>,
    /// Whether yarns may slide through held crossings.
    #[serde(default)]
    pub sliding: bool,
}

/// A choice of nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Selection {
    /// By number.
    Nodes(Vec<u32>),
    /// Crossings of a sheet, each as the numbers of its warp and weft, from 0.
    Crossings(Vec<[usize; 2]>),
    /// Crossings at corners of a sheet, each as ends of u and v.
    Corners(Vec<[End; 2]>),
    /// All crossings of a sheet's first or last warp.
    Warp(End),
    /// All crossings of a sheet's first or last weft.
    Weft(End),
    /// Ends of a sheet's yarns.
    Ends(EndsSpec),
    /// The outermost crossings along an edge of a garment's panel.
    Edge(EdgeSpec),
    /// The nodes of a garment's seam, by its number from 0.
    Seam(usize),
    /// All that start inside a box, meters.
    Box {
        /// Smallest corner.
        low: [f64; 3],
        /// Largest corner.
        high: [f64; 3],
    },
}

/// Ends of yarns on one side of a sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndsSpec {
    /// Of the warps or of the wefts.
    pub of: FamilySpec,
    /// On which side.
    pub side: End,
    /// Of these yarns alone, by number; of all where not given.
    #[serde(default)]
    pub only: Option<Vec<usize>>,
    /// But not of these.
    #[serde(default)]
    pub except: Vec<usize>,
}

/// Warps or wefts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FamilySpec {
    /// Along v.
    Warp,
    /// Along u.
    Weft,
}

impl FamilySpec {
    pub(super) fn family(self) -> Family {
        match self {
            FamilySpec::Warp => Family::Warp,
            FamilySpec::Weft => Family::Weft,
        }
    }

    /// Number of such yarns in a sheet, and their name.
    pub(super) fn count(self, sheet: &Sheet) -> (usize, &'static str) {
        match self {
            FamilySpec::Warp => (sheet.warps, "warp"),
            FamilySpec::Weft => (sheet.wefts, "weft"),
        }
    }
}

/// What is woven: what pins may name.
#[derive(Debug)]
pub(super) enum Woven {
    Sheet(Box<Sheet>),
    Garment(WovenGarment),
}

impl Selection {
    /// The nodes, or why there are none.
    pub(super) fn nodes(&self, weave: &Weave, woven: &Woven) -> Result<Vec<u32>, String> {
        let found: Vec<usize> = match self {
            Selection::Nodes(list) => {
                list.iter().map(|n| within(*n as usize, weave.node_count(), "node")).collect::<Result<_, _>>()?
            }
            Selection::Box { low, high } => {
                (0..weave.node_count()).filter(|i| is_inside(&weave.positions[*i], low, high)).collect()
            }
            part => match woven {
                Woven::Sheet(sheet) => part.of_sheet(sheet)?,
                Woven::Garment(garment) => part.of_garment(weave, garment)?,
            },
        };
        if found.is_empty() { Err("holds no node".into()) } else { Ok(found.into_iter().map(|n| n as u32).collect()) }
    }

    fn of_garment(&self, weave: &Weave, garment: &WovenGarment) -> Result<Vec<usize>, String> {
        match self {
            Selection::Edge(edge) => garment.along(weave, edge),
            Selection::Seam(seam) => garment.seam(*seam),
            _ => {
                Err("holds a part of a sheet, but the cloth is a garment: hold 'edge', 'seam', 'box' or 'nodes'".into())
            }
        }
    }

    fn of_sheet(&self, sheet: &Sheet) -> Result<Vec<usize>, String> {
        let (warps, wefts) = (sheet.warps, sheet.wefts);
        Ok(match self {
            Selection::Crossings(list) => list
                .iter()
                .map(|[i, j]| Ok(sheet.crossing(within(*i, warps, "warp")?, within(*j, wefts, "weft")?)))
                .collect::<Result<_, String>>()?,
            Selection::Corners(list) => {
                list.iter().map(|[u, v]| sheet.crossing(u.index(warps), v.index(wefts))).collect()
            }
            Selection::Warp(end) => (0..wefts).map(|j| sheet.crossing(end.index(warps), j)).collect(),
            Selection::Weft(end) => (0..warps).map(|i| sheet.crossing(i, end.index(wefts))).collect(),
            Selection::Ends(ends) => ends.nodes(sheet)?,
            Selection::Nodes(_) | Selection::Box { .. } | Selection::Edge(_) | Selection::Seam(_) => {
                let known = "'corners', 'crossings', 'warp', 'weft', 'ends', 'box' or 'nodes'";
                return Err(format!("holds a part of a garment, but the cloth is a sheet: hold {known}"));
            }
        })
    }
}

impl EndsSpec {
    fn nodes(&self, sheet: &Sheet) -> Result<Vec<usize>, String> {
        let (count, name) = self.of.count(sheet);
        let named = self.only.iter().flatten().chain(&self.except);
        named.into_iter().try_for_each(|yarn| within(*yarn, count, name).map(|_| ()))?;
        let chosen: Vec<usize> = match &self.only {
            Some(list) => list.clone(),
            None => (0..count).collect(),
        };
        let far = self.side == End::Last;
        let held = chosen.into_iter().filter(|yarn| !self.except.contains(yarn));
        Ok(held.map(|yarn| sheet.end(self.of.family(), yarn, far)).collect())
    }
}

fn within(number: usize, count: usize, name: &str) -> Result<usize, String> {
    if number < count { Ok(number) } else { Err(format!("names {name} {number}, but there are only {count}")) }
}
