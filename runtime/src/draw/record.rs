//! What a frame records into the host's encoder and pass.

use super::pipelines::TubePipelines;
use super::state::TubeState;
use super::template::{BINS, THREAD};

/// Bytes of an indexed indirect draw's arguments.
const ARGUMENT_BYTES: u64 = 4 * yarnwise_shaders::gpu::constants::ARGUMENTS as u64;

impl TubePipelines {
    /// Records what comes before the pass: finds the segments that are seen, and draws the shadow map if the style has
    /// shadows.
    ///
    /// Nothing is submitted. To be encoded after the yarns themselves and before the pass that draws them.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, tubes: &TubeState) {
        let descriptor = wgpu::ComputePassDescriptor { label: Some("tubes seen"), timestamp_writes: None };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        for part in &tubes.parts {
            self.shared.count.dispatch(&mut pass, &part.count_bindings, part.groups);
            self.shared.scan.dispatch(&mut pass, &part.scan_bindings, [1, 1]);
            self.shared.list.dispatch(&mut pass, &part.list_bindings, part.groups);
        }
        drop(pass);
        if let Some(map) = tubes.shadow_map() {
            let parts = tubes.parts.iter().map(|part| (&part.shadow_bindings, part.chunk.owned.len() as u32));
            self.shared.shadow.encode(encoder, map, parts);
        }
    }

    /// Draws the yarns of the frame that was last encoded.
    ///
    /// The pass must have one color target and a depth target as the [`TargetOptions`](super::TargetOptions) say. The
    /// viewport is the pass's. Yarns thinner than a pixel are blended with what is there and write no depth: other things are drawn before.
    pub fn draw(&self, tubes: &TubeState, pass: &mut wgpu::RenderPass<'_>) {
        let shared = &self.shared;
        pass.set_bind_group(0, &tubes.view_bindings, &[]);
        pass.set_vertex_buffer(0, shared.corners.slice(..));
        pass.set_index_buffer(shared.indices.slice(..), wgpu::IndexFormat::Uint16);
        for (pipeline, thin) in [(&shared.tubes, false), (&shared.thin, true)] {
            pass.set_pipeline(pipeline);
            for part in &tubes.parts {
                pass.set_bind_group(1, &part.draw_bindings, &[]);
                for level in (0..BINS).filter(|level| (*level == THREAD) == thin) {
                    pass.draw_indexed_indirect(&part.buffers.arguments, level as u64 * ARGUMENT_BYTES);
                }
            }
        }
    }
}
