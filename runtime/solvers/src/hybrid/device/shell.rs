//! Triangles and hinges as the device has them.

use crate::error::Error;
use crate::hybrid::hinge::Hinge;
use crate::hybrid::membrane::{Matched, Membrane, StVenantKirchhoff};
use crate::hybrid::model::{HybridModel, Shell};
use crate::hybrid::triangle::Triangle;
use yarnwise_shaders::gpu::{HingeElement, MembraneTriangle, WeaveCrossing, membrane_law};
use yarnwise_shared::table::strain::Sym2;

/// What the triangles' side is made of.
#[derive(Clone, Debug, Default)]
pub struct PackedShell {
    /// [`membrane_law`].
    pub law: u32,
    /// C11, C22, C12, C66, N/m.
    pub membrane: [f32; 4],
    /// Without negative eigenvalues.
    pub positive: [f32; 4],
    /// Crossings of the draft.
    pub crossings: Vec<WeaveCrossing>,
    /// With a weight.
    pub triangles: Vec<MembraneTriangle>,
    /// With a weight.
    pub hinges: Vec<HingeElement>,
    /// By active vertex where its slots begin, then the slots: three of each triangle, then four of each hinge.
    pub vertex_list: Vec<u32>,
}

impl PackedShell {
    /// Of a model; refuses laws that the device does not have.
    pub fn new(model: &HybridModel) -> Result<Self, Error> {
        let refuse = |what: &str| Error::invalid("hybrid cloth on a device", what.to_owned());
        let Shell::Membrane { membrane, triangles, hinges } = &model.shell else {
            return Err(refuse("springs are for the CPU: use matched or St. Venant-Kirchhoff triangles"));
        };
        let mut shell = match membrane {
            Membrane::StVenantKirchhoff(svk) => of_svk(svk),
            Membrane::Matched(matched) => of_matched(matched),
            Membrane::Table(_) | Membrane::Spline(_) => {
                return Err(refuse(
                    "triangles from a table or with splines are for the CPU: use matched or St. Venant-Kirchhoff ones, or constants",
                ));
            }
        };
        shell.triangles = triangles.iter().map(|(t, weight)| packed_triangle(t, *weight)).collect();
        shell.hinges = hinges.iter().map(packed_hinge).collect();
        shell.vertex_list = vertex_list(model.active_vertices().len(), &shell.triangles, &shell.hinges);
        Ok(shell)
    }
}

fn of_svk(svk: &StVenantKirchhoff) -> PackedShell {
    let StVenantKirchhoff { c11, c22, c12, c66 } = *svk;
    let s = Sym2::new(c11, c12, c22).clamp_eigenvalues(0.0);
    PackedShell {
        law: membrane_law::ST_VENANT_KIRCHHOFF,
        membrane: [c11, c22, c12, c66].map(|c| c as f32),
        positive: [s.xx, s.yy, s.xy, c66.max(0.0)].map(|c| c as f32),
        ..PackedShell::default()
    }
}

/// Crossings that are alike are one.
fn of_matched(matched: &Matched) -> PackedShell {
    let bits = |sides: [f64; 5]| sides.iter().enumerate().map(|(k, s)| u32::from(*s > 0.0) << k).sum();
    let mut crossings: Vec<WeaveCrossing> = Vec::new();
    for (warp, weft, corners) in matched.crossings() {
        let (warp, weft) = (bits(warp), bits(weft));
        let known = crossings.iter_mut().find(|c| (c.warp, c.weft) == (warp, weft));
        let corners = corners.as_flattened();
        match known {
            Some(c) => c.corners.iter_mut().zip(corners).for_each(|(sum, more)| *sum += *more as f32),
            None => crossings.push(WeaveCrossing { warp, weft, corners: std::array::from_fn(|k| corners[k] as f32) }),
        }
    }
    PackedShell { law: membrane_law::MATCHED, crossings, ..PackedShell::default() }
}

fn packed_triangle(triangle: &Triangle, weight: f64) -> MembraneTriangle {
    let [_, one, two] = triangle.gradients;
    MembraneTriangle {
        corners: triangle.corners,
        weight: (triangle.area * weight) as f32,
        gradients: [one[0], one[1], two[0], two[1]].map(|g| g as f32),
    }
}

fn packed_hinge(hinge: &Hinge) -> HingeElement {
    HingeElement {
        corners: hinge.corners,
        weight: hinge.weight() as f32,
        rest_angle: hinge.rest_angle as f32,
        length: hinge.length as f32,
        area_1: hinge.areas[0] as f32,
        area_2: hinge.areas[1] as f32,
    }
}

fn vertex_list(vertices: usize, triangles: &[MembraneTriangle], hinges: &[HingeElement]) -> Vec<u32> {
    let mut slots = vec![Vec::new(); vertices];
    let corners = triangles.iter().flat_map(|t| t.corners).chain(hinges.iter().flat_map(|h| h.corners));
    corners.enumerate().for_each(|(slot, c)| slots[c as usize].push(slot as u32));
    listed(&slots)
}

/// Where the entries of each list begin, then all entries.
pub(super) fn listed(lists: &[Vec<u32>]) -> Vec<u32> {
    let mut out = vec![0];
    for list in lists {
        out.push(out[out.len() - 1] + list.len() as u32);
    }
    out.extend(lists.iter().flatten());
    out
}
