//! Yarns on triangles with the displacements of a database, where its pattern has the spacing of the simulated yarns.

use crate::{Error, Result};
use nalgebra::Vector3;
use std::path::Path;
use yarnwise_runtime::{CpuYarns, FrameOptions, FrameParams, LayoutOptions, YarnLayout, YarnSite};
use yarnwise_shared::file::origin;
use yarnwise_shared::pattern::Pattern;
use yarnwise_shared::table::database::{self, Database};
use yarnwise_solvers::hybrid::{DrawnYarns, HybridModel};

/// How much the spacings may differ, as a part of them.
const SAME: f64 = 0.01;

/// The most yarns of a period along a side: each of them is tried.
const MOST: f64 = 16.0;

/// Yarns of a pattern, laid over the cloth.
#[derive(Clone, Debug)]
pub(super) struct TableLook {
    yarns: CpuYarns,
}

impl TableLook {
    /// Reads a database and lays its pattern over the cloth, so that its yarns lie on the simulated ones.
    pub(super) fn open(path: &Path, model: &HybridModel) -> Result<(Self, DrawnYarns)> {
        let database = database::read(path)?;
        let refused = |problem: &str| {
            let cure = "leave out 'look', or give the yarns the spacing and draft of the pattern";
            Error::Request(format!("{}: {problem}: {cure}", origin(path)))
        };
        let material = &model.weave().material;
        let [first, counts] = offsets(database.pattern(), material.spacing).map_err(|problem| refused(&problem))?;
        let rest: Vec<Vector3<f64>> = model.mesh().positions().iter().map(|p| Vector3::from(*p).cast()).collect();
        let mut best: Option<(f64, Self, DrawnYarns)> = None;
        // Of all places where yarns lie on yarns, the one where the same ones are in front.
        for shift in (0..counts[0] as usize * counts[1] as usize).map(|i| i as f64) {
            let steps = [shift % counts[0], (shift / counts[0]).floor()];
            let offset = [0, 1].map(|k| first[k] + steps[k] * material.spacing);
            let (mut table, drawn) = TableLook::lay(&database, model, offset, path)?;
            let Some(drawn) = drawn else { return Err(refused("its yarns do not lie on those that are simulated")) };
            let carried = table.positions(&rest)?;
            let plain = drawn.points(&rest, None, None);
            let sum: f64 = plain.iter().zip(&carried).map(|(a, b)| (a.position - b).norm_squared()).sum();
            let apart = (sum / carried.len().max(1) as f64).sqrt();
            if best.as_ref().is_none_or(|(least, ..)| apart < *least) {
                best = Some((apart, table, drawn));
            }
        }
        match best {
            Some((apart, table, drawn)) if apart < material.radius => Ok((table, drawn)),
            _ => Err(refused("its yarns do not lie as those that are simulated: other ones are in front")),
        }
    }

    /// The pattern at a place of the material plane, and its yarns along the simulated ones, if they are along them.
    fn lay(
        database: &Database,
        model: &HybridModel,
        offset: [f64; 2],
        path: &Path,
    ) -> Result<(Self, Option<DrawnYarns>)> {
        let here = origin(path);
        let options = LayoutOptions { offset, ..LayoutOptions::default() };
        let layout = YarnLayout::new(model.mesh(), database.pattern(), &options).map_err(Error::yarns(&here))?;
        let place = |site: &YarnSite| {
            let corners = model.mesh().uv_corners(site.face as usize);
            let weights = [1.0 - site.b - site.c, site.b, site.c];
            (site.face, [0, 1].map(|k| (0..3).map(|c| f64::from(weights[c] * corners[c][k])).sum()))
        };
        let yarn = |w: &[u32]| layout.sites()[w[0] as usize..w[1] as usize].iter().map(place).collect();
        let yarns: Vec<Vec<(u32, [f64; 2])>> = layout.yarn_starts().windows(2).map(yarn).collect();
        let drawn = DrawnYarns::along(model, &yarns);
        let yarns = CpuYarns::new(layout, database).map_err(Error::yarns(&here))?;
        Ok((TableLook { yarns }, drawn))
    }

    /// Positions of all vertices on a mesh, meters.
    pub(super) fn positions(&mut self, mesh: &[Vector3<f64>]) -> Result<Vec<Vector3<f64>>> {
        let positions: Vec<[f32; 3]> = mesh.iter().map(|p| p.cast::<f32>().into()).collect();
        let frame = FrameParams { positions: &positions, options: FrameOptions::default() };
        self.yarns.update(&frame).map_err(Error::yarns("look"))?;
        Ok(self.yarns.vertices().iter().map(|v| Vector3::from(v.position).cast()).collect())
    }
}

/// Where the origin of a woven pattern may lie so that its yarns lie on those that are simulated, which run through the middles of
/// squares: one place, and how many others are that many spacings beside it; or why there is none.
fn offsets(pattern: &Pattern, spacing: f64) -> Result<[[f64; 2]; 2], String> {
    let mut phases = [None; 2];
    for yarn in pattern.yarns() {
        // A yarn that continues along x is a weft, whose place is its y.
        let axis = match yarn.shift {
            [x, 0] if x != 0 => 1,
            [0, y] if y != 0 => 0,
            _ => return Err("its pattern is no weave along x and y".into()),
        };
        let place = |v: &u32| pattern.vertices()[*v as usize].position[axis];
        let phase = (yarn.vertices.iter().map(place).sum::<f64>() / yarn.vertices.len() as f64).rem_euclid(spacing);
        let first: f64 = *phases[axis].get_or_insert(phase);
        let apart = (phase - first).abs();
        if apart.min(spacing - apart) > 0.1 * spacing {
            return Err(format!("its yarns are not {:.3} mm apart", spacing * 1e3));
        }
    }
    let counts = pattern.period().map(|length| (length / spacing).round().max(1.0));
    for (length, count) in pattern.period().into_iter().zip(counts) {
        if (length / spacing - count).abs() > SAME * count || count > MOST {
            let (period, spacing) = (length * 1e3, spacing * 1e3);
            return Err(format!("its period of {period:.3} mm is no multiple of the spacing of {spacing:.3} mm"));
        }
    }
    Ok([phases.map(|phase| 0.5 * spacing - phase.unwrap_or(0.0)), counts])
}
