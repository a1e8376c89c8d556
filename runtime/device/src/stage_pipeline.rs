//! A compute stage on a device: pipeline, bind group layout, dispatch. Sizes and bindings come from the shader.

use crate::{DeviceError, Result};
use std::borrow::Cow;
use yarnwise_shaders::{BindingKind, Stage};

/// One stage, compiled.
#[derive(Debug)]
pub struct StagePipeline {
    stage: &'static Stage,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    max_workgroups: u32,
}

impl StagePipeline {
    /// Compiles the only entry point of `stage`. Its dispatches have at most `max_workgroups` in a dimension.
    pub fn new(device: &wgpu::Device, stage: &'static Stage, max_workgroups: u32) -> Self {
        let label = Some(stage.name);
        let entries: Vec<_> = stage.bindings.iter().map(layout_entry).collect();
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label,
            source: wgpu::ShaderSource::Wgsl(Cow::Borrowed(stage.source)),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(stage.entry_points[0].name),
            compilation_options: Default::default(),
            cache: None,
        });
        StagePipeline { stage, pipeline, layout, max_workgroups }
    }

    /// Joins buffers with the stage's variables, by their names.
    ///
    /// # Panics
    /// When a variable has no buffer: host and shader are written together, so this is a bug.
    pub fn bind(&self, device: &wgpu::Device, buffers: &[(&str, wgpu::BindingResource<'_>)]) -> wgpu::BindGroup {
        assert_eq!(buffers.len(), self.stage.bindings.len(), "stage {} takes other buffers", self.stage.name);
        let entry = |binding: &yarnwise_shaders::Binding| {
            let found = buffers.iter().find(|(name, _)| *name == binding.name);
            let (_, resource) = found.unwrap_or_else(|| panic!("stage {} needs {}", self.stage.name, binding.name));
            wgpu::BindGroupEntry { binding: binding.index, resource: resource.clone() }
        };
        let entries: Vec<_> = self.stage.bindings.iter().map(entry).collect();
        let label = Some(self.stage.name);
        device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout: &self.layout, entries: &entries })
    }

    /// Records a dispatch.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, bindings: &wgpu::BindGroup, groups: [u32; 2]) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, bindings, &[]);
        pass.dispatch_workgroups(groups[0], groups[1], 1);
    }

    /// What was compiled.
    pub fn stage(&self) -> &'static Stage {
        self.stage
    }

    /// Invocations of a workgroup.
    pub fn group_size(&self) -> u32 {
        self.stage.entry_points[0].workgroup_size.iter().product()
    }

    /// Workgroups for `count` elements, where `idle` invocations of each workgroup do not finish one of their own.
    pub fn groups(&self, count: usize, idle: u32) -> Result<[u32; 2]> {
        let size = self.group_size();
        let limit = self.max_workgroups;
        groups(count as u64, size - idle, limit).ok_or(DeviceError::Limit {
            what: self.stage.name,
            needed: count as u64,
            limit: u64::from(limit) * u64::from(limit) * u64::from(size - idle),
            unit: "invocations",
        })
    }
}

/// Workgroups in x and y for `count` elements, `per_group` in each, at most `limit` a dimension.
///
/// Shaders number their workgroups row by row and ignore those beyond the count. `None` when even a full square of
/// workgroups is too small.
fn groups(count: u64, per_group: u32, limit: u32) -> Option<[u32; 2]> {
    let needed = count.div_ceil(u64::from(per_group));
    let limit = u64::from(limit);
    let rows = needed.div_ceil(limit);
    (rows <= limit).then(|| [needed.min(limit) as u32, rows as u32])
}

fn layout_entry(binding: &yarnwise_shaders::Binding) -> wgpu::BindGroupLayoutEntry {
    assert_eq!(binding.group, 0, "stages use bind group 0 only");
    let visibility = wgpu::ShaderStages::COMPUTE;
    wgpu::BindGroupLayoutEntry { binding: binding.index, visibility, ty: binding_type(binding.kind), count: None }
}

/// How a binding is declared to the device.
pub fn binding_type(kind: BindingKind) -> wgpu::BindingType {
    let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    let texture = |sample_type, multisampled| {
        let view_dimension = wgpu::TextureViewDimension::D2;
        wgpu::BindingType::Texture { sample_type, view_dimension, multisampled }
    };
    match kind {
        BindingKind::Uniform => buffer(wgpu::BufferBindingType::Uniform),
        BindingKind::ReadOnly => buffer(wgpu::BufferBindingType::Storage { read_only: true }),
        BindingKind::ReadWrite => buffer(wgpu::BufferBindingType::Storage { read_only: false }),
        BindingKind::Texture => texture(wgpu::TextureSampleType::Float { filterable: false }, false),
        BindingKind::Depth => texture(wgpu::TextureSampleType::Depth, false),
        BindingKind::MultisampledDepth => texture(wgpu::TextureSampleType::Depth, true),
        BindingKind::ComparisonSampler => wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element has a workgroup, and no dimension exceeds its limit.
    #[test]
    fn groups_cover_the_elements_within_the_limit() {
        for limit in [1, 2, 7, 65_535] {
            for count in [0u64, 1, 63, 64, 65, 64 * 7, 64 * 7 + 1, 64 * 49, 40_000_000] {
                let Some([x, y]) = groups(count, 64, limit) else {
                    assert!(count > 64 * u64::from(limit) * u64::from(limit));
                    continue;
                };
                assert!(x <= limit && y <= limit);
                assert!(64 * u64::from(x) * u64::from(y) >= count);
                assert!(64 * u64::from(x) * u64::from(y) < count + 64 * u64::from(x).max(1));
            }
        }
    }
}
