//! The ways bending can enter the look-up, against the tables that know it [Sperl21, Section 5, Appendix C].
//!
//! `None`, `Linearized` and `Quadratic` read the in-plane table at a strain that depends on the height above the
//! midsurface; the bending tables have a curvature of their own. Each is compared with the last one.

use super::CompareOptions;
use super::cloth::{distances, median, picture, spread};
use super::distance::{DistanceSummary, RegionDistances};
use super::set::Set;
use crate::draw::Picture;
use crate::{Error, Result};
use std::sync::Arc;
use std::time::Instant;
use yarnwise_runtime::{Bending, CpuYarns, FrameOptions, FrameParams, LayoutOptions, YarnLayout};
use yarnwise_shared::mesh::clip::Clip;
use yarnwise_shared::mesh::clip::make::{Animation, Motion, Sheet};
use yarnwise_solvers::cloth::scene::Scene;

/// The models in the order they are reported.
const MODELS: [(&str, Bending); 4] = [
    ("none", Bending::None),
    ("linearized", Bending::Linearized),
    ("quadratic", Bending::Quadratic),
    ("4D tables", Bending::Tables),
];

/// A roll is bent by at most this angle, radians: a full turn would meet itself.
const ROLL: f64 = 5.6;

/// The share of the tables' largest curvature that a roll reaches.
const SHARE: f64 = 0.8;

/// Bending models on some shapes.
#[derive(Clone, Debug, serde::Serialize)]
pub struct BendingFigures {
    /// The shapes.
    pub shapes: Vec<ShapeFigures>,
}

/// Bending models on one shape.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ShapeFigures {
    /// What moves.
    pub name: String,
    /// Yarn vertices.
    pub yarn_vertices: usize,
    /// The largest curvature of a face in the frames, 1/m.
    pub curvature: f64,
    /// The models.
    pub models: Vec<ModelFigures>,
}

/// One model on one shape.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ModelFigures {
    /// Its name.
    pub model: &'static str,
    /// Distances from the yarns of the 4D tables, radii; nothing for these themselves.
    pub distances: Option<DistanceSummary>,
    /// Nanoseconds for a yarn vertex by the plain path, one vertex after the other, on all threads (median).
    pub plain_nanoseconds: f64,
    /// The same by the vectorized path, for the models that have one.
    pub fast_nanoseconds: Option<f64>,
    /// The last frame colored by distance.
    #[serde(skip)]
    pub picture: Option<Picture>,
}

/// Bending models on `clip`, or on a roll and a draped sheet where there is none.
pub(super) fn figures(
    set: &Set,
    clip: Option<&Clip>,
    options: &CompareOptions,
    report: &mut dyn FnMut(&str),
) -> Result<BendingFigures> {
    let mut shapes = Vec::new();
    match clip {
        Some(clip) => shapes.push(shape(set, "clip", clip, options, report)?),
        None => {
            shapes.push(shape(set, "rolled sheet", &rolled(set)?, options, report)?);
            report("draping a sheet over a ball");
            shapes.push(shape(set, "sheet on a ball", &draped()?, options, report)?);
        }
    }
    Ok(BendingFigures { shapes })
}

