//! The panels beside and below the picture.

use super::canvas::{KEYS, MOUSE};
use super::heat_map;
use super::state::{Request, WindowState};
use crate::camera::View;
use crate::loaded::{Fabric, LoadedScene};
use crate::scene::{Color, Split};
use egui::{CollapsingHeader, ComboBox, Grid, RichText, ScrollArea, Slider, Ui};
use yarnwise_runtime::{Bending, FrameOptions};
use yarnwise_shared::mesh::Mesh;
use yarnwise_shared::words::{count, vertices};

/// The panel at the right: everything that can be set, and what is known.
pub(super) fn side(ui: &mut Ui, state: &mut WindowState, device: &str) {
    // As wide whatever it says: the picture beside it stays as it is.
    ScrollArea::vertical().auto_shrink([false, true]).show(ui, |ui| {
        if let Some(loaded) = &state.loaded {
            about(ui, loaded);
        }
        if state.tools().len() > 1 {
            section(ui, "Left mouse button", true, |ui| tools(ui, state));
        }
        #[cfg(feature = "yarn-level")]
        if state.loaded.as_ref().is_some_and(|loaded| loaded.cloth.as_hybrid().is_some()) {
            section(ui, "Region of yarns", false, |ui| super::region::panel(ui, state));
        }
        if let Some(loaded) = &mut state.loaded {
            if let Some(fabric) = &loaded.fabric {
                let has_tables = fabric.database.bending().is_some();
                section(ui, "Yarns", true, |ui| frame(ui, &mut loaded.scene.frame, has_tables));
                section(ui, "Side by side", true, |ui| split(ui, loaded));
            }
            section(ui, "Heat map", false, |ui| heat_map::settings(ui, loaded));
            section(ui, "Look", false, |ui| look(ui, loaded));
        }
        section(ui, "Camera", false, |ui| camera(ui, state));
        if let Some(loaded) = &state.loaded
            && let Some(first) = &loaded.fabric
        {
            section(ui, "Pattern and material", false, |ui| {
                fabric(ui, first);
                if let Some(compare) = &loaded.compare {
                    ui.separator();
                    fabric(ui, compare);
                }
            });
        }
        section(ui, "Timings", false, |ui| timings(ui, state, device));
        section(ui, "Keys and mouse", false, |ui| {
            for line in KEYS.iter().map(|k| k.2).chain(MOUSE).filter(|line| !line.is_empty()) {
                ui.label(line);
            }
        });
    });
}

fn section(ui: &mut Ui, title: &str, open: bool, contents: impl FnOnce(&mut Ui)) {
    CollapsingHeader::new(RichText::new(title).strong()).default_open(open).show(ui, contents);
}

fn about(ui: &mut Ui, loaded: &LoadedScene) {
    ui.label(RichText::new(&loaded.origin).small());
    if !loaded.scene.description.is_empty() {
        ui.label(&loaded.scene.description);
    }
    let [yarns, kept] = loaded.yarn_counts();
    let faces = |mesh: &Mesh| format!(" on {}", count(mesh.faces().len(), "face", None));
    let cloth = loaded.cloth.mesh().map_or(String::new(), faces);
    ui.label(format!("{}, {}{cloth}", count(yarns, "yarn", None), vertices(kept)));
}

/// What a hand does to simulated yarns, and has done.
fn tools(ui: &mut Ui, state: &mut WindowState) {
    let chosen = state.tool();
    for tool in state.tools() {
        if ui.radio(chosen == *tool, tool.label()).clicked() {
            state.request(Request::Choose(*tool));
        }
    }
    let history = state.loaded.as_mut().and_then(|s| s.cloth.as_live()).map(|live| live.history());
    let history = history.filter(|h| !h.is_empty()).unwrap_or_else(|| "all yarns are whole".to_owned());
    ui.label(RichText::new(history).small());
}

