//! Failures of the device as errors of this crate.

use crate::Result;

/// Runs `work` and returns the error that the device reports; `what` names the work in the message.
pub(crate) fn guard<T>(device: &wgpu::Device, what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    yarnwise_device::guard(device, what, work)
}

/// Schedules a write of `data` to the start of `buffer`. Fails when the device is lost.
pub(crate) fn write(queue: &wgpu::Queue, buffer: &wgpu::Buffer, data: &[u8]) -> Result<()> {
    Ok(yarnwise_device::write(queue, buffer, data)?)
}
