//! The region of yarns of a hybrid scene: chosen in the plane of the UVs, and written into the scene.

use super::state::WindowState;
use crate::strands::hybrid::LiveHybrid;
use crate::{Error, Result};
use egui::{Color32, Pos2, Sense, Shape, Stroke, Ui, Vec2, pos2};
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
    path: PathBuf,
    faces: Vec<[u32; 3]>,
    vertices: usize,
    /// Corners of the triangles in the plane of the UVs, meters.
    corners: Vec<[[f64; 2]; 3]>,
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
            Pick::Polygon => self.open.push(uv),
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

    /// Writes the region into the scene's file, if cloth can be built with it; the rest of the file says the same as before.
    pub(super) fn write(&self) -> Result<()> {
        let path = &self.path;
        let bytes = file::read(path, MAX_BYTES, file::json)?;
        let problem = |e: serde_json::Error| Error::Request(format!("{}: {e}", path.display()));
        let mut value: serde_json::Value = serde_json::from_slice(&bytes).map_err(problem)?;
        value["region"] = serde_json::to_value(self.spec()).map_err(problem)?;
        let text = serde_json::to_string_pretty(&value).map_err(problem)? + "\n";
        let scene = Scene::parse(text.as_bytes(), &file::origin(path))?;
        scene.build(&file::origin(path), path.parent().unwrap_or(Path::new(".")))?;
        Ok(file::write_atomically(path, |w| w.write_all(text.as_bytes()))?)
    }
}

impl WindowState {
    /// Writes the chosen region into the scene and opens it again, or says why that is not possible.
    pub(super) fn write_region(&mut self) {
        let Some(editor) = self.region.take() else { return };
        match editor.write() {
            Ok(()) => self.open(std::slice::from_ref(&editor.path)),
            Err(error) => {
                self.problem = Some(error.to_string());
                self.region = Some(editor);
            }
        }
    }
}

/// The plane of the UVs, and what can be chosen in it.
pub(super) fn panel(ui: &mut Ui, state: &mut WindowState) {
    let Some(live) = state.loaded.as_ref().and_then(|s| s.cloth.as_hybrid()) else { return };
    let fresh = state.region.as_ref().is_none_or(|editor| editor.path != live.path());
    if fresh {
        state.region = Some(RegionEditor::of(live));
    }
    let Some(editor) = &mut state.region else { return };
    ui.radio_value(&mut editor.pick, Pick::Polygon, "a polygon: click its corners");
    ui.radio_value(&mut editor.pick, Pick::Triangles, "single triangles: click them");
    plane(ui, editor);
    let mut write = false;
    ui.horizontal(|ui| {
        let closable = editor.open.len() > 2;
        if ui.add_enabled(closable, egui::Button::new("close polygon")).clicked() {
            editor.close();
        }
        if ui.button("clear").clicked() {
            editor.clear();
        }
        write = ui.button("write").on_hover_text("Writes the region into the scene's file and begins again").clicked();
    });
    if write {
        state.write_region();
    }
}