/// Everything in `FrameOptions`.
fn frame(ui: &mut Ui, frame: &mut FrameOptions, has_tables: bool) {
    ui.add(Slider::new(&mut frame.displacement, 0.0..=2.0).text("displacement"))
        .on_hover_text("Factor of the looked-up displacement: 0 is the naive embedding");
    ComboBox::from_label("bending").selected_text(frame.bending.name()).show_ui(ui, |ui| {
        for bending in Bending::ALL.into_iter().filter(|b| has_tables || *b != Bending::Tables) {
            ui.selectable_value(&mut frame.bending, bending, bending.name());
        }
    });
    ui.add(Slider::new(&mut frame.min_eigenvalue, 0.0..=1.0).text("clamp"))
        .on_hover_text("Smallest eigenvalue of the first fundamental form; 0 is off");
    ui.add(Slider::new(&mut frame.phong, 0.0..=1.0).text("Phong"))
        .on_hover_text("0: flat triangles, 0.5: exact for quadratic shapes");
    ui.add(Slider::new(&mut frame.radius_factor, 0.1..=3.0).text("radius"));
    ui.checkbox(&mut frame.follow_triangle, "follow the triangle")
        .on_hover_text("A displaced vertex that leaves its triangle is mapped by the one it enters");
    ui.checkbox(&mut frame.volume_preservation, "keep the volume")
        .on_hover_text("Yarns become thinner where they stretch");
    if ui.button("defaults").clicked() {
        *frame = FrameOptions::default();
    }
}

fn split(ui: &mut Ui, loaded: &mut LoadedScene) {
    let compare = loaded.compare.is_some();
    let split = &mut loaded.scene.split;
    ui.radio_value(split, Split::None, "one picture");
    ui.radio_value(split, Split::Naive, "naive | mechanics-aware");
    ui.add_enabled_ui(compare, |ui| ui.radio_value(split, Split::Compare, "database A | database B"))
        .response
        .on_disabled_hover_text("Drop two databases at a time, or add 'compare' to the scene");
}

fn look(ui: &mut Ui, loaded: &mut LoadedScene) {
    let style = &mut loaded.scene.style;
    ui.horizontal_wrapped(|ui| {
        ui.label("yarns");
        for Color(color) in &mut style.colors {
            ui.color_edit_button_srgb(color);
        }
        if style.colors.len() < 16 && ui.small_button("+").clicked() {
            style.colors.push(Color([0xe8, 0xdc, 0xc4]));
        }
        if style.colors.len() > 1 && ui.small_button("-").clicked() {
            style.colors.pop();
        }
    });
    ui.horizontal(|ui| {
        ui.label("background");
        ui.color_edit_button_srgb(&mut style.background.0);
        ui.label("bodies");
        ui.color_edit_button_srgb(&mut style.bodies.0);
    });
    ui.add(Slider::new(&mut style.plies, 0..=8).text("plies"));
    ui.add(Slider::new(&mut style.ply_angle, -60.0..=60.0).text("ply angle"));
    ui.add(Slider::new(&mut style.ply_depth, 0.0..=1.0).text("ply depth"));
    ui.add(Slider::new(&mut style.fibers, 0.0..=1.0).text("fibers"));
    ui.add(Slider::new(&mut style.gloss, 0.0..=3.0).text("gloss"));
    ui.add(Slider::new(&mut style.shadow, 0.0..=1.0).text("shadow"));
    ui.add(Slider::new(&mut style.light.yaw, -180.0..=180.0).text("light to the right"));
    ui.add(Slider::new(&mut style.light.pitch, -90.0..=90.0).text("light above"));
    ui.add(Slider::new(&mut style.light.strength, 0.0..=3.0).text("light"));
    ui.add(Slider::new(&mut style.light.ambient, 0.0..=2.0).text("ambient"));
}

fn camera(ui: &mut Ui, state: &mut WindowState) {
    ui.horizontal(|ui| {
        for (view, name) in [(View::Front, "front"), (View::Side, "side"), (View::Top, "top"), (View::Back, "back")] {
            if ui.button(name).clicked() {
                state.request(Request::Look(view));
            }
        }
        if ui.button("frame").clicked() {
            state.request(Request::Frame);
        }
    });
    let mut fov = state.camera.fov.to_degrees();
    if ui.add(Slider::new(&mut fov, 5.0..=100.0).text("angle of view")).changed() {
        state.camera.fov = fov.to_radians();
    }
    ui.label(format!("distance {:.3} m", state.camera.distance));
    if ui.button("reset to the scene").clicked() {
        state.reset_camera();
    }
}

