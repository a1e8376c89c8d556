//! The graphics device of the viewer.

use crate::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use yarnwise_runtime::wgpu;

/// A device, its queue, and what is known about it.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// The adapter.
    pub adapter: wgpu::Adapter,
    /// Name of the adapter and of its driver, for people.
    pub name: String,
    /// Whether it reports how long its work takes.
    pub timestamps: bool,
    lost: Arc<AtomicBool>,
}

/// What timings need.
const TIMESTAMPS: wgpu::Features =
    wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

impl Gpu {
    /// A device without a window, on any adapter, a software one included.
    pub fn headless() -> Result<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        Gpu::new(&instance, None)
    }

    /// A device that can draw to `surface`.
    pub fn new(instance: &wgpu::Instance, surface: Option<&wgpu::Surface<'_>>) -> Result<Self> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options));
        let adapter = adapter.map_err(|e| Error::NoDevice(e.to_string()))?;
        let features = adapter.features() & TIMESTAMPS;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("yarnwise-view"),
            required_features: features,
            // All limits of the adapter: large garments take large buffers.
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).map_err(|e| Error::NoDevice(e.to_string()))?;
        let lost = Arc::new(AtomicBool::new(false));
        let flag = lost.clone();
        device.set_device_lost_callback(move |_, _| flag.store(true, Ordering::Relaxed));
        let info = adapter.get_info();
        let name = format!("{} ({:?})", info.name, info.backend);
        Ok(Gpu { device, queue, adapter, name, timestamps: features.contains(TIMESTAMPS), lost })
    }

    /// Whether the device is gone.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Waits until all that was submitted is done.
    pub fn wait(&self) -> Result<()> {
        let waited = self.device.poll(wgpu::PollType::wait_indefinitely());
        waited.map_err(|e| Error::Device(e.to_string()))?;
        if self.is_lost() {
            Err(Error::Device("it was lost: the driver was reset or the adapter removed".into()))
        } else {
            Ok(())
        }
    }
}
