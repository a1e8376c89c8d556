//! What holds the cloth of a scene.

use crate::motion::Motion;
use crate::scene::{End, is_inside};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Particles that are held, and how they are moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinSpec {
    /// Which particles.
    pub hold: Selection,
    /// How they move; still where not given.
    #[serde(default)]
    pub motion: Motion,
    /// When they are released, seconds; never where not given.
    #[serde(default)]
    pub until: Option<f64>,
}

/// A choice of particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Selection {
    /// By number.
    Particles(Vec<u32>),
    /// Corners of a sheet, each as ends in u and v.
    Corners(Vec<[End; 2]>),
    /// The particles at one end of u: a column of a sheet.
    Column(End),
    /// The particles at one end of v: a row of a sheet, or a ring of a tube.
    Row(End),
    /// All that start inside a box, meters.
    Box {
        /// Smallest corner.
        low: [f64; 3],
        /// Largest corner.
        high: [f64; 3],
    },
}

/// Columns and rows of the cloth, where it has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct LatticeSize {
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// Whether columns close to a ring.
    pub(super) closed: bool,
}

impl Selection {
    /// The particles, or why there are none.
    pub(super) fn particles(
        &self,
        positions: &[Vector3<f64>],
        lattice: Option<LatticeSize>,
    ) -> Result<Vec<u32>, String> {
        let found: Vec<u32> = match (self, lattice) {
            (Selection::Particles(list), _) => {
                if let Some(bad) = list.iter().find(|p| **p as usize >= positions.len()) {
                    return Err(format!("names particle {bad}, but there are only {}", positions.len()));
                }
                list.clone()
            }
            (Selection::Corners(list), Some(l)) if !l.closed => {
                list.iter().map(|[u, v]| (v.index(l.rows) * l.columns + u.index(l.columns)) as u32).collect()
            }
            (Selection::Column(end), Some(l)) if !l.closed => {
                (0..l.rows).map(|j| (j * l.columns + end.index(l.columns)) as u32).collect()
            }
            (Selection::Row(end), Some(l)) => {
                (0..l.columns).map(|i| (end.index(l.rows) * l.columns + i) as u32).collect()
            }
            (Selection::Box { low, high }, _) => {
                (0..positions.len() as u32).filter(|p| is_inside(&positions[*p as usize], low, high)).collect()
            }
            _ => return Err("asks for corners, rows or columns that this cloth does not have: use 'box'".into()),
        };
        if found.is_empty() { Err("holds no particle".into()) } else { Ok(found) }
    }
}
