//! The pieces of tube that are drawn for a segment, one for each level of detail.

use yarnwise_shaders::gpu::{TubeCorner, constants};

/// Levels of detail, and after them the caps.
pub(super) const BINS: usize = constants::BINS as usize;
const RIBBON: usize = constants::RIBBON as usize;
pub(super) const THREAD: usize = constants::THREAD as usize;
const CAP: usize = constants::CAP as usize;

/// Sides (columns of a ribbon) and subdivisions along the segment, by level.
const SHAPES: [(u32, u32); BINS] = [(24, 6), (14, 4), (8, 2), (4, 2), (2, 1), (1, 1), (16, 4)];

/// All levels in one vertex and one index buffer.
#[derive(Debug, Default)]
pub(super) struct Template {
    pub(super) corners: Vec<TubeCorner>,
    pub(super) indices: Vec<u16>,
    /// First index and number of indices of each level.
    pub(super) draws: [(u32, u32); BINS],
}

impl Template {
    pub(super) fn new() -> Self {
        let mut template = Template::default();
        for level in 0..BINS {
            template.add(level);
        }
        template
    }

    fn add(&mut self, level: usize) {
        let (sides, rings) = SHAPES[level];
        let first_index = self.indices.len() as u32;
        let base = self.corners.len() as u32;
        for ring in 0..=rings {
            for side in 0..=sides {
                let along = ring as f32 / rings as f32;
                self.corners.push(corner(level, along, side as f32 / sides as f32, sides));
            }
        }
        let row = sides + 1;
        for ring in 0..rings {
            for side in 0..sides {
                let a = base + ring * row + side;
                let quad = [a, a + 1, a + row, a + row, a + 1, a + row + 1];
                self.indices.extend(quad.map(|i| i as u16));
            }
        }
        self.draws[level] = (first_index, self.indices.len() as u32 - first_index);
    }

    /// The arguments of the draws, with no instances yet.
    pub(super) fn arguments(&self) -> Vec<u32> {
        self.draws.iter().flat_map(|(first, count)| [*count, 0, *first, 0, 0]).collect()
    }
}

/// A corner at `turn` (0 to 1) around, or across a ribbon.
fn corner(level: usize, along: f32, turn: f32, sides: u32) -> TubeCorner {
    let (x, y) = if (RIBBON..CAP).contains(&level) {
        // From right to left, as angles go.
        let x = 1.0 - 2.0 * turn;
        (x, (1.0 - x * x).max(0.0).sqrt())
    } else {
        // So far out that the polygon, seen from all sides, is on average as wide as the circle.
        let half = std::f32::consts::PI / sides as f32;
        let out = half / half.sin();
        let (sin, cos) = (turn * std::f32::consts::TAU).sin_cos();
        (out * cos, out * sin)
    };
    TubeCorner { along, x, y, turn, level: level as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fronts are counter-clockwise seen from outside: around a tube along +z whose director is x.
    #[test]
    fn triangles_face_outwards() {
        let template = Template::new();
        // Threads are flat: they have no outside to compare with.
        for (first, count) in &template.draws[..THREAD] {
            for triangle in template.indices[*first as usize..(*first + *count) as usize].chunks(3) {
                let p: Vec<[f32; 3]> =
                    triangle.iter().map(|i| template.corners[usize::from(*i)]).map(|c| [c.x, c.y, c.along]).collect();
                let edge = |k: usize| nalgebra::Vector3::from(p[k]) - nalgebra::Vector3::from(p[0]);
                let middle =
                    (0..3).fold(nalgebra::Vector3::zeros(), |sum, k| sum + nalgebra::Vector3::from(p[k])) / 3.0;
                let normal = edge(1).cross(&edge(2));
                assert!(normal.x * middle.x + normal.y * middle.y > 0.0, "{p:?}");
            }
        }
    }

    #[test]
    fn indices_fit_their_type() {
        let template = Template::new();
        assert!(template.corners.len() <= usize::from(u16::MAX));
        assert!(template.indices.iter().all(|i| usize::from(*i) < template.corners.len()));
        assert_eq!(template.arguments().len(), 5 * BINS);
    }
}
