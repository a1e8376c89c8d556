//! The heat map: what is set, and its legend.

use crate::cloth::MovingCloth;
use crate::heat::Quantity;
use crate::loaded::LoadedScene;
use crate::scene::HeatMapSpec;
use egui::{Align2, Color32, FontId, Rect, Ui, vec2};

/// Which number is colored, and from where to where.
pub(super) fn settings(ui: &mut Ui, loaded: &mut LoadedScene) {
    let quantities = loaded.cloth.as_strands().map_or(&Quantity::LAID[..], Quantity::known);
    let heat = &mut loaded.scene.style.heat_map;
    ui.radio_value(heat, None, "none");
    for value in quantities.iter().copied() {
        let on = heat.is_some_and(|h| h.value == value);
        if ui.radio(on, value.label()).clicked() {
            *heat = Some(HeatMapSpec { value, range: None });
        }
    }
    let Some(heat) = heat else { return };
    let [mut low, mut high] = heat.range();
    ui.horizontal(|ui| {
        ui.label("from");
        let first = ui.add(egui::DragValue::new(&mut low).speed(0.01)).changed();
        ui.label("to");
        let last = ui.add(egui::DragValue::new(&mut high).speed(0.01)).changed();
        if first || last {
            heat.range = Some([low, high.max(low + LEAST)]);
        }
        let can_fit = loaded.cloth.as_strands().is_some();
        if can_fit && ui.small_button("fit").on_hover_text("from the least to the most at this moment").clicked() {
            heat.range = present(&loaded.cloth, heat.value).or(heat.range);
        }
    });
}

/// Shortest range of colors, in the unit of the number.
const LEAST: f32 = 1e-3;

/// The least and the most of a number of simulated yarns, at the moment that is shown.
fn present(cloth: &MovingCloth, value: Quantity) -> Option<[f32; 2]> {
    let values = value.of_strands(cloth.as_strands()?).ok()?;
    let low = values.iter().copied().filter(|v| v.is_finite()).reduce(f32::min)?;
    let high = values.iter().copied().filter(|v| v.is_finite()).reduce(f32::max)?;
    // Three digits are enough to read.
    let round = |v: f32| format!("{v:.2e}").parse().unwrap_or(v);
    let (low, high): (f32, f32) = (round(low), round(high));
    Some([low, high.max(low + LEAST)])
}

/// The colors and their numbers, at the lower left of the picture.
pub(super) fn legend(ui: &Ui, rect: Rect, heat: &HeatMapSpec) {
    let bar = Rect::from_min_size(rect.left_bottom() + vec2(18.0, -44.0), vec2(200.0, 14.0));
    let plate = Rect::from_min_max(bar.min - vec2(10.0, 30.0), bar.max + vec2(10.0, 26.0));
    ui.painter().rect_filled(plate, 3.0, Color32::from_white_alpha(235));
    for x in 0..200u8 {
        let [r, g, b] = heat.palette().color(f32::from(x) / 199.0).map(|c| (c * 255.0).round() as u8);
        let stripe = Rect::from_min_size(bar.min + vec2(x.into(), 0.0), vec2(1.0, bar.height()));
        ui.painter().rect_filled(stripe, 0.0, Color32::from_rgb(r, g, b));
    }
    let text = |at, align: Align2, text: &str| {
        ui.painter().text(at, align, text, FontId::proportional(15.0), Color32::from_gray(40));
    };
    let [low, high] = heat.range();
    text(bar.left_top() - vec2(0.0, 6.0), Align2::LEFT_BOTTOM, heat.value.label());
    text(bar.left_bottom() + vec2(0.0, 4.0), Align2::LEFT_TOP, &format!("{low}"));
    text(bar.right_bottom() + vec2(0.0, 4.0), Align2::RIGHT_TOP, &format!("{high}"));
}

#[cfg(all(test, feature = "yarn-level"))]
mod tests {
    use super::super::state::tests::shown;
    use super::*;

    #[test]
    fn a_range_that_fits_has_all_numbers_of_the_moment() {
        let mut state = shown("yarn-scenes/pull.json");
        let cloth = &mut state.loaded.as_mut().unwrap().cloth;
        let still = present(cloth, Quantity::Sliding).unwrap();
        assert!(still[0] == 0.0 && still[1] > 0.0, "a range is never empty: {still:?}");
        cloth.as_live().unwrap().advance(0.05).unwrap();
        let playback = Default::default();
        cloth.now(&playback, &mut Vec::new());
        let [low, high] = present(cloth, Quantity::Sliding).unwrap();
        // Warp 7 is pulled by 1.25 mm.
        assert!(low == 0.0 && (0.3..1.3).contains(&high), "{high}");
        assert_eq!(present(cloth, Quantity::Clamp), None);
    }
}