fn fabric(ui: &mut Ui, fabric: &Fabric) {
    let database = &fabric.database;
    let pattern = database.pattern();
    let [px, py] = pattern.period();
    let grid = database.table().grid();
    let mut rows = vec![
        ("name", database.name().to_owned()),
        ("origin", database.origin().to_owned()),
        ("made by", database.tool().to_owned()),
        ("period", format!("{:.2} x {:.2} mm", px * 1e3, py * 1e3)),
        ("radius", format!("{:.3} mm", pattern.radius() * 1e3)),
        ("yarns, vertices", format!("{}, {}", pattern.yarns().len(), pattern.vertices().len())),
    ];
    let names = ["sx", "sa", "sy"];
    for (name, axis) in names.into_iter().zip(&grid.0) {
        let values = axis.values();
        let range = format!("{} from {:.2} to {:.2}", values.len(), values[0], values[values.len() - 1]);
        rows.push((name, range));
    }
    rows.push(("bending tables", if database.bending().is_some() { "yes" } else { "no" }.to_owned()));
    match database.material() {
        None => rows.push(("material", "not known".to_owned())),
        Some(m) => rows.extend([
            ("Young's modulus", format!("{:.3e} Pa", m.young)),
            ("shear modulus", format!("{:.3e} Pa", m.shear)),
            ("bend factor", format!("{}", m.gamma)),
            ("contact", format!("{:.3e} N/m", m.contact)),
        ]),
    }
    Grid::new(database.name()).num_columns(2).striped(true).show(ui, |ui| {
        for (name, value) in rows {
            ui.label(name);
            ui.add(egui::Label::new(value).wrap());
            ui.end_row();
        }
    });
}

fn timings(ui: &mut Ui, state: &WindowState, device: &str) {
    ui.label(RichText::new(device).small());
    Grid::new("timings").num_columns(2).striped(true).show(ui, |ui| {
        for timing in &state.timings.0 {
            ui.label(timing.stage);
            ui.label(format!("{:.2} ms", timing.milliseconds));
            ui.end_row();
        }
        ui.label("between pictures");
        ui.label(format!("{:.1} ms", state.between.as_secs_f64() * 1e3));
        ui.end_row();
    });
    if !state.timings.0.iter().any(|t| t.stage.contains("GPU")) {
        ui.label("This device does not report how long its work takes.");
    }
}

/// The panel below: the moment that is shown.
pub(super) fn transport(ui: &mut Ui, state: &mut WindowState) {
    ui.horizontal(|ui| {
        let Some(loaded) = &mut state.loaded else { return };
        let (count, frame_time) = (loaded.cloth.frame_count(), loaded.cloth.frame_time());
        let live = loaded.cloth.as_live().map(|live| live.time());
        if ui.button("|<").on_hover_text("to the beginning").clicked() {
            state.request(Request::Restart);
        }
        if ui.button(if state.playback.playing { "pause" } else { "play" }).clicked() {
            state.request(Request::Play);
        }
        match live {
            Some(time) => {
                ui.label(format!("{time:.2} s simulated"));
            }
            None if count > 1 => {
                ui.spacing_mut().slider_width = (ui.available_width() - 540.0).max(60.0);
                let last = (count - 1) as f64;
                let scrub = ui.add(Slider::new(&mut state.playback.frame, 0.0..=last).fixed_decimals(1).text("frame"));
                if scrub.dragged() {
                    state.playback.playing = false;
                }
                ui.label(format!("{:.2} s", state.playback.frame * frame_time));
                ui.checkbox(&mut state.playback.interpolate, "between frames");
            }
            None => {
                ui.label("one frame");
            }
        }
        ui.spacing_mut().slider_width = 80.0;
        let least = if live.is_some() { 0.1 } else { -2.0 };
        ui.add(Slider::new(&mut state.playback.speed, least..=2.0).text("speed"));
        if ui.button("save picture").clicked() {
            state.request(Request::Save);
        }
    });
}

/// The problem, on top of everything, until it is closed.
pub(super) fn problem(ui: &Ui, state: &mut WindowState) {
    let Some(text) = state.problem.clone() else { return };
    egui::Window::new("Problem")
        .collapsible(false)
        .resizable(false)
        .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
        .show(ui.ctx(), |ui| {
            ui.set_max_width(520.0);
            ui.label(text);
            if ui.button("close").clicked() {
                state.problem = None;
            }
        });
}
