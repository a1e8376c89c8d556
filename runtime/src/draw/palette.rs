//! Colors of heat maps, the same for the shader and for a legend.

use super::color::{linear, srgb};
use yarnwise_shaders::gpu::constants;

/// Colors of a palette.
const PALETTE_COLORS: usize = constants::PALETTE_COLORS as usize;

/// A sequence of colors from the lowest to the highest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Palette {
    /// Dark blue, green, yellow: brightness rises evenly, for values that start at zero.
    #[default]
    Dusk,
    /// Black, red, yellow, white: for errors.
    Ember,
    /// Blue, white, red: for values around zero.
    Tension,
}

impl Palette {
    /// All palettes.
    pub const ALL: [Palette; 3] = [Palette::Dusk, Palette::Ember, Palette::Tension];

    /// Stops in sRGB, evenly spaced.
    fn stops(self) -> &'static [[f32; 3]] {
        match self {
            Palette::Dusk => &[
                [0.16, 0.07, 0.35],
                [0.18, 0.27, 0.56],
                [0.10, 0.47, 0.57],
                [0.15, 0.65, 0.47],
                [0.55, 0.80, 0.28],
                [0.98, 0.90, 0.25],
            ],
            Palette::Ember => {
                &[[0.08, 0.06, 0.10], [0.42, 0.07, 0.22], [0.80, 0.20, 0.14], [0.97, 0.60, 0.15], [1.0, 0.97, 0.82]]
            }
            Palette::Tension => {
                &[[0.11, 0.24, 0.62], [0.44, 0.66, 0.87], [0.94, 0.94, 0.92], [0.92, 0.55, 0.40], [0.68, 0.09, 0.15]]
            }
        }
    }

    /// The color at `value` (0 lowest, 1 highest; cut beyond), sRGB, each lane 0 to 1. What a legend shows.
    pub fn color(self, value: f32) -> [f32; 3] {
        srgb(self.linear_color(value))
    }

    /// The same in linear light, as the shader mixes it.
    fn linear_color(self, value: f32) -> [f32; 3] {
        let x = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) } * (PALETTE_COLORS - 1) as f32;
        let i = (x as usize).min(PALETTE_COLORS - 2);
        let (a, b) = (self.entry(i), self.entry(i + 1));
        std::array::from_fn(|k| a[k] + (b[k] - a[k]) * (x - i as f32))
    }

    /// The table that the shader reads.
    pub(super) fn table(self) -> [[f32; 4]; PALETTE_COLORS] {
        std::array::from_fn(|i| {
            let [r, g, b] = self.entry(i);
            [r, g, b, 1.0]
        })
    }

    /// Entry `i` of the shader's table, linear.
    fn entry(self, i: usize) -> [f32; 3] {
        let stops = self.stops();
        let x = i as f32 / (PALETTE_COLORS - 1) as f32 * (stops.len() - 1) as f32;
        let s = (x as usize).min(stops.len() - 2);
        linear(std::array::from_fn(|k| stops[s][k] + (stops[s + 1][k] - stops[s][k]) * (x - s as f32)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn palettes_begin_and_end_with_their_stops_and_stay_in_range() {
        for palette in Palette::ALL {
            let near = |a: [f32; 3], b: [f32; 3]| (0..3).all(|k| (a[k] - b[k]).abs() < 1e-5);
            assert!(near(palette.color(0.0), palette.stops()[0]) && near(palette.color(-3.0), palette.stops()[0]));
            assert!(near(palette.color(1.0), palette.stops()[palette.stops().len() - 1]));
            for i in 0..=100 {
                assert!(palette.color(i as f32 / 100.0).iter().all(|c| (0.0..=1.0).contains(c)));
            }
            assert!(palette.color(f32::NAN).iter().all(|c| c.is_finite()));
        }
    }

    /// A gray print of a sequential palette can be read.
    #[test]
    fn sequential_palettes_rise_in_brightness() {
        for palette in [Palette::Dusk, Palette::Ember] {
            let brightness = |i: usize| {
                let [r, g, b] = palette.linear_color(i as f32 / 20.0);
                0.2126 * r + 0.7152 * g + 0.0722 * b
            };
            assert!((0..20).all(|i| brightness(i) < brightness(i + 1)), "{palette:?}");
        }
    }
}
