//! From the WGSL of a stage to SPIR-V, with the bindings that naga finds in it.

use anyhow::{Context, Result, anyhow, bail};
use ash::vk;
use naga::back::pipeline_constants::process_overrides;
use naga::back::spv;
use naga::proc::Layouter;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, ArraySize, ImageClass, Module, ShaderStage, TypeInner};
use yarnwise_shaders::{Stage, stages};

/// A compute entry point, ready for Vulkan.
pub(crate) struct Program {
    /// Folder and name of its stage, and the entry point's name where a stage has several.
    pub(crate) name: String,
    pub(crate) entry_point: String,
    pub(crate) words: Vec<u32>,
    pub(crate) bindings: Vec<Binding>,
    /// Bytes of push constants.
    pub(crate) push_constants: u32,
}

/// A resource that a stage uses.
pub(crate) struct Binding {
    pub(crate) group: u32,
    pub(crate) index: u32,
    pub(crate) kind: vk::DescriptorType,
    pub(crate) count: u32,
}

/// The compute entry points of all stages that `yarnwise_shaders` lists and whose name contains `wanted`.
pub(crate) fn all(wanted: Option<&str>) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for (folder, list) in stages::FOLDERS {
        for stage in *list {
            let name = if folder.is_empty() { stage.name.to_owned() } else { format!("{folder}/{}", stage.name) };
            if wanted.is_none_or(|part| name.contains(part)) {
                programs.extend(translate(&name, stage).with_context(|| format!("stage {name}"))?);
            }
        }
    }
    Ok(programs)
}

fn translate(name: &str, stage: &Stage) -> Result<Vec<Program>> {
    let module = naga::front::wgsl::parse_str(stage.source).map_err(|e| anyhow!("{}", e.message()))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module)?;
    let entry_points: Vec<_> = module.entry_points.iter().filter(|e| e.stage == ShaderStage::Compute).collect();
    let program = |entry: &&naga::EntryPoint| -> Result<Program> {
        Ok(Program {
            name: if entry_points.len() == 1 { name.to_owned() } else { format!("{name}:{}", entry.name) },
            entry_point: entry.name.clone(),
            words: words(&module, &info, &entry.name)?,
            bindings: bindings(&module)?,
            push_constants: push_constants(&module)?,
        })
    };
    entry_points.iter().map(program).collect()
}

/// SPIR-V of one entry point. Overrides have their default values.
fn words(module: &Module, info: &ModuleInfo, entry_point: &str) -> Result<Vec<u32>> {
    let entry = (ShaderStage::Compute, entry_point);
    let (module, info) = process_overrides(module, info, Some(entry), &Default::default())?;
    let pipeline = spv::PipelineOptions { shader_stage: entry.0, entry_point: entry_point.to_owned() };
    Ok(spv::write_vec(&module, &info, &options(), Some(&pipeline))?)
}

/// naga's own options, for every stage the same: loops are bounded, workgroup memory begins as zeros and integers are not
/// divided by zero, as in wgpu; accesses are not clamped, which wgpu leaves to the card where that has robust buffers.
fn options() -> spv::Options<'static> {
    spv::Options { flags: spv::WriterFlags::empty(), ..Default::default() }
}

fn bindings(module: &Module) -> Result<Vec<Binding>> {
    let mut found = Vec::new();
    for (_, variable) in module.global_variables.iter() {
        let Some(place) = variable.binding else { continue };
        let (ty, count) = match module.types[variable.ty].inner {
            TypeInner::BindingArray { base, size: ArraySize::Constant(size) } => (base, size.get()),
            _ => (variable.ty, 1),
        };
        let kind = match variable.space {
            AddressSpace::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
            AddressSpace::Storage { .. } => vk::DescriptorType::STORAGE_BUFFER,
            _ => match module.types[ty].inner {
                TypeInner::Sampler { .. } => vk::DescriptorType::SAMPLER,
                TypeInner::Image { class: ImageClass::Storage { .. }, .. } => vk::DescriptorType::STORAGE_IMAGE,
                TypeInner::Image { .. } => vk::DescriptorType::SAMPLED_IMAGE,
                ref other => bail!("a binding of {other:?} is not supported"),
            },
        };
        found.push(Binding { group: place.group, index: place.binding, kind, count });
    }
    Ok(found)
}

/// The bytes of the variable that is not in a buffer; WGSL allows one.
fn push_constants(module: &Module) -> Result<u32> {
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx())?;
    let mut immediate = module.global_variables.iter().filter(|(_, v)| v.space == AddressSpace::Immediate);
    // Vulkan counts in words.
    Ok(immediate.next().map_or(0, |(_, variable)| layouter[variable.ty].size.next_multiple_of(4)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stages_of_every_folder_are_translated_and_those_that_draw_are_left_out() {
        let names: Vec<String> = all(None).unwrap().into_iter().map(|program| program.name).collect();
        for expected in ["faces", "vertices", "patches", "yarns", "draw/scan", "yarn_solver/product"] {
            assert!(names.iter().any(|name| name == expected), "{expected} is not among {names:?}");
        }
        assert!(!names.iter().any(|name| name.starts_with("draw/tubes")));
        assert_eq!(all(Some("scan")).unwrap().len(), 1);
        assert!(all(Some("no such stage")).unwrap().is_empty());
    }

    #[test]
    fn bindings_are_those_that_the_crate_of_shaders_has_found() {
        let yarns = all(Some("yarns")).unwrap().remove(0);
        let expected = stages::yarns::STAGE.bindings;
        assert_eq!(yarns.bindings.len(), expected.len());
        for binding in expected {
            let uniform = binding.kind == yarnwise_shaders::BindingKind::Uniform;
            let found = yarns.bindings.iter().find(|b| (b.group, b.index) == (binding.group, binding.index)).unwrap();
            assert_eq!(found.kind == vk::DescriptorType::UNIFORM_BUFFER, uniform, "{}", binding.name);
            assert_eq!(found.kind == vk::DescriptorType::STORAGE_BUFFER, !uniform, "{}", binding.name);
        }
    }

    #[test]
    fn overrides_push_constants_and_several_entry_points_are_translated() {
        let source = "override SIZE: u32 = 64u; var<immediate> scale: vec3f; \
                      @group(1) @binding(2) var<storage, read_write> out: array<f32>; \
                      @compute @workgroup_size(SIZE) fn a(@builtin(global_invocation_id) i: vec3u) { out[i.x] = scale.y; } \
                      @compute @workgroup_size(1) fn b() { out[0] = f32(SIZE); } \
                      @fragment fn c() {}";
        let stage = Stage { name: "made_up", source, entry_points: &[], bindings: &[] };
        let programs = translate("made_up", &stage).unwrap();
        assert_eq!(programs.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["made_up:a", "made_up:b"]);
        assert_eq!(programs[0].push_constants, 12);
        assert_eq!(programs[0].bindings[0].group, 1);
        let broken = Stage { source: "@compute fn", ..stage };
        assert!(translate("broken", &broken).is_err());
    }
}
