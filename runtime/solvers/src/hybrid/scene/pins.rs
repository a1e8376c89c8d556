//! What holds the cloth of a scene.

use crate::error::{Error, Result};
use crate::hybrid::cloth::HybridCloth;
use crate::hybrid::holding::HybridPin;
use crate::motion::Motion;
use crate::scene::check::{PLACE, all_between, pin};
use serde::{Deserialize, Serialize};

/// What is held, and how it is moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinSpec {
    /// Which places.
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

/// A choice of places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Selection {
    /// All simulated nodes and all vertices without yarns in a box of the material plane, meters.
    Uv {
        /// Smallest corner.
        low: [f64; 2],
        /// Largest corner.
        high: [f64; 2],
    },
    /// Vertices of the mesh without yarns, from 1.
    Vertices(Vec<u32>),
}

impl PinSpec {
    /// What is wrong, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        let hold = match &self.hold {
            Selection::Uv { low, high } => all_between("low", low, PLACE).or_else(|| all_between("high", high, PLACE)),
            Selection::Vertices(list) if list.is_empty() => Some("holds no vertex".into()),
            Selection::Vertices(list) => list.contains(&0).then(|| "names vertex 0: they are counted from 1".into()),
        };
        hold.or_else(|| pin(self.until, &self.motion))
    }

    /// Holds the cloth. `origin` names the scene, and `number` the pin, in messages.
    pub(super) fn apply(&self, cloth: &mut HybridCloth, number: usize, origin: &str) -> Result<()> {
        let here = |problem: String| Error::invalid(origin, format!("pin {number}: {problem}"));
        let places = match &self.hold {
            Selection::Uv { low, high } => {
                let inside = |uv: [f64; 2]| (0..2).all(|k| (low[k]..=high[k]).contains(&uv[k]));
                let found = cloth.points_in(inside);
                if found.nodes.is_empty() && found.vertices.is_empty() {
                    return Err(here(
                        "holds nothing: the box is in the plane of the UVs, in meters, and needs a crossing of yarns or a vertex \
                         without yarns inside; make it larger"
                            .into(),
                    ));
                }
                found
            }
            Selection::Vertices(list) => {
                HybridPin { vertices: list.iter().map(|v| v - 1).collect(), ..HybridPin::default() }
            }
        };
        let pin = HybridPin { motion: self.motion.clone(), until: self.until, sliding: self.sliding, ..places };
        cloth.pin(pin).map_err(|e| here(reason(&e)))
    }
}

/// The reason without the place that the solver gave it.
fn reason(error: &Error) -> String {
    let text = error.to_string();
    text.strip_prefix("pin: ").unwrap_or(&text).to_owned()
}
