//! The picture in the window: mouse, wheel and keys, and what is written over it.

use super::heat_map;
use super::pointer::Canvas;
use super::state::{Request, WindowState};
use crate::camera::View;
use crate::live::Tool;
use crate::render::Renderer;
use egui::{Align2, Color32, CursorIcon, FontId, Key, Rect, Sense, TextureId, Ui, pos2, vec2};
use std::time::Instant;

/// Keys, what they do, and what the help says.
pub(super) const KEYS: [(Key, Request, &str); 18] = [
    (Key::Space, Request::Play, "Space  play / pause"),
    (Key::ArrowLeft, Request::Step(-1), "Left, Right  one frame back, forward"),
    (Key::ArrowRight, Request::Step(1), ""),
    (Key::Home, Request::Restart, "Home  back to the beginning"),
    (Key::F, Request::Frame, "F  frame the cloth"),
    (Key::Num1, Request::Look(View::Front), "1 2 3 4  front, side, top, back"),
    (Key::Num2, Request::Look(View::Side), ""),
    (Key::Num3, Request::Look(View::Top), ""),
    (Key::Num4, Request::Look(View::Back), ""),
    (Key::D, Request::Choose(Tool::Drag), "D O C  drag, pull out, cut simulated yarns"),
    (Key::O, Request::Choose(Tool::PullOut), ""),
    (Key::C, Request::Choose(Tool::Cut), ""),
    (Key::S, Request::Split, "S  split screen"),
    (Key::P, Request::Save, "P  save the picture"),
    (Key::Tab, Request::Panels, "Tab  hide the panels"),
    (Key::Q, Request::Quit, "Q, Escape  quit"),
    (Key::Escape, Request::CloseOrQuit, ""),
    (Key::Enter, Request::Close, "Enter  close a message"),
];

/// What the mouse does.
pub(super) const MOUSE: [&str; 3] = [
    "Left drag  orbit; on what is simulated: drag, pull out or cut",
    "Right, middle or Shift drag  pan",
    "Wheel  zoom",
];

/// Shows the picture, if there is one, and takes wheel and keys. Returns where the picture is.
pub(super) fn show(ui: &mut Ui, state: &mut WindowState, picture: Option<TextureId>, renderer: &Renderer) -> Canvas {
    let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
    let scale = ui.ctx().pixels_per_point();
    let size = [rect.width(), rect.height()].map(|s| ((s * scale).round() as u32).clamp(1, 16384));
    keys(ui, state);
    let columns = renderer.columns(size[0]);
    state.set_aspect(columns[0][1] as f32 / size[1] as f32);
    let corner = [rect.min.x * scale, rect.min.y * scale];
    let canvas = Canvas { corner, size: size.map(|s| s as f32), pane: columns[0][1] as f32 };
    let Some(loaded) = &state.loaded else {
        empty(ui, rect);
        return canvas;
    };
    if let Some(picture) = picture {
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        ui.painter().image(picture, rect, whole, Color32::WHITE);
    }
    for (title, [left, _]) in renderer.titles(loaded).iter().zip(&columns) {
        let at = rect.min + vec2(*left as f32 / scale + 10.0, 10.0);
        plate(ui, at, Align2::LEFT_TOP, title);
    }
    if let Some(heat) = &loaded.scene.style.heat_map {
        heat_map::legend(ui, rect, heat);
    }
    note(ui, rect, state);
    wheel(ui, state, &response);
    let icon = match state.tool() {
        Tool::Drag => CursorIcon::Default,
        Tool::PullOut => CursorIcon::Grab,
        Tool::Cut => CursorIcon::Crosshair,
    };
    response.on_hover_cursor(icon);
    canvas
}

/// The short message, while it is shown.
fn note(ui: &Ui, rect: Rect, state: &mut WindowState) {
    let Some((text, until)) = &state.note else { return };
    match until.checked_duration_since(Instant::now()) {
        Some(left) => {
            plate(ui, rect.center_bottom() - vec2(0.0, 16.0), Align2::CENTER_BOTTOM, text);
            ui.ctx().request_repaint_after(left);
        }
        None => state.note = None,
    }
}

fn keys(ui: &Ui, state: &mut WindowState) {
    if ui.ctx().text_edit_focused() {
        return;
    }
    for (key, request, _) in KEYS {
        if ui.input(|i| i.key_pressed(key) && i.modifiers.is_none()) {
            state.request(request);
        }
    }
}

fn wheel(ui: &Ui, state: &mut WindowState, response: &egui::Response) {
    if response.contains_pointer() {
        let (scroll, pinch) = ui.input(|i| (i.smooth_scroll_delta.y, i.zoom_delta()));
        state.camera.zoom(scroll / 40.0);
        state.camera.zoom((pinch - 1.0) * 8.0);
    }
}

fn empty(ui: &Ui, rect: Rect) {
    ui.painter().rect_filled(rect, 0.0, Color32::from_rgb(0xf4, 0xf1, 0xea));
    let text = "Drop a scene here (data/scenes/*.json),\nor a database (.ydb) and a mesh or clip.";
    ui.painter().text(rect.center(), Align2::CENTER_CENTER, text, FontId::proportional(20.0), Color32::from_gray(90));
}

/// Text that can be read on any background.
fn plate(ui: &Ui, at: egui::Pos2, align: Align2, text: &str) {
    let font = FontId::proportional(15.0);
    let galley = ui.painter().layout_no_wrap(text.to_owned(), font, Color32::from_gray(40));
    let rect = align.anchor_size(at, galley.size());
    ui.painter().rect_filled(rect.expand(4.0), 3.0, Color32::from_white_alpha(220));
    ui.painter().galley(rect.min, galley, Color32::from_gray(40));
}
