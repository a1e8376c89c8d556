//! F_n of yarns that lie flat.

use super::model::CellModel;
use crate::yarn::crossing::{update_compression, update_normals};
use crate::yarn::material::YarnMaterial;
use crate::yarn::model::Sheet;
use crate::yarn::state::State;
use crate::yarn::system::Bands;
use nalgebra::Vector3;
use std::f64::consts::PI;
use yarnwise_shared::pattern::weave::Draft;
use yarnwise_shared::table::strain::Strain;

/// F_n of a crossing sees two crossings to each side.
const REACH: usize = 2;

/// F_n of [Cirio14, Eq. 9], N, at the crossings of a period of flat yarns that move with the fabric, warp after warp.
pub(super) fn flat_compression(draft: &Draft, model: &CellModel, strain: &Strain<f64>) -> Vec<f64> {
    let section = PI * model.radius * model.radius;
    let material = YarnMaterial {
        spacing: model.spacing[0].max(2.5 * model.radius),
        radius: model.radius,
        young: model.stretch / section,
        bending: model.bend / section,
        ..YarnMaterial::default()
    };
    let (warps, wefts) = (draft.warps(), draft.wefts());
    let around = |period: usize| REACH.div_ceil(period) * period;
    let (left, below) = (around(warps), around(wefts));
    let sheet = Sheet::new(warps + 2 * left, wefts + 2 * below, draft.clone(), material);
    let Ok(weave) = sheet.weave() else { return Vec::new() };
    let mut state = State::at_rest(&weave);
    let [ax, ay] = model.spacing.map(|a| a / material.spacing);
    let [lx, ly] = model.rest_length.map(|l| l / material.spacing);
    let Strain { sx, sa, sy } = *strain;
    for x in &mut state.positions {
        let (along, across) = (ax * x.x, ay * (1.0 + sy) * x.y);
        *x = Vector3::new((1.0 + sx) * along + sa * across, (1.0 - sa * sa).max(0.0).sqrt() * across, 0.0);
    }
    state.arcs.iter_mut().for_each(|s| *s = [s[0] * ly, s[1] * lx]);
    update_normals(&weave, &mut state);
    update_compression(&weave, &Bands::new(&weave), &material.stiffness(), &mut state);
    let period = (0..warps).flat_map(|i| (0..wefts).map(move |j| (i, j)));
    period.map(|(i, j)| state.compression[sheet.crossing(left + i, below + j)]).collect()
}
