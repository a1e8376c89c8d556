//! Yarns that share their cloth with triangles: weights of their elements, and mass that moves with nodes alone.
//!
//!   V = Σ ω_e V_e over the elements of yarns + Σ (1 − ω_t) V_t over triangles             [Casafranca20, Eq. 4]
//!
//! Compression F_n follows from forces without weights: what presses on a crossing does not depend on which model carries it.

/// Weights of the elements that belong to a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementWeights {
    /// Of the segments ahead, by slot.
    pub segments: [f32; 2],
    /// Of the bends, by slot.
    pub bends: [f32; 2],
    /// Of the corners (u−v−, u−v+, u+v−, u+v+).
    pub corners: [f32; 4],
}

impl Default for ElementWeights {
    fn default() -> Self {
        ElementWeights { segments: [1.0; 2], bends: [1.0; 2], corners: [1.0; 4] }
    }
}

/// What blended yarns differ in from yarns alone, by node.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Blend {
    /// Weights of elements.
    pub weights: Vec<ElementWeights>,
    /// Mass that is at the node and takes no part in sliding, kg.
    pub mass: Vec<f64>,
    /// Whether the segment ahead in each slot has its mass at its nodes, in `mass`, and none of its own.
    pub lumped: Vec<[bool; 2]>,
    /// Whether yarns are stuck at the node.
    pub frozen: Vec<bool>,
}

impl Blend {
    /// Yarns alone, but without sliding and with all of their mass at the nodes, `mass` in kg: the limit of full weight.
    pub fn stuck(mass: Vec<f64>) -> Self {
        let n = mass.len();
        Blend { weights: vec![ElementWeights::default(); n], mass, lumped: vec![[true; 2]; n], frozen: vec![true; n] }
    }
}
