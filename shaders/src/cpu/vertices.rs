//! Stage `vertices`: the faces' forms averaged to the material vertices.
//!
//! The weights are static (see the layout); across a seam that is closed in the world, the forms of the faces beyond it
//! are turned into this vertex's material plane first, so that strain and normal are continuous there. A vertex all of
//! whose faces have collapsed has normal zero.

use super::faces::{add_scaled, turned, with_normal};
use super::vector::normalized;
use crate::gpu::{FaceWeight, SurfaceForms};

/// The forms of one material vertex from those of the faces in its `weights`.
pub fn vertex(faces: &[SurfaceForms], weights: &[FaceWeight]) -> SurfaceForms {
    let mut sum = SurfaceForms::default();
    for part in weights {
        let forms = &faces[part.face as usize];
        if part.turn == [1.0, 0.0] {
            add_scaled(&mut sum, forms, part.weight);
        } else {
            add_scaled(&mut sum, &turned(forms, part.turn), part.weight);
        }
    }
    let normal = normalized(sum.normal());
    with_normal(sum, normal)
}
