//! What a device says when it fails, as errors instead of panics.
//!
//! wgpu reports through error scopes, except for the loss of the device: that only reaches the host's own callback, and
//! every later call quietly does nothing. A write to the queue shows it: a lost device cannot stage the data.

use crate::{DeviceError, Result};
use std::future::Future;
use std::num::NonZeroU64;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Runs `work` and returns the error that the device reports; `what` names the work in the message.
pub fn guard<T, E: From<DeviceError>>(
    device: &wgpu::Device,
    what: &str,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let result = work();
    // Innermost first, as they must be.
    let found = [ready(validation.pop()), ready(internal.pop()), ready(memory.pop())];
    match found.into_iter().flatten().next() {
        Some(error) => Err(described(error, what).into()),
        None => result,
    }
}

fn described(error: wgpu::Error, what: &str) -> DeviceError {
    match error {
        wgpu::Error::OutOfMemory { .. } => DeviceError::OutOfMemory { what: what.to_owned() },
        error => DeviceError::Refused { what: what.to_owned(), problem: error.to_string() },
    }
}

/// The value of a future that is ready immediately, as those of error scopes are outside the web.
///
/// In a browser the answer comes later: there the host's own error callback reports it.
fn ready<T>(future: impl Future<Output = Option<T>>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => None,
    }
}

/// Schedules a write of `data` to the start of `buffer`. Fails when the device is lost.
pub fn write(queue: &wgpu::Queue, buffer: &wgpu::Buffer, data: &[u8]) -> Result<()> {
    let Some(size) = NonZeroU64::new(data.len() as u64) else { return Ok(()) };
    let mut view = queue.write_buffer_with(buffer, 0, size).ok_or(DeviceError::Lost)?;
    view.copy_from_slice(data);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A software device cannot be made to run out of memory in a test; what it would say can.
    #[test]
    fn lack_of_memory_and_refusals_have_errors_of_their_own() {
        let source = || Box::new(std::fmt::Error);
        let memory = described(wgpu::Error::OutOfMemory { source: source() }, "making buffers");
        assert_eq!(memory.to_string(), "making buffers: the graphics device is out of memory");
        let description = "no such binding".to_owned();
        let refused = described(wgpu::Error::Validation { source: source(), description }, "binding");
        assert_eq!(refused.to_string(), "binding: no such binding");
    }
}
