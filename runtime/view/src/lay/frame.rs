//! A frame's yarns as files.

use crate::npz::{self, array};
use anyhow::Result;
use std::path::Path;
use yarnwise_runtime::{
    CpuYarns, FrameParams, Result as RuntimeResult, SurfaceForms, YarnLayout, YarnSite, YarnVertex,
};
use yarnwise_shared::mesh::clip::Clip;
use yarnwise_shared::mesh::obj;
use yarnwise_shared::npy::{Array, Data};

/// A computed frame.
pub(super) struct Frame<'a> {
    pub(super) layout: &'a YarnLayout,
    pub(super) vertices: Vec<YarnVertex>,
    /// One for each vertex.
    pub(super) directors: Vec<[f32; 3]>,
    pub(super) faces: Vec<SurfaceForms>,
    pub(super) material_vertices: Vec<SurfaceForms>,
}

impl<'a> Frame<'a> {
    /// As the CPU path has computed it. Its packed directors are rounded; those of the plain stage are not.
    pub(super) fn from_cpu(yarns: &'a CpuYarns, params: &FrameParams) -> RuntimeResult<Self> {
        let layout = yarns.layout();
        let director = |d: [f32; 3]| {
            let length =
                if !layout.copies().is_empty() { 1.0 } else { d.iter().map(|c| c * c).sum::<f32>().sqrt().max(1e-30) };
            d.map(|c| c / length)
        };
        Ok(Frame {
            layout,
            vertices: yarns.vertices().to_vec(),
            directors: yarns.deform_plainly(params)?.into_iter().map(|d| director(d.director)).collect(),
            faces: yarns.face_forms().to_vec(),
            material_vertices: yarns.vertex_forms().to_vec(),
        })
    }
}

/// Writes the arrays that the command's help lists.
pub(super) fn npz(yarns: &Frame, clip: &Clip, frame: usize, params: &FrameParams, path: &Path) -> Result<()> {
    let mut arrays = vec![("frame", array(&[], Data::U32(vec![frame as u32])))];
    arrays.extend(yarn_arrays(yarns));
    arrays.extend(mesh_arrays(yarns, clip, params));
    npz::write(path, &arrays)
}

fn yarn_arrays(yarns: &Frame) -> Vec<(&'static str, Array)> {
    let (layout, vertices) = (yarns.layout, &yarns.vertices);
    let (sites, n) = (layout.sites(), vertices.len());
    let pattern = |s: &YarnSite| layout.pattern()[s.pattern_vertex()].table_vertex;
    let mut arrays = vec![
        ("position", array(&[n, 3], Data::F32(vertices.iter().flat_map(|v| v.position).collect()))),
        ("twist", array(&[n], Data::F32(vertices.iter().map(|v| v.twist).collect()))),
        ("director", array(&[n, 3], Data::F32(yarns.directors.as_flattened().to_vec()))),
        ("radius", array(&[n], Data::F32(vertices.iter().map(|v| v.radius).collect()))),
        ("arc", array(&[n], Data::F32(layout.arcs().to_vec()))),
        ("pattern_vertex", array(&[n], Data::U32(sites.iter().map(pattern).collect()))),
        ("triangle", array(&[n], Data::U32(sites.iter().map(|s| s.face).collect()))),
        ("barycentrics", array(&[n, 3], Data::F32(sites.iter().flat_map(|s| [1.0 - s.b - s.c, s.b, s.c]).collect()))),
        ("yarn_starts", array(&[layout.yarn_starts().len()], Data::U32(layout.yarn_starts().to_vec()))),
        ("closed_yarns", array(&[layout.closed_yarns().len()], Data::U32(layout.closed_yarns().to_vec()))),
    ];
    if !layout.copies().is_empty() {
        arrays.push(("copy", array(&[n], Data::U32(layout.copies().to_vec()))));
    }
    arrays
}

fn mesh_arrays(yarns: &Frame, clip: &Clip, params: &FrameParams) -> Vec<(&'static str, Array)> {
    let (faces, vertices) = (&yarns.faces, &yarns.material_vertices);
    let three = |forms: &[SurfaceForms], pick: fn(&SurfaceForms) -> [f32; 3]| {
        array(&[forms.len(), 3], Data::F32(forms.iter().flat_map(pick).collect()))
    };
    let corners = |faces: &mut dyn Iterator<Item = [u32; 3]>| {
        let numbers: Vec<u32> = faces.flatten().collect();
        array(&[numbers.len() / 3, 3], Data::U32(numbers))
    };
    let first = |f: &SurfaceForms| [f.first[0], f.first[1], f.first[2]];
    let second = |f: &SurfaceForms| [f.second[0], f.second[1], f.second[2]];
    let links = yarns.layout.surface().links();
    vec![
        ("mesh_positions", array(&[params.positions.len(), 3], Data::F32(params.positions.as_flattened().to_vec()))),
        ("mesh_faces", corners(&mut clip.mesh().faces().iter().copied())),
        ("material_faces", corners(&mut links.iter().map(|l| l.material))),
        ("face_first", three(faces, first)),
        ("face_second", three(faces, second)),
        ("face_normal", three(faces, SurfaceForms::normal)),
        ("vertex_first", three(vertices, first)),
        ("vertex_second", three(vertices, second)),
        ("vertex_normal", three(vertices, SurfaceForms::normal)),
    ]
}

/// Writes a vertex for each yarn vertex and a polyline for each yarn.
pub(super) fn obj(yarns: &Frame, path: &Path) -> Result<()> {
    let positions: Vec<[f32; 3]> = yarns.vertices.iter().map(|v| v.position).collect();
    let starts = yarns.layout.yarn_starts().windows(2);
    let polylines = starts.map(|yarn| &positions[yarn[0] as usize..yarn[1] as usize]);
    Ok(obj::write_polylines("yarns as polylines, meters", polylines, path)?)
}
