//! The fabric of a database at chosen strains.

use crate::draw::{Curves, DrawOptions, Picture, Yarns, curves, draw, strand_color};
use nalgebra::Vector3;
use std::f64::consts::FRAC_PI_2;
use yarnwise_precompute::cell::kinematics::LargeScale;
use yarnwise_precompute::sampling::BentAlong;
use yarnwise_shared::table::database::Database;
use yarnwise_shared::table::grid::{AXIS_NAMES, Axis};
use yarnwise_shared::table::strain::Strain;
use yarnwise_shared::{Error, Result};

/// The longer side of the picture of bent fabric, pixels.
const PIXELS: u32 = 720;

/// Bent fabric is shown as far as it turns by this angle to either side, radians, ...
const TURN: f64 = 0.9 * FRAC_PI_2;

/// ... or for this many periods to either side, whichever is less.
const MOST_PERIODS: i32 = 12;

/// Periods along the axis of the cylinder.
const DEEP: i32 = 3;

/// Draws the fabric at `strain` = (sx, sa, sy), interpolated between samples; refused beyond the axes.
pub fn picture(database: &Database, strain: [f64; 3]) -> Result<Picture> {
    picture_with(database, strain, &DrawOptions::default())
}

/// The same, drawn with other options.
pub fn picture_with(database: &Database, strain: [f64; 3], options: &DrawOptions) -> Result<Picture> {
    check(&strain, &database.table().grid().0)?;
    Ok(draw(&displaced(database, strain), options))
}

/// Draws the fabric bent, from the side, at `point` = (sx, sa, sy, lambda in 1/m); refused beyond the axes, and of databases
/// without bending.
pub fn bent_picture(database: &Database, along: BentAlong, point: [f64; 4]) -> Result<Picture> {
    bent_picture_with(database, along, point, PIXELS)
}

/// The same with this many pixels along the longer side.
pub fn bent_picture_with(database: &Database, along: BentAlong, point: [f64; 4], pixels: u32) -> Result<Picture> {
    let Some(tables) = database.bending() else {
        return Err(Error::invalid(database.name(), "has no bent samples: bake it with --bending"));
    };
    // The direction toward the viewer: along the axis of the cylinder, and somewhat from the front.
    let (table, axis, toward) = match along {
        BentAlong::X => (&tables.x, 0, [0.0, -0.85, 0.53]),
        BentAlong::Y => (&tables.y, 1, [0.85, 0.0, 0.53]),
    };
    check(&point, &table.grid().0)?;
    let pattern = database.pattern();
    let [sx, sa, sy, lambda] = point;
    let shape = LargeScale::bent(Strain::new(sx, sa, sy), along.vector(), lambda, pattern.period());
    let place = |vertex: usize| {
        let [dx, dy, dz, _] = table.interpolate(point, vertex);
        shape.map(&(Vector3::from(pattern.vertices()[vertex].position) + Vector3::new(dx, dy, dz)))
    };
    let places: Vec<Vector3<f64>> = (0..pattern.vertices().len()).map(place).collect();
    // The curvature is lambda |w|^2, and a period turns by lambda |w| times its length.
    let turn = pattern.period()[axis] * (lambda * shape.curvature()).sqrt();
    let around = ((TURN / turn.max(1e-9)) as i32).clamp(1, MOST_PERIODS);
    let (mut positions, mut starts, mut colors) = (Vec::new(), vec![0], Vec::new());
    for (yarn, cycle) in pattern.yarns().iter().enumerate() {
        for (i, j) in (-around..=around).flat_map(|i| (0..DEEP).map(move |j| (i, j))) {
            let mut first = [j; 2];
            first[axis] = i;
            let color = strand_color(pattern, yarn, first).map(|c| (255.0 * c).round() as u8);
            let mut cell = first;
            for vertex in cycle.vertices.iter().chain(&cycle.vertices[..1]) {
                let at = shape.image(cell).point(&places[*vertex as usize]);
                positions.push([at.x as f32, at.y as f32, at.z as f32]);
                colors.push(color);
                let shift = pattern.vertices()[*vertex as usize].edge.shift;
                cell = [cell[0] + shift[0], cell[1] + shift[1]];
            }
            starts.push(positions.len() as u32);
        }
    }
    let radius = pattern.radius();
    Ok(curves(
        &Curves { positions: &positions, starts: &starts, colors: &colors, radius, toward: Some(toward) },
        pixels,
    ))
}

fn check(point: &[f64], axes: &[Axis]) -> Result<()> {
    for ((value, axis), name) in point.iter().zip(axes).zip(AXIS_NAMES) {
        let (low, high) = (axis.values()[0], axis.values()[axis.len() - 1]);
        if !(low..=high).contains(value) {
            let problem = format!("{value} is outside of the database, which goes from {low} to {high}");
            return Err(Error::invalid(format!("axis {name}"), problem));
        }
    }
    Ok(())
}

/// The yarns at `strain`: x = (S (X + dX)12, X3 + dX3), S the square root of the first fundamental form [Sperl21, Eq. 1].
fn displaced(database: &Database, strain: [f64; 3]) -> Yarns<'_> {
    let pattern = database.pattern();
    let [sx, sa, sy] = strain;
    let stretch = Strain::new(sx, sa, sy).first_form().sqrt();
    let position = |vertex: usize| {
        let [x, y, z] = pattern.vertices()[vertex].position;
        let [dx, dy, dz, _] = database.table().interpolate(strain, vertex);
        let [x, y] = stretch.apply([x + dx, y + dy]);
        [x, y, z + dz]
    };
    let [px, py] = pattern.period();
    Yarns {
        positions: (0..pattern.vertices().len()).map(position).collect(),
        lattice: [stretch.apply([px, 0.0]), stretch.apply([0.0, py])],
        ..Yarns::new(pattern)
    }
}