fn plane(ui: &mut Ui, editor: &mut RegionEditor) {
    let points = || editor.corners.iter().flatten();
    let bound = |k: usize, start: f64, pick: fn(f64, f64) -> f64| points().map(|c| c[k]).fold(start, pick);
    let low = [0, 1].map(|k| bound(k, f64::INFINITY, f64::min));
    let high = [0, 1].map(|k| bound(k, f64::NEG_INFINITY, f64::max));
    let width = ui.available_width().clamp(80.0, 300.0);
    let scale = f64::from(width) / (high[0] - low[0]).max(high[1] - low[1]).max(1e-9);
    let size = Vec2::new(((high[0] - low[0]) * scale) as f32, ((high[1] - low[1]) * scale) as f32);
    let (response, painter) = ui.allocate_painter(size, Sense::click());
    let rect = response.rect;
    // v points up.
    let at = |uv: [f64; 2]| -> Pos2 {
        pos2(rect.left() + ((uv[0] - low[0]) * scale) as f32, rect.bottom() - ((uv[1] - low[1]) * scale) as f32)
    };
    for (corners, class) in editor.corners.iter().zip(editor.classes()) {
        let color = match class {
            Class::Yarns => Color32::from_rgb(0xc8, 0x5a, 0x3c),
            Class::Hybrid => Color32::from_rgb(0xe8, 0xc0, 0x60),
            Class::Triangles => Color32::from_rgb(0x6a, 0x8a, 0xa8),
        };
        let stroke = Stroke::new(0.5, Color32::from_black_alpha(80));
        painter.add(Shape::convex_polygon(corners.map(at).to_vec(), color, stroke));
    }
    let stroke = Stroke::new(2.0, Color32::WHITE);
    painter.add(Shape::line(editor.open.iter().map(|c| at(*c)).collect(), stroke));
    editor.open.iter().for_each(|c| {
        painter.circle_filled(at(*c), 3.0, Color32::WHITE);
    });
    if let Some(place) = response.interact_pointer_pos().filter(|_| response.clicked()) {
        editor.click([
            low[0] + f64::from(place.x - rect.left()) / scale,
            low[1] + f64::from(rect.bottom() - place.y) / scale,
        ]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::{Request, WindowState};
    use super::*;
    use crate::live::LiveMotion;

    const SCENE: &str = r#"{"cloth": {"sheet": {"cells": [4, 4], "crossings": 5}}, "region": "half",
        "pins": [{"hold": {"uv": {"low": [0.0185, -1], "high": [1, 1]}}}], "output": {"duration": 0.1}}"#;

    /// A window that shows a small hybrid scene in a folder of its own.
    fn shown() -> (tempfile::TempDir, WindowState) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.json");
        std::fs::write(&path, SCENE).unwrap();
        let mut state = WindowState::default();
        state.open(&[path]);
        assert_eq!(state.problem, None);
        (folder, state)
    }

    fn editor(state: &WindowState) -> RegionEditor {
        RegionEditor::of(state.loaded.as_ref().unwrap().cloth.as_hybrid().unwrap())
    }

    #[test]
    fn hybrid_scenes_play_are_dragged_and_begin_again() {
        let (_folder, mut state) = shown();
        let places = |state: &WindowState| state.loaded.as_ref().unwrap().positions.clone();
        let rest = places(&state);
        state.request(Request::Play);
        state.advance(0.01);
        assert_ne!(places(&state), rest);
        state.request(Request::Play);
        assert!(state.touch(0.0, 0.0), "there is cloth in the middle");
        let before = places(&state);
        state.pull(0.1, 0.0);
        state.advance(0.01);
        assert_ne!(places(&state), before, "nothing follows the hand");
        state.let_go();
        state.request(Request::Restart);
        assert_eq!(places(&state), rest);
    }

    #[test]
    fn triangles_and_polygons_are_chosen_by_clicks() {
        let (_folder, state) = shown();
        let mut editor = editor(&state);
        assert_eq!(editor.spec(), RegionSpec::Faces((1..=16).collect()));
        editor.pick = Pick::Triangles;
        editor.click([0.003, 0.001]);
        assert_eq!(editor.spec(), RegionSpec::Faces((2..=16).collect()));
        editor.clear();
        assert_eq!(editor.spec(), RegionSpec::None);
        editor.pick = Pick::Polygon;
        let corners = [[0.0, 0.0], [0.01, 0.0], [0.01, 0.01], [0.0, 0.01]];
        corners.into_iter().for_each(|c| editor.click(c));
        assert!(editor.close() && editor.open.is_empty());
        assert_eq!(editor.spec(), RegionSpec::Polygons(vec![corners.to_vec()]));
        assert_eq!(editor.classes().iter().filter(|c| **c == Class::Yarns).count(), 8);
        editor.click([0.0, 0.0]);
        assert!(!editor.close(), "a polygon has three corners");
    }

    #[test]
    fn a_region_is_written_and_shown_or_refused_without_a_change() {
        let (folder, mut state) = shown();
        let path = folder.path().join("small.json");
        let mut chosen = editor(&state);
        chosen.clear();
        chosen.pick = Pick::Triangles;
        chosen.click([0.001, 0.0005]);
        state.region = Some(chosen.clone());
        state.write_region();
        assert_eq!(state.problem, None);
        let live = state.loaded.as_mut().unwrap().cloth.as_hybrid().unwrap();
        assert_eq!(live.scene().region, chosen.spec());
        assert_eq!(live.time(), 0.0);
        let written = Scene::read(&path).unwrap();
        assert_eq!((written.region, written.pins.len()), (chosen.spec(), 1));
        // What cannot be read is not replaced.
        std::fs::write(&path, "{").unwrap();
        state.region = Some(chosen);
        state.write_region();
        assert!(state.problem.is_some() && state.region.is_some());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{");
    }
}
