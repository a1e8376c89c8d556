//! The region of yarns of a hybrid scene: chosen in the plane of the UVs, and written into the scene.

use super::region_editor::{Pick, RegionEditor};
use super::state::WindowState;
use egui::{Color32, Pos2, Sense, Shape, Stroke, Ui, Vec2, pos2};
use yarnwise_solvers::hybrid::region::Class;

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
    use yarnwise_solvers::hybrid::scene::{RegionSpec, Scene};

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
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, SCENE.replace("\"half\"", r#"{"faces":[1]}"#), "something else has changed");
        assert_eq!((written.region, written.pins.len()), (chosen.spec(), 1));
        // What cannot be read is not replaced.
        std::fs::write(&path, "{").unwrap();
        state.region = Some(chosen);
        state.write_region();
        assert!(state.problem.is_some() && state.region.is_some());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{");
    }
}
