//! Memory and traffic of a yarn node, from the buffers and what the stages bind.

use super::state::HybridSolverState;
use yarnwise_device::StagePipeline;
use yarnwise_shaders::BindingKind;

/// Bytes that a cloth takes on the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HybridCost {
    /// A yarn node, mean over all of them: all buffers with an entry a node or a row of B.
    pub node_bytes: f64,
    /// Read and written in an iteration of conjugate gradients, a yarn node, mean over all of them.
    pub iteration_bytes: f64,
    /// Vertices, triangles and hinges, all of them.
    pub triangle_bytes: u64,
    /// K⁻¹ and G⁻¹.
    pub dense_bytes: u64,
}

/// Buffers with an entry for each node and each vertex.
const POINTS: [&str; 7] = ["positions", "velocity", "diagonal", "x", "r", "d", "w"];

/// Buffers with an entry for each node.
const NODES: [&str; 6] = ["arcs", "links", "momentum", "anchors", "compression", "corners"];

/// Buffers with an entry for each hybrid node, or for each node with weights.
const ROWS: [&str; 3] = ["rows", "weights", "chunk_sums"];

/// Buffers of the triangles' side.
const TRIANGLES: [&str; 8] =
    ["triangles", "hinges", "tangents", "hinge_rows", "slots", "vertex_list", "vertex_mass", "hybrid_triangles"];

impl HybridSolverState {
    /// What the cloth takes.
    pub fn cost(&self) -> HybridCost {
        let all = POINTS.iter().chain(&NODES).chain(&ROWS);
        let size = |name: &&str| self.buffer(name).size();
        let own = f64::from(self.params.nodes) / self.points();
        let triangles: u64 = TRIANGLES.iter().map(size).sum();
        let shared: u64 = POINTS.iter().map(size).sum();
        HybridCost {
            node_bytes: all.map(|name| self.entry_bytes(name)).sum(),
            iteration_bytes: self.iteration_bytes(),
            triangle_bytes: triangles + ((1.0 - own) * shared as f64).round() as u64,
            dense_bytes: size(&"inverse_gram") + size(&"inverse_mass"),
        }
    }

    fn points(&self) -> f64 {
        f64::from((self.params.nodes + self.hybrid.free + self.hybrid.slaves).max(1))
    }

    /// Bytes of a buffer a yarn node; 0 where it has none for nodes.
    fn entry_bytes(&self, name: &str) -> f64 {
        let size = self.buffer(name).size() as f64;
        let nodes = f64::from(self.params.nodes.max(1));
        if POINTS.contains(&name) {
            size / self.points()
        } else if NODES.contains(&name) || ROWS.contains(&name) {
            size / nodes
        } else {
            0.0
        }
    }

    /// Each buffer counts once where a stage reads it and once more where it writes it; neighbors of a node come from the cache. Stages of
    /// hybrid nodes alone count for those.
    fn iteration_bytes(&self) -> f64 {
        let s = &self.pipelines.stages;
        let rows = f64::from(self.hybrid.rows) / f64::from(self.params.nodes.max(1));
        let list: [(&str, &StagePipeline, f64); 5] = [
            ("restrict", &s.restrict, rows),
            ("product", &s.product, 1.0),
            ("update", &s.update, 1.0),
            ("restrict_residual", &s.restrict_residual, rows),
            ("direction", &s.direction, 1.0),
        ];
        let of = |(name, stage, share): (&str, &StagePipeline, f64)| -> f64 {
            let bindings = stage.stage().bindings.iter().filter(|b| b.kind != BindingKind::Uniform);
            let bytes = bindings.map(|b| {
                let buffer = self.buffers.behind(name, b.name);
                // What a stage only writes, or only reads beside its sums.
                let once = matches!((name, buffer), ("product" | "update", "w") | (_, "chunk_sums"));
                let times = if b.kind == BindingKind::ReadWrite && !once { 2.0 } else { 1.0 };
                let share = if ROWS.contains(&buffer) { 1.0 } else { share };
                times * share * self.entry_bytes(buffer)
            });
            bytes.sum()
        };
        list.into_iter().map(of).sum()
    }
}
