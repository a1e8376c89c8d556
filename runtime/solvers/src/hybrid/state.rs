//! Where cloth of yarns and triangles is and how it moves.

use super::model::HybridModel;
use crate::yarn::State;
use nalgebra::Vector3;

/// What a step changes.
#[derive(Clone, Debug)]
pub struct HybridState {
    /// Nodes; its time is that of the cloth.
    pub yarns: State,
    /// Active vertices, meters: those of triangles alone, then hybrid ones, which follow their nodes.
    pub vertices: Vec<Vector3<f64>>,
    /// m/s.
    pub vertex_velocities: Vec<Vector3<f64>>,
}

impl HybridState {
    /// At rest in the start position.
    pub fn at_rest(model: &HybridModel) -> Self {
        let vertices = model.vertex_positions();
        let vertex_velocities = vec![Vector3::zeros(); vertices.len()];
        let mut state = HybridState { yarns: State::at_rest(model.weave()), vertices, vertex_velocities };
        state.fit(model);
        state
    }

    /// Lets hybrid vertices follow their nodes.
    pub fn fit(&mut self, model: &HybridModel) {
        let free = model.free_vertices();
        let node = |row: usize| model.hybrid_nodes()[row] as usize;
        let positions = model.coupling().fit(|row| self.yarns.positions[node(row)].into());
        let velocities = model.coupling().fit(|row| {
            let v = self.yarns.velocities[node(row)];
            [v[0], v[1], v[2]]
        });
        for (k, (x, v)) in positions.into_iter().zip(velocities).enumerate() {
            self.vertices[free + k] = x.into();
            self.vertex_velocities[free + k] = v.into();
        }
    }

    /// Seconds.
    pub fn time(&self) -> f64 {
        self.yarns.time
    }

    /// Whether every number is finite and within 1e6.
    pub fn is_sound(&self) -> bool {
        let fine = |v: &Vector3<f64>| v.iter().all(|c| c.abs() < 1e6);
        self.yarns.is_sound() && self.vertices.iter().all(fine) && self.vertex_velocities.iter().all(fine)
    }
}
