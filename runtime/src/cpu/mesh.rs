//! The mesh's stages on the CPU: strains and patches of a frame.

use crate::layout::Surface;
use rayon::prelude::*;
use yarnwise_shaders::cpu::{faces, patches, vertices};
use yarnwise_shaders::gpu::{Patch, SurfaceForms};

/// Faces or vertices that one task takes.
const CHUNK: usize = 512;

/// Results of the stages `faces`, `vertices` and `patches`.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeshFrame {
    pub(crate) faces: Vec<SurfaceForms>,
    pub(crate) vertices: Vec<SurfaceForms>,
    pub(crate) patches: Vec<Patch>,
}

impl MeshFrame {
    pub(crate) fn new(surface: &Surface) -> Self {
        MeshFrame {
            faces: vec![SurfaceForms::default(); surface.links.len()],
            vertices: vec![SurfaceForms::default(); surface.material_count()],
            patches: vec![Patch::default(); surface.links.len()],
        }
    }

    /// Runs the three stages; `face_gradient` as for `patches::patch`.
    pub(crate) fn update(&mut self, surface: &Surface, positions: &[[f32; 3]], phong: f32, face_gradient: bool) {
        each(&mut self.faces, |f| faces::face(positions, &surface.links[f], &surface.charts[f]));
        let forms = &self.faces;
        each(&mut self.vertices, |v| {
            let range = surface.weight_starts[v] as usize..surface.weight_starts[v + 1] as usize;
            vertices::vertex(forms, &surface.weights[range])
        });
        let averages = &self.vertices;
        each(&mut self.patches, |f| {
            patches::patch(positions, &forms[f], averages, &surface.links[f], &surface.charts[f], phong, face_gradient)
        });
    }
}

fn each<T: Send>(out: &mut [T], one: impl Fn(usize) -> T + Sync) {
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
        for (i, slot) in out.iter_mut().enumerate() {
            *slot = one(chunk * CHUNK + i);
        }
    });
}
