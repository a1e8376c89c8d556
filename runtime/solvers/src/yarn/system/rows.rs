//! What elements contribute to the system.

use crate::linear::Scalar;
use crate::yarn::self_contact::ContactRows;

/// A segment (a, b): stiffness with respect to δ = x_b − x_a and σ = s_b − s_a,
///
///   f_x = along (t·δ) t + across δ + coupling σ t,   f_s = coupling (t·δ) + sliding σ
///
/// and its mass, m = ρℓ/6 and w of the start of the step.
#[derive(Clone, Copy, Debug, Default)]
pub struct SegmentRow<T> {
    /// t.
    pub direction: [T; 3],
    /// Along the yarn; what is across is subtracted already.
    pub along: T,
    /// In all directions.
    pub across: T,
    /// Between length and rest length.
    pub coupling: T,
    /// With respect to the rest length.
    pub sliding: T,
    /// (1 + hα) ρℓ/6, kg.
    pub mass: T,
    /// w.
    pub slope: [T; 3],
}

/// A bend (2, 0, 1): rows ĝ and h.
#[derive(Clone, Copy, Debug, Default)]
pub struct BendRow<T> {
    /// Row ĝ at x1.
    pub g1: [T; 3],
    /// Row ĝ at x2.
    pub g2: [T; 3],
    /// Row ĝ at s_2, and its opposite at s_1.
    pub rate: T,
    /// Row h at x1.
    pub h1: [T; 3],
    /// Row h at x2.
    pub h2: [T; 3],
    /// D of row ĝ.
    pub in_plane: T,
    /// D of row h.
    pub out_of_plane: T,
}

/// A corner (0, 1, 3) with one row.
#[derive(Clone, Copy, Debug, Default)]
pub struct CornerRow<T> {
    /// At x1, on the warp.
    pub g1: [T; 3],
    /// At x3, on the weft.
    pub g3: [T; 3],
    /// D.
    pub weight: T,
}

/// The elements that belong to each node: segments ahead and bends by slot, corners by the sides (u−v−, u−v+, u+v−, u+v+).
/// Where there is no element, every entry is zero.
#[derive(Clone, Debug, Default)]
pub struct Rows<T> {
    /// Segments.
    pub segments: Vec<[SegmentRow<T>; 2]>,
    /// Bends.
    pub bends: Vec<[BendRow<T>; 2]>,
    /// Corners.
    pub corners: Vec<[CornerRow<T>; 4]>,
    /// What each arc coordinate has on the diagonal besides: friction, or 1 where nothing else is.
    pub sliding: Vec<[T; 2]>,
    /// What each position has on the diagonal besides: drag on bodies. Empty where there is none.
    pub drag: Vec<T>,
    /// Contacts of the cloth with itself.
    pub contacts: ContactRows<T>,
}

/// h times the stresses of the elements that belong to a node: −h F = Σ stress · row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stress<T> {
    /// Of each segment: at x_b, its opposite at x_a; at s_b, its opposite at s_a.
    pub segments: [([T; 3], T); 2],
    /// Of each bend: along g, along h, and at s_2 with its opposite at s_1.
    pub bends: [[T; 3]; 2],
    /// Of each corner.
    pub corners: [T; 4],
}

impl<T: Scalar> Rows<T> {
    /// For a number of nodes, all zero.
    pub fn resize(&mut self, nodes: usize) {
        self.segments.resize(nodes, Default::default());
        self.bends.resize(nodes, Default::default());
        self.corners.resize(nodes, Default::default());
        self.sliding.resize(nodes, Default::default());
    }
}