fn shape(
    set: &Set,
    name: &str,
    clip: &Clip,
    options: &CompareOptions,
    report: &mut dyn FnMut(&str),
) -> Result<ShapeFigures> {
    report(&format!("{}: bending models on the {name}", set.name));
    let layout = Arc::new(YarnLayout::new(clip.mesh(), set.database.pattern(), &LayoutOptions::default())?);
    let mut exact = CpuYarns::new(layout.clone(), &set.database)?;
    let mut yarns = exact.clone();
    let frames = spread(clip.frame_count(), options.frames);
    let mut curvature = 0.0_f64;
    let mut models = Vec::new();
    for (model, bending) in MODELS {
        let of = |bending, frame: usize| FrameParams {
            positions: clip.positions(frame),
            options: FrameOptions { min_eigenvalue: options.min_eigenvalue as f32, bending, ..Default::default() },
        };
        let mut sum = RegionDistances::default();
        let mut times = [Vec::new(), Vec::new()];
        let mut drawn = None;
        for frame in &frames {
            let params = of(bending, *frame);
            yarns.update_mesh(&params)?;
            let start = Instant::now();
            yarns.deform_plainly(&params)?;
            times[0].push(start.elapsed().as_secs_f64());
            let start = Instant::now();
            yarns.update_yarns(&params)?;
            times[1].push(start.elapsed().as_secs_f64());
            curvature = yarns.face_forms().iter().map(|f| largest_curvature(f.second)).fold(curvature, f64::max);
            if bending != Bending::Tables {
                exact.update(&of(Bending::Tables, *frame))?;
                let (by_region, all) = distances(&yarns, &exact);
                sum = sum.merge(&by_region);
                if Some(frame) == frames.last() {
                    drawn = Some(picture(&yarns, &all));
                }
            }
        }
        let [plain, fast] = times.map(|t| 1e9 * median(t) / layout.vertex_count().max(1) as f64);
        models.push(ModelFigures {
            model,
            distances: sum.summary().all,
            plain_nanoseconds: plain,
            fast_nanoseconds: (bending != Bending::Tables).then_some(fast),
            picture: drawn,
        });
    }
    Ok(ShapeFigures { name: name.to_owned(), yarn_vertices: layout.vertex_count(), curvature, models })
}

/// The larger of the curvatures of II (1/m) in absolute value.
fn largest_curvature([xx, xy, yy, _]: [f32; 4]) -> f64 {
    let [low, high] = yarnwise_shared::table::strain::Sym2::new(xx, xy, yy).eigenvalues();
    f64::from(low.abs().max(high.abs()))
}

/// A sheet that is rolled up to most of the curvature that the tables know.
fn rolled(set: &Set) -> Result<Clip> {
    let largest = set.database.bending().map_or(0.0, |b| {
        let ends = |table: &yarnwise_shared::table::Table<4>| {
            let values = table.grid().0[3].values();
            values[0].abs().max(values[values.len() - 1].abs())
        };
        ends(&b.x).min(ends(&b.y))
    });
    let [px, py] = set.database.pattern().period();
    // Wide enough for a few periods: with large ones less of the curvature is reached.
    let width = (ROLL / (SHARE * largest).max(1.0)).clamp(4.0 * px, 0.2);
    let sheet = Sheet { size: [width, (8.0 * py).min(0.1)], cells: [96, 32] };
    let angle = (SHARE * largest * width).min(ROLL);
    // Half of the motion: from flat to fully rolled.
    let animation = Animation { motion: Motion::Bend, amount: angle, frames: 31, ..Default::default() };
    let whole = animation.clip(sheet.mesh()?)?;
    let half = whole.frame_count() / 2 + 1;
    let positions = (0..half).flat_map(|frame| whole.positions(frame).to_vec()).collect();
    Ok(Clip::new("rolled sheet", whole.mesh().clone(), whole.frame_time(), positions)?)
}

/// A sheet of 20 cm that falls onto a ball; stiff enough to bend that its folds are not sharper than its mesh.
const DRAPE: &str = r#"{
  "cloth": { "grid": { "columns": 49, "rows": 49, "spacing": 0.0041666, "center": [0.01, 0.085, 0.005], "ripple": 0.0005 } },
  "material": { "bend_stiffness": 0.1 },
  "bodies": [
    { "shape": { "sphere": { "radius": 0.04 } }, "position": [0.0, 0.04, 0.0], "friction": { "static": 0.5, "kinetic": 0.4 } },
    { "shape": { "plane": {} } }
  ],
  "environment": { "air_resistance": 0.5 },
  "output": { "duration": 0.6 }
}"#;

fn draped() -> Result<Clip> {
    let scene = Scene::parse(DRAPE.as_bytes(), "draped sheet")?;
    let built = scene.build("draped sheet", std::path::Path::new(""))?;
    let mut cloth = built.simulation;
    let mut positions: Vec<[f32; 3]> = cloth.positions_f32().collect();
    let frame_time = 1.0 / scene.output.frames_per_second;
    for _ in 0..scene.output.frame_count() {
        let step = cloth.advance(frame_time);
        step.map_err(|e| Error::from(yarnwise_shared::Error::invalid("draped sheet", e.to_string())))?;
        positions.extend(cloth.positions_f32());
    }
    Ok(Clip::new("draped sheet", built.mesh, frame_time, positions)?)
}
