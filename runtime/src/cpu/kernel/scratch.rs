//! What is kept of a run between its steps.

use super::BLOCK;

/// Vertices of a run with both neighbors; its scratch fits the first-level cache.
pub(in crate::cpu) const RUN: usize = 128;

/// Blocks of a run.
pub(super) const BLOCKS: usize = RUN / BLOCK;

/// A number of all vertices of a run, and room behind them: neighbors are read eight at a time.
pub(super) type Lane = [[f32; BLOCK]; BLOCKS + 1];

/// An index of all vertices of a run.
pub(super) type Indices = [[u32; BLOCK]; BLOCKS];

/// Number by number. Aligned, so that no vector lies in two cache lines.
#[repr(align(64))]
pub(in crate::cpu) struct Scratch {
    pub(super) b: Lane,
    pub(super) c: Lane,
    pub(super) faces: Indices,
    pub(super) height: Lane,
    pub(super) twist: Lane,
    /// Rest length of the outgoing edge, in the pattern's units; 0 where there is none.
    pub(super) rest: Lane,
    pub(super) director: [Lane; 3],
    /// I(h).
    pub(super) form: [Lane; 3],
    /// The vertex in the table, and the row of its cell's lowest corner.
    pub(super) table_vertex: Indices,
    pub(super) row: Indices,
    /// Weights of the corners (0, 0), (1, 0), (0, 1), (1, 1) in (sa, sy), times the amount of displacement, and of the
    /// upper corner in sx.
    pub(super) weights: [Lane; 4],
    pub(super) upper: Lane,
    pub(super) position: [Lane; 3],
    pub(super) normal: [Lane; 3],
    pub(super) packed: Lane,
    /// How much larger than baked the pattern lies here.
    pub(super) scale: Lane,
    /// Factor of the radius of the outgoing edge.
    pub(super) factor: Lane,
    /// Vertices that left their triangle: the first `outside_count` entries.
    pub(super) outside: [u32; RUN + BLOCK],
    pub(super) outside_count: usize,
}

impl Scratch {
    pub(in crate::cpu) fn new() -> Self {
        let (lane, indices) = ([[0.0; BLOCK]; BLOCKS + 1], [[0; BLOCK]; BLOCKS]);
        Scratch {
            b: lane,
            c: lane,
            faces: indices,
            height: lane,
            twist: lane,
            rest: lane,
            director: [lane; 3],
            form: [lane; 3],
            table_vertex: indices,
            row: indices,
            weights: [lane; 4],
            upper: lane,
            position: [lane; 3],
            normal: [lane; 3],
            packed: lane,
            scale: lane,
            factor: lane,
            outside: [0; RUN + BLOCK],
            outside_count: 0,
        }
    }
}
