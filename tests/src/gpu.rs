//! A graphics device for tests, and a way to look into its buffers.

use bytemuck::Pod;
use yarnwise_runtime::wgpu;

/// A device with wgpu's default limits on whatever adapter there is, a software one included.
///
/// # Panics
/// Without an adapter: a test that cannot run has not passed.
pub fn device() -> (wgpu::Device, wgpu::Queue) {
    device_with(wgpu::Limits::default())
}

/// A device with exactly these limits.
///
/// # Panics
/// Without an adapter.
pub fn device_with(required_limits: wgpu::Limits) -> (wgpu::Device, wgpu::Queue) {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
        .expect("no graphics adapter: install a driver, or Mesa's software one (lavapipe)");
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    pollster::block_on(adapter.request_device(&descriptor)).expect("the adapter gives a device")
}

/// The contents of a buffer, once all that was submitted is done.
pub fn read<T: Pod>(device: &wgpu::Device, queue: &wgpu::Queue, buffer: &wgpu::Buffer) -> Vec<T> {
    let size = buffer.size();
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
    let copy = device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, size);
    queue.submit([encoder.finish()]);
    copy.map_async(wgpu::MapMode::Read, .., |result| result.expect("the buffer can be read"));
    device
        .poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(crate::program::PATIENCE) })
        .expect("the device finishes");
    let bytes = copy.get_mapped_range(..).expect("the buffer is mapped").to_vec();
    bytemuck::pod_collect_to_vec(&bytes)
}

/// Fills a buffer with NaNs, so that what a stage leaves out shows.
pub fn spoil(queue: &wgpu::Queue, buffer: &wgpu::Buffer) {
    queue.write_buffer(buffer, 0, &vec![0xff; buffer.size() as usize]);
}
