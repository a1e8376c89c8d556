//! How far a clip stretches its cloth.

use super::Clip;
use crate::mesh::measure;
use crate::table::strain::Strain;

/// The smallest and the largest value of each strain over all faces and frames of a clip.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct StrainRange {
    /// Stretch along u minus one.
    pub sx: [f64; 2],
    /// Cosine of the angle between the deformed axes.
    pub sa: [f64; 2],
    /// Stretch along v minus one.
    pub sy: [f64; 2],
    /// Eigenvalues of the first fundamental form: squares of the principal stretches.
    pub eigenvalues: [f64; 2],
}

const EMPTY: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

impl Clip {
    /// The range of strains; `None` where no face has an area in the UV plane.
    ///
    /// Faces without an area in the UV plane have no strain; a face without a length along an axis has no `sa`.
    pub fn strain_range(&self) -> Option<StrainRange> {
        let mut range = StrainRange { sx: EMPTY, sa: EMPTY, sy: EMPTY, eigenvalues: EMPTY };
        for positions in self.shapes() {
            for (face, corners) in self.mesh.faces().iter().enumerate() {
                let x = corners.map(|i| positions[i as usize]);
                let Some(form) = measure::first_form(self.mesh.uv_corners(face), x) else { continue };
                let strain = Strain::from_first_form(form);
                let [smaller, larger] = form.eigenvalues();
                widen(&mut range.sx, strain.sx);
                widen(&mut range.sy, strain.sy);
                widen(&mut range.sa, strain.sa);
                // Rounding may leave the smaller eigenvalue just below zero.
                widen(&mut range.eigenvalues, smaller.max(0.0));
                widen(&mut range.eigenvalues, larger);
            }
        }
        (range.sx != EMPTY).then_some(range)
    }
}

/// `f64::min` and `f64::max` leave NaN out.
fn widen(range: &mut [f64; 2], value: f64) {
    *range = [range[0].min(value), range[1].max(value)];
}
