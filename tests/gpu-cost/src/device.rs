//! The device that compiles and runs nothing, through plain Vulkan: wgpu lists it and cannot open it.

use crate::driver::PACKAGE;
use crate::statistics::Statistic;
use crate::translate::Program;
use anyhow::{Context, Result, anyhow, bail};
use ash::khr::pipeline_executable_properties as executables;
use ash::vk;
use std::ffi::{CStr, CString};

/// The device with what it needs to live. Never destroyed: the program ends right after its last use.
pub(crate) struct Device {
    device: ash::Device,
    executables: executables::Device,
    name: String,
    driver: String,
    /// Keeps the library loaded.
    _entry: ash::Entry,
}

/// What the compiler says about a pipeline.
pub(crate) struct Compiled {
    /// Invocations of a wave.
    pub(crate) wave: u32,
    pub(crate) statistics: Vec<Statistic>,
}

impl Device {
    /// Opens the only device that the driver offers for `family`.
    pub(crate) fn open(family: &str) -> Result<Self> {
        // SAFETY: the Vulkan loader may be loaded at any time.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|e| anyhow!("the Vulkan loader is missing: install the Debian package libvulkan1 ({e})"))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let unusable = || format!("the Vulkan driver of the Debian package {PACKAGE} cannot be used");
        // SAFETY: `info` and what it points to live until the call returns.
        let instance = unsafe { entry.create_instance(&info, None) }.with_context(unusable)?;
        // SAFETY: the instance is never destroyed; this holds for all calls with it below.
        let devices = unsafe { instance.enumerate_physical_devices() }.with_context(unusable)?;
        let Some(&physical) = devices.first() else { bail!("the driver offers no device of the family '{family}'") };
        let (name, driver) = describe(&instance, physical);
        if !offers_statistics(&instance, physical)? {
            bail!("{driver} does not offer statistics of pipelines ({})", executables::NAME.to_string_lossy());
        }
        let device = create(&instance, physical).with_context(|| format!("the device {name} cannot be opened"))?;
        let executables = executables::Device::new(&instance, &device);
        Ok(Device { device, executables, name, driver, _entry: entry })
    }

    /// As the driver names it.
    pub(crate) fn name(&self) -> String {
        self.name.clone()
    }

    /// Name and version.
    pub(crate) fn driver(&self) -> String {
        self.driver.clone()
    }

    /// Makes the pipeline and asks what it costs.
    pub(crate) fn compile(&self, program: &Program) -> Result<Compiled> {
        let stage = &program.name;
        let pipeline = self.pipeline(program).with_context(|| format!("stage {stage}: the pipeline cannot be made"))?;
        let missing = || format!("stage {stage}: the driver has no statistics");
        let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
        // SAFETY: the device has the extension, and the pipeline is its own and was made with the flag for statistics.
        let parts = unsafe { self.executables.get_pipeline_executable_properties(&info) }.with_context(missing)?;
        let [part] = &parts[..] else { bail!("stage {stage}: {} executables instead of one", parts.len()) };
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(0);
        // SAFETY: as above, and the pipeline has an executable 0.
        let found = unsafe { self.executables.get_pipeline_executable_statistics(&info) }.with_context(missing)?;
        if found.is_empty() {
            bail!(missing());
        }
        let statistics = found.iter().map(Statistic::new).collect();
        Ok(Compiled { wave: part.subgroup_size, statistics })
    }

    fn pipeline(&self, program: &Program) -> Result<vk::Pipeline, vk::Result> {
        let device = &self.device;
        let layout = self.layout(program)?;
        let info = vk::ShaderModuleCreateInfo::default().code(&program.words);
        let entry_point = CString::new(program.entry_point.as_str()).expect("a name in WGSL has no zero");
        // SAFETY: naga has validated the module that the words were written from.
        let module = unsafe { device.create_shader_module(&info, None) }?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(&entry_point);
        let info = vk::ComputePipelineCreateInfo::default()
            .flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)
            .stage(stage)
            .layout(layout);
        // SAFETY: module and layout are this device's, and the layout has every binding of the module.
        let made = unsafe { device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) };
        Ok(made.map_err(|(_, error)| error)?[0])
    }

    fn layout(&self, program: &Program) -> Result<vk::PipelineLayout, vk::Result> {
        let groups = program.bindings.iter().map(|b| b.group + 1).max().unwrap_or(0);
        let sets: Vec<_> = (0..groups).map(|group| self.set_layout(program, group)).collect::<Result<_, _>>()?;
        let range =
            vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(program.push_constants);
        let ranges = if program.push_constants > 0 { std::slice::from_ref(&range) } else { &[] };
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(ranges);
        // SAFETY: the layouts of the sets are this device's.
        unsafe { self.device.create_pipeline_layout(&info, None) }
    }

    fn set_layout(&self, program: &Program, group: u32) -> Result<vk::DescriptorSetLayout, vk::Result> {
        let own = program.bindings.iter().filter(|b| b.group == group);
        let entries: Vec<_> = own
            .map(|b| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(b.index)
                    .descriptor_type(b.kind)
                    .descriptor_count(b.count)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&entries);
        // SAFETY: `info` and what it points to live until the call returns.
        unsafe { self.device.create_descriptor_set_layout(&info, None) }
    }
}

/// Names of the device and of the driver with its version.
fn describe(instance: &ash::Instance, physical: vk::PhysicalDevice) -> (String, String) {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: the device is the instance's.
    unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
    let name = text(properties.properties.device_name_as_c_str());
    let driver = format!("{} {}", text(driver.driver_name_as_c_str()), text(driver.driver_info_as_c_str()));
    (name, driver)
}

fn text(name: Result<&CStr, impl Sized>) -> String {
    name.map_or_else(|_| "unknown".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn offers_statistics(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<bool> {
    // SAFETY: the device is the instance's.
    let extensions = unsafe { instance.enumerate_device_extension_properties(physical) }?;
    Ok(extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(executables::NAME)))
}

fn create(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<ash::Device, vk::Result> {
    let queue = vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0]);
    let extensions = [executables::NAME.as_ptr()];
    let mut statistics =
        vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(std::slice::from_ref(&queue))
        .enabled_extension_names(&extensions)
        .push_next(&mut statistics);
    // SAFETY: `info` and what it points to live until the call returns, and the device offers the extension.
    unsafe { instance.create_device(physical, &info, None) }
}
