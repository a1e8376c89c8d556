//! The fabric of a database at chosen strains.

use crate::draw::{DrawOptions, Picture, Yarns, draw};
use yarnwise_shared::database::Database;
use yarnwise_shared::grid::AXIS_NAMES;
use yarnwise_shared::strain::Strain;
use yarnwise_shared::{Error, Result};

/// Draws the fabric at `strain` = (sx, sa, sy), interpolated between samples; refused beyond the axes.
pub fn picture(database: &Database, strain: [f64; 3]) -> Result<Picture> {
    let axes = &database.table().grid().0;
    for ((value, axis), name) in strain.iter().zip(axes).zip(AXIS_NAMES) {
        let (low, high) = (axis.values()[0], axis.values()[axis.len() - 1]);
        if !(low..=high).contains(value) {
            let problem = format!("{value} is outside of the database, which goes from {low} to {high}");
            return Err(Error::invalid(format!("axis {name}"), problem));
        }
    }
    Ok(draw(&displaced(database, strain), &DrawOptions::default()))
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
