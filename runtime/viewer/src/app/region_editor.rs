//! A region of yarns while it is being chosen.

use super::scene_text::with_field;
use crate::strands::hybrid::LiveHybrid;
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use yarnwise_shared::file;
use yarnwise_solvers::hybrid::region::{Class, Region};
use yarnwise_solvers::hybrid::scene::{RegionSpec, Scene, contains};

/// Largest scene file, bytes.
const MAX_BYTES: u64 = 16 << 20;

/// What a click in the plane of the UVs does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pick {
    /// Sets a corner of a polygon.
    #[default]
    Polygon,
    /// Changes one triangle.
    Triangles,
}

/// A region that is being chosen.
#[derive(Clone, Debug)]
pub(super) struct RegionEditor {
    pub(super) path: PathBuf,
    faces: Vec<[u32; 3]>,
    vertices: usize,
    /// Corners of the triangles in the plane of the UVs, meters.
    pub(super) corners: Vec<[[f64; 2]; 3]>,
    /// Which triangles are yarns.
    chosen: Vec<bool>,
    /// Polygons that are closed; none where single triangles were changed.
    polygons: Option<Vec<Vec<[f64; 2]>>>,
    /// Corners of the polygon that is not closed yet.
    pub(super) open: Vec<[f64; 2]>,
    pub(super) pick: Pick,
}

impl RegionEditor {
    /// Begins with the region of a scene.
    pub(super) fn of(live: &LiveHybrid) -> Self {
        let (model, mesh) = (live.cloth().model(), live.cloth().model().mesh());
        let polygons = match &live.scene().region {
            RegionSpec::Polygons(polygons) => Some(polygons.clone()),
            _ => None,
        };
        RegionEditor {
            path: live.path().to_owned(),
            faces: mesh.faces().to_vec(),
            vertices: mesh.positions().len(),
            corners: (0..mesh.faces().len()).map(|f| mesh.uv_corners(f).map(|c| c.map(f64::from))).collect(),
            chosen: model.region().triangles.iter().map(|c| *c == Class::Yarns).collect(),
            polygons,
            open: Vec::new(),
            pick: Pick::default(),
        }
    }

    /// Classes as they will be, with the ring.
    pub(super) fn classes(&self) -> Vec<Class> {
        Region::new(&self.faces, self.vertices, &self.chosen).triangles
    }

    /// A click at a point of the plane of the UVs, meters.
    pub(super) fn click(&mut self, uv: [f64; 2]) {
        match self.pick {
            // Micrometers: what is written can be read by people.
            Pick::Polygon => self.open.push(uv.map(|c| (c * 1e6).round() / 1e6)),
            Pick::Triangles => {
                if let Some(face) = self.corners.iter().position(|corners| contains(corners, uv)) {
                    self.chosen[face] = !self.chosen[face];
                    self.polygons = None;
                }
            }
        }
    }

    /// Closes the polygon: triangles whose centers are inside become yarns. Whether it had three corners.
    pub(super) fn close(&mut self) -> bool {
        let polygon = std::mem::take(&mut self.open);
        if polygon.len() < 3 {
            return false;
        }
        for (corners, chosen) in self.corners.iter().zip(&mut self.chosen) {
            let center = [0, 1].map(|k| corners.iter().map(|c| c[k]).sum::<f64>() / 3.0);
            *chosen |= contains(&polygon, center);
        }
        if let Some(polygons) = &mut self.polygons {
            polygons.push(polygon);
        }
        true
    }

    /// No yarns.
    pub(super) fn clear(&mut self) {
        self.chosen.fill(false);
        (self.polygons, self.open) = (Some(Vec::new()), Vec::new());
    }

    /// What the scene will say.
    pub(super) fn spec(&self) -> RegionSpec {
        let faces: Vec<u32> =
            self.chosen.iter().enumerate().filter(|(_, chosen)| **chosen).map(|(f, _)| f as u32 + 1).collect();
        match &self.polygons {
            _ if faces.is_empty() => RegionSpec::None,
            _ if faces.len() == self.chosen.len() => RegionSpec::All,
            Some(polygons) if !polygons.is_empty() => RegionSpec::Polygons(polygons.clone()),
            _ => RegionSpec::Faces(faces),
        }
    }

    /// Writes the region into the scene's file, if cloth can be built with it; nothing else in the file changes.
    pub(super) fn write(&self) -> Result<()> {
        let (path, origin) = (&self.path, file::origin(&self.path));
        let bytes = file::read(path, MAX_BYTES, file::json)?;
        Scene::parse(&bytes, &origin)?;
        let text =
            self.replaced(&bytes).ok_or_else(|| Error::Request(format!("{origin}: has no region to replace")))?;
        let scene = Scene::parse(text.as_bytes(), &origin)?;
        scene.build(&origin, path.parent().unwrap_or(Path::new(".")))?;
        Ok(file::write_atomically(path, |w| w.write_all(text.as_bytes()))?)
    }

    /// The text of a scene with this region.
    fn replaced(&self, bytes: &[u8]) -> Option<String> {
        let region = serde_json::to_string(&self.spec()).ok()?;
        with_field(std::str::from_utf8(bytes).ok()?, "region", &region)
    }
}
