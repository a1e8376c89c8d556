//! What holds the cloth of a scene.

use crate::error::{Error, Result};
use crate::hybrid::cloth::HybridCloth;
use crate::hybrid::holding::HybridPin;
use crate::hybrid::model::HybridModel;
use crate::motion::Motion;
use crate::scene::check::{PLACE, all_between, pin};
use nalgebra::Vector3;
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
    /// By how much longer along x, y and z, about their middle, they are at the last key of `motion` than at the first.
    #[serde(default = "unstretched")]
    pub stretch: [f64; 3],
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

fn unstretched() -> [f64; 3] {
    [1.0; 3]
}

impl PinSpec {
    /// What is wrong, if anything.
    pub(super) fn fault(&self) -> Option<String> {
        let hold = match &self.hold {
            Selection::Uv { low, high } => all_between("low", low, PLACE).or_else(|| all_between("high", high, PLACE)),
            Selection::Vertices(list) if list.is_empty() => Some("holds no vertex".into()),
            Selection::Vertices(list) => list.contains(&0).then(|| "names vertex 0: they are counted from 1".into()),
        };
        hold.or_else(|| all_between("stretch", &self.stretch, [0.1, 10.0])).or_else(|| pin(self.until, &self.motion))
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
        if self.stretch == unstretched() {
            return cloth.pin(pin).map_err(|e| here(reason(&e)));
        }
        let turns = self.motion.keys.iter().any(|k| k.angle != 0.0);
        if self.motion.keys.len() < 2 || turns {
            return Err(here(
                "stretch needs a motion with two or more keys, which say when, and without angles".into(),
            ));
        }
        stretched(&pin, self.stretch, cloth.model()).try_for_each(|pin| cloth.pin(pin).map_err(|e| here(reason(&e))))
    }
}

/// One pin for each place: each has its own way. A vertex that is not there is for [`HybridCloth::pin`] to refuse.
fn stretched(pin: &HybridPin, stretch: [f64; 3], model: &HybridModel) -> impl Iterator<Item = HybridPin> + use<> {
    let vertex =
        |v: &u32| model.mesh().positions().get(*v as usize).map_or(Vector3::zeros(), |p| p.map(f64::from).into());
    let nodes = pin.nodes.iter().map(|n| (vec![*n], Vec::new(), model.weave().positions[*n as usize]));
    let vertices = pin.vertices.iter().map(|v| (Vec::new(), vec![*v], vertex(v)));
    let places: Vec<(Vec<u32>, Vec<u32>, Vector3<f64>)> = nodes.chain(vertices).collect();
    let bound = |pick: fn(f64, f64) -> f64| places.iter().map(|place| place.2).reduce(|a, b| a.zip_map(&b, pick));
    let middle = 0.5 * (bound(f64::min).unwrap_or_default() + bound(f64::max).unwrap_or_default());
    let more = Vector3::from(stretch).add_scalar(-1.0);
    let whole = pin.clone();
    places.into_iter().map(move |(nodes, vertices, place)| {
        let mut pin = HybridPin { nodes, vertices, ..whole.clone() };
        let way = (place - middle).component_mul(&more);
        let (first, last) = (whole.motion.keys[0].time, whole.motion.keys[whole.motion.keys.len() - 1].time);
        for key in &mut pin.motion.keys {
            key.shift = (Vector3::from(key.shift) + way * ((key.time - first) / (last - first))).into();
        }
        pin
    })
}

/// The reason without the place that the solver gave it.
fn reason(error: &Error) -> String {
    let text = error.to_string();
    text.strip_prefix("pin: ").unwrap_or(&text).to_owned()
}
