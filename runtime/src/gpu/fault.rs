//! What a device says when it fails, as errors instead of panics.
//!
//! wgpu reports through error scopes, except for the loss of the device: that only reaches the host's own callback, and
//! every later call quietly does nothing. A write to the queue tells: a lost device has no memory to stage it in.

use crate::{Error, Result};
use std::future::Future;
use std::num::NonZeroU64;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Runs `work` and returns what the device had to say about it; `what` names the work in the message.
pub(super) fn guard<T>(device: &wgpu::Device, what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let result = work();
    // Innermost first, as they must be.
    let found = [ready(validation.pop()), ready(internal.pop()), ready(memory.pop())];
    match found.into_iter().flatten().next() {
        Some(wgpu::Error::OutOfMemory { .. }) => Err(Error::OutOfMemory { what: what.to_owned() }),
        Some(error) => Err(Error::Device { what: what.to_owned(), problem: error.to_string() }),
        None => result,
    }
}

/// The value of a future that is ready at once, as those of error scopes are outside the web.
///
/// In a browser the answer comes later: there the host's own error callback reports it.
fn ready<T>(future: impl Future<Output = Option<T>>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => None,
    }
}

/// Schedules a write of `data` to the start of `buffer`. Fails when the device is lost.
pub(super) fn write(queue: &wgpu::Queue, buffer: &wgpu::Buffer, data: &[u8]) -> Result<()> {
    let Some(size) = NonZeroU64::new(data.len() as u64) else { return Ok(()) };
    let mut view = queue.write_buffer_with(buffer, 0, size).ok_or(Error::DeviceLost)?;
    view.copy_from_slice(data);
    Ok(())
}
