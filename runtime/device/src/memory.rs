//! Buffers of a state, checked against the device's limits before they are made.

use crate::{DeviceError, Result, fault};
use bytemuck::Pod;
use wgpu::BufferUsages;

/// The most bytes of a storage buffer that a stage can see.
pub fn storage_limit(limits: &wgpu::Limits) -> u64 {
    limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
}

/// Makes buffers on a device.
#[derive(Debug)]
pub struct Memory<'a> {
    device: &'a wgpu::Device,
    queue: &'a wgpu::Queue,
    limit: u64,
}

impl<'a> Memory<'a> {
    /// For a host's device and queue.
    pub fn new(device: &'a wgpu::Device, queue: &'a wgpu::Queue) -> Self {
        Memory { device, queue, limit: storage_limit(&device.limits()) }
    }

    /// The device.
    pub fn device(&self) -> &wgpu::Device {
        self.device
    }

    /// The most bytes of a storage buffer that a stage can see.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Schedules a write to the start of a buffer.
    pub fn write(&self, buffer: &wgpu::Buffer, data: &[u8]) -> Result<()> {
        fault::write(self.queue, buffer, data)
    }

    /// A storage buffer with `data`.
    pub fn upload<T: Pod>(&self, label: &'static str, data: &[T]) -> Result<wgpu::Buffer> {
        self.upload_for(label, data, BufferUsages::empty())
    }

    /// A storage buffer with `data` and `more` usages.
    pub fn upload_for<T: Pod>(&self, label: &'static str, data: &[T], more: BufferUsages) -> Result<wgpu::Buffer> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let buffer = self.storage::<T>(label, data.len(), more)?;
        self.write(&buffer, bytes)?;
        Ok(buffer)
    }

    /// An index buffer with `indices`.
    pub fn indices(&self, label: &'static str, indices: &[u32]) -> Result<wgpu::Buffer> {
        let bytes: &[u8] = bytemuck::cast_slice(indices);
        let buffer = self.buffer(label, bytes.len() as u64, BufferUsages::INDEX | BufferUsages::COPY_DST);
        self.write(&buffer, bytes)?;
        Ok(buffer)
    }

    /// A storage buffer for `count` values that a stage writes. It can be copied from and to, to inspect a frame.
    pub fn storage<T>(&self, label: &'static str, count: usize, more: BufferUsages) -> Result<wgpu::Buffer> {
        // A binding cannot be empty: no values become one value that is never read.
        let size = (count.max(1) * size_of::<T>()) as u64;
        if size > self.limit {
            return Err(DeviceError::Limit { what: label, needed: size, limit: self.limit, unit: "bytes" });
        }
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC | more;
        Ok(self.buffer(label, size, usage))
    }

    /// A uniform buffer of one `T`.
    pub fn uniform<T: Pod>(&self, label: &'static str) -> wgpu::Buffer {
        self.buffer(label, size_of::<T>() as u64, BufferUsages::UNIFORM | BufferUsages::COPY_DST)
    }

    fn buffer(&self, label: &'static str, size: u64, usage: BufferUsages) -> wgpu::Buffer {
        // Copies move whole words of 4 bytes.
        let size = size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        })
    }
}
