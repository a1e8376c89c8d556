//! Experiments as pictures: yarns colored by what they carry.

use crate::draw::{Curves, Picture, Solid, curves, heat, solid};
use nalgebra::Vector3;
use yarnwise_precompute::explicit::patch::Patch;
use yarnwise_precompute::solid::{SolidCell, SolidState};
use yarnwise_precompute::spline::{Place, SplineCell, SplineState, Yarns};

/// Points on each span.
const FINE: usize = 6;

/// Periods along x and y that a picture of a cell shows.
const TILES: i32 = 3;

/// From where pictures are seen: from the front and a little from below, so that heights show.
const TOWARD: [f64; 3] = [0.25, -0.75, 1.0];

/// The tension at which colors end: this part of the largest one.
const SHARE: f64 = 1.0;

#[derive(Default)]
struct Lines {
    positions: Vec<[f32; 3]>,
    tensions: Vec<f64>,
    starts: Vec<u32>,
}

impl Lines {
    /// Adds a yarn, moved by `moved`.
    fn add(&mut self, yarns: &Yarns, curve: usize, place: &Place, q: &[Vector3<f64>], moved: &Vector3<f64>) {
        let c = &yarns.curves[curve];
        let turn = place.turn(c);
        self.starts.push(self.positions.len() as u32);
        for k in 0..=c.spans() * FINE {
            let t = k as f64 / FINE as f64;
            let station = c.station(t);
            let position = station.value(&turn, q) + moved;
            self.positions.push(position.map(|v| v as f32).into());
            let stretch = station.slope(&turn, q).norm() / c.rest_speed - 1.0;
            self.tensions.push(yarns.stiffness.stretch * stretch);
        }
    }

    fn draw(mut self, radius: f64, pixels: u32) -> Picture {
        self.starts.push(self.positions.len() as u32);
        let largest = self.tensions.iter().fold(0.0_f64, |m, t| m.max(*t)).max(f64::MIN_POSITIVE);
        let colors: Vec<[u8; 3]> = self.tensions.iter().map(|t| heat(t / (SHARE * largest))).collect();
        let lines =
            Curves { positions: &self.positions, starts: &self.starts, colors: &colors, radius, toward: Some(TOWARD) };
        curves(&lines, pixels)
    }
}

/// A deformed cell and its neighbors, colored by tension: dark where yarns are slack, yellow where they are pulled most.
pub fn cell_picture(cell: &SplineCell, state: &SplineState, pixels: u32) -> Picture {
    let place = cell.place(state.strain);
    let mut lines = Lines::default();
    for x in 0..TILES {
        for y in 0..TILES {
            let moved = place.translation([x, y]);
            (0..cell.yarns.curves.len()).for_each(|c| lines.add(&cell.yarns, c, &place, &state.q, &moved));
        }
    }
    lines.draw(cell.yarns.radius, pixels)
}

/// A deformed cell of solid yarns and its neighbors, colored by the stress of von Mises.
pub fn solid_picture(cell: &SolidCell, state: &SolidState, pixels: u32) -> Picture {
    let place = Place::strained(state.strain, cell.period);
    let copies: Vec<Vector3<f64>> =
        (0..TILES).flat_map(|x| (0..TILES).map(move |y| [x, y])).map(|shift| place.translation(shift)).collect();
    let surface = cell.surface(state);
    let drawn = Solid {
        positions: &surface.positions,
        triangles: &surface.triangles,
        values: &surface.von_mises,
        range: None,
        copies: &copies,
        radius: cell.radius(),
        toward: Some(TOWARD),
    };
    solid(&drawn, pixels)
}

/// A patch, colored by tension.
pub fn patch_picture(patch: &Patch, pixels: u32) -> Picture {
    let yarns = &patch.body.yarns;
    let mut lines = Lines::default();
    (0..yarns.curves.len()).for_each(|c| lines.add(yarns, c, &Place::ALONE, &patch.q, &Vector3::zeros()));
    lines.draw(yarns.radius, pixels)
}
