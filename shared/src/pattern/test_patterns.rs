//! Patterns for the tests of this module.

use super::frame::{self, Given};
use super::{Edge, Pattern, PatternData, Vertex};
use proptest::prelude::*;

/// Two straight yarns along x, two vertices each, 5 mm apart, radius 1 mm.
pub(super) fn straight() -> PatternData {
    let vertex = |i: u32| {
        let position = [0.005 * f64::from(i % 2), 0.005 * f64::from(i / 2), 0.0];
        Vertex {
            edge: Edge { to: i / 2 * 2 + (i + 1) % 2, shift: [(i % 2) as i32, 0] },
            rest_length: 0.005,
            reference_director: [0.0, 0.0, 1.0],
            ..Vertex::at(position)
        }
    };
    PatternData { period: [0.01, 0.01], radius: 1e-3, vertices: (0..4).map(vertex).collect() }
}

/// A pattern of closed polygons and lines through given points, radius 1: `(points, shift)` for each yarn.
pub(super) fn polygons(period: [f64; 2], yarns: &[(&[[f64; 3]], [i32; 2])]) -> Pattern {
    let mut vertices: Vec<Vertex> = Vec::new();
    for (points, shift) in yarns {
        let first = vertices.len();
        for (k, point) in points.iter().enumerate() {
            let last = k + 1 == points.len();
            let to = (if last { first } else { first + k + 1 }) as u32;
            vertices
                .push(Vertex { edge: Edge { to, shift: if last { *shift } else { [0, 0] } }, ..Vertex::at(*point) });
        }
    }
    let mut data = PatternData { period, radius: 1.0, vertices };
    frame::fill(&mut data, Given::default());
    Pattern::new(data).unwrap()
}

/// Any valid pattern: yarns of any length and shift, vertices numbered in any order, all values anything.
pub(super) fn any_pattern() -> impl Strategy<Value = Pattern> {
    let value = prop_oneof![3 => -3.0..3.0f64, 1 => Just(0.0), 1 => Just(-0.0), 1 => prop::num::f64::NORMAL];
    let vertex = (
        prop::array::uniform3(-1e-2..1e-2f64),
        prop::array::uniform5(value),
        [-2..=2i32, -2..=2i32],
        prop_oneof![Just(1.0), 0.6..1.9f64],
        prop::array::uniform3(0.4..0.7f64),
    );
    let yarns = prop::collection::vec(prop::collection::vec(vertex, 1..5), 1..4);
    let pattern = yarns.prop_flat_map(|yarns| {
        let count: usize = yarns.iter().map(Vec::len).sum();
        (Just(yarns), Just((0..count).collect::<Vec<_>>()).prop_shuffle(), any::<[bool; 3]>())
    });
    pattern.prop_filter_map("not every set of numbers is a pattern", |(yarns, numbers, keep)| {
        let mut slots: Vec<Option<Vertex>> = vec![None; numbers.len()];
        let mut first = 0;
        for yarn in &yarns {
            for (k, (position, values, shift, _, director)) in yarn.iter().enumerate() {
                let to = numbers[first + (k + 1) % yarn.len()] as u32;
                slots[numbers[first + k]] = Some(Vertex {
                    position: *position,
                    twist: values[0],
                    edge: Edge { to, shift: *shift },
                    rest_length: 1.0,
                    rest_curvature: [values[1], values[2]],
                    rest_twist: values[3],
                    reference_director: *director,
                    reference_twist: values[4],
                });
            }
            first += yarn.len();
        }
        let mut data =
            PatternData { period: [7e-3, 9e-3], radius: 1e-3, vertices: slots.into_iter().flatten().collect() };
        frame::fill(&mut data, Given { rest_length: false, director: keep[1], reference_twist: keep[2] });
        if keep[0] {
            let stretch = yarns.iter().flatten().map(|(.., stretch, _)| stretch);
            data.vertices.iter_mut().zip(stretch).for_each(|(v, s)| v.rest_length *= s);
        }
        Pattern::new(data).ok()
    })
}
